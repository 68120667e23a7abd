//! `[process]` What the processes of a node share: ports to the store, the rooms, the login pool
//! and the list of players, and what the operator set. The composition root makes it; sessions get
//! it.

mod bans;
mod player;
mod players;
mod presence;
mod services;

pub use bans::Bans;
pub use player::{Herald, Player};
pub use players::{Claims, Entry, Found, Holder, Players};
pub use presence::{Far, Person, Presence};
pub use services::{Services, ShutdownPort, Start};
