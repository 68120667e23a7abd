//! `[pure]` The hub as one machine without sockets, clock or database: who is connected, who
//! hears what, who plays where, and which answers they get.
//!
//! ```text
//!   edge ──Input──> Hub::step(now) ──Effect──> edge
//!          Opened                    Send, Broadcast, Close
//!          Frame                     Store
//!          Closed, Tick
//!          Directory, Restart
//! ```
//! It follows the behaviour of the public hub, except where that ends clients or lies to them:
//!
//! * Presence is kept for each socket; a game has the flags, channels and players of all of its
//!   sockets, and loses them with the last. Only the announcement that it has gone waits a minute.
//! * No input closes a socket with a fault. What is null or of a wrong type is refused or dropped.
//! * Answers that nobody asked for are not sent (see `answer.rs`), unless
//!   [`Replies::Reference`] wants them.
//! * A long list of players is cut to what fits a frame.
//! * The socket that has been silent for a minute needs no timer of its own: unanswered beats end
//!   an active one sooner, and an inactive one ends after a minute whatever it says.
//! * Control characters are taken out of names and messages, also out of tells.
//! * What failed to authenticate often is answered late, by address; nobody is kept out by it.
//! * A question after all games or all achievements has a bucket of its own, since its answer is so
//!   much longer; and so has what is no JSON, which the protocol does not limit at all.
//!
//! Nothing here grows without a bound; the bounds are in [`limits`](crate::limits).

mod achievements;
mod agenda;
mod answer;
mod bucket;
mod channel;
mod ears;
mod effect;
mod entrance;
mod figures;
mod frame;
mod game;
mod history;
mod hub;
mod input;
mod mend;
mod operator;
mod players;
mod receipts;
mod rules;
mod sign;
mod socket;
mod status;
mod summary;
mod talk;
mod tell;
mod throttle;
mod time;

pub use effect::{CloseWith, Effect, Frame, Note};
pub use figures::{Dropped, Figures, PerEvent};
pub use hub::Hub;
pub use input::{Input, Moment, SocketId};
pub use rules::{BucketRule, Replies, Rules};
pub use summary::ListedGame;

#[cfg(test)]
mod tests;
