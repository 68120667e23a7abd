//! Goal: figures of belay-runtime alone. Method: each workload on two worker threads, in a process
//! of its own; the median of five runs, or of as many as the first number among the arguments
//! says. Other arguments are parts of the names of the workloads to run.
//!
//! * `cargo bench -p belay-runtime` runs all; `runtime/peers` measures the same beside other
//!   libraries.
//! * `cargo bench -p belay-runtime -- call fan 9` runs four of them, nine times each.
//! * `… -- --measure belay call-pair` runs one in this very process, for a profiler.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a bench prints, reads the clock, and fails by panicking"
)]
#![expect(unreachable_pub, reason = "shared with the peers' package")]

mod workload;

use workload::measure::{self, Figures, ROWS, Workload};
use workload::{apart, belay, memory};

#[global_allocator]
static ALLOCATOR: memory::Counting<std::alloc::System> = memory::Counting(std::alloc::System);

fn main() {
    if let Some((_, workload)) = apart::asked() {
        apart::limit();
        apart::answer(&measured(workload));
    }
    let (mut runs, mut filter) = (5_usize, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.parse() {
            Ok(number) => runs = number,
            Err(_) if argument.starts_with('-') => {}
            Err(_) => filter.push(argument),
        }
    }
    let wanted = Workload::ALL.into_iter().filter(|(_, name)| {
        filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str()))
    });
    println!("{}", apart::load());
    println!(
        "{:<44}{:>14}{:>14}{:>14}{:>12}",
        "", "median", "worst", "best", "goal"
    );
    for (workload, _) in wanted {
        let runs: Vec<_> = (0..runs).map(|_| apart::run("belay", workload)).collect();
        print(&runs);
    }
    println!("{}", apart::load());
}

/// Runs a workload in this process, all of it on the two workers.
fn measured(workload: Workload) -> Figures {
    if matches!(workload, Workload::Idle | Workload::Known) {
        memory::Held::count();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("there is a runtime");
    let figures = runtime.block_on(runtime.spawn(belay::run(workload)));
    // Nothing is cleaned up: the process ends.
    std::mem::forget(runtime);
    figures.expect("the workload ends")
}

fn print(runs: &[Figures]) {
    for row in ROWS {
        let values = measure::sorted(runs, row.id);
        let (Some(least), Some(most)) = (values.first(), values.last()) else {
            continue;
        };
        let (worst, best) = if row.more_is_better {
            (least, most)
        } else {
            (most, least)
        };
        let median = measure::median(runs, row.id).unwrap_or_default();
        println!(
            "{:<44}{median:>14.1}{worst:>14.1}{best:>14.1}{:>12}",
            row.title, row.goal
        );
    }
}
