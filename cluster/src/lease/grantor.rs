//! `[pure]` How long each node may act at most, as the leader counts. It always counts longer than
//! the node itself: from later on, and so much more that two clocks may differ by 11 : 9.
//!
//! A leader grants nothing while it cannot say that a majority stood behind it a moment ago, and
//! counts nobody out meanwhile: the time in which it was blind is nobody's fault.

use crate::ids::{Incarnation, NodeId};
use crate::limits::{BEHIND_MAX, LEASE_WAIT, QUORUM_AGE_MAX};
use crate::view::{NodePhase, View};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The leases of all nodes, in one term of one leader.
#[derive(Clone, Debug)]
pub(crate) struct Grantor {
    nodes: BTreeMap<NodeId, Lease>,
    quorum: Option<Instant>,
    /// Since when nothing could be granted.
    blind: Option<Instant>,
    seen: Instant,
}

/// What a leader knows of a node that lives.
#[derive(Clone, Debug)]
struct Lease {
    incarnation: Incarnation,
    /// From when its lease is counted.
    renewed: Instant,
    /// How far it has applied the log, as it said in this term.
    applied: u64,
    /// It is being given up: nothing is granted to this life any more.
    over: bool,
    /// It must have applied this much, since then.
    owes: Option<(u64, Instant)>,
}

/// What to answer to a node that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Its lease is granted by a majority of so long ago.
    Granted(Duration),
    /// A life of it begins: the log must know.
    Begins,
    /// Nothing: it is an old life, one that is being given up, or no member; or the leader has no
    /// majority just now.
    Nothing,
}

impl Grantor {
    /// A new leader counts every node as renewed at its election.
    pub(crate) fn new(now: Instant, view: &View) -> Self {
        let mut grantor = Self {
            nodes: BTreeMap::new(),
            quorum: None,
            blind: Some(now),
            seen: now,
        };
        grantor.follow(now, view);
        grantor
    }

    /// The log has gone on: lives begin and end.
    pub(crate) fn follow(&mut self, now: Instant, view: &View) {
        self.nodes.retain(|id, _| view.nodes.contains_key(id));
        for (id, node) in &view.nodes {
            if !matches!(node.phase, NodePhase::Up | NodePhase::Draining) {
                self.nodes.remove(id);
                continue;
            }
            let known = self.nodes.get(id).map(|lease| lease.incarnation);
            if known != Some(node.incarnation) {
                let lease = Lease {
                    incarnation: node.incarnation,
                    renewed: now,
                    applied: 0,
                    over: false,
                    owes: None,
                };
                self.nodes.insert(*id, lease);
            }
        }
    }

    /// A majority stood behind this leader at that moment.
    pub(crate) fn quorum(&mut self, now: Instant, at: Instant) {
        self.quorum = self.quorum.max(Some(at));
        self.watch(now);
    }

    /// Time passes. To be called before anything is asked of the leases.
    pub(crate) fn watch(&mut self, now: Instant) {
        if self.quorum_age(now).is_none() {
            self.blind.get_or_insert(self.seen);
        } else if let Some(since) = self.blind.take() {
            let blind = now.saturating_duration_since(since);
            for lease in self.nodes.values_mut() {
                lease.renewed = (lease.renewed + blind).min(now);
            }
        }
        self.seen = now;
    }

    /// A node of this life asks for its lease, and has applied so much of the log.
    pub(crate) fn asked(
        &mut self,
        now: Instant,
        (node, incarnation): (NodeId, Incarnation),
        applied: u64,
        view: &View,
    ) -> Verdict {
        let Some(age) = self.quorum_age(now) else {
            return Verdict::Nothing;
        };
        let Some(known) = view.nodes.get(&node) else {
            return Verdict::Nothing;
        };
        let joining = known.phase == NodePhase::Joining && incarnation == known.incarnation;
        if joining || incarnation > known.incarnation {
            return Verdict::Begins;
        }
        let lease = self.nodes.get_mut(&node);
        let Some(lease) = lease.filter(|lease| lease.incarnation == incarnation && !lease.over)
        else {
            return Verdict::Nothing;
        };
        lease.applied = lease.applied.max(applied);
        lease.owes = lease.owes.filter(|(owed, _)| *owed > lease.applied);
        let behind = |(_, since)| now.saturating_duration_since(since) > BEHIND_MAX;
        if lease.owes.is_some_and(behind) {
            return Verdict::Nothing;
        }
        lease.renewed = lease.renewed.max(now);
        Verdict::Granted(age)
    }

