//! `[process]` Who plays: the list by name, and the claim of an account by its one session.

use crate::event::{PersonSeen, Text};
use crate::ids::{AccountId, ChannelId, CharacterId, RoomId};
use crate::ring::SessionPort;
use belay_runtime::{ClaimError, ProcessRef, Registration, Registry};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A player as others find them.
#[derive(Debug)]
pub struct Player {
    /// The name as it is shown.
    pub name: Text,
    /// The session.
    pub session: SessionPort,
    room: AtomicU32,
    away: AtomicBool,
    linkdead: AtomicBool,
    guest: AtomicBool,
    notices: AtomicBool,
    /// A bit for each channel that they are on.
    channels: AtomicU32,
    away_message: std::sync::Mutex<Text>,
}

impl Player {
    /// A player who is nowhere yet.
    pub fn new(name: Text, session: SessionPort) -> Self {
        Self {
            name,
            session,
            room: AtomicU32::new(u32::MAX),
            away: AtomicBool::new(false),
            linkdead: AtomicBool::new(false),
            guest: AtomicBool::new(false),
            notices: AtomicBool::new(false),
            channels: AtomicU32::new(0),
            away_message: std::sync::Mutex::new(Text::from("")),
        }
    }

    /// Where they are, as far as others may rely on it.
    pub fn room(&self) -> Option<RoomId> {
        let room = self.room.load(Ordering::Relaxed);
        (room != u32::MAX).then_some(RoomId(room))
    }

    /// They stand in this room.
    pub fn set_room(&self, room: Option<RoomId>) {
        self.room
            .store(room.map_or(u32::MAX, |room| room.0), Ordering::Relaxed);
    }

    /// They play without an account.
    pub fn set_guest(&self) {
        self.guest.store(true, Ordering::Relaxed);
    }

    /// Whether they play without an account.
    pub fn is_guest(&self) -> bool {
        self.guest.load(Ordering::Relaxed)
    }

    /// They want to be told who comes and goes in other games, or not.
    pub fn set_notices(&self, wanted: bool) {
        self.notices.store(wanted, Ordering::Relaxed);
    }

    /// Whether they want to be told who comes and goes in other games.
    pub fn wants_notices(&self) -> bool {
        self.notices.load(Ordering::Relaxed)
    }

    /// Whether they are on this channel.
    pub fn is_on(&self, channel: ChannelId) -> bool {
        self.channels.load(Ordering::Relaxed) & bit(channel) != 0
    }

    /// They are on this channel.
    pub fn joined(&self, channel: ChannelId) {
        self.channels.fetch_or(bit(channel), Ordering::Relaxed);
    }

    /// They are on this channel no more.
    pub fn left(&self, channel: ChannelId) {
        self.channels.fetch_and(!bit(channel), Ordering::Relaxed);
    }

    /// What `who` says of them.
    pub fn set_marks(&self, away: Option<&Text>, linkdead: bool) {
        self.away.store(away.is_some(), Ordering::Relaxed);
        self.linkdead.store(linkdead, Ordering::Relaxed);
        let message = away.cloned().unwrap_or_else(|| Text::from(""));
        *self
            .away_message
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = message;
    }

    /// Whether their connection is lost just now.
    pub fn is_linkdead(&self) -> bool {
        self.linkdead.load(Ordering::Relaxed)
    }

    /// The message of one who is away.
    pub fn away(&self) -> Option<Text> {
        let away = self.away.load(Ordering::Relaxed);
        let message = self
            .away_message
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        away.then(|| message.clone())
    }

    /// The entry in a list.
    pub fn seen(&self) -> PersonSeen {
        PersonSeen {
            name: self.name.clone(),
            away: self.away.load(Ordering::Relaxed),
            linkdead: self.linkdead.load(Ordering::Relaxed),
        }
    }
}

/// All who play, by lower-case name.
#[derive(Clone, Debug)]
pub struct Players {
    by_name: Registry<Text, Arc<Player>>,
}

impl Players {
    /// Nobody yet.
    pub fn new() -> Self {
        Self {
            by_name: Registry::new(),
        }
    }

    /// Enters a player under their name; the entry ends with the registration or its owner.
    ///
    /// # Errors
    ///
    /// Somebody of that name plays already.
    pub fn enter(
        &self,
        player: &Arc<Player>,
        owner: &ProcessRef,
    ) -> Result<Registration, ClaimError<Arc<Player>>> {
        self.by_name
            .register(key(&player.name), player.clone(), owner)
    }

    /// The player of exactly this name, or the only one whose name begins so.
    pub fn find(&self, typed: &str) -> Option<Arc<Player>> {
        let typed = key(typed);
        if let Some(player) = self.by_name.lookup(&typed) {
            return Some(player);
        }
        let mut found = None;
        let mut several = false;
        self.by_name.for_each(|name, player| {
            if name.starts_with(&*typed) {
                several |= found.is_some();
                found = Some(player.clone());
            }
        });
        found.filter(|_| !several)
    }

    /// The player of exactly this name.
    pub fn find_exactly(&self, name: &str) -> Option<Arc<Player>> {
        self.by_name.lookup(&key(name))
    }

    /// How many play.
    pub fn count(&self) -> usize {
        self.by_name.len()
    }

    /// The first names in order, of those that begin so, and how many there are of those in all.
    pub fn list(&self, prefix: Option<&str>, max: usize) -> (Vec<PersonSeen>, usize) {
        let prefix = prefix.map(key);
        let begins = |name: &Text| {
            let prefix = prefix.as_ref();
            prefix.is_none_or(|prefix| name.starts_with(&**prefix))
        };
        self.named(max, |name, _| begins(name))
    }

    /// The first names in order, of those who are on this channel, and how many there are in all.
    pub fn on_channel(&self, channel: ChannelId, max: usize) -> (Vec<PersonSeen>, usize) {
        self.named(max, |_, player| player.is_on(channel))
    }

    fn named(
        &self,
        max: usize,
        wanted: impl Fn(&Text, &Player) -> bool,
    ) -> (Vec<PersonSeen>, usize) {
        let mut people = Vec::new();
        self.by_name.for_each(|name, player| {
            if wanted(name, player) {
                people.push(player.seen());
            }
        });
        let total = people.len();
        people.sort_by(|one, other| one.name.cmp(&other.name));
        people.truncate(max);
        (people, total)
    }

    /// Calls this for everybody who plays.
    pub fn for_each(&self, mut each: impl FnMut(&Arc<Player>)) {
        self.by_name.for_each(|_, player| each(player));
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

/// The content has no more channels than there are bits.
fn bit(channel: ChannelId) -> u32 {
    1_u32.checked_shl(u32::from(channel.0)).unwrap_or(0)
}

fn key(name: &str) -> Text {
    Text::from(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let found = players.find(typed);
        assert_eq!(
            found.as_ref().map(|player| &*player.name),
            expected,
            "{typed}"
        );
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
