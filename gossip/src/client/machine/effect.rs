//! `[pure]` What goes into the machine and what comes out.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::client::news::{News, Receipt, Tell, TellAnswer, TellOutcome};
use crate::protocol::ChannelName;

/// What happens to a connection.
#[derive(Debug)]
pub(in crate::client) enum Input<'a> {
    /// A text frame came.
    Text(&'a str),
    /// Another frame came, of so many bytes.
    Other(usize),
    /// The hub closed, with this code if it gave one.
    Closed(Option<u16>),
    /// The connection broke, for this reason.
    Lost(String),
    /// The game wants something.
    Order(Order),
    /// These channels are to be heard.
    Wish(BTreeSet<ChannelName>),
    /// Time went on.
    Time,
}

/// What the game wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::client) enum Order {
    Say {
        channel: String,
        name: String,
        message: String,
    },
    SignIn(String),
    SignOut(String),
    Tell(TellOrder),
    Receipt(Receipt, TellOutcome),
}

/// A tell to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::client) struct TellOrder {
    pub(in crate::client) id: TellId,
    pub(in crate::client) tell: Tell,
    /// The time, as the protocol writes it.
    pub(in crate::client) sent_at: String,
}

/// A tell whose answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::client) struct TellId(pub(in crate::client) u64);

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::client) enum Effect {
    /// Send a frame.
    Send(String),
    /// Send a heartbeat with the players of this moment.
    Beat,
    /// Tell the game.
    Deliver(News),
    /// Answer a tell.
    Answer(TellId, TellAnswer),
    /// The hub let us in.
    Online,
    /// All is well, so that the next failure is the first again.
    Proven,
    /// Close the connection. Comes once, and nothing after it.
    End(Ending),
}

/// Why a connection is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::client) struct Ending {
    /// For programs.
    pub(in crate::client) code: &'static str,
    /// For people; clean.
    pub(in crate::client) reason: String,
    /// How long not to try again, at least.
    pub(in crate::client) wait: Option<Duration>,
}

/// The code of an ending after which only another configuration helps.
pub(in crate::client) const BAD_CREDENTIALS: &str = "bad-credentials";

impl Ending {
    pub(in crate::client) fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            wait: None,
        }
    }

    pub(in crate::client) fn wait(self, wait: Duration) -> Self {
        Self {
            wait: Some(wait),
            ..self
        }
    }
}