    /// The nodes whose leases are counted out, with their lives. From now on they get none.
    pub(crate) fn overdue(&mut self, now: Instant) -> Vec<(NodeId, Incarnation)> {
        if self.quorum_age(now).is_none() {
            return Vec::new();
        }
        let mut overdue = Vec::new();
        for (id, lease) in &mut self.nodes {
            if now >= lease.renewed + LEASE_WAIT {
                lease.over = true;
                overdue.push((*id, lease.incarnation));
            }
        }
        overdue
    }

    /// This life must apply so much of the log, or it gets no lease after a while.
    pub(crate) fn owes(&mut self, now: Instant, (node, life): (NodeId, Incarnation), applied: u64) {
        let lease = self.nodes.get_mut(&node);
        let lease = lease.filter(|lease| lease.incarnation == life);
        if let Some(lease) = lease.filter(|lease| lease.applied < applied) {
            let (owed, since) = lease.owes.unwrap_or((applied, now));
            lease.owes = Some((owed.max(applied), since));
        }
    }

    /// The nodes that live, and their lives.
    pub(crate) fn lives(&self) -> impl Iterator<Item = (NodeId, Incarnation)> + '_ {
        let nodes = self.nodes.iter();
        nodes.map(|(id, lease)| (*id, lease.incarnation))
    }

    /// When a node's lease was renewed last.
    pub(crate) fn renewed(&self, node: NodeId) -> Option<Instant> {
        self.nodes.get(&node).map(|lease| lease.renewed)
    }

    /// How long ago a majority stood behind this leader; nothing if that is too long.
    fn quorum_age(&self, now: Instant) -> Option<Duration> {
        let age = now.saturating_duration_since(self.quorum?);
        (age <= QUORUM_AGE_MAX).then_some(age)
    }

    /// No majority stood behind this leader of late, when it was looked for last.
    pub(crate) fn is_blind(&self) -> bool {
        self.blind.is_some()
    }

    /// When the next lease is counted out.
    pub(crate) fn due(&self) -> Option<Instant> {
        if self.is_blind() {
            return None;
        }
        let leases = self.nodes.values().filter(|lease| !lease.over);
        leases.map(|lease| lease.renewed + LEASE_WAIT).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeName;
    use crate::lease::{Holder, Waning};
    use crate::view::NodeView;
    use proptest::prelude::*;

    const ONE: NodeId = NodeId(1);
    const LIFE: Incarnation = Incarnation(3);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do to count from"
    )]
    fn start() -> Instant {
        Instant::now()
    }

    fn view(phase: NodePhase) -> View {
        let node = NodeView {
            name: NodeName::new("n1").unwrap(),
            address: "n1:1".into(),
            incarnation: LIFE,
            phase,
        };
        View {
            nodes: [(ONE, node)].into(),
            ..View::default()
        }
    }

    /// A leader since `t`, with its majority.
    fn leader(t: Instant) -> Grantor {
        let mut grantor = Grantor::new(t, &view(NodePhase::Up));
        grantor.quorum(t, t);
        grantor
    }

    /// Its majority stood behind it at each of these moments.
    fn heard(grantor: &mut Grantor, t: Instant, until: u64) {
        for at in (0..=until).step_by(100) {
            grantor.quorum(t + ms(at), t + ms(at));
        }
    }

    #[test]
    fn who_may_have_a_lease_is_as_the_log_has_it() {
        let t = start();
        let cases = [
            (NodePhase::Up, LIFE, Verdict::Granted(ms(0))),
            (NodePhase::Draining, LIFE, Verdict::Granted(ms(0))),
            (NodePhase::Joining, LIFE, Verdict::Begins),
            (NodePhase::Down, LIFE, Verdict::Nothing),
            (NodePhase::Up, Incarnation(2), Verdict::Nothing),
            (NodePhase::Up, Incarnation(4), Verdict::Begins),
            (NodePhase::Down, Incarnation(4), Verdict::Begins),
        ];
        for (phase, life, verdict) in cases {
            let view = view(phase);
            let mut grantor = Grantor::new(t, &view);
            grantor.quorum(t, t);
            assert_eq!(
                grantor.asked(t, (ONE, life), 0, &view),
                verdict,
                "{phase:?}"
            );
            let stranger = (NodeId(2), life);
            assert_eq!(grantor.asked(t, stranger, 0, &view), Verdict::Nothing);
        }
    }

    #[test]
    fn nothing_is_granted_and_nobody_counted_out_without_a_majority_of_late() {
        let t = start();
        let view = view(NodePhase::Up);
        let mut grantor = Grantor::new(t, &view);
        assert_eq!(grantor.asked(t, (ONE, LIFE), 0, &view), Verdict::Nothing);
        assert_eq!(
            (grantor.overdue(t + ms(9_000)), grantor.due()),
            (vec![], None)
        );
        grantor.quorum(t, t);
        let asked = |grantor: &mut Grantor, at| grantor.asked(t + ms(at), (ONE, LIFE), 0, &view);
        assert_eq!(asked(&mut grantor, 1_000), Verdict::Granted(ms(1_000)));
        assert_eq!(asked(&mut grantor, 1_001), Verdict::Nothing);
        grantor.watch(t + ms(1_001));
        assert_eq!(grantor.due(), None, "no time would bring it forth");
        assert_eq!(grantor.overdue(t + ms(9_000)), []);
        // The time in which it was blind does not count.
        grantor.quorum(t + ms(9_000), t + ms(9_000));
        assert_eq!(grantor.overdue(t + ms(9_000)), []);
    }

    #[test]
    fn who_is_counted_out_gets_no_lease_in_that_life() {
        let t = start();
        let mut grantor = leader(t);
        let up = view(NodePhase::Up);
        heard(&mut grantor, t, 3_500);
        assert_eq!(grantor.due(), Some(t + ms(3_500)));
        assert_eq!(grantor.overdue(t + ms(3_499)), []);
        assert_eq!(grantor.overdue(t + ms(3_500)), [(ONE, LIFE)]);
        let asked = grantor.asked(t + ms(3_500), (ONE, LIFE), 0, &up);
        assert_eq!(asked, Verdict::Nothing);
        assert_eq!(
            grantor.overdue(t + ms(3_501)),
            [(ONE, LIFE)],
            "until the log has it"
        );
        assert_eq!(grantor.due(), None);
        grantor.follow(t + ms(3_600), &view(NodePhase::Down));
        assert_eq!(grantor.overdue(t + ms(3_601)), []);
        assert_eq!(grantor.renewed(ONE), None);
    }

    #[test]
    fn who_does_not_apply_what_took_a_shard_from_it_gets_no_lease_in_the_end() {
        let t = start();
        let mut grantor = leader(t);
        let up = view(NodePhase::Up);
        heard(&mut grantor, t, 2_000);
        let mut asked = |at, applied| {
            grantor.owes(t, (ONE, LIFE), 7);
            grantor.asked(t + ms(at), (ONE, LIFE), applied, &up)
        };
        let granted = |verdict| matches!(verdict, Verdict::Granted(_));
        assert!(granted(asked(1_000, 6)), "not at once");
        assert_eq!(asked(1_001, 6), Verdict::Nothing);
        assert!(granted(asked(1_002, 7)) && granted(asked(2_500, 7)));
        let lives: Vec<_> = grantor.lives().collect();
        assert_eq!(lives, [(ONE, LIFE)]);
    }

    /// How fast a clock runs, in permille: each as wrong as it may be, often at the very edges.
    fn pace() -> impl Strategy<Value = u64> {
        prop_oneof![Just(900), Just(1_100), 900_u64..=1_100]
    }

    proptest! {
        /// A node asks, a leader answers, and a later leader, who was elected at any time after the
        /// first one's majority was last behind it, knows nothing of that: whatever is delayed how
        /// long, and whichever of the clocks are a tenth fast or slow, the node has stopped when it
        /// is given up, by either leader.
        #[test]
        fn a_holder_has_stopped_when_it_is_counted_out(
            sent in 0_u64..5_000,
            way in 0_u64..5_000,
            quorum_age in 0_u64..=1_000,
            elected_after in 0_u64..3_000,
            first_pace in pace(),
            next_pace in pace(),
            holder_pace in pace(),
        ) {
            let t = start();
            let clock = |pace: u64, real_us: u64| t + Duration::from_micros(real_us * pace / 1_000);
            let (sent, answered) = (sent * 1_000, (sent + way) * 1_000);
            let mut holder = Holder::default();
            let stamp = holder.ask(clock(holder_pace, sent));
            // The first leader's majority, by its clock and as it is.
            let age = ms(quorum_age);
            let real_age = quorum_age * 1_000_000 / first_pace;
            let quorum = answered.saturating_sub(real_age);
            let told = ms(quorum_age + 1);
            prop_assert!(told > age);
            let granted = holder.granted(clock(holder_pace, answered), stamp, told);
            let until = granted.map(|renewed| renewed.until);
            // The next leader is elected after that majority.
            for (pace, from) in [(first_pace, answered), (next_pace, quorum + elected_after)] {
                let given_up = from + counted_out(clock(pace, from)) * 1_000 / pace;
                if let Some(until) = until {
                    prop_assert!(clock(holder_pace, given_up) >= until);
                    prop_assert_eq!(holder.clone().wane(until), Some(Waning::Lapsed));
                }
            }
        }
    }

    /// How long a leader waits from then on, in microseconds of its own clock.
    fn counted_out(now: Instant) -> u64 {
        let due = leader(now).due().expect("it is counted out one day");
        let waits = due.duration_since(now).as_micros();
        u64::try_from(waits).expect("seconds")
    }
}
