//! `[pure]` Who sits where in a room.

use super::member::Member;
use super::verdict::folded;
use crate::ids::SessionId;
use crate::lobby::ids::Slot;
use std::collections::{BTreeSet, HashMap};

/// Who sits where.
#[derive(Debug)]
pub(super) struct Members<P> {
    places: HashMap<SessionId, Slot>,
    seats: Vec<Option<Member<P>>>,
    /// Places that may be used; those of who left since the last tick are not among them.
    free: BTreeSet<Slot>,
}

impl<P> Members<P> {
    pub(super) fn new() -> Self {
        Self {
            places: HashMap::new(),
            seats: Vec::new(),
            free: BTreeSet::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn get_mut(&mut self, guest: SessionId) -> Option<&mut Member<P>> {
        let slot = *self.places.get(&guest)?;
        self.at_mut(slot)
    }

    pub(super) fn get(&self, guest: SessionId) -> Option<&Member<P>> {
        let slot = *self.places.get(&guest)?;
        self.seats.get(usize::from(slot.0))?.as_ref()
    }

    pub(super) fn at_mut(&mut self, slot: Slot) -> Option<&mut Member<P>> {
        self.seats.get_mut(usize::from(slot.0))?.as_mut()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Member<P>> {
        self.seats.iter().flatten()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Member<P>> {
        self.seats.iter_mut().flatten()
    }

    pub(super) fn named(&self, name: &str) -> Option<&Member<P>> {
        let name = folded(name);
        self.all().find(|member| folded(&member.card.name) == name)
    }

    /// The lowest free place, or a new one; `None` when there are no more numbers.
    pub(super) fn take_place(&mut self) -> Option<Slot> {
        if let Some(slot) = self.free.pop_first() {
            return Some(slot);
        }
        let slot = Slot(u16::try_from(self.seats.len()).ok()?);
        self.seats.push(None);
        Some(slot)
    }

    /// Seats somebody at a place that [`take_place`](Self::take_place) gave.
    pub(super) fn seat(&mut self, member: Member<P>) {
        let (guest, slot) = (member.card.guest, member.slot);
        if let Some(seat) = self.seats.get_mut(usize::from(slot.0)) {
            *seat = Some(member);
            self.places.insert(guest, slot);
        }
    }

    /// Takes somebody out. The place is not free before [`free`](Self::free).
    pub(super) fn remove(&mut self, guest: SessionId) -> Option<Member<P>> {
        let slot = self.places.remove(&guest)?;
        self.seats.get_mut(usize::from(slot.0))?.take()
    }

    /// A place whose leaving is being told may be used again.
    pub(super) fn free(&mut self, slot: Slot) {
        self.free.insert(slot);
    }

    /// Every place is taken, free, or waits for its leaving to be told.
    pub(super) fn adds_up(&self, untold: usize) -> bool {
        self.places.len() + self.free.len() + untold == self.seats.len()
    }

    /// Makes the rest again from who sits where.
    pub(super) fn mend(&mut self) {
        self.places.clear();
        self.free.clear();
        for (index, seat) in self.seats.iter_mut().enumerate() {
            let Ok(slot) = u16::try_from(index).map(Slot) else {
                break;
            };
            let seated = seat.as_mut().is_some_and(|member| {
                member.slot = slot;
                let guest = member.card.guest;
                self.places.insert(guest, slot).is_none()
            });
            if !seated {
                *seat = None;
                self.free.insert(slot);
            }
        }
    }
}
