//! `[edge]` What a group relies on, and holds until its commit, so that nobody can claim it
//! meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::database::Connection;
use super::guard::{Claim, Claimed, Guard};
use super::request::GuardedWrite;
use super::sql::fence;
use crate::ids::CharacterId;

/// What the writes of a group rely on, claim or save.
#[derive(Default)]
pub(super) struct Wanted {
    /// Zones, and whether they are claimed.
    zones: BTreeMap<Arc<str>, bool>,
    characters: BTreeSet<CharacterId>,
}

impl Wanted {
    /// Of these writes.
    pub(super) fn of(writes: &[GuardedWrite]) -> Self {
        let mut wanted = Self::default();
        for GuardedWrite { guard, write } in writes {
            let guards = guard.iter().flat_map(|guard| guard.claims());
            let relied_on = guards.map(|claim| (&claim.what, false));
            let claimed = write.claimed().map(|what| (what, true));
            for (what, claims) in relied_on.chain(claimed) {
                match what {
                    Claimed::Zone(zone) => {
                        *wanted.zones.entry(zone.clone()).or_default() |= claims;
                    }
                    Claimed::Character(character) => wanted.characters.extend([*character]),
                }
            }
            wanted.characters.extend(write.saved());
        }
        wanted
    }
}

/// What is claimed of what this transaction has looked at. Nobody can raise it before the commit,
/// so a group with many writes of one zone asks once.
#[derive(Default)]
pub(super) struct Held(BTreeMap<Claimed, Option<i64>>);

impl Held {
    /// Holds all of it before the first write is made, in an order that is the same on every node.
    /// Two nodes that write of the same players, as whenever these come from one to the other,
    /// would otherwise wait for each other in a circle.
    pub(super) async fn hold_all(
        &mut self,
        connection: &mut Connection,
        wanted: Wanted,
    ) -> Result<(), sqlx::Error> {
        if connection.dialect().hold_characters.is_none() {
            return Ok(());
        }
        for (zone, claims) in wanted.zones {
            let what = Claimed::Zone(zone.clone());
            let highest = match claims {
                true => fence::hold_zone_to_claim(connection, &zone).await?,
                false => fence::hold(connection, &what).await?,
            };
            self.0.insert(what, highest);
        }
        if !wanted.characters.is_empty() {
            let held = fence::hold_characters(connection, &wanted.characters).await?;
            let known: BTreeMap<_, _> = held.into_iter().collect();
            for character in wanted.characters {
                let highest = known.get(&character).copied();
                self.0.insert(Claimed::Character(character), highest);
            }
        }
        Ok(())
    }

    /// Whether somebody has claimed what this guard relies on under a higher number.
    pub(super) async fn fences(
        &mut self,
        connection: &mut Connection,
        guard: &Guard,
    ) -> Result<bool, sqlx::Error> {
        for Claim { what, number } in guard.claims() {
            let highest = match self.0.get(what) {
                Some(known) => *known,
                None => {
                    let highest = fence::hold(connection, what).await?;
                    self.0.insert(what.clone(), highest);
                    highest
                }
            };
            let fenced = match (highest, what) {
                (Some(highest), _) => *number < highest,
                // What nobody claimed is nobody's.
                (None, Claimed::Zone(_)) => true,
                // There is no such character, as the write itself will tell.
                (None, Claimed::Character(_)) => false,
            };
            if fenced {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// This was just claimed, so what is known of it is old.
    pub(super) fn forget(&mut self, claimed: &Claimed) {
        self.0.remove(claimed);
    }
}
