//! `[pure]` Who plays on other nodes, as they say it.
//!
//! ```text
//! wire up ── whole list, in pieces ──► known ── wire down ──► cut ── and the view: down ──► gone
//!              plays, left (in order) ──┘  ▲─────────────────────┘ wire up, whole list
//! ```
//! Each name stands here once, whatever the nodes say: of two entries the newer session counts.
//! Nothing here knows who plays on this node.

use crate::event::{PersonSeen, Text};
use crate::ids::ChannelId;
use belay_cluster::NodeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A player, as the nodes tell each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name as it is shown.
    pub name: Text,
    /// Which entry of their node this is; unique there.
    pub entry: u64,
    /// The number of the session's claim: of two sessions of a character the later has the higher
    /// one. 0 for guests.
    pub claim: u64,
    /// Away from the keyboard.
    pub away: bool,
    /// Without a connection just now.
    pub linkdead: bool,
    /// Plays without an account.
    pub guest: bool,
    /// Staff.
    pub staff: bool,
    /// A bit for each channel that they are on.
    pub channels: u32,
}

/// A player on another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Far {
    /// On which.
    pub node: NodeId,
    /// Their name.
    pub name: Text,
    /// They play without an account.
    pub guest: bool,
}

/// Who plays on other nodes.
#[derive(Debug, Default)]
pub struct Presence {
    nodes: BTreeMap<NodeId, Folk>,
    /// On which nodes somebody of this name plays; more than one only for a moment.
    by_name: BTreeMap<Text, BTreeSet<NodeId>>,
    /// Names that came to the list or left it, and were not taken yet.
    changes: Vec<(Text, bool)>,
}

/// The people of one node.
#[derive(Debug, Default)]
struct Folk {
    people: BTreeMap<Text, Person>,
    /// A list that is on its way in pieces.
    coming: Option<BTreeMap<Text, Person>>,
    /// The wire stands.
    wired: bool,
    /// The cluster has given the node up.
    down: bool,
}

impl Person {
    /// Whether they are on this channel.
    pub fn is_on(&self, channel: ChannelId) -> bool {
        self.channels & channel_bit(channel) != 0
    }
}

impl Presence {
    /// The wire to a node stands, or is gone. Who plays there stays known, with a mark, until the
    /// cluster gives the node up or the node says it anew.
    pub fn wire(&mut self, node: NodeId, stands: bool) {
        let folk = self.nodes.entry(node).or_default();
        folk.wired = stands;
        folk.coming = None;
        self.forget(node);
    }

    /// The cluster has given up exactly these nodes, and knows exactly those.
    pub fn members(&mut self, living: &BTreeSet<NodeId>) {
        for node in self.nodes.keys().copied().collect::<Vec<_>>() {
            if let Some(folk) = self.nodes.get_mut(&node) {
                folk.down = !living.contains(&node);
            }
            self.forget(node);
        }
    }

    /// A piece of the whole list of a node; the list counts when its last piece is there.
    pub fn list(&mut self, node: NodeId, (first, last): (bool, bool), people: Vec<Person>) {
        let folk = self.nodes.entry(node).or_default();
        if first {
            folk.coming = Some(BTreeMap::new());
        }
        let Some(coming) = &mut folk.coming else {
            return;
        };
        coming.extend(people.into_iter().map(|one| (key(&one.name), one)));
        if !last {
            return;
        }
        let coming = folk.coming.take().unwrap_or_default();
        self.clear(node);
        for person in coming.into_values() {
            self.plays(node, person);
        }
    }

    /// This player came, or is marked otherwise.
    pub fn plays(&mut self, node: NodeId, person: Person) {
        let key = key(&person.name);
        let folk = self.nodes.entry(node).or_default();
        let name = person.name.clone();
        folk.people.insert(key.clone(), person);
        let at = self.by_name.entry(key).or_default();
        if at.is_empty() {
            self.changes.push((name, true));
        }
        at.insert(node);
    }

    /// The names that came to the list (`true`) or left it since this was asked last.
    pub fn take_changes(&mut self) -> Vec<(Text, bool)> {
        std::mem::take(&mut self.changes)
    }

    /// The player of this entry left.
    pub fn left(&mut self, node: NodeId, name: &str, entry: u64) {
        let key = key(name);
        let Some(folk) = self.nodes.get_mut(&node) else {
            return;
        };
        if folk
            .people
            .get(&key)
            .is_some_and(|person| person.entry == entry)
        {
            let person = folk.people.remove(&key);
            self.unname(&key, node, person);
        }
    }

    /// The player of exactly this name.
    pub fn find(&self, name: &str) -> Option<(Far, &Person)> {
        self.best(&key(name))
    }

