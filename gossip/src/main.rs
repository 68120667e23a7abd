//! `[edge]` The hub executable. Everything it does is in `belay_gossip::hub::app`.

use std::process::ExitCode;

/// Many small allocations on all cores, for months: the system's allocator keeps what it once
/// had.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    belay_gossip::hub::app::run(std::env::args_os())
}
