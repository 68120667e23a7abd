//! `[pure]` A client of a hub: a game's connection to the network, behind a tether.
//!
//! ```text
//!   world ── Client (handle, any thread) ──orders──► gossip:socket ──frames──► hub
//!     ▲                                                   │ ▲
//!     └───────────── Port::deliver (news) ◄───────────────┘ │ made anew for each try
//!                          ▲                                │
//!   supervisor "gossip" ─┬─ gossip:monitor (status) ── watches ──┐
//!                        └─ gossip:tether ◄──────────────────────┘
//! ```
//! What the client does, and what makes it do something else:
//!
//! ```text
//!   unconfigured ──credentials──► connecting ──TCP, TLS, WebSocket──► authenticating
//!        ▲  off ──switch on──────►    ▲                                │         │
//!        │   ▲                        │ next try                refused│         │ welcome
//!        │   │                        │                                ▼         ▼
//!     no credentials,          waiting, rejected ◄────any failure──────────── online
//!       switch off
//! ```
//! * **A hub can do nothing to the game.** Refused, hanging, silent, closing, flooding or
//!   nonsensical hubs end the socket, the tether waits and tries again, and no restart counter of
//!   the tree moves. All that is kept is bounded; see [`limits`](crate::limits).
//! * **All text from outside is cleaned** before it is delivered.
//! * **What is said is delivered once.** Broadcasts that come twice are dropped, over a reconnect
//!   as well. What was said while the connection was away is fetched where the hub knows how, and
//!   counted where not.
//! * **The hub's beats are answered at once** with the players of that moment.
//!
//! Nothing here knows about rooms, sessions or commands.

mod answering;
mod bucket;
mod clean;
mod dial;
mod figures;
mod flood;
mod handle;
mod machine;
mod memory;
mod monitor;
mod news;
mod options;
mod roster;
mod shared;
mod socket;
mod tls;
mod wire;

pub use figures::ClientFigures;
pub use handle::{Client, Switch};
pub use news::{ClientStatus, News, Receipt, SayError, Tell, TellAnswer, TellOutcome};
pub use options::ClientOptions;
pub use roster::{RemoteGame, Roster};
pub use shared::Port;
