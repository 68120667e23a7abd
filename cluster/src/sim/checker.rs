//! `[pure]` What happened in a simulated run, and whether it may happen. The history is written
//! with the real time, which no node knows.

use crate::ids::{Epoch, NodeId, ShardId};
use crate::view::View;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A shard did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Act {
    /// The real time.
    pub(super) at: Duration,
    /// Where.
    pub(super) node: NodeId,
    /// Which shard.
    pub(super) shard: ShardId,
    /// Under which epoch.
    pub(super) epoch: Epoch,
    /// How often the shard has acted, with this time.
    pub(super) count: u64,
}

/// What happened.
#[derive(Debug, Default)]
pub(super) struct History {
    acts: Vec<Act>,
    /// The views that nodes had, by the index of the entry applied last.
    views: BTreeMap<u64, Arc<View>>,
    /// What the store took last, by shard: the highest epoch and the count.
    stored: BTreeMap<ShardId, (Epoch, u64)>,
    /// Writes that the store refused.
    pub(super) fenced: u64,
    /// Until when a node that slept may not know that it did.
    drowsy: BTreeMap<NodeId, Duration>,
    /// Who has led, in which term, and since when at the latest.
    leaders: BTreeMap<(u64, NodeId), Duration>,
    /// The first thing that may not be.
    fault: Option<String>,
}

impl History {
    /// A shard acts; checks that it may. What a node does that has slept and does not know it yet
    /// has no effect: the store refuses it, and so do other nodes.
    pub(super) fn act(&mut self, act: Act) {
        let claimed = self.stored.get(&act.shard).map(|(epoch, _)| *epoch);
        if claimed > Some(act.epoch) {
            if !self.is_drowsy(&act) {
                self.fail(format!("{act:?} after {claimed:?} began elsewhere"));
            }
            return;
        }
        let last = self.acts.iter().rev().find(|last| last.shard == act.shard);
        if let Some(last) = last {
            if act.epoch < last.epoch {
                self.fail(format!("{act:?} after {last:?}: an older epoch acts"));
            } else if act.epoch == last.epoch && act.node != last.node {
                self.fail(format!("{act:?} after {last:?}: two nodes in one epoch"));
            } else if act.at <= last.at && act.node != last.node && !self.is_drowsy(last) {
                self.fail(format!("{act:?} with {last:?}: two nodes at one time"));
            } else if act.count != last.count + 1 {
                self.fail(format!(
                    "{act:?} after {last:?}: something is lost or doubled"
                ));
            }
        }
        self.acts.push(act);
        // The newest of each shard are all that is compared.
        if self.acts.len() > 100_000 {
            self.acts.drain(..50_000);
        }
    }

    /// A node applied entries up to this view; checks that all nodes see the same.
    pub(super) fn view(&mut self, node: NodeId, view: &Arc<View>) {
        match self.views.get(&view.applied) {
            Some(known) if known != view => {
                let index = view.applied;
                self.fail(format!("{node} differs from others at entry {index}"));
            }
            Some(_) => {}
            None => {
                self.views.insert(view.applied, view.clone());
            }
        }
        let newer = self.views.range(view.applied + 1..).next();
        let older = self.views.range(..view.applied).next_back();
        let pairs = [
            older.map(|(_, older)| (older.clone(), view.clone())),
            newer.map(|(_, newer)| (view.clone(), newer.clone())),
        ];
        for (older, newer) in pairs.into_iter().flatten() {
            if let Some(lost) = older
                .shards
                .keys()
                .find(|shard| !newer.shards.contains_key(shard))
            {
                self.fail(format!("{lost} is lost at {}", newer.applied));
            }
        }
        if let Some((_, older)) = self.views.range(..view.applied).next_back() {
            let fallen = view.shards.iter().find(|(shard, now)| {
                let then = older.owner(shard).map(|(_, epoch)| epoch);
                let now = now.owner().map(|(_, epoch)| epoch);
                matches!((then, now), (Some(then), Some(now)) if now < then)
            });
            if let Some((shard, _)) = fallen {
                self.fail(format!("the epoch of {shard} fell at {}", view.applied));
            }
        }
    }

    /// A write to the store, guarded by its epoch; whether it was taken.
    pub(super) fn store(&mut self, shard: &ShardId, epoch: Epoch, count: u64) -> bool {
        let stored = self.stored.entry(shard.clone()).or_default();
        if epoch < stored.0 {
            self.fenced += 1;
            return false;
        }
        *stored = (epoch, count);
        true
    }

    /// An epoch of a shard begins: the store takes nothing of those before any more.
    pub(super) fn claim(&mut self, shard: &ShardId, epoch: Epoch) {
        let stored = self.stored.entry(shard.clone()).or_default();
        stored.0 = stored.0.max(epoch);
    }

    /// A node wakes whose clock stood still, and may not know that until then.
    pub(super) fn woke(&mut self, node: NodeId, until: Duration) {
        self.drowsy.insert(node, until);
    }

    fn is_drowsy(&self, act: &Act) -> bool {
        let until = self.drowsy.get(&act.node);
        until.is_some_and(|until| act.at <= *until)
    }

