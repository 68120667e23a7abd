//! `[pure]` The sequenced journey of one being from room to room.
//!
//! ```text
//!            leave                Left                 Entered
//!   In(A) ---------> Leaving(A) ---------> Between(A,B) ---------> In(B)
//!     ^                 | refused, lost        | refused, lost, closed
//!     |<----------------+                      v
//!     |<--- Entered --- Between(B,A): back, then the recall rooms in order, then Adrift
//! ```
//!
//! The being itself sequences its moves: room A lets go (`Left`), then room B is asked to take it
//! in (`Enter`). In between the journey has the being, so at most one room has it. Each `Enter` has
//! a new number; an answer to an older one is undone with `Gone`, and a room refuses a number that
//! is not newer than the one it knows. Messages from one being to one room arrive in order.

use crate::ids::{Direction, MoveSeq, RoomId};
use serde::{Deserialize, Serialize};

/// How a being comes into a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// On foot.
    Walk(Direction),
    /// Into the game.
    Wake,
    /// From nowhere: staff, recall.
    Appear,
    /// It never really left; nobody is told.
    Stay,
}

/// How a being goes that does not walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parting {
    /// Out of the game.
    Sleep,
    /// To nowhere: staff, recall.
    Vanish,
    /// It is not really there; nobody is told.
    Undo,
}

/// Where a being is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// In a room, which knows it.
    In(RoomId),
    /// In a room that was asked to let it go.
    Leaving(RoomId),
    /// In no room; this one was asked to take it in.
    Between {
        /// Where it came from, if it can go back there.
        from: Option<RoomId>,
        /// Where it wants to be.
        to: RoomId,
    },
    /// In no room, and none would take it.
    Adrift,
}

/// What is to be done for the journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JourneyStep {
    /// Ask the room to take the being in.
    Enter(RoomId, MoveSeq, Entry),
    /// Tell the room that the being of this number, or an older one, is not there (any more).
    Gone(RoomId, MoveSeq, Parting),
    /// Ask the room to let the being out this way.
    Leave(RoomId, MoveSeq, Direction),
}

/// The journey of one being.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journey {
    place: Place,
    seq: MoveSeq,
    /// How many recall rooms were tried since the being last stood somewhere.
    recalls_tried: u8,
    /// The attempt that is being made is to stand again where it stood.
    returns: bool,
}

impl Journey {
    /// A being that is nowhere yet.
    pub const fn new() -> Self {
        Self {
            place: Place::Adrift,
            seq: MoveSeq(0),
            recalls_tried: 0,
            returns: false,
        }
    }

    /// Where the being is.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// The number of the present stay or attempt.
    pub const fn seq(&self) -> MoveSeq {
        self.seq
    }

    /// The room that the being stands in or was last sure to stand in.
    pub const fn room(&self) -> Option<RoomId> {
        match self.place {
            Place::In(room) | Place::Leaving(room) => Some(room),
            Place::Between { from, to } => match from {
                Some(from) => Some(from),
                None => Some(to),
            },
            Place::Adrift => None,
        }
    }

    /// Whether a recall room was asked to take the being in, which is no way that it chose.
    pub const fn recalled(&self) -> bool {
        matches!(self.place, Place::Between { .. }) && self.recalls_tried > 0
    }

    /// Goes to a room without walking: login, staff, recall. Leaves the present room first.
    pub fn appear(&mut self, to: RoomId, how: Entry, out: &mut Vec<JourneyStep>) {
        let from = match self.place {
            Place::In(from) | Place::Leaving(from) => {
                out.push(JourneyStep::Gone(from, self.seq, Parting::Vanish));
                Some(from)
            }
            Place::Between { from, to } => {
                out.push(JourneyStep::Gone(to, self.seq, Parting::Undo));
                from
            }
            Place::Adrift => None,
        };
        self.enter(from, to, how, out);
    }

    /// Asks the present room to let the being out; `false` where it stands in none.
    pub fn leave(&mut self, way: Direction, out: &mut Vec<JourneyStep>) -> bool {
        let Place::In(room) = self.place else {
            return false;
        };
        self.place = Place::Leaving(room);
        out.push(JourneyStep::Leave(room, self.seq, way));
        true
    }

