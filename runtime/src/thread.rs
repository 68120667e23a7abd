//! `[process]` Processes on operating system threads of their own.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use tokio::runtime::Handle;

use crate::blocking::block_on;
use crate::limits::BLOCKING_THREADS_MAX;
use crate::supervisor::StartError;
use crate::worker;

/// Threads of blocking processes.
static BLOCKING: AtomicUsize = AtomicUsize::new(0);

/// A thread of this name; what no name of a thread may have in it is left out.
pub(crate) fn named(name: &str) -> Builder {
    Builder::new().name(name.replace('\0', ""))
}

/// Runs a child's whole life on a thread of its own, with a tokio runtime of its own.
#[expect(
    clippy::disallowed_methods,
    reason = "one of the places that spawn for all others"
)]
pub(crate) fn run(name: &str, life: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Nobody joins it: the seat tells the supervisor when the child has ended.
    drop(named(name).spawn(move || runtime.block_on(life))?);
    Ok(())
}

/// Runs a child's whole life on a thread of its own, with the clock of `runtime`; its code may
/// block.
#[expect(
    clippy::disallowed_methods,
    reason = "one of the places that spawn for all others"
)]
pub(crate) fn run_blocking(
    name: &str,
    runtime: &Handle,
    life: impl Future<Output = ()> + Send + 'static,
) -> Result<(), StartError> {
    let permit = Permit::take()?;
    let runtime = runtime.clone();
    let thread = named(name).spawn(move || {
        let _permit = permit;
        let _entered = runtime.enter();
        worker::may_block();
        block_on(life);
    });
    // Nobody joins it, as above.
    thread.map(drop).map_err(StartError::Thread)
}

/// One of the threads that blocking processes may have.
struct Permit;

impl Permit {
    fn take() -> Result<Self, StartError> {
        let max = BLOCKING_THREADS_MAX;
        let taken = BLOCKING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
            (taken < max).then_some(taken + 1)
        });
        match taken {
            Ok(_) => Ok(Self),
            Err(_) => Err(StartError::TooManyThreads { max }),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        BLOCKING.fetch_sub(1, Ordering::AcqRel);
    }
}
