//! `[pure]` The Gossip protocol (since 2019 called Grapevine), version 2.3.0: one JSON object per
//! WebSocket text frame.
//!
//! ```text
//!   game: Outgoing::encode ──text──> hub:  Decoded::of   (lenient: real clients differ)
//!   hub:  Event::encode    ──text──> game: Heard::of     (lenient: real hubs differ)
//! ```
//! Everything that comes from outside goes through [`Decoded::of`] or [`Heard::of`], which never
//! panic, read frames up to [`FRAME_IN_BYTES_MAX`] bytes and [`DEPTH_MAX`] levels, and ignore keys
//! they do not know. Where the published documents and the code of the first hub disagree, both
//! spellings are written and either is read.
//!
//! Source: the documentation at <https://grapevine.haus/docs> and the behaviour of the public hub.
//! Nothing here knows about sockets, time or who is connected.
//!
//! [`FRAME_IN_BYTES_MAX`]: crate::limits::FRAME_IN_BYTES_MAX
//! [`DEPTH_MAX`]: crate::limits::DEPTH_MAX

mod achievement;
mod channel_name;
mod clean;
mod envelope;
mod event;
mod event_decode;
mod event_encode;
mod event_name;
#[cfg(test)]
mod event_tests;
mod field;
mod flag;
mod game_status;
mod outgoing;
mod reference;
mod request;
mod request_decode;
mod sent_at;

pub use achievement::{Achievement, AchievementErrors};
pub use channel_name::{BadChannelName, ChannelName};
pub use clean::{cut_to_bytes, cut_to_chars, strip_controls, strip_markup};
pub use event::{Chat, Event, Past, Tell, Welcome};
pub use event_decode::{Heard, Ignored};
pub use event_name::EventName;
pub use field::Field;
pub use flag::{Extension, Extensions, Flag, Flags};
pub use game_status::{Connection, GameStatus};
pub use outgoing::{Login, Outgoing};
pub use reference::Reference;
pub use request::{
    AchievementFields, Authenticate, Body, Decoded, HistoryAsked, Named, OneGame, Request, Said,
    TellReceipt, TellSent,
};
pub use sent_at::{format_time, is_utc_time};

/// The version of the protocol that is spoken here.
pub const VERSION: &str = "2.3.0";

/// What a hub sends in its welcome so that a client can see that its UTF-8 is in order.
pub const UNICODE: &str = "\u{2714}\u{fe0f}";
