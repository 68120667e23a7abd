//! `[process]` The world across the nodes of a cluster: what lives here, what lives elsewhere, and
//! what the nodes say to each other.
//!
//! ```text
//! belay_cluster ── Host ──► WorldHost ─┬─ zone:*                           rooms
//!                                      └─ accounts:*, channel:*, gossip    people
//! ```

mod host;
pub mod people;

pub use host::{Department, WorldHost};
