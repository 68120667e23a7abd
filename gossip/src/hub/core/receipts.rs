//! `[pure]` Tells whose sender wants to know what became of them (extension `receipts`).

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use uuid::Uuid;

use super::input::SocketId;
use crate::hub::directory::GameId;
use crate::limits::{RECEIPT_WITHIN, TELL_RECEIPTS_MAX};
use crate::protocol::Reference;

/// A tell on its way.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) sender: SocketId,
    /// The sender's reference.
    pub(super) reference: Reference,
    /// The game that may answer.
    pub(super) by: GameId,
}

/// The receipts that may still come, by the hub's reference of the tell.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    expected: BTreeMap<Uuid, Expected>,
    /// Oldest first; also those that have come.
    order: VecDeque<(Instant, Uuid)>,
}

impl Receipts {
    pub(super) fn expect(&mut self, tell: Uuid, expected: Expected, now: Instant) {
        if self.order.len() >= TELL_RECEIPTS_MAX {
            self.forget_first();
        }
        self.order.push_back((now, tell));
        self.expected.insert(tell, expected);
        debug_assert!(
            self.expected.len() <= self.order.len(),
            "one is in no order"
        );
    }

    /// Takes the one that this game may answer.
    pub(super) fn take(&mut self, tell: Uuid, by: GameId) -> Option<Expected> {
        let expected = self.expected.get(&tell)?;
        (expected.by == by)
            .then(|| self.expected.remove(&tell))
            .flatten()
    }

    pub(super) fn forget_old(&mut self, now: Instant) {
        while let Some((since, _)) = self.order.front()
            && now.saturating_duration_since(*since) >= RECEIPT_WITHIN
        {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        if let Some((_, tell)) = self.order.pop_front() {
            self.expected.remove(&tell);
        }
    }
}
