//! `[process]` Supervised tasks: one-off async work that has a result.
//!
//! ```text
//!   TaskSupervisor ──start──► task ──result──► Task (awaited by whoever holds it)
//!         │                     └──crash────► Exit, and a crash report; nothing restarts
//!         └── map_bounded ──► TaskStream: results in the order of the items
//! ```

mod handle;
mod stream;
mod supervisor;

pub use handle::Task;
pub use stream::{MapOptions, TaskError, TaskStream};
pub use supervisor::{TaskOptions, TaskRefused, TaskSupervisor};
