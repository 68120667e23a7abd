//! `[process]` What the processes of a node share: ports to the store, the rooms, the login pool
//! and the list of players, and what the operator set. The composition root makes it; sessions get
//! it.

mod bans;
mod players;
mod services;

pub use bans::Bans;
pub use players::{Claims, Holder, Player, Players};
pub use services::{Services, ShutdownPort, Start};
