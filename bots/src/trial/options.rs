//! `[pure]` The options of a trial, as typed and checked: all faults are told at once.

use std::path::PathBuf;
use std::time::Duration;

use crate::cluster::{LaunchOptions, NODES_MAX};
use crate::faults::{Fault, Faults, Store};
use crate::wander::{Pace, pace};

/// Bots of a trial. More are refused: nodes, database and bots share this machine.
const BOTS_MAX: u32 = 10_000;

/// Runs of a trial. More are refused.
const RUNS_MAX: u32 = 1_000;

/// Nodes of which any one may be lost.
const NODES_TO_LOSE_ONE: u16 = 3;

/// What is done to the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// kill -9 of a node that does not lead: when do its zones play again?
    FollowerKill,
    /// kill -9 of the node that leads: when do its zones play again?
    LeaderKill,
    /// kill -9 of a node, which is started again at once: when do its zones play again?
    Restart,
    /// A zone moves with 200 players in it: how long does it stand still, is a command lost?
    Move,
    /// All nodes are stopped and started, one after the other: is a session lost?
    Rolling,
    /// One more node comes: how many shards move, for how long, do players notice?
    Join,
    /// A player whose room is on another node: how much later are the answers?
    Distance,
}

/// Options of a trial as text; [`TrialOptions::check`] reads them.
#[derive(Debug, Clone, clap::Args)]
pub struct TrialFlags {
    /// What is done to the cluster
    #[arg(value_enum)]
    pub scenario: Scenario,
    /// The executable of the nodes; without, the one beside this program
    #[arg(long, value_name = "FILE")]
    pub belay: Option<PathBuf>,
    /// How many nodes
    #[arg(long, value_name = "N", default_value = "3")]
    pub nodes: String,
    /// How many bots play, on all nodes together
    #[arg(long, value_name = "N", default_value = "2000")]
    pub count: String,
    /// How often it is done
    #[arg(long, value_name = "N", default_value = "20")]
    pub runs: String,
    /// Zones of the world that is made for it
    #[arg(long, value_name = "N", default_value = "12")]
    pub zones: String,
    /// Rooms of that world
    #[arg(long, value_name = "N", default_value = "400")]
    pub rooms: String,
    /// Seconds between an answer and the next command
    #[arg(long, value_name = "A-B", default_value = "3.5-7.0")]
    pub pace: String,
    /// Where data and logs of the nodes are kept; without, in a directory that is removed
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A database server to use; without, one is started
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// With what else each node is started: --set KEY=VALUE
    #[arg(last = true, value_name = "ARGS")]
    pub node_args: Vec<String>,
}

/// Everything a trial needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialOptions {
    /// What is done.
    pub scenario: Scenario,
    /// How many bots.
    pub count: u32,
    /// How often it is done.
    pub runs: u32,
    /// Zones of the world.
    pub zones: u32,
    /// Rooms of the world.
    pub rooms: u32,
    /// How often bots type.
    pub pace: Pace,
    /// What the cluster is made of.
    pub(crate) launch: LaunchOptions,
}

impl TrialOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(flags: &TrialFlags) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let mut options = Self {
            scenario: flags.scenario,
            count: 0,
            runs: 0,
            zones: 0,
            rooms: 0,
            pace: Pace {
                least: Duration::ZERO,
                most: Duration::ZERO,
            },
            launch: LaunchOptions {
                belay: flags.belay.clone(),
                nodes: 0,
                data: flags.data.clone(),
                store: flags.store.clone(),
                node_args: flags.node_args.clone(),
            },
        };
        let least = match flags.scenario {
            Scenario::FollowerKill | Scenario::LeaderKill | Scenario::Rolling => NODES_TO_LOSE_ONE,
            Scenario::Restart | Scenario::Move | Scenario::Join | Scenario::Distance => 2,
        };
        let read = |text: &str| {
            text.parse()
                .ok()
                .filter(|n| (least..=NODES_MAX).contains(n))
        };
        let allowed = "a number from 2 to 9, and from 3 where a node is lost";
        faults
            .read("--nodes", &flags.nodes, allowed, read)
            .store(&mut options.launch.nodes);
        options.read_numbers(flags, &mut faults);
        if options.zones > 0 && options.zones < u32::from(options.launch.nodes) {
            faults.push(Fault {
                option: "--zones",
                value: format!("{:?}", flags.zones),
                allowed: "at least as many as nodes",
            });
        }
        faults.judge(options)
    }

    /// How many of what.
    fn read_numbers(&mut self, flags: &TrialFlags, faults: &mut Faults) {
        let within =
            |most: u32| move |text: &str| text.parse().ok().filter(|n| (1..=most).contains(n));
        faults
            .read(
                "--count",
                &flags.count,
                "a number from 1 to 10000",
                within(BOTS_MAX),
            )
            .store(&mut self.count);
        faults
            .read(
                "--runs",
                &flags.runs,
                "a number from 1 to 1000",
                within(RUNS_MAX),
            )
            .store(&mut self.runs);
        let count = |text: &str| text.parse().ok().filter(|n| *n > 0);
        faults
            .read("--zones", &flags.zones, "a number from 1", count)
            .store(&mut self.zones);
        faults
            .read("--rooms", &flags.rooms, "a number from 1", count)
            .store(&mut self.rooms);
        faults
            .read(
                "--pace",
                &flags.pace,
                "SECONDS-SECONDS, the smaller first",
                pace,
            )
            .store(&mut self.pace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        flags: TrialFlags,
    }

    fn check(line: &str) -> Result<TrialOptions, Vec<&'static str>> {
        let words = std::iter::once("test").chain(line.split_whitespace());
        let flags = Flags::try_parse_from(words).expect("flags").flags;
        TrialOptions::check(&flags)
            .map_err(|faults| faults.into_iter().map(|fault| fault.option).collect())
    }

    #[test]
    fn the_defaults_are_those_of_the_figures() {
        let options = check("follower-kill -- --set log.level=debug").unwrap();
        assert_eq!(options.scenario, Scenario::FollowerKill);
        assert_eq!(
            (options.launch.nodes, options.count, options.runs),
            (3, 2000, 20)
        );
        assert_eq!((options.zones, options.rooms), (12, 400));
        assert_eq!(options.launch.node_args, ["--set", "log.level=debug"]);
    }

    #[test]
    fn all_faults_are_told() {
        let line = "move --nodes 1 --count 0 --runs x --zones 0 --rooms many --pace 3";
        let all = [
            "--nodes", "--count", "--runs", "--zones", "--rooms", "--pace",
        ];
        assert_eq!(check(line), Err(all.to_vec()));
        assert_eq!(check("restart --nodes 2 --zones 1"), Err(vec!["--zones"]));
        assert_eq!(check("leader-kill --nodes 2"), Err(vec!["--nodes"]));
        assert!(check("restart --nodes 2").is_ok());
    }
}
