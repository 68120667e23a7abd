//! `[pure]` The bridge to other games over a Gossip network: what players, staff and the operator
//! notice of it.
//!
//! * `remote`: players of other games, and who is meant by `Name@Game`.
//! * `who`: the list of those who play elsewhere.
//! * `notices`: who comes and goes there, without a flood.
//! * `outage`: who is told that the network is out of reach.
//! * `rules`: what staff decided.

pub mod limits;
mod notices;
mod outage;
mod remote;
mod rules;
mod who;

pub use notices::{Notices, Sign, Signed};
pub use outage::{Outage, Reach};
pub use remote::{Meant, Other, Remote, game_called, shorten};
pub use rules::Rules;
pub use who::{GameSeen, RemoteWho, everywhere, of_game};
