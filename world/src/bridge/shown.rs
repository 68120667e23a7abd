//! `[pure]` What players and staff are shown of other games, as data.

use super::notices::Signed;
use super::remote::Remote;
use super::who::RemoteWho;
use crate::event::Text;

/// One thing that somebody is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The tell went to the other game.
    Told {
        /// To whom.
        to: Remote,
        /// The words.
        text: Text,
    },
    /// The tell did not.
    NotTold {
        /// To whom.
        to: Remote,
        /// Why.
        why: NotTold,
    },
    /// What was typed can mean several.
    Several(Vec<Text>),
    /// There is no other game of that name.
    NoGame(Text),
    /// Who plays elsewhere; one game that was asked for may have nobody.
    Who(RemoteWho),
    /// The other games.
    Games(Vec<GameAbout>, u32),
    /// Who comes and goes elsewhere.
    Signed(Signed),
    /// The network cannot be used.
    Out(Out),
    /// Nothing is known of other games, since the network cannot be used.
    Unknown(Out),
    /// Whether the player is told who comes and goes elsewhere.
    Notices(bool),
    /// A report to staff, line by line.
    Report(Vec<Text>),
    /// Something that staff wanted is done, as a sentence without its stop.
    Done(Text),
    /// It is not, and why.
    NotDone(Text),
}

/// Why words do not go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// The network should be reached and is not.
    OfReach,
    /// This game is on no network.
    Nowhere,
}

impl Out {
    /// The one line that says so.
    pub const fn text(self) -> &'static str {
        match self {
            Self::OfReach => "Gossip is out of reach; your words stay here.",
            Self::Nowhere => "This game is on no network; your words stay here.",
        }
    }
}

/// Why a tell did not go to another game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTold {
    /// No game of that name is there.
    NoGame,
    /// The game takes no tells.
    NotSupported,
    /// The player is not there, or does not want to hear it.
    NotThere,
    /// The network does not know yet that the sender plays here.
    SenderUnknown,
    /// It is this game, whose players are told by their names alone.
    Here,
    /// The network cannot be used.
    Out(Out),
    /// No answer came.
    TimedOut,
    /// Staff does not let the sender speak to other games, for this reason.
    Muted(Text),
    /// Guests may not speak to other games.
    Guest,
    /// Staff has blocked that game.
    Blocked,
    /// The sender ignores them, and would not read an answer.
    Ignored,
    /// The network refused it, in its own words.
    Refused(Text),
}

/// Another game in the list of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameAbout {
    /// Its name on the network.
    pub game: Text,
    /// Its whole name.
    pub title: Option<Text>,
    /// How to connect to it.
    pub address: Option<Text>,
    /// How many play there.
    pub players: u64,
}
