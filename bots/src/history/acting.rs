//! `[pure]` Who acted when: one node at a time for each shard, in epochs that rise.

use std::collections::BTreeMap;
use std::time::Duration;

use super::deed::{Deed, NodeDeed};
use super::moment::Moment;

/// A node could act for a shard for a while: it ran there, was not frozen, and the lease held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Which shard.
    pub shard: String,
    /// In which epoch.
    pub epoch: u64,
    /// On which node.
    pub node: String,
    /// From when.
    pub from: Moment,
    /// Until when, this moment not included.
    pub to: Moment,
}

/// A node was out of reach of all others, whatever it sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Which node.
    pub node: String,
    /// When it was cut off for certain.
    pub from: Moment,
    /// When it was let in again.
    pub to: Moment,
}

/// What one node may do, deed by deed.
#[derive(Debug, Default)]
struct Node {
    /// The shards that run, with their epochs, and since when.
    running: BTreeMap<String, (u64, Moment)>,
    /// Those that were frozen, with their epochs.
    frozen: BTreeMap<String, u64>,
    /// While these lasted, it had its lease. In order; none touches the next.
    leases: Vec<(Moment, Moment)>,
    /// When shards ran, whether it had a lease or not.
    ran: Vec<(String, u64, Moment, Moment)>,
}

impl Node {
    fn step(&mut self, at: Moment, deed: &Deed) {
        match deed {
            Deed::Runs { shard, epoch } => self.run(shard, *epoch, at),
            Deed::Stopped { shard, epoch } => {
                let running = self.running.get(shard);
                if running.is_some_and(|(running, _)| running == epoch) {
                    self.end(shard, at);
                }
                if self.frozen.get(shard) == Some(epoch) {
                    self.frozen.remove(shard);
                }
            }
            Deed::Froze { shard } => {
                if let Some(epoch) = self.end(shard, at) {
                    self.frozen.insert(shard.clone(), epoch);
                }
            }
            Deed::Thaws { shard } => {
                if let Some(epoch) = self.frozen.remove(shard) {
                    self.run(shard, epoch, at);
                }
            }
            Deed::Leased { until } => match self.leases.last_mut() {
                Some((_, to)) if *to >= at => *to = (*to).max(*until),
                Some(_) | None => self.leases.push((at, *until)),
            },
            Deed::Lapsed => self.lapse(at),
            Deed::Over => {
                self.lapse(at);
                self.end_all(at);
                self.frozen.clear();
            }
        }
    }

    fn run(&mut self, shard: &str, epoch: u64, at: Moment) {
        self.end(shard, at);
        self.running.insert(shard.to_owned(), (epoch, at));
    }

    fn end(&mut self, shard: &str, at: Moment) -> Option<u64> {
        let (epoch, from) = self.running.remove(shard)?;
        self.ran.push((shard.to_owned(), epoch, from, at));
        Some(epoch)
    }

    fn end_all(&mut self, at: Moment) {
        for shard in self.running.keys().cloned().collect::<Vec<_>>() {
            self.end(&shard, at);
        }
    }

    fn lapse(&mut self, at: Moment) {
        if let Some((_, to)) = self.leases.last_mut() {
            *to = (*to).min(at);
        }
    }

    fn stretches(mut self, node: &str) -> Vec<Stretch> {
        self.end_all(Moment::NEVER);
        let mut stretches = Vec::new();
        for (shard, epoch, began, ended) in &self.ran {
            for (leased, lapsed) in &self.leases {
                let (from, to) = (*began.max(leased), *ended.min(lapsed));
                if from < to {
                    stretches.push(Stretch {
                        shard: shard.clone(),
                        epoch: *epoch,
                        node: node.to_owned(),
                        from,
                        to,
                    });
                }
            }
        }
        stretches
    }
}

/// When each node could act for which shard, by the beginning.
#[must_use]
pub fn acting(deeds: &[NodeDeed]) -> Vec<Stretch> {
    let mut nodes: BTreeMap<&str, Node> = BTreeMap::new();
    for NodeDeed { node, at, deed } in deeds {
        nodes.entry(node).or_default().step(*at, deed);
    }
    let each = nodes.into_iter();
    let mut stretches: Vec<Stretch> = each.flat_map(|(name, node)| node.stretches(name)).collect();
    stretches.sort_by_key(|it| it.from);
    stretches
}

