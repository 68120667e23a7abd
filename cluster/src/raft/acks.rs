//! `[process]` When a leader last had a majority behind it.
//!
//! A follower that answers a leader's call knew no later leader when it answered, so none can have
//! been elected before the call was *sent* without that follower. Counted is the moment of
//! sending, by the leader's own clock.

use super::types::Vote;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// When each node last answered a call of this leadership: the time at which it was sent.
#[derive(Debug, Default)]
pub(super) struct Acks {
    vote: Option<Vote>,
    sent: BTreeMap<u64, Instant>,
}

impl Acks {
    /// A node answered, and knew no later vote than the one that the call carried.
    pub(super) fn note(&mut self, vote: Vote, node: u64, sent: Instant) {
        if self.vote != Some(vote) {
            if self.vote > Some(vote) {
                return;
            }
            self.vote = Some(vote);
            self.sent.clear();
        }
        let known = self.sent.entry(node).or_insert(sent);
        *known = sent.max(*known);
    }

    /// Since when a majority of each of these sets of voters may have had another leader than the
    /// one of this vote; none if they never answered it. `me` answers itself at once.
    pub(super) fn quorum(
        &self,
        vote: Vote,
        voters: &[BTreeSet<u64>],
        (me, now): (u64, Instant),
    ) -> Option<Instant> {
        let answered = |node: &u64| {
            if *node == me {
                return Some(now);
            }
            self.sent
                .get(node)
                .filter(|_| self.vote == Some(vote))
                .copied()
        };
        let majority = |set: &BTreeSet<u64>| {
            let mut times: Vec<Instant> = set.iter().filter_map(answered).collect();
            times.sort_unstable_by(|one, other| other.cmp(one));
            times.get(set.len() / 2).copied()
        };
        let times: Option<Vec<Instant>> = voters.iter().map(majority).collect();
        times?.into_iter().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do to count from"
    )]
    #[test]
    fn a_majority_is_as_old_as_its_oldest_answer() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let (one, next) = (Vote::new_committed(1, 1), Vote::new_committed(2, 1));
        let three = [BTreeSet::from([1, 2, 3])];
        let mut acks = Acks::default();
        let now = (1, at(900));
        let quorum = |acks: &Acks, vote, voters: &[BTreeSet<u64>]| acks.quorum(vote, voters, now);
        assert_eq!(quorum(&acks, one, &[BTreeSet::from([1])]), Some(at(900)));
        assert_eq!(quorum(&acks, one, &three), None);
        acks.note(one, 2, at(100));
        acks.note(one, 3, at(200));
        acks.note(one, 3, at(150));
        assert_eq!(quorum(&acks, one, &three), Some(at(200)));
        let five = [BTreeSet::from([1, 2, 3, 4, 5])];
        assert_eq!(quorum(&acks, one, &five), Some(at(100)));
        let joint = [three[0].clone(), BTreeSet::from([1, 2])];
        assert_eq!(quorum(&acks, one, &joint), Some(at(100)));
        let without_me = [BTreeSet::from([2, 3, 4])];
        assert_eq!(quorum(&acks, one, &without_me), Some(at(100)));
        assert_eq!(quorum(&acks, one, &[BTreeSet::new()]), None);
        acks.note(next, 2, at(300));
        acks.note(one, 3, at(400));
        assert_eq!(quorum(&acks, one, &three), None, "that leadership is over");
        assert_eq!(quorum(&acks, next, &three), Some(at(300)));
    }
}
