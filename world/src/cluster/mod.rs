//! `[process]` The world across the nodes of a cluster: what lives here, what lives elsewhere, and
//! what the nodes say to each other.
//!
//! ```text
//! belay_cluster ── Host ──► WorldHost ─┬─ zone:*                           rooms
//!                                      └─ accounts:*, channel:*, gossip    people
//! ```

mod host;
pub mod people;
mod rooms;

pub use host::{Department, WorldHost};
pub use rooms::{Count, Counts, Far, Gateway, RoomsHost, Workshop, limits};
