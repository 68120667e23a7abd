//! `[edge]` The node executable. Everything it does is in `belay_world::app`.

use std::process::ExitCode;

/// Many small allocations on all cores, for months: the system's allocator keeps what it once
/// had.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    belay_world::app::run(std::env::args_os())
}
