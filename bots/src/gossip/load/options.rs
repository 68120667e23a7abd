//! `[pure]` The options of `gossip load`, as typed and checked: all faults are told at once.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use belay_gossip::protocol::ChannelName;

use super::super::endpoint::Endpoint;
use crate::faults::{Fault, Faults, Store};
use crate::limits::{DRAIN_DEADLINE, GAMES_MAX, PAIRS_MAX, SENDERS, WORKERS_MAX};
use crate::values::{duration, duration_of, rate, sources};

/// Options of a load as text; [`LoadOptions::check`] reads them.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LoadFlags {
    /// Folder of credentials files, one a game, or one such file
    #[arg(long, value_name = "PATH")]
    pub credentials: PathBuf,
    /// Address of the hub; without it, the one in the credentials
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// How many games
    #[arg(long, value_name = "N", default_value = "100")]
    pub games: String,
    /// Credentials files to pass over, so that several processes do not clash
    #[arg(long, value_name = "N", default_value = "0")]
    pub first: String,
    /// The channel
    #[arg(long, value_name = "NAME", default_value = "gossip")]
    pub channel: String,
    /// Messages per second, of all senders together
    #[arg(long, value_name = "PER_S", default_value = "1")]
    pub rate: String,
    /// How many of the games send, in turn; 100, or all if there are fewer
    #[arg(long, value_name = "N")]
    pub senders: Option<String>,
    /// Games connected per second
    #[arg(long, value_name = "PER_S", default_value = "200")]
    pub ramp: String,
    /// Sending without measuring, before the measuring
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub warmup: String,
    /// How long to measure
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub duration: String,
    /// How long a game waits after reading, so that more is there to read: cheaper, but later
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub gather: String,
    /// Local addresses to connect from, taken in turn
    #[arg(long, value_name = "A-B")]
    pub sources: Option<String>,
    /// Worker threads of the games
    #[arg(long, value_name = "N", default_value = "1")]
    pub workers: String,
    /// The hub's process, whose CPU and memory to report
    #[arg(long, value_name = "PID")]
    pub hub_pid: Option<String>,
}

/// Everything a load needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Folder of credentials files, or one file.
    pub credentials: PathBuf,
    /// Where the hub is, if not where the credentials say.
    pub target: Option<Endpoint>,
    /// How many games.
    pub games: usize,
    /// Credentials files to pass over.
    pub first: usize,
    /// The channel.
    pub channel: String,
    /// Messages per second.
    pub rate: f64,
    /// How many of the games send.
    pub senders: usize,
    /// Games connected per second.
    pub ramp: f64,
    /// Sending without measuring.
    pub warmup: Duration,
    /// The measuring window.
    pub duration: Duration,
    /// How long the last messages may take to arrive; what is not there then is missed.
    pub drain: Duration,
    /// Wait after reading.
    pub gather: Duration,
    /// Local addresses, taken in turn.
    pub sources: Vec<IpAddr>,
    /// Worker threads the executable plays with; [`run_load`](crate::run_load) itself runs in its
    /// caller's runtime.
    pub workers: usize,
    /// The hub's process.
    pub hub_pid: Option<u32>,
}

impl LoadOptions {
    /// So many games of this folder, one message a second for half a minute.
    #[must_use]
    pub fn new(credentials: PathBuf, games: usize) -> Self {
        Self {
            credentials,
            target: None,
            games,
            first: 0,
            channel: "gossip".to_owned(),
            rate: 1.0,
            senders: games.min(SENDERS),
            ramp: 200.0,
            warmup: Duration::from_secs(5),
            duration: Duration::from_secs(30),
            drain: DRAIN_DEADLINE,
            gather: Duration::ZERO,
            sources: Vec::new(),
            workers: 1,
            hub_pid: None,
        }
    }

