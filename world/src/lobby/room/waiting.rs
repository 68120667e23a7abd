//! `[pure]` Who has a seat in a room and is not in yet; and who may come in at all.

use super::effect::Coming;
use super::verdict::folded;
use crate::ids::SessionId;
use crate::lobby::limits::{ADMITTED_MAX, JOINS_WAITING_MAX, ROOM_SEATS_MAX};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Instant;

/// Who waits has a seat, so that seats are the bound.
const _: () = assert!(ROOM_SEATS_MAX as usize <= JOINS_WAITING_MAX);

/// Somebody who has a seat and is not in yet.
#[derive(Debug)]
pub(super) struct Waiting<P> {
    pub(super) coming: Coming<P>,
    pub(super) since: Instant,
    /// The connection was lost meanwhile.
    pub(super) is_lost: bool,
}

impl<P> Waiting<P> {
    fn guest(&self) -> SessionId {
        self.coming.card.guest
    }
}

/// All of them, in the order in which they came.
#[derive(Debug)]
pub(super) struct Line<P> {
    line: VecDeque<Waiting<P>>,
    /// Who stands in it: thousands look whether they do.
    guests: HashSet<SessionId>,
}

impl<P> Line<P> {
    pub(super) fn new() -> Self {
        Self {
            line: VecDeque::new(),
            guests: HashSet::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.line.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting<P>> {
        self.line.iter()
    }

    pub(super) fn get(&self, guest: SessionId) -> Option<&Waiting<P>> {
        let index = self.index(guest)?;
        self.line.get(index)
    }

    pub(super) fn get_mut(&mut self, guest: SessionId) -> Option<&mut Waiting<P>> {
        let index = self.index(guest)?;
        self.line.get_mut(index)
    }

    pub(super) fn push(&mut self, waiting: Waiting<P>) {
        self.guests.insert(waiting.guest());
        self.line.push_back(waiting);
    }

    pub(super) fn pop(&mut self) -> Option<Waiting<P>> {
        let first = self.line.pop_front()?;
        self.guests.remove(&first.guest());
        Some(first)
    }

    pub(super) fn remove(&mut self, guest: SessionId) -> Option<Waiting<P>> {
        let index = self.index(guest)?;
        self.guests.remove(&guest);
        self.line.remove(index)
    }

    fn index(&self, guest: SessionId) -> Option<usize> {
        if !self.guests.contains(&guest) {
            return None;
        }
        self.line
            .iter()
            .position(|waiting| waiting.guest() == guest)
    }

    /// Makes the rest again from who stands where.
    pub(super) fn mend(&mut self) {
        self.guests.clear();
        let guests = &mut self.guests;
        self.line.retain(|waiting| guests.insert(waiting.guest()));
    }
}

/// Names that may come into a room for invited ones; the first goes first.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    names: BTreeSet<String>,
    order: VecDeque<String>,
}

impl Admitted {
    pub(super) fn add(&mut self, name: &str) {
        let name = folded(name);
        if !self.names.insert(name.clone()) {
            return;
        }
        self.order.push_back(name);
        if self.order.len() > ADMITTED_MAX
            && let Some(first) = self.order.pop_front()
        {
            self.names.remove(&first);
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&folded(name))
    }
}
