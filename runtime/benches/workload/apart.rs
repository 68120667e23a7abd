//! Each workload in a process of its own, so that neither memory nor threads that one leaves
//! behind are there for the next. The program runs itself again with the name of the workload,
//! and reads back a line for each figure: its id and its value.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::measure::{Figures, Workload};

/// The argument that says: measure, and say what was found.
const MEASURE: &str = "--measure";

/// How long one workload may take. When reached, the process ends without a figure.
const LIMIT: Duration = Duration::from_secs(150);

/// The system and the workload that this process is to measure, if it is to.
pub fn asked() -> Option<(String, Workload)> {
    let mut arguments = std::env::args().skip_while(|argument| argument != MEASURE);
    arguments.next()?;
    let (system, workload) = (arguments.next()?, arguments.next()?);
    Some((system, Workload::parse(&workload)?))
}

/// Says what was found and ends, without cleaning up after the workload.
pub fn answer(figures: &Figures) -> ! {
    for (id, value) in &figures.0 {
        println!("{id} {value}");
    }
    std::process::exit(0);
}

/// Ends this process when a workload takes too long.
pub fn limit() {
    let thread = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(LIMIT);
        std::process::exit(1);
    });
    drop(thread);
}

/// How busy the machine is; figures of a busy one only hold beside others of the same run.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages = text.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("load {averages} on {cores} cores")
}

/// Has a process of its own measure.
pub fn run(system: &str, workload: Workload) -> Figures {
    let program = std::env::current_exe().unwrap_or_default();
    let mut command = Command::new(program);
    // Nobody takes backtraces, whatever is set outside: to resolve one takes longer than a crash.
    command.env("RUST_BACKTRACE", "0");
    read(command.args([MEASURE, system, workload.name()]))
}

/// Runs a program that says what it found; without a figure when it failed.
pub fn read(command: &mut Command) -> Figures {
    let output = command.stderr(Stdio::inherit()).output();
    let figures = output.ok().and_then(parse);
    figures.unwrap_or_else(|| {
        eprintln!("failed: {command:?}");
        Figures::default()
    })
}

fn parse(output: Output) -> Option<Figures> {
    let text = String::from_utf8(output.stdout).ok()?;
    if !output.status.success() {
        return None;
    }
    let mut figures = Figures::default();
    for line in text.lines() {
        let (id, value) = line.split_once(' ')?;
        figures = figures.and(id, value.parse().ok()?);
    }
    Some(figures)
}
