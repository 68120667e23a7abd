//! `[pure]` The words of the language between the parser and those who carry commands out.

use super::network::NetworkCommand;
use super::noun::Noun;
use crate::event::{Refusal, Text};
use crate::ids::{ChannelId, Direction};
use crate::talk::Ignored;

/// What one line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// An empty line: only the prompt is shown again.
    Nothing,
    /// `look`, `look at sword`, `look north`.
    Look(LookAt),
    /// `examine sword`.
    Examine(Noun),
    /// One of the twelve directions.
    Go(Direction),
    /// `exits`.
    Exits,
    /// `say hello`, `'hello`.
    Say(Text),
    /// `emote waves`, `:waves`.
    Emote(Text),
    /// `tell ann hello`.
    Tell {
        /// To whom, as typed.
        to: Text,
        /// The words.
        text: Text,
    },
    /// `reply hello`.
    Reply(Text),
    /// `who`, `who an`.
    Who(Option<Text>),
    /// `chat hello`, where the content has a channel of that name.
    Speak {
        /// The channel.
        channel: ChannelId,
        /// The words.
        text: Text,
    },
    /// `chat` alone: what was said there last.
    Recent(ChannelId),
    /// `channels`.
    Channels,
    /// `channel join chat`: what to do, and the channel's name as typed.
    Channel(ChannelDeed, Text),
    /// `ignore`, `ignore bo@othergame`.
    Ignore(Option<Ignored>),
    /// `unignore ann`.
    Unignore(Ignored),
    /// `games`, `notices off`, and for staff `bridge`.
    Network(NetworkCommand),
    /// `get sword`.
    Get(Noun),
    /// `drop sword`.
    Drop(Noun),
    /// `give sword to ann`.
    Give {
        /// What.
        item: Noun,
        /// To whom.
        to: Noun,
    },
    /// `inventory`.
    Inventory,
    /// `help`, `help say`.
    Help(Option<Text>),
    /// `score`.
    Score,
    /// `color`, `color 256`.
    Color(Option<Text>),
    /// `screenreader`, `screenreader on`.
    ScreenReader(Option<bool>),
    /// `password`: starts a dialogue; no password ever stands in a command line.
    Password,
    /// `resume`: shows the token that takes this session up again from another connection.
    Resume,
    /// `afk`, `afk at lunch`.
    Away(Option<Text>),
    /// `quit`.
    Quit,
    /// Staff: `goto ann`, `goto town/square`.
    Goto(Text),
    /// Staff: `kick ann spamming`.
    Kick {
        /// Who.
        who: Text,
        /// Why.
        reason: Text,
    },
    /// Staff: `ban account ann 7d spamming`, `ban address 192.0.2.1 1h scanner`.
    Ban(BanOrder),
    /// Staff: `crash room|mob|session [who]`.
    Crash(CrashTarget),
    /// Staff: `shutdown`.
    Shutdown,
    /// The line cannot be understood.
    Unclear(Unclear),
}

/// What to look at.
#[derive(Clone, Debug, PartialEq)]
pub enum LookAt {
    /// The room.
    Room,
    /// A thing, person or feature.
    Thing(Noun),
    /// Through an exit.
    Way(Direction),
}

/// What a player does with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelDeed {
    /// Be on it.
    Join,
    /// Be on it no more.
    Leave,
    /// See who is on it.
    Who,
    /// See what was said last.
    History,
}

/// What staff wants banned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BanOrder {
    /// An account, a character's account, or an address.
    pub kind: BanKind,
    /// The name or address.
    pub value: Text,
    /// For how long; `None` until it is lifted.
    pub seconds: Option<u64>,
    /// Why; shown to the banned.
    pub reason: Text,
}

/// What is banned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BanKind {
    /// The account of this name.
    Account,
    /// The address.
    Address,
}

/// What staff wants to see crash (it restarts; that is the point).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashTarget {
    /// The room the staff member stands in.
    Room,
    /// A mob in this room.
    Mob(Noun),
    /// A channel.
    Channel(Text),
    /// A player's session; `None` is one's own.
    Session(Option<Text>),
}

/// What the one who types may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Has staff rights.
    pub staff: bool,
}

/// Why a line cannot be understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Unclear {
    /// No such verb; near ones.
    Unknown {
        /// What was typed.
        word: Text,
        /// Near verbs, at most three.
        near: Vec<Text>,
    },
    /// The verb wants more ("Say what?").
    Missing(Text),
    /// An argument that cannot be read.
    BadArgument {
        /// What was given.
        given: Text,
        /// What would be right.
        allowed: Text,
    },
    /// The verb is for staff.
    StaffOnly,
}

impl From<Unclear> for Refusal {
    fn from(unclear: Unclear) -> Self {
        match unclear {
            Unclear::Unknown { word, near } => Self::UnknownVerb { word, near },
            Unclear::Missing(question) => Self::Missing(question),
            Unclear::BadArgument { given, allowed } => Self::BadArgument { given, allowed },
            Unclear::StaffOnly => Self::StaffOnly,
        }
    }
}

impl Unclear {
    /// The answer to a verb without the words it wants, as a question.
    pub(super) fn missing(question: &str) -> Self {
        Self::Missing(question.into())
    }

    /// The answer to words that cannot be read; `given` is cut to what fits a line.
    pub(super) fn bad(given: &str, allowed: &str) -> Self {
        Self::BadArgument {
            given: super::words::echo(given).into(),
            allowed: allowed.into(),
        }
    }
}