    /// The room let go: on to the next.
    pub fn left(&mut self, seq: MoveSeq, to: RoomId, way: Direction, out: &mut Vec<JourneyStep>) {
        let Place::Leaving(from) = self.place else {
            return;
        };
        if seq == self.seq {
            self.enter(Some(from), to, Entry::Walk(way), out);
        }
    }

    /// The room would not let go (no such exit): it still has the being.
    pub fn stayed(&mut self, seq: MoveSeq) {
        if let Place::Leaving(room) = self.place
            && seq == self.seq
        {
            self.place = Place::In(room);
        }
    }

    /// A room has taken the being in. `true`: it stands there now. `false`: that was an older
    /// attempt, which is undone.
    pub fn entered(&mut self, room: RoomId, seq: MoveSeq, out: &mut Vec<JourneyStep>) -> bool {
        match self.place {
            Place::Between { to, .. } if to == room && seq == self.seq => {
                self.place = Place::In(room);
                self.recalls_tried = 0;
                true
            }
            Place::In(_) | Place::Leaving(_) | Place::Between { .. } | Place::Adrift => {
                if seq != self.seq {
                    out.push(JourneyStep::Gone(room, seq, Parting::Undo));
                }
                false
            }
        }
    }

    /// The room asked last did not take the being in, or its answer is lost or late: back to where
    /// it came from, then to the recall rooms in order, then adrift. A leave that met a crash is
    /// asked again as a stay in the same room.
    pub fn failed(&mut self, seq: MoveSeq, recall: &[RoomId], out: &mut Vec<JourneyStep>) {
        if seq != self.seq {
            return;
        }
        match self.place {
            Place::Leaving(room) => self.enter(None, room, Entry::Stay, out),
            Place::Between { from, to } => {
                out.push(JourneyStep::Gone(to, self.seq, Parting::Undo));
                match from {
                    Some(from) if from != to => self.enter(None, from, Entry::Stay, out),
                    Some(_) | None => self.recall(recall, out),
                }
            }
            Place::In(_) | Place::Adrift => {}
        }
    }

    /// The room closed for good. `true`: the being was thrown out and is on its way to recall.
    pub fn closed(&mut self, room: RoomId, recall: &[RoomId], out: &mut Vec<JourneyStep>) -> bool {
        match self.place {
            Place::In(here) | Place::Leaving(here) if here == room => {
                self.recall(recall, out);
                true
            }
            Place::Between {
                from: Some(from),
                to,
            } if from == room => {
                self.place = Place::Between { from: None, to };
                false
            }
            Place::In(_) | Place::Leaving(_) | Place::Between { .. } | Place::Adrift => false,
        }
    }

    /// Tries the recall rooms from the first again; for a being that is adrift.
    pub fn retry(&mut self, recall: &[RoomId], out: &mut Vec<JourneyStep>) {
        if self.place == Place::Adrift {
            self.recalls_tried = 0;
            self.recall(recall, out);
        }
    }

    /// The room where the being stands does not know it: it comes in there anew.
    pub fn forgotten(&mut self, out: &mut Vec<JourneyStep>) {
        if let Place::In(room) = self.place {
            self.enter(None, room, Entry::Stay, out);
        }
    }

    /// The room where the being stood did not take it in again, for it is out of reach: it is as if
    /// it stood there, until it is known better. `false`: that was another attempt.
    pub fn held_off(&mut self, seq: MoveSeq) -> bool {
        let Place::Between { from: None, to } = self.place else {
            return false;
        };
        let held_off = seq == self.seq && self.returns;
        if held_off {
            self.place = Place::In(to);
        }
        held_off
    }

    /// The room that was asked to take the being in, from nowhere, is out of reach: the being is
    /// nowhere again. `false`: that was another attempt.
    pub fn put_off(&mut self, room: RoomId, out: &mut Vec<JourneyStep>) -> bool {
        let asked = Place::Between {
            from: None,
            to: room,
        };
        let put_off = self.place == asked && !self.returns && self.recalls_tried == 0;
        if put_off {
            out.push(JourneyStep::Gone(room, self.seq, Parting::Undo));
            self.place = Place::Adrift;
        }
        put_off
    }

