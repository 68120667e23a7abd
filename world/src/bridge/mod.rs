//! `[pure]` The bridge to other games over a Gossip network: what players, staff and the operator
//! notice of it.
//!
//! ```text
//!                     ┌─ lines ──► channel:NAME       (Channels::foreign)
//! client ─ deliver ─► ├─ tells ──► session            (which says whether it was read)
//!    ▲     (Port)     └─ news ───► gossip:bridge ──► sessions of who wants to know
//!    ├─ say ◄─ lines of players here, by the channel's process (Outlet)
//!    ├─ tell, roster ◄─ sessions
//!    └─ configure, switch, retry ◄─ gossip:credentials, staff, the operator
//! ```
//! * `remote`: players of other games, and who is meant by `Name@Game`.
//! * `who`: the list of those who play elsewhere.
//! * `notices`: who comes and goes there, without a flood.
//! * `outage`: who is told that the network is out of reach.
//! * `rules`: what staff decided.
//! * `handle`, `staff`: the bridge as others use it; `port`: both directions of what is said;
//!   `process`: who is told; `watch`: the credentials file.
//! * `joint`, `far`: one connection for all nodes of a cluster.
//!
//! Whatever becomes of the network, nobody here waits for it: a call returns at once, and what has
//! no room is dropped and counted.

mod client;
mod counts;
mod far;
mod file;
mod handle;
mod joint;
pub mod limits;
mod message;
mod network;
mod notices;
mod outage;
mod port;
mod process;
mod remote;
mod report;
mod rules;
mod shared;
mod shown;
mod staff;
#[cfg(test)]
mod tests;
mod watch;
mod who;
mod word;

pub use client::client;
pub use file::FileState;
pub use handle::{Bridge, Outgoing};
pub use joint::{Link, Post, Told};
pub use message::{BridgeMessage, WatchMessage};
pub use network::{Answer, Network};
pub use notices::{Notices, Sign, Signed};
pub use outage::{Outage, Reach};
pub use port::TellReceipt;
pub use remote::{Meant, Other, Remote, game_called, shorten};
pub use report::{BridgeReport, rule_added, rule_lifted};
pub use rules::Rules;
pub use shared::BridgeRules;
pub use shown::{GameAbout, NotTold, Out, Shown};
pub use watch::Watch;
pub use who::{GameSeen, RemoteWho, everywhere, of_game};
pub use word::Word;
