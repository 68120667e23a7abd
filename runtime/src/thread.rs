//! `[process]` Processes on operating system threads of their own.

use std::io;
use std::thread::Builder;

/// Runs a child's whole life on a thread of its own, with a tokio runtime of its own.
pub(crate) fn run(name: &str, life: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Nobody joins it: the seat tells the supervisor when the child has ended.
    drop(
        Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(life))?,
    );
    Ok(())
}
