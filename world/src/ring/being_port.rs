//! `[process]` How a room reaches those who stand in it, and the receipt that tells an asker when
//! its message met a crash.

use super::session_message::{MobMessage, SessionMessage};
use crate::cluster::Far;
use crate::ids::{LineId, RoomId, SessionId};
use crate::room::{Answer, Undelivered};
use belay_runtime::Address;
use std::sync::Arc;

/// Where the messages of a room for one being go.
#[derive(Clone, Debug)]
pub enum BeingPort {
    /// A player's session.
    Session(Address<SessionMessage>),
    /// A mob.
    Mob(Address<MobMessage>),
    /// A player's session on another node.
    Far(Arc<Far>, SessionId),
}

impl BeingPort {
    /// Sends an answer that is owed. It has a slot of its own, so only a receiver that is gone
    /// does not get it.
    ///
    /// # Errors
    ///
    /// The receiver is gone; the answer comes back, for it may carry a thing.
    fn answer(&self, line: LineId, call: u64, answer: Answer) -> Result<(), Answer> {
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
            Self::Far(far, _) => return far.answer(call, answer),
        };
        unsent.map_or(Ok(()), Err)
    }

    /// Says that the ask of this line is lost.
    fn lost(&self, line: LineId, call: u64) {
        match self {
            Self::Session(session) => drop(session.try_send_owed(SessionMessage::Lost(line))),
            Self::Mob(mob) => drop(mob.try_send_owed(MobMessage::Lost(line))),
            Self::Far(far, _) => far.lost(call),
        }
    }

    /// Says that the ask of this line did not reach its room.
    fn refused(&self, line: LineId, call: u64, why: Undelivered) {
        match self {
            Self::Session(session) => {
                drop(session.try_send_owed(SessionMessage::Undelivered(line, why)));
            }
            Self::Mob(mob) => drop(mob.try_send_owed(MobMessage::Lost(line))),
            Self::Far(far, _) => far.refused(call, why),
        }
    }

    /// Says that the room where the being stood is closed.
    pub fn room_closed(&self, room: RoomId) {
        match self {
            Self::Session(session) => {
                drop(session.try_send_owed(SessionMessage::RoomClosed(room)));
            }
            Self::Mob(mob) => drop(mob.try_send_owed(MobMessage::RoomClosed(room))),
            Self::Far(far, session) => far.room_closed(room, *session),
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
    /// The number under which an asker's node waits for the answer.
    call: u64,
    open: bool,
}

impl Receipt {
    /// A receipt for an ask of this line.
    pub fn new(port: BeingPort, line: LineId) -> Self {
        Self::far(port, line, 0)
    }

    /// A receipt for an ask of another node, which waits for the answer under this number.
    pub fn far(port: BeingPort, line: LineId, call: u64) -> Self {
        Self {
            port,
            line,
            call,
            open: true,
        }
    }

    /// How the asker is reached.
    pub fn port(&self) -> &BeingPort {
        &self.port
    }

    /// Of which line.
    pub fn line(&self) -> LineId {
        self.line
    }

    /// Answers the ask.
    ///
    /// # Errors
    ///
    /// The asker is gone; the answer comes back, for it may carry a thing.
    pub fn answer(mut self, answer: Answer) -> Result<(), Answer> {
        self.open = false;
        self.port.answer(self.line, self.call, answer)
    }

    /// Tells the asker that the ask did not reach its room.
    pub fn refuse(mut self, why: Undelivered) {
        self.open = false;
        self.port.refused(self.line, self.call, why);
    }

    /// Ends the receipt without a word; for an ask that was never delivered and is told otherwise.
    pub fn withdraw(mut self) {
        self.open = false;
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if self.open {
            self.port.lost(self.line, self.call);
        }
    }
}
