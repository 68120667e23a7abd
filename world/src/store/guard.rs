//! `[pure]` Guards of writes: who was replaced on another node must not write any more.
//!
//! A zone lives under an epoch, a character's session has a number of its own. Whoever takes one
//! over claims it under a higher number first. A [`StorePort`](super::StorePort) that is guarded
//! sends its number along with every write, and a write under a lower number than the claimed one
//! is refused as [`Fenced`](super::StoreError::Fenced). A node that is alone has no guards, and
//! pays nothing for them.

use std::sync::Arc;

use crate::ids::CharacterId;

/// A term of ownership of a zone; later is higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneEpoch(pub u64);

/// The number of a character's session; later is higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionEpoch(pub u64);

/// What can be claimed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claimed {
    Zone(Arc<str>),
    Character(CharacterId),
}

/// A number under which something is, or was, claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) what: Claimed,
    pub(super) number: i64,
}

impl Claim {
    pub(super) fn zone(key: &str, epoch: ZoneEpoch) -> Self {
        Self {
            what: Claimed::Zone(key.into()),
            number: stored(epoch.0),
        }
    }

    pub(super) fn character(character: CharacterId, epoch: SessionEpoch) -> Self {
        Self {
            what: Claimed::Character(character),
            number: stored(epoch.0),
        }
    }
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What must not be claimed under a higher number for a write to be made: at most one zone and one
/// character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Guard {
    zone: Option<Claim>,
    character: Option<Claim>,
}

impl Guard {
    /// The same with this claim, in place of one of its kind.
    pub(super) fn with(mut self, claim: Claim) -> Self {
        match claim.what {
            Claimed::Zone(_) => self.zone = Some(claim),
            Claimed::Character(_) => self.character = Some(claim),
        }
        self
    }

    pub(super) fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.zone.iter().chain(&self.character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_holds_one_zone_and_one_character() {
        let (ann, bob) = (CharacterId(1), CharacterId(2));
        let guard = Guard::default()
            .with(Claim::zone("town", ZoneEpoch(1)))
            .with(Claim::character(ann, SessionEpoch(5)))
            .with(Claim::zone("moor", ZoneEpoch(u64::MAX)))
            .with(Claim::character(bob, SessionEpoch(6)));
        let claims: Vec<_> = guard.claims().collect();
        let expected = [
            &Claim {
                what: Claimed::Zone("moor".into()),
                number: i64::MAX,
            },
            &Claim {
                what: Claimed::Character(bob),
                number: 6,
            },
        ];
        assert_eq!(claims, expected);
    }
}
