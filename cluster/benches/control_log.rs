//! Goal: how many commands three nodes commit in a second, each durable on a majority before it is
//! acknowledged, and how long one takes. Method: three rafts in one process over links that are
//! calls, each with its log in a file; clients that propose one command after the other. It fails
//! when a node has applied another number than was acknowledged.
//! `cargo bench -p belay-cluster --features test-kit --bench control_log`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench prints, reads the clock, and ends when something is wrong"
)]

use belay_cluster::control_log::ControlLog;
use belay_cluster::{Command, Outcome, ShardId, ShardSpec};
use futures_util::future::join_all;
use std::path::Path;
use std::time::{Duration, Instant};

/// Zones of a world of the usual size.
const ZONES: usize = 250;
const RUNS: usize = 5;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    // Not asked for by "cargo bench", it only shows that it runs.
    let is_asked = std::env::args().any(|arg| arg == "--bench");
    println!("clients  commands/s  p50 ms  p99 ms  commits of a follower / command");
    for clients in [1, 16, 64] {
        let commands = match (is_asked, clients) {
            (false, _) => 128,
            (true, 1) => 3_000,
            (true, _) => 20_000,
        };
        let mut runs: Vec<Run> = (0..if is_asked { RUNS } else { 1 })
            .map(|run| {
                let name = format!("belay-control-log-{}-{clients}-{run}", std::process::id());
                let dir = std::env::temp_dir().join(name);
                std::fs::create_dir_all(&dir).expect("a directory");
                let measured = runtime.block_on(measure(&dir, clients, commands));
                drop(std::fs::remove_dir_all(dir));
                measured
            })
            .collect();
        runs.sort_by(|one, other| one.rate.total_cmp(&other.rate));
        let median = &runs[runs.len() / 2];
        println!(
            "{clients:7}  {:10.0}  {:6.2}  {:6.2}  {:.2}   (median of {}; {:.0} to {:.0})",
            median.rate,
            median.p50.as_secs_f64() * 1_000.0,
            median.p99.as_secs_f64() * 1_000.0,
            median.commits,
            runs.len(),
            runs[0].rate,
            runs[runs.len() - 1].rate,
        );
    }
}

struct Run {
    rate: f64,
    p50: Duration,
    p99: Duration,
    commits: f64,
}

fn declare(index: usize) -> Command {
    let shard = ShardId::new(&format!("zone:{}", index % ZONES));
    let weight = u32::try_from(index % 97 + 1).expect("small");
    Command::Declare(vec![ShardSpec { shard, weight }])
}

/// The figures when all have applied the same: followers hear with the next beat what was committed
/// last.
async fn settled(log: &ControlLog) -> Vec<(u64, u64)> {
    let patience = Instant::now() + Duration::from_secs(5);
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let figures = log.figures();
        if figures.iter().all(|(applied, _)| *applied == figures[0].0) {
            return figures;
        }
        assert!(Instant::now() < patience, "{figures:?}");
    }
}

async fn measure(dir: &Path, clients: usize, commands: usize) -> Run {
    let log = ControlLog::start(dir).await.expect("three nodes");
    for index in 0..ZONES {
        log.commit(declare(index)).await.expect("a warm log");
    }
    let before = settled(&log).await;
    let began = Instant::now();
    let client = |client: usize| {
        let log = &log;
        async move {
            let mut took = Vec::new();
            for index in (client..commands).step_by(clients) {
                let asked = Instant::now();
                let outcome = log.commit(declare(index)).await.expect("committed");
                assert_eq!(outcome, Outcome::Done);
                took.push(asked.elapsed());
            }
            took
        }
    };
    let mut took: Vec<Duration> = join_all((0..clients).map(client)).await.concat();
    let elapsed = began.elapsed();
    assert_eq!(took.len(), commands);
    let after = settled(&log).await;
    assert_eq!(after[0].0, before[0].0 + commands as u64);
    log.stop().await;
    took.sort_unstable();
    Run {
        rate: commands as f64 / elapsed.as_secs_f64(),
        p50: took[took.len() / 2],
        p99: took[took.len() * 99 / 100],
        commits: (after[1].1 - before[1].1) as f64 / commands as f64,
    }
}
