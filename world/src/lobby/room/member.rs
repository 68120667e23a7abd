//! `[pure]` One member of a room, and which of its fields are not told yet.

use super::effect::Now;
use crate::event::Text;
use crate::lobby::card::Card;
use crate::lobby::ids::{Seq, Slot};
use crate::lobby::protocol::{Change, Field, PlayerEntry, Status};
use std::time::{Duration, Instant};

/// Fields of a member, or-ed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(u8);

impl Fields {
    pub(super) const NONE: Self = Self(0);
    pub(super) const STATUS: Self = Self(1);
    pub(super) const WINS: Self = Self(2);
    pub(super) const LOSSES: Self = Self(4);
    pub(super) const PLAYED: Self = Self(8);
    pub(super) const FLAGS: Self = Self(16);
    pub(super) const SCORE: Self = Self(32);

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn add_if(&mut self, other: Self, differs: bool) {
        if differs {
            self.add(other);
        }
    }
}

/// Who sits in a place.
#[derive(Debug)]
pub(super) struct Member<P> {
    pub(super) card: Card,
    pub(super) port: P,
    pub(super) slot: Slot,
    /// All ticks up to this one are in what the socket got, or must not get.
    pub(super) since: Seq,
    /// The tick in which the member came: who saw none later knows another place.
    pub(super) came: Seq,
    /// When the connection was lost.
    pub(super) lost: Option<Instant>,
    /// The socket took no more.
    pub(super) is_stale: bool,
    /// Stands among those who want the whole with the next tick.
    pub(super) wants: bool,
    pub(super) is_muted: bool,
    pub(super) is_owner: bool,
    pub(super) score: Text,
    /// Not told yet.
    pub(super) untold: Fields,
    doing: Doing,
}

/// What a member is doing; idle ones by since when.
#[derive(Clone, Debug, PartialEq)]
enum Doing {
    Status(Status),
    Idle(Instant),
}

impl Doing {
    fn new(status: Status, now: Now) -> Self {
        match status {
            Status::Idle(s) => {
                let for_s = Duration::from_secs(u64::from(s));
                Self::Idle(now.at.checked_sub(for_s).unwrap_or(now.at))
            }
            status @ (Status::Here | Status::Away(_) | Status::InMatch(_) | Status::Gone) => {
                Self::Status(status)
            }
        }
    }
}

impl<P> Member<P> {
    /// Who has just come to this place, with this tick.
    pub(super) fn new(card: Card, port: P, slot: Slot, came: Seq) -> Self {
        Self {
            card,
            port,
            slot,
            since: came,
            came,
            lost: None,
            is_stale: false,
            wants: false,
            is_muted: false,
            is_owner: false,
            score: "".into(),
            untold: Fields::NONE,
            doing: Doing::Status(Status::Here),
        }
    }

    /// As others see them at `now`.
    pub(super) fn entry(&self, now: Now) -> PlayerEntry {
        PlayerEntry {
            slot: self.slot,
            name: self.card.name.clone(),
            status: self.status(now),
            wins: self.card.wins,
            losses: self.card.losses,
            played_s: self.card.played_s,
            flags: self.flags(),
            score: self.score.clone(),
        }
    }

    pub(super) fn status(&self, now: Now) -> Status {
        if self.lost.is_some() {
            return Status::Gone;
        }
        match &self.doing {
            Doing::Status(status) => status.clone(),
            Doing::Idle(since) => {
                let idle_s = now.at.saturating_duration_since(*since).as_secs();
                Status::Idle(u32::try_from(idle_s).unwrap_or(u32::MAX))
            }
        }
    }

    /// What the room decides of the flags is not the card's.
    fn flags(&self) -> u8 {
        let own = PlayerEntry::OWNER | PlayerEntry::MUTED;
        let owner = if self.is_owner { PlayerEntry::OWNER } else { 0 };
        let muted = if self.is_muted { PlayerEntry::MUTED } else { 0 };
        self.card.flags & !own | owner | muted
    }

    /// Does this from now on; what of it is to be told.
    pub(super) fn set_status(&mut self, status: Status, now: Now) -> Fields {
        let doing = Doing::new(status, now);
        let same = doing == self.doing;
        self.doing = doing;
        if same || self.lost.is_some() {
            Fields::NONE
        } else {
            Fields::STATUS
        }
    }

    /// Has this card from now on; what of it is to be told. A name never changes while it sits.
    pub(super) fn set_card(&mut self, card: Card) -> Fields {
        let mut fields = Fields::NONE;
        fields.add_if(Fields::WINS, card.wins != self.card.wins);
        fields.add_if(Fields::LOSSES, card.losses != self.card.losses);
        fields.add_if(Fields::PLAYED, card.played_s != self.card.played_s);
        fields.add_if(Fields::FLAGS, card.flags != self.card.flags);
        let name = self.card.name.clone();
        self.card = Card { name, ..card };
        fields
    }

    /// The fields that are not told yet, which count as told from here on.
    pub(super) fn take_change(&mut self, now: Now) -> Change {
        let untold = std::mem::take(&mut self.untold);
        let mut fields = Vec::with_capacity(1);
        if untold.has(Fields::STATUS) {
            fields.push(Field::Status(self.status(now)));
        }
        if untold.has(Fields::WINS) {
            fields.push(Field::Wins(self.card.wins));
        }
        if untold.has(Fields::LOSSES) {
            fields.push(Field::Losses(self.card.losses));
        }
        if untold.has(Fields::PLAYED) {
            fields.push(Field::PlayedS(self.card.played_s));
        }
        if untold.has(Fields::FLAGS) {
            fields.push(Field::Flags(self.flags()));
        }
        if untold.has(Fields::SCORE) {
            fields.push(Field::Score(self.score.clone()));
        }
        Change {
            slot: self.slot,
            fields,
        }
    }

    /// Whether this socket is told ticks.
    pub(super) fn listens(&self) -> bool {
        self.lost.is_none() && !self.is_stale
    }
}
