//! `[edge]` The load bot executable: options, progress bar, table and JSON report.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use belay_bots::{Options, Progress, RawOptions, Report, Stage, run_wander};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
        /// Write the report as JSON to this file
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
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
    let Command::Wander { raw, report } = flags.command;
    let seed = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0);
    let options = match Options::check(&raw, seed) {
        Ok(options) => options,
        Err(faults) => {
            for fault in faults {
                complain(&fault.to_string());
            }
            return ExitCode::from(EXIT_USAGE);
        }
    };
    match wander(options).and_then(|result| publish(&result, report).map(|()| result)) {
        Ok(result) => ExitCode::from(result.exit_status()),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn wander(options: Options) -> anyhow::Result<Report> {
    // With one worker everything runs on this thread: no wake-ups between threads to pay.
    let mut builder = match options.workers {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder
        .worker_threads(options.workers)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let (settle, duration) = (options.settle, options.duration);
    let mut bar = Bar::new(settle, duration);
    let stop = async {
        // Without a handler Ctrl-C ends the process, which is the next best.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let result = runtime.block_on(run_wander(options, stop, |progress| bar.show(progress)));
    bar.0.finish_and_clear();
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(result?)
}

fn publish(result: &Report, file: Option<PathBuf>) -> anyhow::Result<()> {
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
