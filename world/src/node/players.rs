//! `[process]` Who plays: the list by name, and the claim of an account by its one session.
//!
//! Those on this node are a [`Registry`]; those on other nodes of a cluster a [`Presence`], which
//! is empty without one. Whoever tells the other nodes of ours plugs in a [`Herald`].

use super::player::{Herald, Heralds, Player};
use super::presence::{Far, Person, Presence, key};
use crate::event::{PersonSeen, Text};
use crate::ids::{AccountId, ChannelId, CharacterId};
use crate::ring::SessionPort;
use belay_runtime::{ClaimError, ProcessRef, Registration, Registry};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A player who was found.
#[derive(Clone, Debug)]
pub enum Found {
    /// On this node.
    Here(Arc<Player>),
    /// On another one.
    There(Far),
}

/// All who play, by lower-case name.
#[derive(Clone)]
pub struct Players {
    by_name: Registry<Text, Arc<Player>>,
    elsewhere: Arc<RwLock<Presence>>,
    heralds: Heralds,
}

/// An entry in the list; the player is out of it when this is dropped or its owner has ended.
#[must_use = "the entry is given up when this is dropped"]
#[derive(Debug)]
pub struct Entry {
    registration: Option<Registration>,
    player: Arc<Player>,
}

impl Entry {
    /// Leaves the entry in the list until its owner has ended for good.
    pub fn keep(mut self) {
        if let Some(registration) = self.registration.take() {
            registration.keep();
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let Some(registration) = self.registration.take() else {
            return;
        };
        drop(registration);
        self.player.gone();
    }
}

impl Players {
    /// Nobody yet.
    pub fn new() -> Self {
        Self {
            by_name: Registry::new(),
            elsewhere: Arc::default(),
            heralds: Arc::default(),
        }
    }

    /// From now on other nodes are told of ours by this one; whether it is the first.
    pub fn plug(&self, herald: Arc<dyn Herald>) -> bool {
        self.heralds.set(herald).is_ok()
    }

    /// Notes what another node says of its players; the names that play elsewhere since then
    /// (`true`), and those that do not any more.
    pub fn note(&self, change: impl FnOnce(&mut Presence)) -> Vec<(Text, bool)> {
        let elsewhere = self.elsewhere.write();
        let mut elsewhere = elsewhere.unwrap_or_else(PoisonError::into_inner);
        change(&mut elsewhere);
        elsewhere.take_changes()
    }

    /// The names of all who play on other nodes.
    pub fn names_elsewhere(&self) -> Vec<String> {
        let elsewhere = self.elsewhere();
        let all = elsewhere.beginning("");
        all.map(|(_, far, _)| far.name.to_string()).collect()
    }

    /// Enters a player under their name; the entry ends with what is returned or its owner.
    ///
    /// # Errors
    ///
    /// Somebody of that name plays on this node already.
    pub fn enter(
        &self,
        player: &Arc<Player>,
        owner: &ProcessRef,
    ) -> Result<Entry, ClaimError<Arc<Player>>> {
        let registration = self
            .by_name
            .register(key(&player.name), player.clone(), owner)?;
        player.come(&self.heralds);
        Ok(Entry {
            registration: Some(registration),
            player: player.clone(),
        })
    }

    /// The player of exactly this name, or the only one whose name begins so, on any node.
    pub fn find(&self, typed: &str) -> Option<Found> {
        if let Some(found) = self.locate(typed) {
            return Some(found);
        }
        let typed = key(typed);
        let mut found: Option<(Text, Found)> = None;
        let mut several = false;
        let mut add = |name: &Text, one: Found| {
            several |= found.as_ref().is_some_and(|(other, _)| other != name);
            found.get_or_insert_with(|| (name.clone(), one));
        };
        self.by_name.for_each(|name, player| {
            if name.starts_with(&*typed) {
                add(name, Found::Here(player.clone()));
            }
        });
        self.elsewhere()
            .beginning(&typed)
            .for_each(|(name, far, _)| add(name, Found::There(far)));
        let (name, _) = found.filter(|_| !several)?;
        self.locate(&name)
    }

