//! `[pure]` Orders that are not in the database yet, the later of two in place of the earlier: as
//! many as there are games, achievements and channels at most.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use uuid::Uuid;

use crate::hub::directory::{Achievement, GameId};
use crate::hub::order::StoreOrder;
use crate::limits::{CHANNELS_MAX, PENDING_ACHIEVEMENTS_MAX};
use crate::protocol::ChannelName;

/// What a game said at its last sign-in, and when it was last here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) seen_unix_ms: i64,
    pub(super) user_agent: Option<Box<str>>,
    pub(super) version: Option<Box<str>>,
}

/// The orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    pub(super) seen: BTreeMap<GameId, Seen>,
    pub(super) channels: BTreeSet<ChannelName>,
    /// `None` = deleted.
    pub(super) achievements: BTreeMap<(GameId, Uuid), Option<Achievement>>,
}

impl Pending {
    /// Takes an order. `false` = there is no room for it: it is lost.
    #[must_use]
    pub fn add(&mut self, order: StoreOrder) -> bool {
        match order {
            StoreOrder::ChannelUsed(channel) => {
                let room = self.channels.len() < CHANNELS_MAX;
                if room {
                    self.channels.insert(channel);
                }
                room
            }
            StoreOrder::GameSeen {
                game,
                seen_unix_ms,
                user_agent,
                version,
            } => {
                let seen = self.seen.entry(game).or_default();
                seen.seen_unix_ms = seen.seen_unix_ms.max(seen_unix_ms);
                // The end of a game's last socket says nothing about its software.
                seen.user_agent = user_agent.or(seen.user_agent.take());
                seen.version = version.or(seen.version.take());
                true
            }
            StoreOrder::AchievementPut { game, achievement } => {
                self.achievement((game, achievement.key), Some(achievement))
            }
            StoreOrder::AchievementDeleted { game, key } => self.achievement((game, key), None),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len() + self.channels.len() + self.achievements.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all.
    pub(super) fn take(&mut self) -> Self {
        mem::take(self)
    }

    /// Puts back what could not be written, behind what was ordered since.
    pub(super) fn put_back(&mut self, earlier: Self) {
        let later = mem::replace(self, earlier);
        for (game, seen) in later.seen {
            let order = StoreOrder::GameSeen {
                game,
                seen_unix_ms: seen.seen_unix_ms,
                user_agent: seen.user_agent,
                version: seen.version,
            };
            let _always_fits = self.add(order);
        }
        self.channels.extend(later.channels);
        self.achievements.extend(later.achievements);
    }

    fn achievement(&mut self, key: (GameId, Uuid), value: Option<Achievement>) -> bool {
        let room = self.achievements.len() < PENDING_ACHIEVEMENTS_MAX
            || self.achievements.contains_key(&key);
        if room {
            self.achievements.insert(key, value);
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: i64, user_agent: Option<&str>) -> StoreOrder {
        StoreOrder::GameSeen {
            game: GameId(1),
            seen_unix_ms: at,
            user_agent: user_agent.map(Into::into),
            version: None,
        }
    }

    #[test]
    fn the_later_order_counts_also_after_a_failed_write() {
        let mut pending = Pending::default();
        assert!(pending.add(seen(1, Some("Old 1"))));
        assert!(pending.add(StoreOrder::AchievementDeleted {
            game: GameId(1),
            key: Uuid::from_u128(1)
        }));
        let failed = pending.take();
        assert!(pending.is_empty());
        assert!(pending.add(seen(3, Some("New 2"))));
        assert!(pending.add(seen(4, None)));
        pending.put_back(failed);
        assert_eq!(pending.len(), 2);
        let seen = &pending.seen[&GameId(1)];
        assert_eq!(
            (seen.seen_unix_ms, seen.user_agent.as_deref()),
            (4, Some("New 2"))
        );
    }

    #[test]
    fn strangers_cannot_make_it_grow() {
        let mut pending = Pending::default();
        for number in 0..PENDING_ACHIEVEMENTS_MAX {
            let key = Uuid::from_u128(number as u128);
            let game = GameId(1);
            assert!(pending.add(StoreOrder::AchievementDeleted { game, key }));
        }
        let key = Uuid::from_u128(u128::MAX);
        let over = StoreOrder::AchievementDeleted {
            game: GameId(1),
            key,
        };
        assert!(!pending.add(over));
    }
}
