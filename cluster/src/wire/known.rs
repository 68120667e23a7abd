//! `[pure]` Who the other members are, which life of each has been seen last, and where.

use super::handshake::{First, Hello, Mismatch};
use super::join::Place;
use crate::ids::{Incarnation, NodeId};
use crate::transport::Member;
use std::collections::BTreeMap;

/// The other members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    members: BTreeMap<NodeId, Member>,
    /// The last life of each that is known.
    lives: BTreeMap<NodeId, Life>,
    /// Where each is reached.
    spots: BTreeMap<NodeId, Spot>,
}

/// Where a member is reached.
#[derive(Clone, Debug)]
struct Spot {
    address: String,
    /// The life that said so.
    incarnation: Incarnation,
    /// It said so itself, and showed who it is.
    shown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Life {
    incarnation: Incarnation,
    /// When its process started; none if it is known from the log alone.
    boot_ms: Option<u64>,
}

impl Known {
    /// These are the members from now on. A life once seen is not forgotten for a lower one, nor
    /// where it showed itself.
    pub(crate) fn set(&mut self, members: &[Member]) {
        self.members = members
            .iter()
            .map(|member| (member.node, member.clone()))
            .collect();
        self.lives.retain(|node, _| self.members.contains_key(node));
        self.spots.retain(|node, _| self.members.contains_key(node));
        for member in members {
            let incarnation = member.incarnation;
            self.rise(member.node, incarnation, None);
            let spot = Spot {
                address: member.address.clone(),
                incarnation,
                shown: false,
            };
            self.put(member.node, spot);
        }
    }

    /// What is of the later life counts; of the same life, what it showed itself.
    fn put(&mut self, node: NodeId, spot: Spot) {
        let order = |spot: &Spot| (spot.incarnation, spot.shown);
        let Some(member) = self.members.get_mut(&node) else {
            return;
        };
        let known = self.spots.entry(node).or_insert_with(|| spot.clone());
        if order(&spot) >= order(known) {
            *known = spot;
        }
        member.address.clone_from(&known.address);
    }

    /// Which life of a member to reach where.
    pub(crate) fn aim(&self, node: NodeId) -> Option<(Incarnation, &str)> {
        let life = self.lives.get(&node)?;
        let spot = self.spots.get(&node)?;
        Some((life.incarnation, &spot.address))
    }

    /// Where the members are, as far as is known.
    pub(crate) fn places(&self) -> Vec<Place> {
        let places = self.spots.iter().map(|(node, spot)| Place {
            node: *node,
            incarnation: spot.incarnation,
            address: spot.address.clone(),
        });
        places.collect()
    }

    /// Whether somebody's word is of a later life than what is known here of where a member is.
    pub(crate) fn is_news(&self, place: &Place) -> bool {
        let spot = self.spots.get(&place.node);
        spot.is_some_and(|spot| {
            place.incarnation > spot.incarnation
                || place.incarnation == spot.incarnation
                    && !spot.shown
                    && place.address != spot.address
        })
    }

    /// The members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// A member.
    pub(crate) fn member(&self, node: NodeId) -> Option<&Member> {
        self.members.get(&node)
    }

    /// Whether this life of a member may have a wire (still).
    pub(crate) fn stands(&self, node: NodeId, incarnation: Incarnation) -> bool {
        let life = self.lives.get(&node);
        self.members.contains_key(&node) && life.is_none_or(|life| life.incarnation <= incarnation)
    }

    /// Whether a node that says this of itself is the member that it says.
    pub(crate) fn check(&self, node: NodeId, hello: &Hello) -> Result<(), Mismatch> {
        let name = hello.name.clone();
        let Some(member) = self.members.get(&node) else {
            return Err(Mismatch::NotAMember { node, name });
        };
        if member.name != name {
            return Err(Mismatch::OtherName {
                node,
                known: member.name.clone(),
                theirs: name,
            });
        }
        let Some(life) = self.lives.get(&node) else {
            return Ok(());
        };
        if hello.incarnation < life.incarnation {
            return Err(Mismatch::OldLife {
                name,
                known: life.incarnation,
                theirs: hello.incarnation,
            });
        }
        let same = hello.incarnation == life.incarnation;
        match life.boot_ms {
            Some(boot) if same && boot != hello.boot_ms => Err(Mismatch::Twin(name)),
            Some(_) | None => Ok(()),
        }
    }

