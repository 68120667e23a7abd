//! `[process]` What reaches a session and a mob.

use super::connection_message::ConnectionPort;
use super::terminal::TerminalNow;
use crate::being::Item;
use crate::bridge::{Remote, TellReceipt};
use crate::cluster::people::ClaimAnswer;
use crate::event::Text;
use crate::ids::{ConnectionId, LineId, MobId, RoomId};
use crate::room::{Answer, Undelivered};
use crate::store::Network;
use crate::talk::Speaker;
use crate::view::{Batch, Notice};
use belay_runtime::Address;
use std::sync::Arc;
use tokio::sync::mpsc;

pub use crate::login::LoginAnswer;
pub use crate::session::StoreAnswer;

/// How a session is reached.
pub type SessionPort = Address<SessionMessage>;

/// What a connection passes on.
#[derive(Debug)]
pub enum Input {
    /// A line.
    Line {
        /// The text, decoded, without its end. It may hold a password: it is never logged.
        text: String,
        /// It was longer than the limit and cut to this many bytes.
        cut: Option<u32>,
    },
    /// Clear what is typed ahead (IAC IP).
    Interrupt,
    /// The terminal turned out to be this, or the player's choice took effect.
    Terminal(TerminalNow),
    /// The client does not hide what is typed at a password prompt.
    Echoes,
    /// The connection is closed, by either side.
    Closed,
}

/// A connection that moves to the session that holds its player already.
#[derive(Debug)]
pub struct Arrival {
    /// The connection.
    pub connection: ConnectionPort,
    /// What its terminal is, as far as known.
    pub terminal: Option<TerminalNow>,
    /// The session that brings it, and wants to know what became of it.
    pub from: SessionPort,
    /// It came with a resume token, which is used up: the player is to be shown the next.
    pub by_token: bool,
}

/// What a player of another game tells a player here.
#[derive(Debug)]
pub struct NetworkTell {
    /// From whom.
    pub from: Remote,
    /// The words.
    pub text: Text,
    /// Whether it was read is said with this.
    pub receipt: TellReceipt,
}

/// What reaches a session.
#[derive(Debug)]
pub enum SessionMessage {
    /// From the connection of this number; ignored from one that was taken over.
    Input(ConnectionId, Input),
    /// Owed: a room's answer to the ask of this line.
    Answer(LineId, Answer),
    /// Owed: the ask of this line met a crash.
    Lost(LineId),
    /// Owed: the ask of this line did not reach its room.
    Undelivered(LineId, Undelivered),
    /// Owed: the room where the player stands begins anew and does not know them.
    Forgotten(RoomId),
    /// Ambient: what the player did waits for a zone that is out of reach.
    Waits,
    /// Ambient.
    Notice(Arc<Notice>),
    /// Ambient, in a crowd.
    Tick(Arc<Batch>),
    /// Owed: the room where the player stood is closed.
    RoomClosed(RoomId),
    /// Ambient, but its sender is told when it does not arrive.
    Tell {
        /// From whom, here or in another game.
        from: Speaker,
        /// The words.
        text: Text,
    },
    /// The same from another game.
    Elsewhere(Box<NetworkTell>),
    /// Owed: a thing that is recorded as this character's (or held by this guest for the room it is
    /// recorded in).
    Receive {
        /// From whom.
        from: Text,
        /// The thing.
        item: Item,
        /// For guests: the room in which it stays recorded.
        recorded: Option<RoomId>,
    },
    /// Owed: the store or the login pool answers the login dialogue of this incarnation.
    Login(u32, Box<LoginAnswer>),
    /// Owed: the store answers a session in play.
    Stored(LineId, StoreAnswer),
    /// Owed: another connection of the same account wants this session.
    TakeOver(Box<Arrival>),
    /// Owed: whether the session took over the connection that was brought to it.
    TookOver(bool),
    /// Owed: the player whom staff follows is in this room, says another node.
    Follow(LineId, RoomId),
    /// Owed: what became of the claim of this incarnation in the cluster.
    Claimed(u32, ClaimAnswer),
    /// Staff banned this network; who plays from there is removed, with the reason.
    Banned(Network, Text),
    /// Owed: the account wants to play another character; save and leave.
    MakeWay,
    /// Owed: staff removes the player, with the reason.
    Kick(Text),
    /// Owed: this node stops; the player goes on at another.
    NodeStops,
    /// Staff rights were given or taken.
    Staff(bool),
    /// Crash, as asked (staff, tests).
    Crash,
    /// The time that the session asked for.
    Wake(Wake),
}

/// What is said on a channel is ambient, like what happens in a room.
impl From<Arc<Notice>> for SessionMessage {
    fn from(notice: Arc<Notice>) -> Self {
        Self::Notice(notice)
    }
}

/// Why a session wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Some deadline or delayed work is due.
    Due,
    /// The place in the login queue may have changed.
    Queue,
    /// The last save has taken too long.
    GiveUp,
    /// The account is claimed again, unless it was since this many tries.
    Claim(u16),
    /// Is the connection still there?
    Link,
    /// The cluster is asked for the account again, after so many tries.
    Owner(u16),
}

/// What reaches a mob.
#[derive(Debug)]
pub enum MobMessage {
    /// Owed: a room's answer.
    Answer(LineId, Answer),
    /// Owed: the ask is lost.
    Lost(LineId),
    /// Owed: its room is closed.
    RoomClosed(RoomId),
    /// Time to do something.
    Wake,
    /// Crash, as asked.
    Crash,
    /// Hold still from now on, and say so when no step is in hand.
    Still(mpsc::Sender<MobId>),
    /// Go on after holding still.
    GoOn,
}
