//! `[pure]` What a player can ask for: one line of text becomes one [`Command`]. Nothing here knows
//! where the player stands; nouns stay words until the room or the session that owns the things
//! resolves them.
//!
//! ```text
//! line ─ parse ─► verb row of `verbs::VERBS` ─ its `read` on the rest of the line ─► Command
//!                       │                            (words, nouns)
//!                       └──► help (index, topics), "did you mean"
//! ```
//!
//! **To add a verb:** one row in [`verbs::VERBS`] (name, other names, group, help topic and the
//! function that reads the rest of the line) and, unless the row's topic is there already, one
//! text in `topics`. A verb that asks for something new also needs its [`Command`] variant. The
//! parser, `help` and the "did you mean" line all read the table; tests fail for a row without
//! help or with a name that another row has.
//!
//! The names of channels are words too; they come from the content, after the verbs.

pub mod help;
mod limits;
mod network;
mod noun;
mod order;
mod parse;
mod settings;
mod speech;
mod staff;
mod talk;
mod things;
mod topics;
pub mod verbs;
mod words;

pub use limits::{BAN_SECONDS_MAX, CHAT_CHARS_MAX, NOUN_CHARS_MAX, NOUN_WORDS_MAX};
pub use network::{BridgeOrder, NetworkCommand};
pub use noun::Noun;
pub use order::{BanKind, BanOrder, ChannelDeed, Command, CrashTarget, LookAt, Rights, Unclear};
pub use parse::parse;