    /// Players whose name begins so, in order, each once.
    pub fn beginning<'a>(
        &'a self,
        prefix: &str,
    ) -> impl Iterator<Item = (&'a Text, Far, &'a Person)> {
        let prefix = key(prefix);
        let range = self.by_name.range(prefix.clone()..);
        range
            .map(|(name, _)| name)
            .take_while(move |name| name.starts_with(&*prefix))
            .filter_map(|name| self.best(name).map(|(far, person)| (name, far, person)))
    }

    /// As it stands in a list: who is on a node that is cut off has no connection, seen from here.
    pub fn seen(&self, node: NodeId, person: &Person) -> PersonSeen {
        let cut = self.nodes.get(&node).is_none_or(|folk| !folk.wired);
        PersonSeen {
            name: person.name.clone(),
            away: person.away,
            linkdead: person.linkdead || cut,
        }
    }

    /// How many play elsewhere.
    pub fn count(&self) -> usize {
        self.by_name.len()
    }

    fn best(&self, key: &str) -> Option<(Far, &Person)> {
        let at = self.by_name.get(key)?.iter();
        let known = at.filter_map(|node| {
            let folk = self.nodes.get(node)?;
            Some((*node, folk.wired, folk.people.get(key)?))
        });
        let (node, _, person) =
            known.max_by_key(|(node, wired, person)| (person.claim, *wired, Reverse(*node)))?;
        let far = Far {
            node,
            name: person.name.clone(),
            guest: person.guest,
        };
        Some((far, person))
    }

    fn forget(&mut self, node: NodeId) {
        let gone = |folk: &Folk| folk.down && !folk.wired;
        if self.nodes.get(&node).is_some_and(gone) {
            self.clear(node);
            self.nodes.remove(&node);
        }
    }

    fn clear(&mut self, node: NodeId) {
        let folk = self.nodes.get_mut(&node);
        let people = folk.map(|folk| std::mem::take(&mut folk.people));
        for (key, person) in people.unwrap_or_default() {
            self.unname(&key, node, Some(person));
        }
    }

    fn unname(&mut self, key: &Text, node: NodeId, person: Option<Person>) {
        if let Some(at) = self.by_name.get_mut(key) {
            at.remove(&node);
            if at.is_empty() {
                self.by_name.remove(key);
                let name = person.map(|person| (person.name, false));
                self.changes.extend(name);
            }
        }
    }
}

/// The content has no more channels than there are bits.
pub(super) fn channel_bit(channel: ChannelId) -> u32 {
    1_u32.checked_shl(u32::from(channel.0)).unwrap_or(0)
}

