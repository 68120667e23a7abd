//! `[process]` Who the other members are, for the wires: as the log has it here, and as members
//! tell of whom the log is further.
//!
//! A node that was away while others joined does not know them and takes no wire from them. When
//! one of those leads by then, nobody else can bring it the log, and if two of three were away, no
//! majority would ever be found. So members tell each other whom the log names, when a wire comes
//! up and when that has changed. What is told counts until the log here is as far.

use super::driver::Driver;
use super::route::Part;
use crate::ids::NodeId;
use crate::limits::NODES_MAX;
use crate::transport::{Lane, Member, Transport};
use crate::view::View;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The members, as a log has it up to an entry. It goes over wires.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Roll {
    applied: u64,
    members: Vec<Member>,
}

impl Roll {
    fn of(view: &View) -> Self {
        let members = view.nodes.iter().map(|(node, known)| Member {
            node: *node,
            name: known.name.clone(),
            address: known.address.clone(),
            incarnation: known.incarnation,
        });
        Self {
            applied: view.applied,
            members: members.collect(),
        }
    }

    /// These members, and those that another names of whom the log is further.
    fn with(self, told: &Self) -> Vec<Member> {
        let further = told.applied > self.applied;
        let told = told.members.iter().filter(|_| further);
        let all = told.chain(&self.members);
        let all: BTreeMap<NodeId, &Member> = all.map(|member| (member.node, member)).collect();
        all.into_values().cloned().collect()
    }
}

impl<T: Transport> Driver<T> {
    /// Has the wires reach the members, as the log has them here or as was told.
    pub(super) fn reach(&mut self) {
        let me = self.shared.number();
        let mut members = Roll::of(&self.view).with(&self.told);
        members.retain(|member| member.node != me);
        // Before anything is known here, the members are those of the last life.
        if members == self.members || self.view.applied.max(self.told.applied) == 0 {
            return;
        }
        self.shared.transport.members(&members);
        self.keep.members(&members);
        let numbers = |members: &[Member]| members.iter().map(|one| one.node).collect::<Vec<_>>();
        let others = numbers(&members);
        let changed = others != numbers(&self.members);
        self.members = members;
        for other in others.into_iter().filter(|_| changed) {
            self.tell(other);
        }
    }

    /// Tells another member who the members are.
    pub(super) fn tell(&self, other: NodeId) {
        let roll = Roll::of(&self.view);
        if let Ok(roll) = postcard::to_stdvec(&roll)
            && self.view.applied > 0
        {
            self.send(other, Lane::Control, &Part::Members, &roll);
        }
    }

    /// Another member tells who the members are.
    pub(super) fn told(&mut self, other: NodeId, body: &[u8]) {
        match postcard::from_bytes::<Roll>(body) {
            Ok(roll) if roll.members.len() <= NODES_MAX => {
                if roll.applied > self.view.applied.max(self.told.applied) {
                    self.told = roll;
                    self.reach();
                }
            }
            Ok(_) | Err(_) => {
                tracing::warn!(target: "belay_cluster", peer = other.0, "garbled message");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Incarnation, NodeName};

    fn roll(applied: u64, members: &[(u16, u32)]) -> Roll {
        let members = members.iter().map(|(node, life)| Member {
            node: NodeId(*node),
            name: NodeName::new(&format!("n{node}")).unwrap(),
            address: format!("10.0.0.{node}:1"),
            incarnation: Incarnation(*life),
        });
        Roll {
            applied,
            members: members.collect(),
        }
    }

    #[test]
    fn what_is_told_counts_until_the_log_is_as_far() {
        let told = roll(9, &[(2, 1), (4, 1)]);
        for (applied, expected) in [
            (8, vec![(1, 1), (2, 3), (4, 1)]),
            (9, vec![(1, 1), (2, 3)]),
            (10, vec![(1, 1), (2, 3)]),
        ] {
            let all = roll(applied, &[(1, 1), (2, 3)]).with(&told);
            assert_eq!(all, roll(0, &expected).members, "{applied}");
        }
    }

    #[test]
    fn its_bytes_do_not_change() {
        let bytes = postcard::to_stdvec(&roll(300, &[(2, 1)])).unwrap();
        assert_eq!(bytes, b"\xac\x02\x01\x02\x02n2\x0a10.0.0.2:1\x01");
        assert_eq!(
            postcard::from_bytes::<Roll>(&bytes),
            Ok(roll(300, &[(2, 1)]))
        );
    }
}