    /// Reads the options.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(flags: &LoadFlags) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let games = read_games(flags, &mut faults);
        let mut options = Self::new(flags.credentials.clone(), games);
        options.read_hub(flags, &mut faults);
        options.read_sending(flags, &mut faults);
        options.read_machine(flags, &mut faults);
        faults.judge(options)
    }

    fn read_hub(&mut self, flags: &LoadFlags, faults: &mut Faults) {
        let allowed = "ws://ADDRESS:PORT/socket";
        self.target = faults.maybe("--target", flags.target.as_ref(), allowed, Endpoint::parse);
        let read = |text: &str| text.parse().ok().filter(|first| *first < GAMES_MAX);
        faults
            .read("--first", &flags.first, "a number below 10000", read)
            .store(&mut self.first);
        faults
            .read("--channel", &flags.channel, CHANNEL, channel)
            .store(&mut self.channel);
    }

    fn read_sending(&mut self, flags: &LoadFlags, faults: &mut Faults) {
        let per_s = "a number per second, 0.01 to 100000";
        faults
            .read("--rate", &flags.rate, per_s, rate)
            .store(&mut self.rate);
        faults
            .read("--ramp", &flags.ramp, per_s, rate)
            .store(&mut self.ramp);
        let games = self.games;
        let fits = |senders: &usize| (1..=games).contains(senders) && senders * games <= PAIRS_MAX;
        let read = |text: &str| text.parse().ok().filter(fits);
        let allowed = "a number from 1 to that of the games, and at most 4000000 pairs of the two";
        faults
            .maybe("--senders", flags.senders.as_ref(), allowed, read)
            .store(&mut self.senders);
        faults
            .read("--warmup", &flags.warmup, TIME, duration_of)
            .store(&mut self.warmup);
        faults
            .read("--duration", &flags.duration, TIME, duration)
            .store(&mut self.duration);
        faults
            .read("--gather", &flags.gather, TIME, duration_of)
            .store(&mut self.gather);
    }

    fn read_machine(&mut self, flags: &LoadFlags, faults: &mut Faults) {
        let allowed = "addresses like 127.0.0.2-127.0.0.9, at most 256";
        let range = faults.maybe("--sources", flags.sources.as_ref(), allowed, sources);
        range.store(&mut self.sources);
        let in_range = |workers: &usize| (1..=WORKERS_MAX).contains(workers);
        let read = |text: &str| text.parse().ok().filter(in_range);
        faults
            .read("--workers", &flags.workers, "a number from 1 to 8", read)
            .store(&mut self.workers);
        let pid = |text: &str| text.parse().ok().filter(|pid| *pid > 0);
        let allowed = "the number of a process";
        self.hub_pid = faults.maybe("--hub-pid", flags.hub_pid.as_ref(), allowed, pid);
    }

    /// The address from which game `number` connects; the system chooses without.
    pub(crate) fn source_of(&self, number: usize) -> Option<IpAddr> {
        let count = self.sources.len().max(1);
        self.sources.get(number % count).copied()
    }
}

/// What is allowed as a time.
pub(crate) const TIME: &str = "a time with its unit, like 500ms, 60s or 5m";

/// What is allowed as a channel.
pub(crate) const CHANNEL: &str = "3 to 15 letters, - or _, and not all";

/// The name of a channel, if it is one.
pub(crate) fn channel(text: &str) -> Option<String> {
    ChannelName::parse(text).ok().map(|name| name.to_string())
}

fn read_games(flags: &LoadFlags, faults: &mut Faults) -> usize {
    let in_range = |games: &usize| (2..=GAMES_MAX).contains(games);
    let read = |text: &str| text.parse().ok().filter(in_range);
    let games = faults.read("--games", &flags.games, "a number from 2 to 10000", read);
    games.unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: LoadFlags,
    }

    fn check(line: &str) -> Result<LoadOptions, Vec<&'static str>> {
        let words = ["test", "--credentials", "games"]
            .into_iter()
            .chain(line.split_whitespace());
        let flags = Line::try_parse_from(words).expect("flags").flags;
        LoadOptions::check(&flags)
            .map_err(|faults| faults.into_iter().map(|fault| fault.option).collect())
    }

    #[test]
    fn the_defaults_are_fine() {
        assert_eq!(check(""), Ok(LoadOptions::new("games".into(), 100)));
        assert_eq!(check("--games 20").unwrap().senders, 20);
    }

    #[test]
    fn reads_a_full_line() {
        let options = check(
            "--target ws://127.0.0.1:4110/socket --games 1000 --first 3 --channel testing \
             --rate 1000 --senders 200 --ramp 50 --warmup 0s --duration 1m --gather 5ms \
             --sources 127.0.0.2-127.0.0.3 --workers 2 --hub-pid 7",
        )
        .unwrap();
        assert_eq!(options.target.as_ref().unwrap().path, "/socket");
        assert_eq!(
            (options.games, options.first, options.senders),
            (1000, 3, 200)
        );
        assert_eq!(options.channel, "testing");
        assert_eq!(options.gather, Duration::from_millis(5));
        assert_eq!(options.source_of(3), Some("127.0.0.3".parse().unwrap()));
        assert_eq!(options.hub_pid, Some(7));
    }

    #[test]
    fn tells_all_faults_at_once() {
        let line = "--target wss://x --games 1 --first x --channel all --rate 0 --ramp 0 \
                    --senders 3 --warmup 5 --duration 0s --gather soon --sources x --workers 0 \
                    --hub-pid 0";
        let expected = [
            "--games",
            "--target",
            "--first",
            "--channel",
            "--rate",
            "--ramp",
            "--senders",
            "--warmup",
            "--duration",
            "--gather",
            "--sources",
            "--workers",
            "--hub-pid",
        ];
        assert_eq!(check(line), Err(expected.to_vec()));
        assert_eq!(check("--games 3000 --senders 3000"), Err(vec!["--senders"]));
    }
}