    /// A majority stood behind this leader at that time, which was seen at this. Leaders come one
    /// after the other, in the order of their terms; of two in one term, which raft as it is used
    /// here allows, the later has the higher number.
    pub(super) fn leads(&mut self, (term, node): (u64, NodeId), stood: Duration, seen: Duration) {
        let later = self.leaders.range((term, NodeId(node.0 + 1))..);
        let before = later.into_iter().find(|(_, since)| **since < stood);
        let drowsy = self.drowsy.get(&node).is_some_and(|until| seen <= *until);
        if let Some((later, since)) = before.filter(|_| !drowsy) {
            let what =
                format!("{node} leads in term {term} at {stood:?}, {later:?} since {since:?}");
            self.fail(what);
        }
        self.leaders.entry((term, node)).or_insert(seen);
    }

    /// How many leaderships there were.
    pub(super) fn leaderships(&self) -> usize {
        self.leaders.len()
    }

    /// What the store has of a shard.
    pub(super) fn stored(&self, shard: &ShardId) -> u64 {
        self.stored.get(shard).map_or(0, |(_, count)| *count)
    }

    /// When a shard last acted, and where.
    pub(super) fn last_act(&self, shard: &ShardId) -> Option<&Act> {
        self.acts.iter().rev().find(|act| act.shard == *shard)
    }

    /// What a node's shards did.
    pub(super) fn acts_of(&self, node: NodeId) -> impl Iterator<Item = &Act> {
        self.acts.iter().filter(move |act| act.node == node)
    }

    /// The view that is furthest on.
    pub(super) fn newest(&self) -> Option<&Arc<View>> {
        self.views.last_key_value().map(|(_, view)| view)
    }

    /// Something that may not be.
    pub(super) fn fail(&mut self, what: String) {
        self.fault.get_or_insert(what);
    }

    /// The first thing that happened and may not.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(at_ms: u64, node: u16, epoch: u64) -> Act {
        let count = at_ms;
        Act {
            at: Duration::from_millis(at_ms),
            node: NodeId(node),
            shard: ShardId::new("zone:a"),
            epoch: Epoch(epoch),
            count,
        }
    }

    #[test]
    fn two_owners_and_an_older_epoch_are_found() {
        let table = [
            (vec![act(1, 1, 5), act(2, 1, 5), act(3, 2, 9)], None),
            (vec![act(1, 1, 5), act(2, 2, 5)], Some("two nodes")),
            (vec![act(1, 2, 9), act(2, 1, 5)], Some("an older epoch")),
            (vec![act(1, 1, 5), act(3, 1, 5)], Some("lost or doubled")),
        ];
        for (acts, expected) in table {
            let mut history = History::default();
            acts.into_iter().for_each(|act| history.act(act));
            match expected {
                Some(words) => assert!(history.fault().unwrap().contains(words)),
                None => assert_eq!(history.fault(), None),
            }
        }
    }

    #[test]
    fn who_acts_after_another_began_is_found_unless_it_slept() {
        for (woke, fault) in [(None, true), (Some(1), true), (Some(9), false)] {
            let mut history = History::default();
            history.act(act(1, 1, 5));
            history.claim(&ShardId::new("zone:a"), Epoch(9));
            if let Some(until) = woke {
                history.woke(NodeId(1), Duration::from_millis(until));
            }
            history.act(act(2, 1, 5));
            assert_eq!(history.fault().is_some(), fault, "{woke:?}");
            assert!(!history.store(&ShardId::new("zone:a"), Epoch(5), 2));
        }
    }

    #[test]
    fn two_at_one_time_and_a_leader_of_before_are_found() {
        let mut history = History::default();
        history.act(act(1, 1, 5));
        history.act(Act {
            count: 2,
            ..act(1, 2, 9)
        });
        assert!(history.fault().unwrap().contains("at one time"));
        let mut history = History::default();
        let ms = Duration::from_millis;
        let mut leads = |term, node, stood, seen| {
            history.leads((term, NodeId(node)), ms(stood), ms(seen));
            history.fault().is_some()
        };
        assert!(!leads(1, 2, 10, 20) && !leads(2, 1, 30, 40) && !leads(2, 3, 50, 60));
        assert!(!leads(1, 2, 39, 70), "it does not know yet");
        assert!(!leads(2, 3, 80, 90) && leads(2, 1, 61, 90));
        assert!(history.fault().unwrap().contains("leads"));
    }

    #[test]
    fn a_shard_that_is_not_known_any_more_is_found() {
        use crate::view::Placement;
        let (one, other) = (ShardId::new("zone:a"), ShardId::new("zone:b"));
        let placed = |shard: &ShardId| (shard.clone(), Placement::Unplaced { last: Epoch(0) });
        let view = |applied, shards: &[&ShardId]| {
            let shards = shards.iter().map(|shard| placed(shard)).collect();
            Arc::new(View {
                applied,
                shards,
                ..View::default()
            })
        };
        let mut history = History::default();
        history.view(NodeId(1), &view(9, &[&one]));
        history.view(NodeId(2), &view(7, &[]));
        assert_eq!(history.fault(), None);
        history.view(NodeId(2), &view(8, &[&other, &one]));
        assert!(history.fault().unwrap().contains("lost"));
    }

    #[test]
    fn the_store_refuses_an_older_epoch() {
        let mut history = History::default();
        let shard = ShardId::new("zone:a");
        assert!(history.store(&shard, Epoch(5), 1));
        assert!(history.store(&shard, Epoch(7), 2));
        assert!(!history.store(&shard, Epoch(5), 9));
        assert_eq!(history.stored(&shard), 2);
        assert_eq!(history.fenced, 1);
    }
}