    /// The player of exactly this name, on any node: of two sessions of a character the newer.
    pub fn locate(&self, name: &str) -> Option<Found> {
        let here = self.find_exactly(name);
        let elsewhere = self.elsewhere();
        let there = elsewhere.find(name);
        match (here, there) {
            (Some(here), Some((far, person))) if person.claim > here.person().claim => {
                drop(here);
                Some(Found::There(far))
            }
            (Some(here), _) => Some(Found::Here(here)),
            (None, there) => there.map(|(far, _)| Found::There(far)),
        }
    }

    /// The player of exactly this name on this node.
    pub fn find_exactly(&self, name: &str) -> Option<Arc<Player>> {
        self.by_name.lookup(&key(name))
    }

    /// How many play on this node.
    pub fn count(&self) -> usize {
        self.by_name.len()
    }

    /// The first names in order, of those that begin so, and how many there are of those in all;
    /// on all nodes.
    pub fn list(&self, prefix: Option<&str>, max: usize) -> (Vec<PersonSeen>, usize) {
        let prefix = prefix.map_or_else(|| Text::from(""), key);
        self.named(&prefix, max, |_| true)
    }

    /// The first names in order, of those who are on this channel, and how many there are in all;
    /// on all nodes.
    pub fn on_channel(&self, channel: ChannelId, max: usize) -> (Vec<PersonSeen>, usize) {
        self.named("", max, |person| person.is_on(channel))
    }

    /// How many on other nodes are on this channel.
    pub fn elsewhere_on(&self, channel: ChannelId) -> usize {
        let elsewhere = self.elsewhere();
        let all = elsewhere.beginning("");
        all.filter(|(_, _, person)| person.is_on(channel)).count()
    }

    fn named(
        &self,
        prefix: &str,
        max: usize,
        wanted: impl Fn(&Person) -> bool,
    ) -> (Vec<PersonSeen>, usize) {
        let elsewhere = self.elsewhere();
        let alone = elsewhere.count() == 0;
        let mut people = Vec::new();
        self.by_name.for_each(|name, player| {
            if !name.starts_with(prefix) {
                return;
            }
            let person = player.person();
            let newer = |(_, other): (Far, &Person)| other.claim > person.claim;
            if wanted(&person) && (alone || !elsewhere.find(name).is_some_and(newer)) {
                people.push(player.seen());
            }
        });
        for (name, far, person) in elsewhere.beginning(prefix) {
            let newer = |here: Arc<Player>| person.claim > here.person().claim;
            if wanted(person) && self.by_name.lookup(name).is_none_or(newer) {
                people.push(elsewhere.seen(far.node, person));
            }
        }
        let total = people.len();
        people.sort_by(|one, other| one.name.cmp(&other.name));
        people.truncate(max);
        (people, total)
    }

    /// Calls this for everybody who plays on this node.
    pub fn for_each(&self, mut each: impl FnMut(&Arc<Player>)) {
        self.by_name.for_each(|_, player| each(player));
    }

    fn elsewhere(&self) -> RwLockReadGuard<'_, Presence> {
        self.elsewhere
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Players {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Players")
            .field("here", &self.count())
            .field("elsewhere", &self.elsewhere().count())
            .finish()
    }
}

impl Default for Players {
    fn default() -> Self {
        Self::new()
    }
}

/// The session that holds an account.
#[derive(Clone, Debug)]
pub struct Holder {
    /// The session.
    pub session: SessionPort,
    /// The character that it plays.
    pub character: CharacterId,
}

/// Which session holds which account: at most one each. The claim is atomic, so of two logins that
/// race one gets it and the other learns who has it.
pub type Claims = Registry<AccountId, Holder>;

#[cfg(test)]
mod tests {
    use super::*;
    use belay_cluster::NodeId;
    use belay_runtime::Supervisor;
    use belay_runtime::{Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Mailbox, Node};
    use std::time::Duration;

    fn player(name: &str) -> Arc<Player> {
        let mailbox = Mailbox::new(Capacity {
            messages: 1,
            reserved: 0,
        });
        Arc::new(Player::new(name.into(), mailbox.address()))
    }

    fn check(players: &Players, typed: &str, expected: Option<&str>) {
        let found = players.find(typed).map(|found| match found {
            Found::Here(player) => player.name.to_string(),
            Found::There(far) => format!("{}{}", far.name, far.node),
        });
        assert_eq!(found.as_deref(), expected, "{typed}");
    }

