//! `[pure]` What happened to a cluster and its players while it was hurt, and whether that may be.
//! Clients write down what they asked and what came of it, nodes what acted on them and when; all
//! with one monotonic clock. [`History::check`] looks at it afterwards and names each fault.
//!
//! | promise | seen by |
//! |---|---|
//! | one node acts for a shard in an epoch; epochs rise; no two act at a time | [`Deed`]s |
//! | what is acknowledged survives; a thing is in one place, a player in one room | [`Claim`]s |
//! | lines of a session are handled in order, none twice | [`Speech`] |
//! | every zone plays within the budget after the last fault, nobody helping | [`Answer`]s |
//! | a minority acts on nothing after its lease | [`Cut`]s and deeds |
//!
//! That logs of nodes agree, that few shards move, and that an election has one winner, no client
//! can see: simulations look at those.

mod acting;
mod deed;
mod moment;
mod register;
mod speech;

use std::collections::BTreeMap;
use std::time::Duration;

pub use acting::{Cut, Stretch, acting};
pub use deed::{Deed, NodeDeed, read_deeds};
pub use moment::Moment;
pub use register::{Claim, Ended, What};
pub use speech::Speech;

/// A zone answered somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which zone.
    pub zone: String,
    /// When it was asked.
    pub asked: Moment,
    /// When the answer came.
    pub answered: Moment,
}

/// All that is known of a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// What nodes say of themselves; those of one node in order.
    pub deeds: Vec<NodeDeed>,
    /// Which nodes were cut off from all others, and when.
    pub cuts: Vec<Cut>,
    /// Where things were at the start, as far as it is known.
    pub starts: BTreeMap<String, String>,
    /// What clients saw of things and did to them.
    pub claims: Vec<Claim>,
    /// What was said and who heard it.
    pub speech: Vec<Speech>,
    /// When zones answered.
    pub answers: Vec<Answer>,
    /// The zones that must play again.
    pub zones: Vec<String>,
    /// When the last fault was over.
    pub healed: Moment,
}

/// What a history is measured with.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long a node may act after it asked for its lease.
    pub lease: Duration,
    /// How long after the last fault each zone must play again.
    pub budget: Duration,
}

impl History {
    /// All faults, a sentence each; none if everything happened that may.
    #[must_use]
    pub fn check(&self, bounds: &Bounds) -> Vec<String> {
        let mut faults = Vec::new();
        let stretches = acting(&self.deeds);
        acting::check(&stretches, &mut faults);
        acting::check_cuts(&stretches, &self.cuts, bounds.lease, &mut faults);
        register::check(&self.claims, &self.starts, &mut faults);
        speech::check(&self.speech, &mut faults);
        self.check_recovery(bounds.budget, &mut faults);
        faults
    }

    /// How long after the last fault each zone answered what it was asked after it.
    #[must_use]
    pub fn recovery(&self) -> BTreeMap<&str, Option<Duration>> {
        let first = |zone: &String| {
            let own = self.answers.iter().filter(|it| it.zone == *zone);
            let after = own.filter(|it| it.asked >= self.healed);
            let first = after.map(|it| it.answered).min();
            first.map(|at| at.since(self.healed))
        };
        let all = self.zones.iter();
        all.map(|zone| (zone.as_str(), first(zone))).collect()
    }

    fn check_recovery(&self, budget: Duration, faults: &mut Vec<String>) {
        for (zone, took) in self.recovery() {
            match took {
                Some(took) if took <= budget => {}
                Some(took) => faults.push(format!(
                    "{zone} answered {took:?} after the last fault; at most {budget:?} is allowed"
                )),
                None => faults.push(format!("{zone} never answered after the last fault")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(asked_ms: u64, answered_ms: u64) -> Answer {
        Answer {
            zone: "isle".into(),
            asked: Moment::from_ms(asked_ms),
            answered: Moment::from_ms(answered_ms),
        }
    }

    #[test]
    fn a_zone_that_stays_silent_or_answers_too_late_is_found() {
        let bounds = Bounds {
            lease: Duration::from_secs(3),
            budget: Duration::from_secs(5),
        };
        for (answers, told) in [
            (vec![answer(900, 950), answer(1_100, 6_000)], None),
            (vec![answer(1_100, 6_001)], Some("at most 5s")),
            // Asked before the fault was over, it says nothing about after.
            (vec![answer(900, 1_200)], Some("never answered")),
            (vec![], Some("never answered")),
        ] {
            let history = History {
                answers,
                zones: vec!["isle".into()],
                healed: Moment::from_ms(1_000),
                ..History::default()
            };
            let faults = history.check(&bounds);
            match told {
                None => assert_eq!(faults, [""; 0]),
                Some(told) => assert!(faults.iter().any(|it| it.contains(told)), "{faults:?}"),
            }
        }
    }

    #[test]
    fn every_kind_of_fault_is_found_in_one_history() {
        let bounds = Bounds {
            lease: Duration::from_secs(3),
            budget: Duration::from_secs(5),
        };
        let at = Moment::from_ms;
        let deed = |node: &str, ms, deed| NodeDeed {
            node: node.into(),
            at: at(ms),
            deed,
        };
        let lease = |node: &str| deed(node, 0, Deed::Leased { until: at(9_000) });
        let shard = "zone:isle".to_owned();
        let runs = |node: &str, ms| {
            let shard = shard.clone();
            deed(node, ms, Deed::Runs { shard, epoch: 5 })
        };
        let holds = |place: &str| Claim {
            who: "Ann".into(),
            session: 1,
            thing: "coin".into(),
            begun: at(1),
            ended: Ended::At(at(2)),
            what: What::Is(place.into()),
        };
        let history = History {
            deeds: vec![lease("n1"), runs("n1", 1), lease("n2"), runs("n2", 2)],
            cuts: vec![Cut {
                node: "n1".into(),
                from: at(10),
                to: at(9_000),
            }],
            claims: vec![holds("here"), holds("there")],
            speech: vec![Speech {
                speaker: "Ann".into(),
                listener: "Bob".into(),
                said: vec![1],
                answered: vec![],
                heard: vec![1, 1],
            }],
            zones: vec!["isle".into()],
            ..History::default()
        };
        let faults = history.check(&bounds).join("\n");
        for told in [
            "in one epoch",
            "at a time",
            "cut off",
            "coin",
            "hears",
            "never answered",
        ] {
            assert!(faults.contains(told), "{told}: {faults}");
        }
    }
}
