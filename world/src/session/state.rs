//! `[pure]` What a session remembers while its player plays.
//!
//! A step works on a copy, and the copy takes the place of the old state when the step is complete;
//! so a crash leaves the state before the line. The copy is cheap: what is large is shared by
//! pointer.

use super::bucket::Bucket;
use super::effect::Effect;
use super::question::Question;
use super::waiting::Awaited;
use crate::being::{Card, Item, Journey, Place};
use crate::command::Rights;
use crate::content::Channel;
use crate::event::{Event, Text};
use crate::ids::{AccountId, CharacterId, ItemId, LineId, RoomId, SessionId};
use crate::limits;
use crate::ops::metrics::VerbClass;
use crate::talk::IgnoreList;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

/// Who plays; it never changes in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The session.
    pub session: SessionId,
    /// The character's name.
    pub name: Text,
    /// The account and the character; `None` for a guest, of whom nothing is saved.
    pub account: Option<(AccountId, CharacterId)>,
    /// The account's name, for the password dialogue.
    pub account_name: Text,
}

/// What the operator set for all sessions.
#[derive(Clone, Copy, Debug)]
pub struct SessionRules {
    /// How long a session waits for a lost connection.
    pub linkdead: Duration,
    /// How old the saved place may be.
    pub save_every: Duration,
    /// Commands a second.
    pub commands_per_s: u16,
    /// Commands at once.
    pub commands_burst: u16,
}

/// A thing that the player carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The thing.
    pub item: Item,
    /// The room in which the database has it, while a guest carries it; `None`: it is recorded as
    /// the character's own.
    pub recorded: Option<RoomId>,
}

/// What a session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// A room's answer that is only shown; for this kind of command.
    Show(VerbClass),
    /// A channel's answer, which is shown.
    Talk,
    /// To be let out.
    Leave,
    /// To be taken in.
    Enter,
    /// To be taken in again by a room that has begun anew; the player is shown nothing.
    Return,
    /// A thing from the floor.
    Get,
    /// The thing from the floor is being recorded as the character's.
    GetRecorded {
        /// The room it came from.
        from: RoomId,
        /// The thing.
        item: Item,
    },
    /// A thing that goes to the floor is being recorded as the room's.
    DropRecorded {
        /// The room.
        to: RoomId,
        /// The thing.
        held: Held,
    },
    /// The room is to lay the thing down; tried so many times.
    Place {
        /// The room.
        to: RoomId,
        /// The thing.
        item: Item,
        /// Tries before this one.
        tries: u8,
        /// The room has the ask, and owes an answer.
        sent: bool,
    },
    /// Who is to be given this.
    GiveTo(ItemId),
    /// The gift is being recorded.
    GiveRecorded(Box<Gift>),
    /// The login pool or the store works on a new password.
    Password,
    /// The store makes a resume token.
    Token,
}

impl Pending {
    /// Whether a thing is on its way meanwhile, or may be.
    pub fn moves_things(&self) -> bool {
        match self {
            Self::Get
            | Self::GetRecorded { .. }
            | Self::DropRecorded { .. }
            | Self::Place { .. }
            | Self::GiveTo(_)
            | Self::GiveRecorded(_) => true,
            Self::Show(_)
            | Self::Talk
            | Self::Leave
            | Self::Enter
            | Self::Return
            | Self::Password
            | Self::Token => false,
        }
    }

    /// Whether it is a step of the player's journey.
    pub fn travels(&self) -> bool {
        matches!(self, Self::Leave | Self::Enter | Self::Return)
    }

    /// The kind of command that it belongs to, for the figures.
    pub fn verb(&self) -> VerbClass {
        match self {
            Self::Show(verb) => *verb,
            Self::Talk => VerbClass::Speech,
            Self::Leave | Self::Enter | Self::Return => VerbClass::Move,
            Self::Get
            | Self::GetRecorded { .. }
            | Self::DropRecorded { .. }
            | Self::Place { .. }
            | Self::GiveTo(_)
            | Self::GiveRecorded(_) => VerbClass::Item,
            Self::Password | Self::Token => VerbClass::Session,
        }
    }
}

/// A thing on its way from one player to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gift {
    /// The thing as the giver held it.
    pub held: Held,
    /// The receiver's name.
    pub to: Text,
    /// The receiver's character; `None` for a guest.
    pub character: Option<CharacterId>,
    /// In which room it stays recorded, where the receiver is a guest.
    pub recorded: Option<RoomId>,
}

/// One thing that a session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAsk {
    /// Of which line.
    pub line: LineId,
    /// What.
    pub what: Pending,
    /// When it was asked.
    pub since: Instant,
    /// When the player is told that no answer came.
    pub deadline: Instant,
}

