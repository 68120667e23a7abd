//! `[pure]` The options of `gossip chop`, as typed and checked: all faults are told at once.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::super::load::options::{CHANNEL, TIME, channel};
use crate::faults::{Fault, Faults, Store};
use crate::values::{address, duration, duration_of, rate};

/// Options of a chopped hub as text; [`ChopOptions::check`] reads them.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ChopFlags {
    /// The hub's executable
    #[arg(long, value_name = "FILE")]
    pub hub: PathBuf,
    /// Credentials file of a game for the talker; its address is where the hub listens
    #[arg(long, value_name = "FILE")]
    pub credentials: PathBuf,
    /// Telnet port of the node, which is a game on the same hub
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4000")]
    pub node: String,
    /// What the listener types to hear the channel
    #[arg(long, value_name = "LINE", default_value = "channel join gossip")]
    pub join: String,
    /// The channel on the hub
    #[arg(long, value_name = "NAME", default_value = "gossip")]
    pub channel: String,
    /// From one kill to the next
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub every: String,
    /// From a kill to the start after it
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub away: String,
    /// How long to go on
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub duration: String,
    /// Messages per second, after a few quick ones each time the hub is back
    #[arg(long, value_name = "PER_S", default_value = "2")]
    pub rate: String,
    /// How long the first message may take to be heard, before anything is killed
    #[arg(long, value_name = "TIME", default_value = "90s")]
    pub patience: String,
    /// Where the hub's standard error goes; without, nowhere
    #[arg(long, value_name = "FILE")]
    pub hub_log: Option<PathBuf>,
    /// What the hub is started with: serve --listen ... --data ...
    #[arg(last = true, required = true, value_name = "ARGS")]
    pub hub_args: Vec<String>,
}

/// Everything a chopped hub needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ChopOptions {
    /// The hub's executable.
    pub hub: PathBuf,
    /// What it is started with.
    pub hub_args: Vec<String>,
    /// Where its standard error goes.
    pub hub_log: Option<PathBuf>,
    /// Credentials file of the talker.
    pub credentials: PathBuf,
    /// Telnet port of the node.
    pub node: SocketAddr,
    /// What the listener types.
    pub join: String,
    /// The channel on the hub.
    pub channel: String,
    /// From one kill to the next.
    pub every: Duration,
    /// From a kill to the start after it.
    pub away: Duration,
    /// How long to go on.
    pub duration: Duration,
    /// Messages per second.
    pub rate: f64,
    /// How long the first message may take.
    pub patience: Duration,
}

impl ChopOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(flags: &ChopFlags) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let mut options = Self {
            hub: flags.hub.clone(),
            hub_args: flags.hub_args.clone(),
            hub_log: flags.hub_log.clone(),
            credentials: flags.credentials.clone(),
            node: SocketAddr::from(([127, 0, 0, 1], 0)),
            join: flags.join.clone(),
            channel: String::new(),
            every: Duration::ZERO,
            away: Duration::ZERO,
            duration: Duration::ZERO,
            rate: 0.0,
            patience: Duration::ZERO,
        };
        faults
            .read("--node", &flags.node, "ADDRESS:PORT", address)
            .store(&mut options.node);
        faults
            .read("--channel", &flags.channel, CHANNEL, channel)
            .store(&mut options.channel);
        for (option, text, place) in [
            ("--every", &flags.every, &mut options.every),
            ("--duration", &flags.duration, &mut options.duration),
            ("--patience", &flags.patience, &mut options.patience),
        ] {
            faults.read(option, text, TIME, duration).store(place);
        }
        let every = options.every;
        let shorter = |text: &str| duration_of(text).filter(|away| *away < every);
        let allowed = "a time shorter than that of --every";
        faults
            .read("--away", &flags.away, allowed, shorter)
            .store(&mut options.away);
        let allowed = "a number per second, 0.01 to 100000";
        faults
            .read("--rate", &flags.rate, allowed, rate)
            .store(&mut options.rate);
        faults.judge(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ChopFlags,
    }

    fn check(line: &str) -> Result<ChopOptions, Vec<&'static str>> {
        let line = format!("test --hub hub --credentials c.toml {line} -- serve --data d");
        let flags = Line::try_parse_from(line.split_whitespace())
            .expect("flags")
            .flags;
        ChopOptions::check(&flags)
            .map_err(|faults| faults.into_iter().map(|fault| fault.option).collect())
    }

    #[test]
    fn reads_a_line_and_tells_all_faults() {
        let options = check("").unwrap();
        assert_eq!(options.hub_args, ["serve", "--data", "d"]);
        assert_eq!(options.join, "channel join gossip");
        assert_eq!((options.every.as_secs(), options.away.as_secs()), (5, 1));
        let line = "--node x --channel a --every 0s --duration 1 --patience 1 --away 5s --rate 0";
        let expected = [
            "--node",
            "--channel",
            "--every",
            "--duration",
            "--patience",
            "--away",
            "--rate",
        ];
        assert_eq!(check(line), Err(expected.to_vec()));
        assert_eq!(check("--every 2s --away 2s"), Err(vec!["--away"]));
    }
}
