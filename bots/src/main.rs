//! `[edge]` The load bot executable: options, progress bar, table and JSON report.

use std::fmt::Display;
use std::fs;
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use belay_bots::{
    ChopFlags, ChopOptions, ClusterFlags, ClusterOptions, Fault, FloodFlags, FloodOptions,
    LoadFlags, LoadOptions, Options, Progress, RawOptions, Stage, TrialFlags, TrialOptions,
    run_chop, run_cluster, run_flood, run_load, run_trial, run_wander,
};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What ends when the run shall end.
type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Exit status of faulty options.
const EXIT_USAGE: u8 = 64;

/// Load bots: they play against a Belay node over real sockets and measure it.
#[derive(Debug, Parser)]
#[command(name = "belay-bots", version)]
struct Flags {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A crowd that logs in, walks, talks and looks around
    Wander {
        #[command(flatten)]
        raw: Box<RawOptions>,
        #[command(flatten)]
        output: Output,
    },
    /// Pretended games and hubs of the Gossip network
    #[command(subcommand)]
    Gossip(Gossip),
    /// A cluster on this machine: a database, nodes, bots on each; until Ctrl-C
    Cluster(Box<ClusterFlags>),
    /// A cluster on this machine with a crowd on it, something done to it again and again, and the
    /// figures beside their goals
    Trial {
        #[command(flatten)]
        flags: Box<TrialFlags>,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, Subcommand)]
enum Gossip {
    /// Many games on one channel of a hub: is each message heard once, in order, how soon?
    Load {
        #[command(flatten)]
        flags: Box<LoadFlags>,
        #[command(flatten)]
        output: Output,
    },
    /// A hub that floods every game that connects, with whatever credentials
    Flood {
        #[command(flatten)]
        flags: Box<FloodFlags>,
        #[command(flatten)]
        output: Output,
    },
    /// Kill and start a hub again and again: what does a player on a node hear of it?
    Chop {
        #[command(flatten)]
        flags: Box<ChopFlags>,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, Args)]
struct Output {
    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Why there is no report.
enum Failed {
    Options(Vec<Fault>),
    Run(anyhow::Error),
}

impl From<Vec<Fault>> for Failed {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Options(faults)
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

fn main() -> ExitCode {
    let flags = match Flags::try_parse() {
        Ok(flags) => flags,
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() {
                ExitCode::from(EXIT_USAGE)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match run(flags.command) {
        Ok(status) => ExitCode::from(status),
        Err(Failed::Options(faults)) => {
            for fault in faults {
                complain(&fault.to_string());
            }
            ExitCode::from(EXIT_USAGE)
        }
        Err(Failed::Run(error)) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<u8, Failed> {
    match command {
        Command::Wander { raw, output } => {
            let seed = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0);
            let options = Options::check(&raw, seed)?;
            let mut bar = Bar::new(options.settle, options.duration);
            let result = play(options.workers, |stop| {
                run_wander(options, stop, |progress| bar.show(progress))
            });
            bar.0.finish_and_clear();
            let result = result?;
            publish(&result, output.report)?;
            Ok(result.exit_status())
        }
        Command::Cluster(flags) => {
            let options = ClusterOptions::check(&flags)?;
            play(1, |stop| run_cluster(options, stop, say))?;
            Ok(0)
        }
        Command::Trial { flags, output } => {
            let options = TrialOptions::check(&flags)?;
            let result = play(1, |stop| run_trial(options, stop, say))?;
            publish(&result, output.report)?;
            Ok(result.exit_status())
        }
        Command::Gossip(Gossip::Load { flags, output }) => {
            let options = LoadOptions::check(&flags)?;
            let result = play(options.workers, |stop| run_load(options, stop))?;
            publish(&result, output.report)?;
            Ok(result.exit_status())
        }
        Command::Gossip(Gossip::Flood { flags, output }) => {
            let options = FloodOptions::check(&flags)?;
            let result = play(1, |stop| run_flood(options, stop, announce))?;
            publish(&result, output.report)?;
            Ok(result.exit_status())
        }
        Command::Gossip(Gossip::Chop { flags, output }) => {
            let options = ChopOptions::check(&flags)?;
            let result = play(1, |stop| run_chop(options, stop))?;
            publish(&result, output.report)?;
            Ok(result.exit_status())
        }
    }
}

/// Runs a future to its end on so many threads; it is handed what ends at Ctrl-C.
fn play<T, E, F>(workers: usize, start: impl FnOnce(Stop) -> F) -> anyhow::Result<T>
where
    F: Future<Output = Result<T, E>>,
    E: std::error::Error + Send + Sync + 'static,
{
    // With one worker everything runs on this thread: no wake-ups between threads to pay.
    let mut builder = match workers {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder
        .worker_threads(workers)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let stop: Stop = Box::pin(async {
        // Without a handler Ctrl-C ends the process, which is the next best.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    let result = runtime.block_on(start(stop));
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(result?)
}

/// Tells what happens, for who looks on.
fn say(line: &str) {
    // Nobody looks when stdout is gone.
    drop(writeln!(std::io::stdout().lock(), "{line}"));
}

/// Tells where a hub listens, for who waits for it.
fn announce(address: SocketAddr) {
    // Nobody waits when stdout is gone.
    drop(writeln!(std::io::stdout().lock(), "listening on {address}"));
}

fn publish(result: &(impl Display + Serialize), file: Option<PathBuf>) -> anyhow::Result<()> {
    write!(std::io::stdout().lock(), "{result}").context("cannot write the table")?;
    let Some(file) = file else {
        return Ok(());
    };
    let mut json = serde_json::to_string_pretty(result).context("cannot encode the report")?;
    json.push('\n');
    fs::write(&file, json).with_context(|| format!("cannot write {}", file.display()))
}

fn complain(text: &str) {
    // Nobody is left to tell when stderr is gone.
    drop(writeln!(std::io::stderr().lock(), "belay-bots: {text}"));
}

/// The progress bar; hidden when nobody looks.
struct Bar(ProgressBar, Duration, Duration);

impl Bar {
    fn new(settle: Duration, duration: Duration) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(1)
        } else {
            ProgressBar::hidden()
        };
        let plain = ProgressStyle::default_bar();
        let style = ProgressStyle::with_template("{prefix:>8} [{bar:40}] {msg}").unwrap_or(plain);
        bar.set_style(style);
        Self(bar, settle, duration)
    }

    fn show(&mut self, progress: &Progress) {
        if self.0.is_hidden() {
            return;
        }
        let (name, length) = match progress.stage {
            Stage::Ramp => ("ramp", None),
            Stage::Settle => ("settle", Some(self.1)),
            Stage::Window => ("measure", Some(self.2)),
            Stage::Drain => ("drain", None),
        };
        let (position, length) = match length {
            Some(length) => (progress.elapsed.as_millis(), length.as_millis()),
            None => (u128::from(progress.online), u128::from(progress.asked)),
        };
        self.0
            .set_length(u64::try_from(length).unwrap_or(u64::MAX).max(1));
        self.0
            .set_position(u64::try_from(position).unwrap_or(u64::MAX));
        self.0.set_prefix(name);
        let Progress {
            online,
            dropped,
            commands,
            ..
        } = progress;
        self.0.set_message(format!(
            "{online} online, {dropped} dropped, {commands} commands"
        ));
    }
}
