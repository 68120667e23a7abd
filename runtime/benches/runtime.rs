//! Goal: figures of belay-runtime alone. Method: each workload on two worker threads; the median
//! of five runs, or of as many as the first number among the arguments says.
//! `cargo bench -p belay-runtime`; `runtime/peers` measures the same beside other libraries.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a bench prints, reads the clock, and fails by panicking"
)]

mod workload {
    pub(crate) mod belay;
    #[expect(unreachable_pub, reason = "shared with the peers' package")]
    pub(crate) mod measure;
}

use workload::{belay, measure};

#[global_allocator]
static ALLOCATOR: measure::Counting = measure::Counting;

fn main() {
    let runs = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(5_usize);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("there is a runtime");
    let figures: Vec<_> = (0..runs).map(|_| runtime.block_on(belay::all())).collect();
    for (name, value, _) in measure::median(&figures) {
        println!("{name:<32}{value:>16.1}");
    }
}
