//! `[pure]` The options of a crowd, checked: all faults are told at once.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::flags::RawOptions;
use super::mix::Mix;
use crate::faults::{Fault, Faults, Store};
use crate::limits::{
    ANSWER_DEADLINE, BOTS_MAX, NAME_LETTERS_MAX, NAME_NUMBER_LETTERS, NAMES_PER_PREFIX,
    SILENCE_DEADLINE, WORKERS_MAX,
};
use crate::login::Who;
use crate::names::letters;
use crate::target::{Route, Target};
use crate::values::{address, duration, duration_of, rate, sources};

/// As whom the bots log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// Guests.
    Guests,
    /// Accounts whose names start with this prefix.
    Accounts(String),
}

/// When the bots come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrival {
    /// All at once.
    Burst,
    /// So many per second.
    PerSecond(f64),
}

/// Time between an answer and the next command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The shortest.
    pub least: Duration,
    /// The longest.
    pub most: Duration,
}

/// Rooms to crash while measuring.
#[derive(Debug, Clone, PartialEq)]
pub struct CrashPlan {
    /// Crashes per second.
    pub per_s: f64,
    /// The node's control socket.
    pub control: PathBuf,
}

/// Everything a crowd needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where to connect.
    pub target: Target,
    /// How many bots.
    pub count: u32,
    /// Number of the first bot: offset of names and say tokens.
    pub first: u32,
    /// As whom.
    pub identity: Identity,
    /// When they come.
    pub arrival: Arrival,
    /// Warm-up after the last login.
    pub settle: Duration,
    /// The measuring window.
    pub duration: Duration,
    /// Given up when not in after this.
    pub login_deadline: Duration,
    /// A login attempt in which the node says nothing for so long is given up and repeated.
    pub silence_deadline: Duration,
    /// A command without its answer after this is unanswered.
    pub answer_deadline: Duration,
    /// What they do.
    pub mix: Mix,
    /// How often.
    pub pace: Pace,
    /// Makes their choices repeatable.
    pub seed: u64,
    /// Local addresses, taken in turn.
    pub sources: Vec<IpAddr>,
    /// Worker threads the executable plays with; [`run_wander`](crate::run_wander) itself runs in
    /// its caller's runtime.
    pub workers: usize,
    /// The node's process.
    pub node_pid: Option<u32>,
    /// Rooms to crash.
    pub crash: Option<CrashPlan>,
}

impl Options {
    /// Guests with the usual mix and pace, 100 a second, measured for a minute.
    #[must_use]
    pub fn new(target: Target, count: u32) -> Self {
        Self {
            target,
            count,
            first: 0,
            identity: Identity::Guests,
            arrival: Arrival::PerSecond(100.0),
            settle: Duration::from_secs(5),
            duration: Duration::from_secs(60),
            login_deadline: Duration::from_secs(120),
            silence_deadline: SILENCE_DEADLINE,
            answer_deadline: ANSWER_DEADLINE,
            mix: Mix::default(),
            pace: Pace {
                least: Duration::from_millis(3500),
                most: Duration::from_secs(7),
            },
            seed: 1,
            sources: Vec::new(),
            workers: 1,
            node_pid: None,
            crash: None,
        }
    }

