//! `[pure]` The options of `cluster`, as typed and checked: all faults are told at once.

use std::path::PathBuf;
use std::time::Duration;

use crate::faults::{Fault, Faults, Store};
use crate::values::duration;

/// Nodes of a cluster on one machine. More are refused.
pub(crate) const NODES_MAX: u16 = 9;

/// Bots of all nodes together. More are refused: this is to be looked at, not to be measured.
const BOTS_MAX: u32 = 5_000;

/// Options of a cluster as text; [`ClusterOptions::check`] reads them.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ClusterFlags {
    /// The executable of the nodes; without, the one beside this program
    #[arg(long, value_name = "FILE")]
    pub belay: Option<PathBuf>,
    /// How many nodes
    #[arg(long, value_name = "N", default_value = "3")]
    pub nodes: String,
    /// How many bots, on all nodes together; 0 for none
    #[arg(long, value_name = "N", default_value = "60")]
    pub count: String,
    /// How long the bots of a node play before they tell what they measured and come anew
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub round: String,
    /// How long to go on; without, until Ctrl-C
    #[arg(long, value_name = "TIME")]
    pub duration: Option<String>,
    /// Where data and logs of the nodes are kept; without, in a directory that is removed
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A database server to use; without, one is started
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// With what else each node is started: --content DIR, --set KEY=VALUE
    #[arg(last = true, value_name = "ARGS")]
    pub node_args: Vec<String>,
}

/// What a cluster on this machine is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LaunchOptions {
    /// The executable of the nodes, if it was named.
    pub(crate) belay: Option<PathBuf>,
    /// How many nodes.
    pub(crate) nodes: u16,
    /// Where data and logs are kept.
    pub(crate) data: Option<PathBuf>,
    /// A database server to use.
    pub(crate) store: Option<String>,
    /// With what else each node is started.
    pub(crate) node_args: Vec<String>,
}

/// Everything a cluster on one machine needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterOptions {
    /// What the cluster is made of.
    pub(crate) launch: LaunchOptions,
    /// How many bots.
    pub count: u32,
    /// How long a round of the bots is.
    pub round: Duration,
    /// How long to go on.
    pub duration: Option<Duration>,
}

impl ClusterOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(flags: &ClusterFlags) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let mut options = Self {
            launch: LaunchOptions {
                belay: flags.belay.clone(),
                nodes: 0,
                data: flags.data.clone(),
                store: flags.store.clone(),
                node_args: flags.node_args.clone(),
            },
            count: 0,
            round: Duration::ZERO,
            duration: None,
        };
        let read = |text: &str| text.parse().ok().filter(|it| (1..=NODES_MAX).contains(it));
        faults
            .read("--nodes", &flags.nodes, "a number from 1 to 9", read)
            .store(&mut options.launch.nodes);
        let read = |text: &str| text.parse().ok().filter(|it| *it <= BOTS_MAX);
        faults
            .read("--count", &flags.count, "a number from 0 to 5000", read)
            .store(&mut options.count);
        let time = "a time with its unit, like 20s or 5m";
        faults
            .read("--round", &flags.round, time, duration)
            .store(&mut options.round);
        options.duration = faults.maybe("--duration", flags.duration.as_ref(), time, duration);
        faults.judge(options)
    }

    /// How many bots play on the node of this number, from 0.
    pub(super) fn bots_on(&self, node: u16) -> u32 {
        let nodes = u32::from(self.launch.nodes.max(1));
        self.count / nodes + u32::from(u32::from(node) < self.count % nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(nodes: &str, count: &str, (round, duration): (&str, Option<&str>)) -> ClusterFlags {
        ClusterFlags {
            nodes: nodes.to_owned(),
            count: count.to_owned(),
            round: round.to_owned(),
            duration: duration.map(str::to_owned),
            ..ClusterFlags::default()
        }
    }

    #[test]
    fn all_faults_are_told() {
        let faults = ClusterOptions::check(&flags("0", "5001", ("20", Some("x")))).unwrap_err();
        let told: Vec<_> = faults.iter().map(|fault| fault.option).collect();
        assert_eq!(told, ["--nodes", "--count", "--round", "--duration"]);
    }

    #[test]
    fn bots_are_spread_and_none_is_lost() {
        let options = ClusterOptions::check(&flags("3", "11", ("20s", None))).unwrap();
        let spread: Vec<_> = (0..3).map(|node| options.bots_on(node)).collect();
        assert_eq!(spread, [4, 4, 3]);
        assert_eq!(options.duration, None);
    }
}
