//! Goal: belay-runtime beside its supervised peers in one run, so that ratios hold on any machine.
//! Method: the same workloads, one system after the other, on two worker threads each; medians of
//! three rounds, or of as many as the first argument says. Peers run in their most favourable
//! form: calls without a deadline, unbounded queues and no names where theirs are so.
//! `cargo run --release` in this folder.

#[path = "../../benches/workload/belay.rs"]
mod belay;
#[path = "../../benches/workload/measure.rs"]
mod measure;

mod kameo_side;
mod ractor_side;

use measure::Figures;

#[global_allocator]
static ALLOCATOR: measure::Counting = measure::Counting;

fn on_runtime(work: impl Future<Output = Figures>) -> Figures {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

fn main() {
    // A crash that was told to would print, and that would be measured.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref() != Some(&"told to") {
            before(info);
        }
    }));
    let rounds = std::env::args()
        .find_map(|text| text.parse().ok())
        .unwrap_or(3_usize);
    let (mut belay, mut ractor, mut kameo) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        belay.push(on_runtime(belay::all()));
        eprintln!("belay done");
        ractor.push(on_runtime(ractor_side::all()));
        eprintln!("ractor done");
        kameo.push(on_runtime(kameo_side::all()));
    }
    let (belay, ractor, kameo) = (
        measure::median(&belay),
        measure::median(&ractor),
        measure::median(&kameo),
    );
    println!(
        "{:<32}{:>14}{:>14}{:>14}  {:>10}{:>10}",
        "", "belay", "ractor 0.16", "kameo 0.22", "to ractor", "to kameo"
    );
    for ((ours, ractor), kameo) in belay.iter().zip(&ractor).zip(&kameo) {
        // Above 1 is better for belay, whatever the row.
        let ratio = |theirs: f64| {
            if ours.2 {
                ours.1 / theirs
            } else {
                theirs / ours.1
            }
        };
        println!(
            "{:<32}{:>14.1}{:>14.1}{:>14.1}  {:>10.2}{:>10.2}",
            ours.0,
            ours.1,
            ractor.1,
            kameo.1,
            ratio(ractor.1),
            ratio(kameo.1)
        );
    }
}