/// The state of a session in play.
#[derive(Clone, Debug)]
pub struct PlayState {
    /// Who plays.
    pub identity: Arc<Identity>,
    /// What rooms see.
    pub card: Arc<Card>,
    /// What the player may do.
    pub rights: Rights,
    /// Where the player is.
    pub journey: Journey,
    /// What is waited for.
    pub asks: SmallVec<[PendingAsk; limits::ASKS_MAX]>,
    /// The number of the last line.
    pub line: LineId,
    /// What the player carries, the oldest first.
    pub inventory: Arc<Vec<Held>>,
    /// The message of a player who is away; empty: none.
    pub away: Option<Text>,
    /// Who told the player something last.
    pub reply_to: Option<Text>,
    /// A dialogue that takes the next line.
    pub question: Option<Box<Question>>,
    /// How fast the player may type.
    pub bucket: Bucket,
    /// How fast the player may speak on channels.
    pub talk: Bucket,
    /// How fast players of other games may tell the player something.
    pub told: Bucket,
    /// Since when this session plays.
    pub since: Instant,
    /// Seconds in play before this session.
    pub played_s: u64,
    /// The settings that are saved.
    pub settings: Settings,
    /// What is to be saved, and when.
    pub save_due: Option<Instant>,
    /// The connection is lost; the session ends then.
    pub linkdead_due: Option<Instant>,
    /// No room would take the player, who was told so; tried again then, until one does.
    pub adrift_due: Option<Instant>,
    /// The room where the player is to come into the game, until they stand somewhere.
    pub bound_for: Option<Awaited>,
    /// The player leaves, as soon as no thing is on its way any more.
    pub ending: Option<Box<Ending>>,
}

/// A session that is about to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The last word.
    pub why: Event,
    /// It ends then, whatever is still on its way.
    pub deadline: Instant,
}

impl PendingAsk {
    /// The command is done.
    pub fn done(&self) -> Effect {
        Effect::Done {
            since: self.since,
            verb: self.what.verb(),
        }
    }
}

/// What a player chose and keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Colours; `None` as the client says.
    pub depth: Option<crate::text::Depth>,
    /// Screen-reader mode; `None` as the client says.
    pub screen_reader: Option<bool>,
    /// Which channels the player chose to be on, or not to be on, by lower-case name.
    pub channels: Arc<BTreeMap<Text, bool>>,
    /// Whom the player does not want to read.
    pub ignored: Arc<IgnoreList>,
    /// Whether the player wants to read who comes and goes in other games; `None` as the game has
    /// it.
    pub notices: Option<bool>,
}

impl Settings {
    /// Whether the player is on this channel: as they chose, or as newcomers are.
    pub fn is_on(&self, channel: &Channel) -> bool {
        let mut choices = self.channels.iter();
        let chosen = choices.find(|(name, _)| channel.name.eq_ignore_ascii_case(name));
        chosen.map_or(channel.default, |(_, on)| *on)
    }
}

impl PlayState {
    /// Whether the next line can be handled now.
    pub fn ready(&self) -> bool {
        let settled = matches!(self.journey.place(), Place::In(_) | Place::Adrift);
        settled && self.asks.len() < limits::ASKS_MAX && self.ending.is_none()
    }

    /// Whether the player is a guest.
    pub fn guest(&self) -> bool {
        self.identity.account.is_none()
    }

    /// Begins a line: one that was typed, or work that is nobody's line.
    pub fn next_line(&mut self) {
        self.line = LineId(self.line.0.wrapping_add(1));
    }

    /// Opens an ask.
    pub fn wait_for(&mut self, what: Pending, now: Instant) -> LineId {
        self.asks.push(PendingAsk {
            line: self.line,
            what,
            since: now,
            deadline: now + limits::ASK_DEADLINE,
        });
        self.line
    }

    /// Opens the next stage of a line whose stage before is over.
    pub fn wait_next(&mut self, before: &PendingAsk, what: Pending, now: Instant) {
        self.asks.push(PendingAsk {
            line: before.line,
            what,
            since: before.since,
            deadline: now + limits::ASK_DEADLINE,
        });
    }

    /// Whether a thing is on its way to or from the player.
    pub fn moves_things(&self) -> bool {
        self.asks.iter().any(|ask| ask.what.moves_things())
    }

    /// Closes the ask of this line, if it is still open.
    pub fn close(&mut self, line: LineId, is: impl Fn(&Pending) -> bool) -> Option<PendingAsk> {
        let at = self
            .asks
            .iter()
            .position(|ask| ask.line == line && is(&ask.what))?;
        Some(self.asks.remove(at))
    }

    /// Something changed that is to be saved.
    pub fn dirty(&mut self, rules: &SessionRules, now: Instant) {
        if !self.guest() && self.save_due.is_none() {
            self.save_due = Some(now + rules.save_every);
        }
    }
}