    /// A node with one process, which owns all entries.
    async fn stage() -> (Node, ProcessRef) {
        let group = DynamicSupervisor::new("group", DynamicOptions::default());
        let node = Node::start(Supervisor::builder("node").child(group.spec())).await;
        let owner = ChildSpec::task("owner", |ctx| async move {
            ctx.stopping().await;
            Ok(())
        });
        (node.unwrap(), group.spawn_child(owner).unwrap())
    }

    #[tokio::test]
    async fn a_player_is_found_by_name_or_by_a_beginning_that_is_only_theirs() {
        let (node, owner) = stage().await;
        let players = Players::new();
        let entries = ["Ann", "Annabel", "Bob"].map(|name| players.enter(&player(name), &owner));
        let table = [
            ("ann", Some("Ann")),
            ("ANN", Some("Ann")),
            ("anna", Some("Annabel")),
            ("b", Some("Bob")),
            ("an", None),
            ("c", None),
            ("", None),
        ];
        for (typed, expected) in table {
            check(&players, typed, expected);
        }
        assert!(players.find_exactly("anna").is_none());
        assert!(players.find_exactly("bOB").is_some());
        assert!(players.enter(&player("ANN"), &owner).is_ok(), "its own");
        drop(entries);
        node.stop(Duration::from_secs(1)).await;
    }

    #[tokio::test]
    async fn who_plays_elsewhere_is_found_listed_and_counted_once() {
        let (node, owner) = stage().await;
        let players = Players::new();
        let far = NodeId(2);
        let person = |name: &str, claim| Person {
            claim,
            channels: 1,
            ..Person::clone(&player(name).person())
        };
        players.note(|presence| {
            presence.wire(far, true);
            let all = vec![person("Anna", 3), person("Cleo", 4), person("Dan", 1)];
            presence.list(far, (true, true), all);
        });
        let dan = player("Dan");
        dan.set_claim(2);
        let entries = [player("Ann"), player("Cleo"), dan]
            .map(|player| players.enter(&player, &owner).unwrap());
        let table = [
            ("ann", Some("Ann")),
            ("anna", Some("Anna#2")),
            ("an", None),
            ("c", Some("Cleo#2")),
            ("cleo", Some("Cleo#2")),
            ("d", Some("Dan")),
        ];
        for (typed, expected) in table {
            check(&players, typed, expected);
        }
        let names = |(people, total): (Vec<PersonSeen>, usize)| {
            let names: Vec<_> = people.iter().map(|one| one.name.to_string()).collect();
            (names.join(" "), total)
        };
        assert_eq!(names(players.list(None, 3)), ("Ann Anna Cleo".into(), 4));
        assert_eq!(names(players.list(Some("d"), 3)), ("Dan".into(), 1));
        let on = players.on_channel(ChannelId(0), 9);
        assert_eq!(names(on), ("Anna Cleo".into(), 2));
        assert_eq!(players.count(), 3, "of those here");
        drop(entries);
        node.stop(Duration::from_secs(1)).await;
    }

    #[tokio::test]
    async fn the_list_is_sorted_counted_and_cut() {
        let (node, owner) = stage().await;
        let players = Players::new();
        let bob = player("Bob");
        bob.set_marks(Some(&"lunch".into()), true);
        let entries = [player("Cleo"), bob.clone(), player("Ann")]
            .map(|player| players.enter(&player, &owner).unwrap());
        let names = |prefix, max| {
            let (people, total) = players.list(prefix, max);
            let names = people.iter().map(|one| one.name.to_string());
            (names.collect::<Vec<_>>().join(" "), total)
        };
        assert_eq!(names(None, 9), ("Ann Bob Cleo".into(), 3));
        assert_eq!(names(None, 2), ("Ann Bob".into(), 3));
        assert_eq!(names(Some("CL"), 9), ("Cleo".into(), 1));
        let seen = bob.seen();
        assert!(seen.away && seen.linkdead);
        assert_eq!(bob.away().as_deref(), Some("lunch"));
        assert_eq!(bob.room(), None);
        drop(entries);
        assert_eq!(players.count(), 0);
        node.stop(Duration::from_secs(1)).await;
    }
}
