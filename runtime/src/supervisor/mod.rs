//! `[process]` Supervisors: static ones with ordered children, and dynamic ones.

mod branch;
mod dynamic;
mod family;
mod fixed;
mod regroup;
mod stop;

pub use dynamic::{DynamicOptions, DynamicSupervisor, StopError};
pub use family::StartError;
pub use fixed::{Supervisor, SupervisorBuilder};

pub(crate) use branch::Branch;
pub(crate) use family::{Departure, Family, Rules, Verdict};
pub(crate) use fixed::{run as run_static, start_one};
pub(crate) use stop::{Custody, stop_one};
