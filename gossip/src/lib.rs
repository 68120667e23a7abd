//! `[pure]` The Gossip network (since 2019 called Grapevine), which joins games: channels, player
//! lists and private messages across games, over WebSockets with JSON.
//!
//! * [`protocol`]: the events, and how they are read and written.
//! * [`client`]: a game's connection to a hub.
//! * [`hub`]: what the executable `belay-hub` is made of.
//!
//! Nothing here knows about nodes or rooms.

pub mod client;
mod credentials;
pub mod hub;
mod hub_url;
pub mod limits;
pub mod protocol;

pub use credentials::{Credentials, CredentialsError};
pub use hub_url::{HubUrl, HubUrlError};