    /// Reads the options; `seed` is taken when none is given.
    ///
    /// # Errors
    /// Every fault found.
    pub fn check(raw: &RawOptions, seed: u64) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let nowhere = Target::telnet(SocketAddr::from(([127, 0, 0, 1], 0)));
        let mut options = Self {
            seed,
            ..Self::new(nowhere, 1)
        };
        options.read_crowd(raw, &mut faults);
        options.read_times(raw, &mut faults);
        options.read_play(raw, &mut faults);
        options.read_machine(raw, &mut faults);
        faults.judge(options)
    }

    /// Who comes, how many, where to.
    fn read_crowd(&mut self, raw: &RawOptions, faults: &mut Faults) {
        let route = if raw.ws {
            Route::WebSocket
        } else {
            Route::Telnet
        };
        self.target.route = route;
        let place = &mut self.target.address;
        faults
            .read("--target", &raw.target, "ADDRESS:PORT", address)
            .store(place);
        let allowed = "a number from 1 to 60000";
        let in_range = |count: &u32| (1..=BOTS_MAX).contains(count);
        let read = |text: &str| text.parse().ok().filter(in_range);
        faults
            .read("--count", &raw.count, allowed, read)
            .store(&mut self.count);
        let below = |first: &u32| *first <= NAMES_PER_PREFIX - BOTS_MAX;
        let read = |text: &str| text.parse().ok().filter(below);
        faults
            .read("--first", &raw.first, "a number below 390000", read)
            .store(&mut self.first);
        if let Some(prefix) = &raw.accounts {
            let allowed = "a prefix of 1 to 16 letters, no digits";
            faults
                .read("--accounts", prefix, allowed, prefix_of)
                .store(&mut self.identity);
        }
    }

    fn read_times(&mut self, raw: &RawOptions, faults: &mut Faults) {
        let ramp = faults.read("--ramp", &raw.ramp, "bots per second, 0.01 to 100000", rate);
        ramp.map(Arrival::PerSecond).store(&mut self.arrival);
        if raw.burst {
            self.arrival = Arrival::Burst;
        }
        let time = "a time with its unit, like 500ms, 60s or 5m";
        faults
            .read("--duration", &raw.duration, time, duration)
            .store(&mut self.duration);
        faults
            .read("--settle", &raw.settle, time, duration_of)
            .store(&mut self.settle);
        let deadline = &mut self.login_deadline;
        faults
            .read("--login-deadline", &raw.login_deadline, time, duration)
            .store(deadline);
    }

    fn read_play(&mut self, raw: &RawOptions, faults: &mut Faults) {
        let allowed = "SECONDS-SECONDS, the smaller first";
        faults
            .read("--pace", &raw.pace, allowed, pace)
            .store(&mut self.pace);
        let allowed = "weights like move=60,say=25,look=15";
        let mix = faults.read("--mix", &raw.mix, allowed, Mix::parse);
        mix.store(&mut self.mix);
        if raw.stay
            && let Some(mix) = mix
        {
            let allowed = "with --stay something to say or look at";
            faults
                .read("--mix", &raw.mix, allowed, |_| mix.staying())
                .store(&mut self.mix);
        }
        let number = |text: &str| text.parse().ok();
        faults
            .maybe("--seed", raw.seed.as_ref(), "a number", number)
            .store(&mut self.seed);
    }

    /// Addresses, processes and sockets of this machine.
    fn read_machine(&mut self, raw: &RawOptions, faults: &mut Faults) {
        let allowed = "addresses like 127.0.0.2-127.0.0.9, at most 256";
        let range = faults.maybe("--sources", raw.sources.as_ref(), allowed, sources);
        range.store(&mut self.sources);
        let in_range = |workers: &usize| (1..=WORKERS_MAX).contains(workers);
        let read = |text: &str| text.parse().ok().filter(in_range);
        faults
            .read("--workers", &raw.workers, "a number from 1 to 8", read)
            .store(&mut self.workers);
        let pid = |text: &str| text.parse().ok().filter(|pid| *pid > 0);
        self.node_pid = faults.maybe(
            "--node-pid",
            raw.node_pid.as_ref(),
            "the number of a process",
            pid,
        );
        self.crash = crash_plan(raw, faults);
    }

    /// As whom bot `number` (from 0) logs in.
    pub(crate) fn who(&self, number: u32) -> Who {
        match &self.identity {
            Identity::Guests => Who::Guest,
            Identity::Accounts(prefix) => {
                let name = letters(prefix, self.first + number);
                let password = format!("belay bot {name}");
                Who::Account { name, password }
            }
        }
    }

    /// Where bot `number` connects, from its source address.
    pub(crate) fn target_of(&self, number: u32) -> Target {
        let count = self.sources.len().max(1);
        let source = self
            .sources
            .get(usize::try_from(number).unwrap_or(0) % count)
            .copied();
        Target {
            source,
            ..self.target
        }
    }
}

/// `A-B` in seconds.
pub(crate) fn pace(text: &str) -> Option<Pace> {
    let (least, most) = text.split_once('-')?;
    let seconds = |text: &str| {
        let seconds = text.trim().trim_end_matches('s').parse::<f64>().ok()?;
        (0.0..=3600.0)
            .contains(&seconds)
            .then(|| Duration::from_secs_f64(seconds))
    };
    let pace = Pace {
        least: seconds(least)?,
        most: seconds(most)?,
    };
    (pace.least <= pace.most && !pace.most.is_zero()).then_some(pace)
}

