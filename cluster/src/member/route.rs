//! `[pure]` Which part of a node a message is for: its first byte says so. On the control lane raft
//! and the duty, on the play lane the host and hand-overs.

use crate::duty::{DutyMessage, HandOverMessage, Input};
use crate::ids::{Incarnation, NodeId};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

/// The part of a node that a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Control lane: raft.
    Raft,
    /// Control lane: leases, moves, orders.
    Duty,
    /// Play lane: the host.
    Host,
    /// Play lane: the states of shards that move.
    HandOver,
    /// Control lane: who the members are.
    Members,
}

impl Part {
    const fn tag(self) -> u8 {
        match self {
            Self::Raft => 1,
            Self::Duty => 2,
            Self::Host => 3,
            Self::HandOver => 4,
            Self::Members => 5,
        }
    }

    /// The message with its tag.
    pub(crate) fn wrap(self, body: &[u8]) -> Bytes {
        let mut whole = BytesMut::with_capacity(body.len() + 1);
        whole.put_u8(self.tag());
        whole.put_slice(body);
        whole.freeze()
    }

    /// For whom it is, and the message; nothing for a tag that is not known.
    pub(crate) fn unwrap(mut whole: Bytes) -> Option<(Self, Bytes)> {
        if whole.is_empty() {
            return None;
        }
        let tag = whole.get_u8();
        let parts = [
            Self::Raft,
            Self::Duty,
            Self::Host,
            Self::HandOver,
            Self::Members,
        ];
        let part = parts.into_iter().find(|part| part.tag() == tag)?;
        Some((part, whole))
    }
}

/// What a duty is told of a message; nothing if it is not for it or is none.
pub(crate) fn to_input(from: NodeId, incarnation: Incarnation, body: Bytes) -> Option<Input> {
    let (part, body) = Part::unwrap(body)?;
    match part {
        Part::Duty => {
            let message = DutyMessage::decode(&body).ok()?;
            Some(Input::Control {
                from,
                incarnation,
                message,
            })
        }
        Part::HandOver => {
            let message = HandOverMessage::decode(&body).ok()?;
            Some(Input::HandOver {
                from,
                incarnation,
                message,
            })
        }
        Part::Raft | Part::Host | Part::Members => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_to_the_part_that_it_is_for() {
        let (control, play) = (
            [Part::Raft, Part::Duty, Part::Members],
            [Part::Host, Part::HandOver],
        );
        for part in control.into_iter().chain(play) {
            let whole = part.wrap(b"words");
            assert_eq!(
                Part::unwrap(whole),
                Some((part, Bytes::from_static(b"words")))
            );
        }
        assert_eq!(Part::unwrap(Bytes::new()), None);
        assert_eq!(Part::unwrap(Bytes::from_static(&[9, 1])), None);
    }
}
