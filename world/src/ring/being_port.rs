//! `[process]` How a room reaches those who stand in it, and the receipt that tells an asker when
//! its message met a crash.

use super::session_message::{MobMessage, SessionMessage};
use crate::ids::{LineId, RoomId};
use crate::room::Answer;
use belay_runtime::Address;

/// Where the messages of a room for one being go.
#[derive(Clone, Debug)]
pub enum BeingPort {
    /// A player's session.
    Session(Address<SessionMessage>),
    /// A mob.
    Mob(Address<MobMessage>),
}

impl BeingPort {
    /// Sends an answer that is owed. It has a slot of its own, so only a receiver that is gone
    /// does not get it.
    ///
    /// # Errors
    ///
    /// The receiver is gone; the answer comes back, for it may carry a thing.
    pub fn answer(&self, line: LineId, answer: Answer) -> Result<(), Answer> {
        let unsent = match self {
            Self::Session(session) => {
                let sent = session.try_send_owed(SessionMessage::Answer(line, answer));
                sent.err().and_then(|error| {
                    let SessionMessage::Answer(_, answer) = error.into_inner() else {
                        return None;
                    };
                    Some(answer)
                })
            }
            Self::Mob(mob) => {
                let sent = mob.try_send_owed(MobMessage::Answer(line, answer));
                sent.err().and_then(|error| {
                    let MobMessage::Answer(_, answer) = error.into_inner() else {
                        return None;
                    };
                    Some(answer)
                })
            }
        };
        unsent.map_or(Ok(()), Err)
    }

    /// Says that the ask of this line is lost.
    pub fn lost(&self, line: LineId) {
        match self {
            Self::Session(session) => drop(session.try_send_owed(SessionMessage::Lost(line))),
            Self::Mob(mob) => drop(mob.try_send_owed(MobMessage::Lost(line))),
        }
    }

    /// Says that the room where the being stood is closed.
    pub fn room_closed(&self, room: RoomId) {
        match self {
            Self::Session(session) => {
                drop(session.try_send_owed(SessionMessage::RoomClosed(room)));
            }
            Self::Mob(mob) => drop(mob.try_send_owed(MobMessage::RoomClosed(room))),
        }
    }
}

/// Travels with an ask. Answered, it carries the answer to the asker; dropped unanswered (the room
/// crashed on the message, or closed with the message in its queue), it tells the asker that the
/// ask is lost. So each ask ends in exactly one owed message.
#[derive(Debug)]
pub struct Receipt {
    port: BeingPort,
    line: LineId,
    open: bool,
}

impl Receipt {
    /// A receipt for an ask of this line.
    pub fn new(port: BeingPort, line: LineId) -> Self {
        Self {
            port,
            line,
            open: true,
        }
    }

    /// How the asker is reached.
    pub fn port(&self) -> &BeingPort {
        &self.port
    }

    /// Answers the ask.
    ///
    /// # Errors
    ///
    /// The asker is gone; the answer comes back, for it may carry a thing.
    pub fn answer(mut self, answer: Answer) -> Result<(), Answer> {
        self.open = false;
        self.port.answer(self.line, answer)
    }

    /// Ends the receipt without a word; for an ask that was never delivered and is told otherwise.
    pub fn withdraw(mut self) {
        self.open = false;
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if self.open {
            self.port.lost(self.line);
        }
    }
}