pub(super) fn key(name: &str) -> Text {
    Text::from(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const B: NodeId = NodeId(2);
    const C: NodeId = NodeId(3);

    fn person(name: &str, entry: u64, claim: u64) -> Person {
        Person {
            name: name.into(),
            entry,
            claim,
            away: false,
            linkdead: false,
            guest: claim == 0,
            staff: false,
            channels: 0,
        }
    }

    fn names(presence: &Presence) -> String {
        let all = presence.beginning("");
        let text = |(_, far, person): (&Text, Far, &Person)| {
            let cut = presence.seen(far.node, person).linkdead;
            format!("{}{}{}", person.name, far.node, if cut { "!" } else { "" })
        };
        all.map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn who_plays_elsewhere_is_known_until_the_wire_is_gone_and_the_node_is_given_up() {
        let mut presence = Presence::default();
        presence.wire(B, true);
        presence.list(B, (true, true), vec![person("Bob", 1, 5)]);
        presence.plays(B, person("Ann", 2, 6));
        assert_eq!(names(&presence), "Ann#2 Bob#2");
        presence.wire(B, false);
        assert_eq!(names(&presence), "Ann#2! Bob#2!");
        presence.members(&[B].into());
        assert_eq!(names(&presence), "Ann#2! Bob#2!");
        presence.wire(B, true);
        presence.members(&BTreeSet::new());
        assert_eq!(names(&presence), "Ann#2 Bob#2", "the wire stands again");
        presence.wire(B, false);
        assert_eq!(names(&presence), "");
        assert_eq!(presence.count(), 0);
    }

    #[test]
    fn a_list_in_pieces_takes_the_place_of_the_old_one_at_its_end() {
        let mut presence = Presence::default();
        presence.wire(B, true);
        presence.plays(B, person("Old", 1, 1));
        presence.list(B, (true, false), vec![person("Ann", 2, 2)]);
        assert_eq!(names(&presence), "Old#2");
        presence.list(B, (false, true), vec![person("Bob", 3, 3)]);
        assert_eq!(names(&presence), "Ann#2 Bob#2");
        // A piece whose beginning was lost with the wire is none.
        presence.wire(B, true);
        presence.list(B, (false, true), vec![person("Cid", 4, 4)]);
        assert_eq!(names(&presence), "Ann#2 Bob#2");
    }

    #[test]
    fn of_two_entries_of_a_name_the_newer_session_counts() {
        let mut presence = Presence::default();
        for node in [B, C] {
            presence.wire(node, true);
        }
        presence.plays(B, person("Ann", 1, 5));
        presence.plays(C, person("ANN", 9, 6));
        assert_eq!(names(&presence), "ANN#3");
        assert_eq!(presence.count(), 1);
        presence.left(B, "ann", 7);
        presence.left(B, "ann", 1);
        presence.left(B, "ann", 1);
        assert_eq!(names(&presence), "ANN#3");
        presence.plays(B, person("Ann", 2, 6));
        presence.wire(C, false);
        assert_eq!(names(&presence), "Ann#2", "who can be reached");
        presence.left(B, "Ann", 2);
        assert_eq!(names(&presence), "ANN#3!");
    }

    #[test]
    fn names_are_found_by_their_beginning_in_order() {
        let mut presence = Presence::default();
        presence.wire(B, true);
        for (entry, name) in ["Bob", "Annabel", "Ann"].into_iter().enumerate() {
            presence.plays(B, person(name, entry as u64, 1));
        }
        let found = |prefix| {
            let all = presence.beginning(prefix);
            all.map(|(name, _, _)| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("AN"), ["ann", "annabel"]);
        assert_eq!(found("c"), Vec::<String>::new());
        assert_eq!(presence.find("ANNABEL").unwrap().0.node, B);
        assert!(presence.find("annab").is_none());
    }

    #[derive(Clone, Debug)]
    enum Step {
        Wire(u16, bool),
        Living(u8),
        List(u16, Vec<(u8, u64)>),
        Plays(u16, u8, u64),
        Left(u16, u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let node = 2_u16..5;
        let step = prop_oneof![
            (node.clone(), any::<bool>()).prop_map(|(node, up)| Step::Wire(node, up)),
            (0_u8..8).prop_map(Step::Living),
            (
                node.clone(),
                prop::collection::vec((0_u8..4, 0_u64..5), 0..4)
            )
                .prop_map(|(node, list)| Step::List(node, list)),
            (node.clone(), 0_u8..4, 0_u64..5)
                .prop_map(|(n, who, claim)| Step::Plays(n, who, claim)),
            (node, 0_u8..4).prop_map(|(node, who)| Step::Left(node, who)),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn each_name_is_there_once_and_as_the_nodes_said_last(steps in steps()) {
            let mut presence = Presence::default();
            let mut model: BTreeMap<(u16, u8), u64> = BTreeMap::new();
            let mut state: BTreeMap<u16, (bool, bool)> = BTreeMap::new();
            let name = |who: u8| format!("P{who}");
            for step in steps {
                match step {
                    Step::Wire(node, up) => {
                        presence.wire(NodeId(node), up);
                        state.entry(node).or_default().0 = up;
                    }
                    Step::Living(bits) => {
                        let lives = |node: &u16| bits & (1 << (node - 2)) != 0;
                        let living = (2..5).filter(lives).map(NodeId).collect();
                        presence.members(&living);
                        for (node, (_, down)) in &mut state {
                            *down = !lives(node);
                        }
                    }
                    Step::List(node, list) => {
                        state.entry(node).or_default();
                        let all = list.iter().map(|(who, claim)| person(&name(*who), 1, *claim));
                        presence.list(NodeId(node), (true, true), all.collect());
                        model.retain(|(at, _), _| *at != node);
                        model.extend(list.into_iter().map(|(who, claim)| ((node, who), claim)));
                    }
                    Step::Plays(node, who, claim) => {
                        state.entry(node).or_default();
                        presence.plays(NodeId(node), person(&name(who), 1, claim));
                        model.insert((node, who), claim);
                    }
                    Step::Left(node, who) => {
                        presence.left(NodeId(node), &name(who), 1);
                        model.remove(&(node, who));
                    }
                }
                for node in 2..5 {
                    if matches!(state.get(&node), Some((false, true))) {
                        model.retain(|(at, _), _| *at != node);
                        state.remove(&node);
                    }
                }
                let shown: Vec<(String, u64)> = presence
                    .beginning("")
                    .map(|(_, _, person)| (person.name.to_string(), person.claim))
                    .collect();
                let mut expected: BTreeMap<String, u64> = BTreeMap::new();
                for ((_, who), claim) in &model {
                    let best = expected.entry(name(*who)).or_default();
                    *best = (*best).max(*claim);
                }
                prop_assert_eq!(shown, expected.into_iter().collect::<Vec<_>>());
                let names: BTreeSet<_> = model.keys().map(|(_, who)| who).collect();
                prop_assert_eq!(presence.count(), names.len());
            }
        }
    }
}
