//! `[process]` The way to write for what may be taken over: claims, and ports that are guarded.

use std::sync::Arc;

use super::answer::Answer;
use super::guard::{Claim, SessionEpoch, ZoneEpoch};
use super::lines::Lines;
use super::outcome::StoreError;
use super::port::StorePort;
use super::record::ItemRecord;
use super::request::{GuardedWrite, Read, Write};
use crate::ids::CharacterId;

impl StorePort {
    /// Takes a zone over: once this is answered, no write under a lower epoch is made any more, and
    /// all that were made can be read. Refused as [`StoreError::Fenced`] when it was claimed under
    /// a higher epoch. Claiming the same epoch again changes nothing.
    pub fn claim_zone(
        &self,
        zone_key: &str,
        epoch: ZoneEpoch,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let (claim, answer) = (Claim::zone(zone_key, epoch), Answer::new(reply));
        self.write(Write::Claim { claim, answer });
    }

    /// The same for a character's session.
    pub fn claim_character(
        &self,
        character: CharacterId,
        epoch: SessionEpoch,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let (claim, answer) = (Claim::character(character, epoch), Answer::new(reply));
        self.write(Write::Claim { claim, answer });
    }

    /// A port whose writes are refused as [`StoreError::Fenced`] once the zone is claimed under a
    /// higher epoch, and as long as it was never claimed. Guards of a character stay.
    #[must_use]
    pub fn for_zone(&self, zone_key: &str, epoch: ZoneEpoch) -> Self {
        self.guarded(Claim::zone(zone_key, epoch))
    }

    /// A port whose writes are refused as [`StoreError::Fenced`] once the character is claimed
    /// under a higher number. Guards of a zone stay.
    #[must_use]
    pub fn for_character(&self, character: CharacterId, epoch: SessionEpoch) -> Self {
        self.guarded(Claim::character(character, epoch))
    }

    /// Reads the items on the floors of one zone's rooms, those inside containers too, in the order
    /// of their numbers.
    pub fn zone_items(
        &self,
        zone_key: String,
        reply: impl FnOnce(Result<Vec<ItemRecord>, StoreError>) + Send + 'static,
    ) {
        let answer = Answer::new(reply);
        self.lines.read(Read::ZoneItems { zone_key, answer });
    }
}

impl StorePort {
    pub(super) fn new(lines: Lines) -> Self {
        let (lines, guard) = (Arc::new(lines), None);
        Self { lines, guard }
    }

    /// Sends a write under this port's guard.
    pub(super) fn write(&self, write: Write) {
        let guard = self.guard.clone();
        self.lines.write(GuardedWrite { guard, write });
    }

    fn guarded(&self, claim: Claim) -> Self {
        let guard = self.guard.as_deref().cloned().unwrap_or_default();
        Self {
            lines: Arc::clone(&self.lines),
            guard: Some(Arc::new(guard.with(claim))),
        }
    }
}