/// What was seen of a shard so far.
#[derive(Debug, Default)]
struct Seen<'a> {
    /// The highest epoch, and where.
    epoch: Option<&'a Stretch>,
    /// The stretch that ends last, of each node.
    ends: BTreeMap<&'a str, &'a Stretch>,
    /// Which node has each epoch.
    owners: BTreeMap<u64, &'a str>,
}

/// One node for each epoch, one node at a time, epochs rise.
pub(super) fn check(stretches: &[Stretch], faults: &mut Vec<String>) {
    let mut shards: BTreeMap<&str, Seen<'_>> = BTreeMap::new();
    for stretch in stretches {
        let seen = shards.entry(&stretch.shard).or_default();
        let told = tell(stretch);
        if let Some(highest) = seen.epoch
            && stretch.epoch < highest.epoch
        {
            faults.push(format!("an epoch fell: {told}, after {}", tell(highest)));
        }
        if seen.epoch.is_none_or(|it| it.epoch <= stretch.epoch) {
            seen.epoch = Some(stretch);
        }
        let owner = seen.owners.entry(stretch.epoch).or_insert(&stretch.node);
        if *owner != stretch.node {
            faults.push(format!("two nodes in one epoch: {told}, and {owner}"));
        }
        let others = seen.ends.iter().filter(|(node, _)| **node != stretch.node);
        for (_, other) in others.filter(|(_, other)| other.to > stretch.from) {
            faults.push(format!("two nodes at a time: {told}, and {}", tell(other)));
        }
        let end = seen.ends.entry(&stretch.node).or_insert(stretch);
        if end.to < stretch.to {
            *end = stretch;
        }
    }
}

/// Who is cut off has no lease for longer than one lasts.
pub(super) fn check_cuts(
    stretches: &[Stretch],
    cuts: &[Cut],
    lease: Duration,
    faults: &mut Vec<String>,
) {
    for cut in cuts {
        let last = cut.from.after(lease);
        let own = stretches.iter().filter(|it| it.node == cut.node);
        for stretch in own.filter(|it| it.from < cut.to && it.to.min(cut.to) > last) {
            faults.push(format!(
                "a node acts longer than a lease while it is cut off: {}; it was from {:?} to {:?}",
                tell(stretch),
                cut.from,
                cut.to
            ));
        }
    }
}