    /// Leaves the game.
    pub fn end(&mut self, out: &mut Vec<JourneyStep>) {
        match self.place {
            Place::In(room) | Place::Leaving(room) => {
                out.push(JourneyStep::Gone(room, self.seq, Parting::Sleep));
            }
            Place::Between { to, .. } => {
                out.push(JourneyStep::Gone(to, self.seq, Parting::Undo));
            }
            Place::Adrift => {}
        }
        self.place = Place::Adrift;
    }

    fn recall(&mut self, recall: &[RoomId], out: &mut Vec<JourneyStep>) {
        match recall.get(usize::from(self.recalls_tried)) {
            Some(room) => {
                self.recalls_tried = self.recalls_tried.saturating_add(1);
                self.enter(None, *room, Entry::Appear, out);
            }
            None => self.place = Place::Adrift,
        }
    }

    fn enter(&mut self, from: Option<RoomId>, to: RoomId, how: Entry, out: &mut Vec<JourneyStep>) {
        self.seq = MoveSeq(self.seq.0.wrapping_add(1));
        self.place = Place::Between { from, to };
        self.returns = how == Entry::Stay;
        out.push(JourneyStep::Enter(to, self.seq, how));
    }
}

impl Default for Journey {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const A: RoomId = RoomId(0);
    const B: RoomId = RoomId(1);
    const RECALL: [RoomId; 2] = [RoomId(7), RoomId(8)];

    fn standing_in(room: RoomId) -> Journey {
        let mut journey = Journey::new();
        let mut out = Vec::new();
        journey.appear(room, Entry::Wake, &mut out);
        assert!(journey.entered(room, journey.seq(), &mut out));
        journey
    }

    #[test]
    fn a_walk_leaves_then_enters_and_then_stands() {
        let mut journey = standing_in(A);
        let mut out = Vec::new();
        assert!(journey.leave(Direction::North, &mut out));
        assert_eq!(out, [JourneyStep::Leave(A, MoveSeq(1), Direction::North)]);
        out.clear();
        journey.left(MoveSeq(1), B, Direction::North, &mut out);
        assert_eq!(
            out,
            [JourneyStep::Enter(
                B,
                MoveSeq(2),
                Entry::Walk(Direction::North)
            )]
        );
        assert!(journey.entered(B, MoveSeq(2), &mut out));
        assert_eq!(journey.place(), Place::In(B));
    }

    #[test]
    fn a_refused_walk_goes_back_and_then_to_recall_and_then_adrift() {
        let mut journey = standing_in(A);
        let mut out = Vec::new();
        journey.leave(Direction::North, &mut out);
        journey.left(MoveSeq(1), B, Direction::North, &mut out);
        for expected in [A, RECALL[0], RECALL[1]] {
            out.clear();
            journey.failed(journey.seq(), &RECALL, &mut out);
            let enters = out
                .iter()
                .any(|step| matches!(step, JourneyStep::Enter(room, ..) if *room == expected));
            assert!(enters, "{expected} in {out:?}");
        }
        out.clear();
        journey.failed(journey.seq(), &RECALL, &mut out);
        assert_eq!(journey.place(), Place::Adrift);
        journey.retry(&RECALL, &mut out);
        assert!(matches!(
            out.last(),
            Some(JourneyStep::Enter(RoomId(7), ..))
        ));
    }

    #[test]
    fn a_late_answer_of_an_older_attempt_is_undone() {
        let mut journey = standing_in(A);
        let mut out = Vec::new();
        journey.leave(Direction::North, &mut out);
        journey.left(MoveSeq(1), B, Direction::North, &mut out);
        journey.failed(MoveSeq(2), &RECALL, &mut out);
        out.clear();
        assert!(!journey.entered(B, MoveSeq(2), &mut out));
        assert_eq!(out, [JourneyStep::Gone(B, MoveSeq(2), Parting::Undo)]);
    }

    #[test]
    fn who_cannot_stand_again_where_they_stood_stays_there_and_others_go_on() {
        let mut journey = standing_in(A);
        let mut out = Vec::new();
        journey.forgotten(&mut out);
        assert!(!journey.held_off(MoveSeq(1)), "an older attempt");
        assert!(journey.held_off(journey.seq()));
        assert_eq!(journey.place(), Place::In(A));
        assert!(!journey.held_off(journey.seq()), "stands already");
        journey.appear(B, Entry::Appear, &mut out);
        assert!(!journey.held_off(journey.seq()), "no return");
    }