    /// A member has shown that it lives this life, and where. It was checked before.
    pub(crate) fn saw(&mut self, node: NodeId, first: &First) {
        let incarnation = first.hello.incarnation;
        self.rise(node, incarnation, Some(first.hello.boot_ms));
        if !first.address.is_empty() {
            let spot = Spot {
                address: first.address.clone(),
                incarnation,
                shown: true,
            };
            self.put(node, spot);
        }
    }

    fn rise(&mut self, node: NodeId, incarnation: Incarnation, boot_ms: Option<u64>) {
        let new = Life {
            incarnation,
            boot_ms,
        };
        let life = self.lives.entry(node).or_insert(new);
        if incarnation > life.incarnation {
            *life = new;
        } else if incarnation == life.incarnation {
            life.boot_ms = life.boot_ms.or(boot_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ContentHash, NodeName};
    use crate::transport::Lane;
    use crate::wire::Versions;
    use proptest::prelude::*;

    fn logged(incarnation: u32, address: &str) -> Member {
        Member {
            node: NodeId(1),
            name: NodeName::new("n1").unwrap(),
            address: address.to_owned(),
            incarnation: Incarnation(incarnation),
        }
    }

    fn shown(incarnation: u32, address: &str) -> First {
        First {
            versions: Versions::ours(),
            lane: Lane::Control,
            hello: Hello {
                cluster: "north".to_owned(),
                node: Some(NodeId(1)),
                name: NodeName::new("n1").unwrap(),
                incarnation: Incarnation(incarnation),
                boot_ms: u64::from(incarnation),
                content: ContentHash([0; 32]),
            },
            address: address.to_owned(),
        }
    }

    #[track_caller]
    fn is_at(known: &Known, incarnation: u32, address: &str) {
        let aim = Some((Incarnation(incarnation), address));
        assert_eq!(known.aim(NodeId(1)), aim);
        assert_eq!(known.member(NodeId(1)).unwrap().address, address);
    }

    #[test]
    fn where_a_later_life_showed_itself_is_kept_until_the_log_knows_it_too() {
        let mut known = Known::default();
        known.set(&[logged(3, "old:1")]);
        is_at(&known, 3, "old:1");
        known.saw(NodeId(1), &shown(4, "new:1"));
        is_at(&known, 4, "new:1");
        // The log lags, then catches up, then is ahead.
        known.set(&[logged(3, "old:1")]);
        is_at(&known, 4, "new:1");
        known.set(&[logged(4, "new:1")]);
        is_at(&known, 4, "new:1");
        known.set(&[logged(5, "newest:1")]);
        is_at(&known, 5, "newest:1");
        assert!(known.check(NodeId(1), &shown(4, "").hello).is_err());
    }

    #[test]
    fn who_says_no_address_is_still_where_it_was() {
        let mut known = Known::default();
        known.set(&[logged(3, "old:1")]);
        known.saw(NodeId(1), &shown(4, ""));
        is_at(&known, 4, "old:1");
    }

    #[test]
    fn the_word_of_others_is_worth_a_knock_when_it_is_newer() {
        let place = |incarnation, address: &str| Place {
            node: NodeId(1),
            incarnation: Incarnation(incarnation),
            address: address.to_owned(),
        };
        let mut known = Known::default();
        assert!(!known.is_news(&place(9, "who:1")), "it is no member");
        known.set(&[logged(3, "old:1")]);
        assert!(!known.is_news(&place(2, "older:1")));
        assert!(!known.is_news(&place(3, "old:1")));
        assert!(known.is_news(&place(3, "other:1")));
        assert!(known.is_news(&place(4, "new:1")));
        known.saw(NodeId(1), &shown(4, "new:1"));
        assert!(!known.is_news(&place(4, "other:1")), "it said so itself");
        is_at(&known, 4, "new:1");
    }

    proptest! {
        #[test]
        fn the_address_is_always_that_of_the_latest_life(
            news in prop::collection::vec((any::<bool>(), 0_u32..6), 1..20)
        ) {
            let mut known = Known::default();
            known.set(&[logged(0, "at:0")]);
            let mut latest = 0;
            for (log, life) in news {
                let address = format!("at:{life}");
                let first = shown(life, &address);
                if log {
                    known.set(&[logged(life, &address)]);
                } else if known.check(NodeId(1), &first.hello).is_ok() {
                    known.saw(NodeId(1), &first);
                }
                latest = latest.max(life);
                is_at(&known, latest, &format!("at:{latest}"));
            }
        }
    }
}
