//! `[pure]` The options of `gossip flood`, as typed and checked: all faults are told at once.

use std::net::SocketAddr;
use std::time::Duration;

use super::super::load::options::{CHANNEL, TIME, channel};
use crate::faults::{Fault, Faults, Store};
use crate::values::{duration, duration_of, rate};

/// Options of a flood as text; [`FloodOptions::check`] reads them.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct FloodFlags {
    /// Where to listen; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4110")]
    pub listen: String,
    /// Messages per second to each game that connects
    #[arg(long, value_name = "PER_S", default_value = "10000")]
    pub rate: String,
    /// The channel
    #[arg(long, value_name = "NAME", default_value = "gossip")]
    pub channel: String,
    /// From how many other games the messages seem to be
    #[arg(long, value_name = "N", default_value = "10")]
    pub speakers: String,
    /// How long a game is left in peace after its welcome
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub calm: String,
    /// When to end
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub duration: String,
}

/// Everything a flood needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct FloodOptions {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Messages per second to each game.
    pub rate: f64,
    /// The channel.
    pub channel: String,
    /// From how many other games the messages seem to be.
    pub speakers: u32,
    /// How long a game is left in peace after its welcome.
    pub calm: Duration,
    /// When to end.
    pub duration: Duration,
}

impl Default for FloodOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            rate: 10_000.0,
            channel: "gossip".to_owned(),
            speakers: 10,
            calm: Duration::from_secs(1),
            duration: Duration::from_mins(1),
        }
    }
}

impl FloodOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(flags: &FloodFlags) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let mut options = Self::default();
        let address = |text: &str| text.replace("localhost", "127.0.0.1").parse().ok();
        faults
            .read("--listen", &flags.listen, "ADDRESS:PORT", address)
            .store(&mut options.listen);
        let allowed = "a number per second, 0.01 to 100000";
        faults
            .read("--rate", &flags.rate, allowed, rate)
            .store(&mut options.rate);
        faults
            .read("--channel", &flags.channel, CHANNEL, channel)
            .store(&mut options.channel);
        let few = |text: &str| text.parse().ok().filter(|few| (1..=1000).contains(few));
        faults
            .read(
                "--speakers",
                &flags.speakers,
                "a number from 1 to 1000",
                few,
            )
            .store(&mut options.speakers);
        faults
            .read("--calm", &flags.calm, TIME, duration_of)
            .store(&mut options.calm);
        faults
            .read("--duration", &flags.duration, TIME, duration)
            .store(&mut options.duration);
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
        flags: FloodFlags,
    }

    fn check(line: &str) -> Result<FloodOptions, Vec<&'static str>> {
        let words = std::iter::once("test").chain(line.split_whitespace());
        let flags = Line::try_parse_from(words).expect("flags").flags;
        FloodOptions::check(&flags)
            .map_err(|faults| faults.into_iter().map(|fault| fault.option).collect())
    }

    #[test]
    fn reads_a_line_and_tells_all_faults() {
        let listen = "127.0.0.1:4110".parse().unwrap();
        assert_eq!(
            check(""),
            Ok(FloodOptions {
                listen,
                ..FloodOptions::default()
            })
        );
        let line = "--listen x --rate -1 --channel ab --speakers 0 --calm 1 --duration 0s";
        let expected = [
            "--listen",
            "--rate",
            "--channel",
            "--speakers",
            "--calm",
            "--duration",
        ];
        assert_eq!(check(&line.replace(" -1", "=-1")), Err(expected.to_vec()));
    }
}
