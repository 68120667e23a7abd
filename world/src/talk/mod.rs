//! `[pure]` Talk: channels, on which players speak with each other wherever they are.
//!
//! ```text
//! session ─ say ──► channel:NAME (one process each: order, history) ─ notice ─► all who are on it
//!    ▲  └─ join, leave ─► Channels (groups of sessions)      │
//!    └──────── answer, owed ◄────────────────────────────────┤
//!                                                            └─ Outlet: to other games
//! ```
//! Who is on a channel is a group of the runtime: a session that ends is out of it, whatever became
//! of it, and neither its restart nor the channel's changes anything. `step` decides, `state` is
//! the channel's heirloom, `process` owns the mailbox, `channels` is the way to all of them. A line
//! is one [`Notice`](crate::view::Notice), rendered once for each class of viewers. What a player
//! does not want to read is left out at their session ([`IgnoreList`]).
//!
//! In a cluster one node makes the order of a channel, and every node has a process of it that
//! tells those who are on it there: a [`Relay`] is plugged in.
//!
//! Nothing here knows of a network: lines of other games come in by [`Channels::foreign`], and
//! whoever carries ours there plugs in an [`Outlet`].

mod channels;
mod hold;
mod ignore;
mod line;
mod message;
mod process;
mod relay;
mod shown;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use channels::{Channels, Members};
pub use ignore::{IgnoreList, Ignored, NotIgnored};
pub use line::{ChannelLine, Foreign, Mark, NotTaken, Past, Speaker};
pub use message::{ChannelMessage, Outlet};
pub use process::{ChannelBody, ChannelContext, ChannelProcess};
pub use relay::{Origin, Own, Relay, Saying, Seat};
pub use shown::{ChannelSeen, Talk};
pub use state::{ChannelState, Spoken};
pub use step::{Deed, Effect, decide};