fn tell(stretch: &Stretch) -> String {
    let Stretch {
        shard,
        epoch,
        node,
        from,
        to,
    } = stretch;
    format!("{node} acts for {shard} in epoch {epoch} from {from:?} to {to:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARD: &str = "zone:isle";

    fn runs(epoch: u64) -> Deed {
        let shard = SHARD.to_owned();
        Deed::Runs { shard, epoch }
    }

    fn stopped(epoch: u64) -> Deed {
        let shard = SHARD.to_owned();
        Deed::Stopped { shard, epoch }
    }

    fn froze() -> Deed {
        let shard = SHARD.to_owned();
        Deed::Froze { shard }
    }

    fn thaws() -> Deed {
        let shard = SHARD.to_owned();
        Deed::Thaws { shard }
    }

    fn leased(until_ms: u64) -> Deed {
        let until = Moment::from_ms(until_ms);
        Deed::Leased { until }
    }

    fn deeds(all: &[(&str, u64, Deed)]) -> Vec<NodeDeed> {
        let each = all.iter().map(|(node, ms, deed)| NodeDeed {
            node: (*node).to_owned(),
            at: Moment::from_ms(*ms),
            deed: deed.clone(),
        });
        each.collect()
    }

    fn faults(all: &[(&str, u64, Deed)]) -> Vec<String> {
        let mut faults = Vec::new();
        check(&acting(&deeds(all)), &mut faults);
        faults
    }

    #[test]
    fn a_node_acts_while_a_shard_runs_unfrozen_under_a_lease() {
        let stretches = acting(&deeds(&[
            ("n1", 0, leased(3_000)),
            ("n1", 10, runs(5)),
            ("n1", 500, leased(3_500)),
            ("n1", 600, froze()),
            ("n1", 900, thaws()),
            // Paused here: the lease runs out before anything says so.
            ("n1", 9_000, leased(12_000)),
            ("n1", 9_500, stopped(5)),
            ("n1", 9_600, runs(8)),
            ("n1", 9_700, Deed::Over),
        ]));
        let times = stretches.iter().map(|it| (it.epoch, it.from, it.to));
        let ms = Moment::from_ms;
        let expected = [
            (5, ms(10), ms(600)),
            (5, ms(900), ms(3_500)),
            (5, ms(9_000), ms(9_500)),
            (8, ms(9_600), ms(9_700)),
        ];
        assert_eq!(times.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_may_be_is_no_fault() {
        let move_in_order: &[_] = &[
            ("n1", 0, leased(9_000)),
            ("n2", 0, leased(9_000)),
            ("n1", 1, runs(5)),
            ("n1", 100, froze()),
            ("n2", 120, runs(9)),
            // The source applies the end of the move later.
            ("n1", 200, stopped(5)),
        ];
        let failover: &[_] = &[
            ("n1", 0, leased(3_000)),
            ("n1", 1, runs(5)),
            ("n2", 2_000, leased(5_000)),
            ("n2", 3_700, runs(9)),
            // Wakes, and sees that it is over.
            ("n1", 6_000, Deed::Lapsed),
            ("n1", 6_001, stopped(5)),
        ];
        let restart: &[_] = &[
            ("n1", 0, leased(3_000)),
            ("n1", 1, runs(5)),
            ("n1", 500, Deed::Over),
            ("n2", 0, leased(3_000)),
            ("n2", 900, runs(9)),
        ];
        for history in [move_in_order, failover, restart] {
            assert_eq!(faults(history), [""; 0]);
        }
    }

    #[test]
    fn two_nodes_at_a_time_or_in_one_epoch_and_an_epoch_that_falls_are_found() {
        let cases: [(&[_], &str); 5] = [
            (
                &[
                    ("n1", 0, leased(3_000)),
                    ("n1", 1, runs(5)),
                    ("n2", 0, leased(3_000)),
                    ("n2", 2_999, runs(9)),
                ],
                "at a time",
            ),
            // It was never frozen.
            (
                &[
                    ("n1", 0, leased(9_000)),
                    ("n1", 1, runs(5)),
                    ("n2", 0, leased(9_000)),
                    ("n2", 120, runs(9)),
                    ("n1", 121, stopped(5)),
                ],
                "at a time",
            ),
            // It thawed although the move was finished.
            (
                &[
                    ("n1", 0, leased(9_000)),
                    ("n1", 1, runs(5)),
                    ("n1", 100, froze()),
                    ("n2", 0, leased(9_000)),
                    ("n2", 120, runs(9)),
                    ("n1", 130, thaws()),
                ],
                "at a time",
            ),
            (
                &[
                    ("n1", 0, leased(9_000)),
                    ("n1", 1, runs(5)),
                    ("n1", 2, stopped(5)),
                    ("n2", 0, leased(9_000)),
                    ("n2", 3, runs(5)),
                ],
                "in one epoch",
            ),
            (
                &[
                    ("n1", 0, leased(9_000)),
                    ("n1", 1, runs(9)),
                    ("n1", 2, stopped(9)),
                    ("n1", 3, runs(5)),
                ],
                "an epoch fell",
            ),
        ];
        for (history, told) in cases {
            let faults = faults(history);
            assert!(faults.iter().any(|it| it.contains(told)), "{faults:?}");
        }
    }

    #[test]
    fn who_acts_for_longer_than_a_lease_while_cut_off_is_found() {
        let ms = Moment::from_ms;
        let cut = Cut {
            node: "n1".into(),
            from: ms(1_000),
            to: ms(9_000),
        };
        for (until, from, expected) in [(4_000, 1, 0), (4_001, 1, 1), (20_000, 9_000, 0)] {
            let stretches = acting(&deeds(&[
                ("n1", from, leased(until)),
                ("n1", from, runs(5)),
            ]));
            let mut faults = Vec::new();
            let lease = Duration::from_secs(3);
            check_cuts(&stretches, std::slice::from_ref(&cut), lease, &mut faults);
            assert_eq!(faults.len(), expected, "{until}: {faults:?}");
        }
    }
}
