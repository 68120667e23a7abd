//! `[pure]` What a session does outside itself.

use super::question::Secret;
use super::state::Gift;
use crate::being::{Item, JourneyStep};
use crate::command::{BanOrder, BridgeOrder};
use crate::event::{Event, Text};
use crate::ids::{ChannelId, LineId, RoomId};
use crate::ops::metrics::VerbClass;
use crate::room::{Ask, Cast};
use crate::text::Depth;
use std::time::Instant;

/// A change of owner, a save, or a password: what the store is asked by a session in play.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreOrder {
    /// A thing from a room's floor becomes the character's.
    Take {
        /// The room that owns it.
        from: RoomId,
        /// The thing.
        item: Item,
    },
    /// The character's thing becomes the room's.
    Lay {
        /// The room that will own it.
        to: RoomId,
        /// The thing.
        item: Item,
        /// The room that has it on record, if a guest carried it.
        recorded: Option<RoomId>,
    },
    /// The character's thing becomes another's.
    Give(Box<Gift>),
    /// Is this the present password?
    CheckPassword(Secret),
    /// This is the new password.
    SetPassword(Secret),
    /// Make a resume token.
    Token,
}

/// What the store answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAnswer {
    /// A change of owner is on record.
    Recorded,
    /// It is not, and will not be.
    Failed,
    /// It is not, for the thing is on record as somebody else's: what was in sight is not there.
    Moved,
    /// Whether the password is right.
    PasswordChecked(bool),
    /// The new password is on record.
    PasswordSet,
    /// The login pool is full.
    Busy,
    /// The new token.
    Token(Text),
    /// The session's place and state are on record (`false`: try again later).
    Saved(bool),
}

/// What came of a tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TellOutcome {
    /// It is in their mailbox.
    Delivered {
        /// The name in full.
        to: Text,
        /// Their away message.
        away: Option<Text>,
    },
    /// Nobody of that name plays.
    Nobody,
    /// Their mailbox is full.
    Full(Text),
}

/// What a session wants of channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TalkOrder {
    /// Say this there, for this line.
    Say(LineId, ChannelId, Text),
    /// Show its last lines, for this line.
    History(LineId, ChannelId),
    /// The player is on it from now on.
    Join(ChannelId),
    /// The player is on it no more.
    Leave(ChannelId),
    /// Show all channels.
    List,
    /// Show who is on it.
    Who(ChannelId),
    /// Staff: make it crash.
    Crash(ChannelId),
}

/// What a session wants of other games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkOrder {
    /// Tell one of their players something, for this line.
    Tell {
        /// The line.
        line: LineId,
        /// `Name@Game`.
        to: Text,
        /// It is a whole name, not the beginning of one.
        whole: bool,
        /// The words.
        text: Text,
    },
    /// Show the games, those whose name begins with this.
    Games(Option<Text>),
    /// The player wants to be told who comes and goes there, or not; `None` as the game has it.
    Notices(Option<bool>),
    /// Show whether the player is told that.
    ShowNotices(Option<bool>),
    /// Staff, for this line.
    Bridge(LineId, BridgeOrder),
}

/// One effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Show the player this.
    Show(Event),
    /// On the journey: to be asked or told of a room, for this line.
    Travel(LineId, JourneyStep),
    /// Ask the room.
    Ask(LineId, RoomId, Ask),
    /// Tell the room.
    Cast(RoomId, Cast),
    /// Tell another player.
    Tell {
        /// To whom, as typed.
        to: Text,
        /// The words.
        text: Text,
    },
    /// Show who plays, those whose name begins with this.
    Who(Option<Text>),
    /// Do this with a channel.
    Talk(TalkOrder),
    /// Do this with other games.
    Network(NetworkOrder),
    /// Hand a thing to another session.
    Deliver(Box<Gift>),
    /// Ask the store.
    Store(LineId, StoreOrder),
    /// Save state, with this as the place.
    Save(Option<RoomId>),
    /// Show or hide what is typed.
    Hide(bool),
    /// The player chose colours.
    Color(Option<Depth>),
    /// Show the present colours.
    ShowColor,
    /// The player chose the screen-reader mode.
    ScreenReader(bool),
    /// Show the present mode.
    ShowScreenReader,
    /// The card changed: the list of players shows it.
    Roster,
    /// Staff: find a room or player and go there.
    Goto(Text),
    /// Staff: remove a player.
    Kick {
        /// Who.
        who: Text,
        /// Why.
        reason: Text,
    },
    /// Staff: ban.
    Ban(BanOrder),
    /// Staff: make a session crash; `None` is this one.
    CrashSession(Option<Text>),
    /// Staff: stop the node.
    Shutdown,
    /// A thing that nobody could lay down stays on record only.
    LeftOnRecord(Item),
    /// The command of this line is done; for the latency figures.
    Done {
        /// When it began.
        since: Instant,
        /// What kind of command it was.
        verb: VerbClass,
    },
    /// The session ends; its connection closes with this event.
    End(Event),
}

/// Effects of one step, in order.
pub type Effects = Vec<Effect>;
