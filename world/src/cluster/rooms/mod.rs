//! `[process]` Rooms anywhere: a session stays on the node of its socket, and the room it stands in
//! may be on any other.
//!
//! `gate` decides when letters of sessions go where, `gateway` sends and `deliver` receives them,
//! `stall` is the zone that is here as others see it, `keeper` starts and moves it, `host` takes
//! the cluster's orders.

mod counts;
mod deliver;
mod desk;
mod fan;
mod far;
mod floors;
mod frame;
mod gate;
mod gateway;
mod handed;
mod host;
mod keeper;
pub mod limits;
mod outbox;
mod stall;
mod state;
#[cfg(test)]
mod tests;

pub use counts::{Count, Counts};
pub use far::Far;
pub use gateway::Gateway;
pub use host::RoomsHost;
pub use keeper::Workshop;
