//! `[process]` How a zone reaches the sessions of another node: one frame for an answer, and one
//! for an event, however many of them it concerns.

use super::counts::Count;
use super::frame::{Entry, Frame, Head};
use super::gateway::Gateway;
use crate::ids::{RoomId, SessionId};
use crate::ring::Undelivered;
use crate::room::Answer;
use belay_cluster::NodeId;
use std::fmt;
use std::sync::Weak;

/// More entries of a tick than this go in several frames, for a frame has a limit and a text may be
/// long.
const TICK_ENTRIES_MAX: usize = 128;

/// Another node, as a zone in one epoch reaches its sessions.
pub struct Far {
    gateway: Weak<Gateway>,
    node: NodeId,
    head: Head,
}

impl fmt::Debug for Far {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Far")
            .field("node", &self.node)
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

impl Far {
    pub(super) fn new(gateway: Weak<Gateway>, node: NodeId, head: Head) -> Self {
        Self {
            gateway,
            node,
            head,
        }
    }

    /// Which node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Answers the ask of this number.
    ///
    /// # Errors
    /// There is no wire to the node; the answer comes back.
    pub(crate) fn answer(&self, call: u64, answer: Answer) -> Result<(), Answer> {
        match self.gateway.upgrade() {
            Some(gateway) if gateway.reaches(self.node) => {
                if let Answer::Handed(room, item) = answer {
                    gateway.hand(self.head, (self.node, call), (room, item));
                }
                gateway.write(self.node, &Frame::Answer(self.head, call, answer));
                Ok(())
            }
            Some(_) | None => Err(answer),
        }
    }

    /// The ask of this number met a crash.
    pub(crate) fn lost(&self, call: u64) {
        self.write(&Frame::Lost(self.head, call));
    }

    /// The ask of this number did not reach its room.
    pub(crate) fn refused(&self, call: u64, why: Undelivered) {
        self.write(&Frame::Refused(self.head, call, why));
    }

    /// The room where this session stands is closed.
    pub(crate) fn room_closed(&self, room: RoomId, session: SessionId) {
        self.write(&Frame::RoomClosed(self.head, room, session));
    }

    /// For all of the node who stand in this room but the one who did it.
    pub(crate) fn notice(&self, room: RoomId, entry: Entry) {
        self.event(&Frame::Notice(self.head, room, entry));
    }

    /// What a crowd did within a tick.
    pub(crate) fn tick(
        &self,
        room: RoomId,
        (all, newcomers): (&[Entry], &[Entry]),
        fresh: &[SessionId],
    ) {
        let (mut all, mut newcomers) = (
            all.chunks(TICK_ENTRIES_MAX),
            newcomers.chunks(TICK_ENTRIES_MAX),
        );
        loop {
            let (some, new) = (all.next(), newcomers.next());
            if some.is_none() && new.is_none() {
                return;
            }
            self.event(&Frame::Tick {
                head: self.head,
                room,
                all: some.unwrap_or_default().to_vec(),
                newcomers: new.unwrap_or_default().to_vec(),
                fresh: fresh.to_vec(),
            });
        }
    }

    fn event(&self, frame: &Frame) {
        if let Some(gateway) = self.gateway.upgrade() {
            gateway.counts().add(Count::EventsOut, 1);
            gateway.write(self.node, frame);
        }
    }

    fn write(&self, frame: &Frame) {
        if let Some(gateway) = self.gateway.upgrade() {
            gateway.write(self.node, frame);
        }
    }
}