    /// What a room does, as far as journeys can tell.
    #[derive(Default, Clone)]
    struct ModelRoom {
        has: Option<MoveSeq>,
        queue: VecDeque<JourneyStep>,
    }

    /// Random deliveries, losses, refusals and time-outs: at most one room has the being once all
    /// is quiet, and the journey agrees with it.
    #[derive(Clone, Debug)]
    enum Act {
        Walk,
        Deliver(u8),
        Lose(u8),
        TimeOut,
        Close(u8),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            4 => Just(Act::Walk),
            8 => (0..4_u8).prop_map(Act::Deliver),
            2 => (0..4_u8).prop_map(Act::Lose),
            1 => Just(Act::TimeOut),
            1 => (0..4_u8).prop_map(Act::Close),
        ]
    }

    fn post(rooms: &mut [ModelRoom], steps: &mut Vec<JourneyStep>) {
        for step in steps.drain(..) {
            let (JourneyStep::Enter(room, ..)
            | JourneyStep::Gone(room, ..)
            | JourneyStep::Leave(room, ..)) = step;
            rooms[room.0 as usize].queue.push_back(step);
        }
    }

    fn deliver(
        rooms: &mut [ModelRoom],
        at: usize,
        next: u8,
        journey: &mut Journey,
        out: &mut Vec<JourneyStep>,
    ) {
        let Some(step) = rooms[at].queue.pop_front() else {
            return;
        };
        match step {
            JourneyStep::Enter(room, seq, _) => {
                if rooms[at].has.is_none_or(|known| seq > known) {
                    rooms[at].has = Some(seq);
                    journey.entered(room, seq, out);
                }
            }
            JourneyStep::Gone(_, seq, _) => {
                if rooms[at].has.is_some_and(|known| known <= seq) {
                    rooms[at].has = None;
                }
            }
            JourneyStep::Leave(_, seq, way) => {
                if rooms[at].has == Some(seq) {
                    rooms[at].has = None;
                    journey.left(seq, RoomId(u32::from(next)), way, out);
                } else {
                    journey.failed(seq, &[RoomId(0), RoomId(1)], out);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn at_most_one_room_has_the_being_when_all_is_quiet(
            acts in prop::collection::vec(act(), 0..80),
        ) {
            let recall = [RoomId(0), RoomId(1)];
            let mut rooms = vec![ModelRoom::default(); 4];
            let mut journey = Journey::new();
            let mut out = Vec::new();
            journey.appear(RoomId(0), Entry::Wake, &mut out);
            post(&mut rooms, &mut out);
            for act in acts {
                match act {
                    Act::Walk => { journey.leave(Direction::North, &mut out); }
                    Act::Deliver(at) => {
                        let next = (at + 1) % 4;
                        deliver(&mut rooms, usize::from(at), next, &mut journey, &mut out);
                    }
                    // A lost ask tells its sender at once (the receipt's drop).
                    Act::Lose(at) => match rooms[usize::from(at)].queue.pop_front() {
                        Some(JourneyStep::Enter(_, seq, _) | JourneyStep::Leave(_, seq, _)) => {
                            journey.failed(seq, &recall, &mut out);
                        }
                        Some(gone @ JourneyStep::Gone(..)) => {
                            rooms[usize::from(at)].queue.push_front(gone);
                        }
                        None => {}
                    },
                    Act::TimeOut => journey.failed(journey.seq(), &recall, &mut out),
                    Act::Close(at) => {
                        let room = RoomId(u32::from(at));
                        if rooms[usize::from(at)].has.take().is_some() {
                            journey.closed(room, &recall, &mut out);
                        }
                    }
                }
                post(&mut rooms, &mut out);
            }
            for _ in 0..200 {
                for at in 0..4 {
                    deliver(&mut rooms, at, 2, &mut journey, &mut out);
                    post(&mut rooms, &mut out);
                }
            }
            let holders: Vec<usize> = (0..4).filter(|at| rooms[*at].has.is_some()).collect();
            prop_assert!(holders.len() <= 1, "{holders:?} {journey:?}");
            if let Place::In(room) = journey.place() {
                prop_assert_eq!(holders, vec![room.0 as usize]);
            }
        }
    }
}
