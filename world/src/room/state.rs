//! `[pure]` What a room remembers. Deciding reads it, and only [`RoomState::apply`] changes it,
//! after the whole decision stands: so a crash while deciding leaves the last completed step.

use crate::being::{Card, Item};
use crate::event::Seen;
use crate::ids::{Being, ItemId, MoveSeq, RoomId};
use crate::limits;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Somebody in the room.
#[derive(Clone, Debug)]
pub struct Occupant<P> {
    /// What is seen of them.
    pub card: Arc<Card>,
    /// The number of their stay.
    pub seq: MoveSeq,
    /// How they are reached.
    pub port: P,
    /// They came in since the last tick of the crowd, so their arrival waits for the next.
    pub fresh: bool,
}

impl<P> Occupant<P> {
    /// Somebody who comes in now.
    pub fn new(card: Arc<Card>, seq: MoveSeq, port: P) -> Self {
        Self {
            card,
            seq,
            port,
            fresh: true,
        }
    }
}

/// A room on its way to another node. Append only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomRecord {
    id: RoomId,
    occupants: Vec<OccupantRecord>,
    items: Vec<Item>,
    departed: Vec<(Being, MoveSeq)>,
    gathered: Vec<(Option<Being>, Seen)>,
}

impl RoomRecord {
    /// Which room.
    pub fn id(&self) -> RoomId {
        self.id
    }
}

/// Somebody in a room on its way to another node. Append only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OccupantRecord {
    being: Being,
    card: Arc<Card>,
    seq: MoveSeq,
    fresh: bool,
}

/// One change of a room.
#[derive(Clone, Debug)]
pub enum Change<P> {
    /// Somebody stands here, instead of what was known of them.
    Join(Being, Occupant<P>),
    /// Somebody is gone, with the number of their stay.
    Part(Being, MoveSeq),
    /// Somebody shows another card.
    Recard(Being, Arc<Card>),
    /// A thing leaves the floor.
    Take(ItemId),
    /// A thing lies on the floor.
    Put(Item),
    /// Something for the next tick of the crowd.
    Gather(Option<Being>, Seen),
    /// The crowd's tick is set.
    Armed,
    /// The crowd's tick went out.
    Flushed,
}

/// The state of a room.
#[derive(Debug)]
pub struct RoomState<P> {
    id: RoomId,
    occupants: BTreeMap<Being, Occupant<P>>,
    sessions: usize,
    items: Vec<Item>,
    departed: VecDeque<(Being, MoveSeq)>,
    gathered: Vec<(Option<Being>, Seen)>,
    armed: bool,
}

impl<P> RoomState<P> {
    /// An empty room.
    pub fn new(id: RoomId) -> Self {
        Self {
            id,
            occupants: BTreeMap::new(),
            sessions: 0,
            items: Vec::new(),
            departed: VecDeque::new(),
            gathered: Vec::new(),
            armed: false,
        }
    }

    /// Which room this is.
    pub fn id(&self) -> RoomId {
        self.id
    }

    /// Who stands here, in a stable order.
    pub fn occupants(&self) -> &BTreeMap<Being, Occupant<P>> {
        &self.occupants
    }

    /// How many players stand here.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// What lies here, the oldest first.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// What waits for the crowd's tick.
    pub fn gathered(&self) -> &[(Option<Being>, Seen)] {
        &self.gathered
    }

    /// Whether the crowd's tick is set.
    pub fn armed(&self) -> bool {
        self.armed
    }

    /// The number of the newest stay of a being that is known: a present one, or one of the last
    /// that left.
    pub fn newest_seq(&self, being: Being) -> Option<MoveSeq> {
        if let Some(occupant) = self.occupants.get(&being) {
            return Some(occupant.seq);
        }
        self.departed
            .iter()
            .rev()
            .find(|(gone, _)| *gone == being)
            .map(|(_, seq)| *seq)
    }

    /// Carries out one change. It cannot fail.
    pub fn apply(&mut self, change: Change<P>) {
        match change {
            Change::Join(being, occupant) => {
                let new = self.occupants.insert(being, occupant).is_none();
                if new && matches!(being, Being::Session(_)) {
                    self.sessions += 1;
                }
            }
            Change::Part(being, seq) => {
                let known = self.occupants.remove(&being).is_some();
                if known && matches!(being, Being::Session(_)) {
                    self.sessions -= 1;
                }
                if self.departed.len() >= limits::ROOM_DEPARTED_MAX {
                    self.departed.pop_front();
                }
                self.departed.push_back((being, seq));
            }
            Change::Recard(being, card) => {
                if let Some(occupant) = self.occupants.get_mut(&being) {
                    occupant.card = card;
                }
            }
            Change::Take(id) => self.items.retain(|item| item.id != id),
            Change::Put(item) => self.items.push(item),
            Change::Gather(by, seen) => self.gathered.push((by, seen)),
            Change::Armed => self.armed = true,
            Change::Flushed => {
                self.gathered.clear();
                self.armed = false;
                for occupant in self.occupants.values_mut() {
                    occupant.fresh = false;
                }
            }
        }
    }

    /// A thing that is on record as lying here; for a room that has not opened yet.
    pub fn stock(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Forgets who was there; for a room that closes, or opens again. Its mailbox is new then, so
    /// no older number can still be on its way; and a mob of a new zone counts from one.
    pub fn empty(&mut self) -> BTreeMap<Being, Occupant<P>> {
        self.sessions = 0;
        self.departed.clear();
        self.gathered.clear();
        self.armed = false;
        std::mem::take(&mut self.occupants)
    }

    /// What goes to another node with its zone.
    pub fn record(&self) -> RoomRecord {
        let occupants = self.occupants.iter().map(|(being, one)| OccupantRecord {
            being: *being,
            card: one.card.clone(),
            seq: one.seq,
            fresh: one.fresh,
        });
        RoomRecord {
            id: self.id,
            occupants: occupants.collect(),
            items: self.items.clone(),
            departed: self.departed.iter().copied().collect(),
            gathered: self.gathered.clone(),
        }
    }

    /// The room as it comes from another node. Who has no port here is not here.
    pub fn from_record(record: RoomRecord, mut port: impl FnMut(Being) -> Option<P>) -> Self {
        let mut state = Self::new(record.id);
        for one in record.occupants {
            if let Some(port) = port(one.being) {
                let mut occupant = Occupant::new(one.card, one.seq, port);
                occupant.fresh = one.fresh;
                state.apply(Change::Join(one.being, occupant));
            }
        }
        state.items = record.items;
        state.departed = record.departed.into();
        state.armed = !record.gathered.is_empty();
        state.gathered = record.gathered;
        state
    }

    /// After a crash the tick that was set is gone with the process; it must be set again.
    pub fn disarm(&mut self) {
        self.armed = false;
    }
}