fn prefix_of(text: &str) -> Option<Identity> {
    let fits = (1..=NAME_LETTERS_MAX - NAME_NUMBER_LETTERS).contains(&text.len());
    let is_letters = text.bytes().all(|byte| byte.is_ascii_alphabetic());
    (fits && is_letters).then(|| Identity::Accounts(text.to_owned()))
}

fn crash_plan(raw: &RawOptions, faults: &mut Faults) -> Option<CrashPlan> {
    let allowed = "crashes per second, 0.01 to 100000";
    let per_s = faults.maybe("--crash-rooms", raw.crash_rooms.as_ref(), allowed, rate);
    match (&raw.crash_rooms, &raw.control) {
        (Some(value), None) => {
            let allowed = "--control with the node's control socket beside it";
            faults.push(Fault {
                option: "--crash-rooms",
                value: value.clone(),
                allowed,
            });
            None
        }
        (None, Some(value)) => {
            let allowed = "--crash-rooms beside it";
            faults.push(Fault {
                option: "--control",
                value: value.clone(),
                allowed,
            });
            None
        }
        (Some(_), Some(control)) => Some(CrashPlan {
            per_s: per_s?,
            control: control.into(),
        }),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        raw: RawOptions,
    }

    fn check(line: &str) -> Result<Options, Vec<&'static str>> {
        let words = std::iter::once("test").chain(line.split_whitespace());
        let raw = Flags::try_parse_from(words).expect("flags").raw;
        Options::check(&raw, 7)
            .map_err(|faults| faults.into_iter().map(|fault| fault.option).collect())
    }

    #[test]
    fn the_defaults_are_fine() {
        let target = Target::telnet("127.0.0.1:4000".parse().unwrap());
        assert_eq!(
            check(""),
            Ok(Options {
                seed: 7,
                ..Options::new(target, 100)
            })
        );
    }

    #[test]
    fn reads_a_full_line() {
        let options = check(
            "--target 127.0.0.1:4080 --ws --count 500 --burst --duration 2m --settle 0s --stay \
             --accounts Bot --first 1000 --mix say=3,move=9 --pace 1.5-4.5 --seed 3 --node-pid 12 \
             --sources 127.0.0.2-127.0.0.9 --crash-rooms 10 --control /tmp/x",
        )
        .unwrap();
        assert_eq!(
            options.target,
            Target::web_socket("127.0.0.1:4080".parse().unwrap())
        );
        assert_eq!(options.arrival, Arrival::Burst);
        assert_eq!(options.duration, Duration::from_secs(120));
        assert_eq!(Some(options.mix), Mix::new(0, 3, 0));
        assert_eq!(options.sources.len(), 8);
        assert_eq!(
            options.target_of(9).source,
            Some("127.0.0.3".parse().unwrap())
        );
        let Who::Account { name, .. } = options.who(1) else {
            panic!("an account")
        };
        assert_eq!(name, "Botabmn");
        let crash = CrashPlan {
            per_s: 10.0,
            control: "/tmp/x".into(),
        };
        assert_eq!(options.crash, Some(crash));
    }

    #[test]
    fn tells_all_faults_at_once() {
        let line = "--target nowhere --count 0 --ramp -1 --duration 60 --mix dance=1 --pace 7-3 \
                    --accounts B0t --sources 127.0.0.9-127.0.0.2 --node-pid x --crash-rooms 1 \
                    --workers 0 --settle 1y --login-deadline soon --first -1 --seed z";
        let expected = [
            "--target",
            "--count",
            "--first",
            "--accounts",
            "--ramp",
            "--duration",
            "--settle",
            "--login-deadline",
            "--pace",
            "--mix",
            "--seed",
            "--sources",
            "--workers",
            "--node-pid",
            "--crash-rooms",
        ];
        let line = line.replace(" -1", "=-1");
        assert_eq!(check(&line), Err(expected.to_vec()));
        assert_eq!(check("--stay --mix move=100"), Err(vec!["--mix"]));
        assert_eq!(check("--control /tmp/x"), Err(vec!["--control"]));
    }

    #[test]
    fn reads_paces() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(
            pace("1.5-4.5"),
            Some(Pace {
                least: seconds(1.5),
                most: seconds(4.5)
            })
        );
        for text in ["4-3", "x-1", "1", "0-0", "-1-2", "nan-1"] {
            assert_eq!(pace(text), None, "{text:?}");
        }
    }
}
