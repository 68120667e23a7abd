//! `[process]` Supervisors: static ones with ordered children, dynamic ones, and
//! tethers.

mod branch;
mod dynamic;
mod error;
mod family;
mod fixed;
mod handle;
mod regroup;
mod stop;
mod tether;
mod tether_event;
mod tether_face;
mod tether_options;
mod tether_orders;
mod tether_run;
mod tether_state;

pub use dynamic::{DynamicOptions, DynamicSupervisor};
pub use error::{StartError, StopError};
pub use fixed::{Supervisor, SupervisorBuilder};
pub use handle::{ChildError, SupervisorRef};
pub use tether::{Attachment, Tether, TetherStatus, TetherWatch};
pub use tether_face::TetherState;
pub use tether_options::TetherOptions;

pub(crate) use branch::Branch;
pub(crate) use family::{Departure, Family, Rules, Verdict};
pub(crate) use fixed::{run as run_static, start_one};
pub(crate) use stop::{Custody, stop_one};
