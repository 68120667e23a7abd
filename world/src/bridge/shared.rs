//! `[process]` What the bridge's parts share: who plays and talks here, what staff decided, whether
//! the network is reached, and what was counted.

use super::counts::Counts;
use super::file::FileState;
use super::message::BridgeMessage;
use super::outage::{Outage, Reach};
use super::rules::Rules;
use super::shown::Out;
use crate::content::World;
use crate::event::Text;
use crate::ids::ChannelId;
use crate::node::Players;
use crate::talk::Channels;
use belay_gossip::client::ClientStatus;
use belay_runtime::Address;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

/// What the operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeRules {
    /// Players are told who comes and goes elsewhere, unless they chose themselves.
    pub notices: bool,
    /// Guests may speak to other games.
    pub guests_speak: bool,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) world: Arc<World>,
    pub(super) players: Players,
    pub(super) channels: Channels,
    pub(super) rules: BridgeRules,
    pub(super) counts: Counts,
    pub(super) post: Address<BridgeMessage>,
    by_remote: BTreeMap<String, ChannelId>,
    staff: RwLock<Staff>,
    outage: Mutex<Outage>,
    file: Mutex<Arc<FileState>>,
}

/// What staff decided, and how often that was changed.
#[derive(Debug, Default)]
struct Staff {
    rules: Arc<Rules>,
    changes: u64,
}

impl Shared {
    pub(super) fn new(
        world: Arc<World>,
        (players, channels): (Players, Channels),
        rules: BridgeRules,
        post: Address<BridgeMessage>,
    ) -> Self {
        let remote = world.channels_by_id();
        let remote =
            remote.filter_map(|(id, about)| Some((about.remote.as_deref()?.to_owned(), id)));
        Self {
            by_remote: remote.collect(),
            world,
            players,
            channels,
            rules,
            counts: Counts::default(),
            post,
            staff: RwLock::default(),
            outage: Mutex::default(),
            file: Mutex::new(Arc::new(FileState::Unset)),
        }
    }

    /// The names that channels have on the network.
    pub(super) fn remote_names(&self) -> impl Iterator<Item = &str> {
        self.by_remote.keys().map(String::as_str)
    }

    /// The channel that is called so on the network.
    pub(super) fn channel(&self, remote: &str) -> Option<ChannelId> {
        self.by_remote.get(remote).copied()
    }

    /// The channels that are heard elsewhere.
    pub(super) fn remote_channels(&self) -> impl Iterator<Item = ChannelId> {
        self.by_remote.values().copied()
    }

    /// Channels forget what was said from this game.
    pub(super) fn forget(&self, game: &str) {
        for channel in self.remote_channels() {
            if self.channels.forget(channel, game.into()).is_err() {
                self.counts.dropped.add();
            }
        }
    }

    /// What staff decided.
    pub(super) fn staff(&self) -> Arc<Rules> {
        let staff = self.staff.read().unwrap_or_else(PoisonError::into_inner);
        staff.rules.clone()
    }

    /// How often that was changed.
    pub(super) fn changes(&self) -> u64 {
        let staff = self.staff.read().unwrap_or_else(PoisonError::into_inner);
        staff.changes
    }

    /// Changes what staff decided.
    pub(super) fn change(&self, change: impl FnOnce(&mut Rules)) {
        let mut staff = self.staff.write().unwrap_or_else(PoisonError::into_inner);
        staff.changes = staff.changes.wrapping_add(1);
        change(Arc::make_mut(&mut staff.rules));
    }

    /// These rules hold, which were read when there had been so many changes. Something that was
    /// changed since may be missing in them: then they do not.
    pub(super) fn replace(&self, changes: u64, rules: Rules) -> bool {
        let mut staff = self.staff.write().unwrap_or_else(PoisonError::into_inner);
        let holds = staff.changes == changes;
        if holds {
            staff.rules = Arc::new(rules);
        }
        holds
    }

    /// Who is told of an outage.
    pub(super) fn outage(&self) -> MutexGuard<'_, Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the client does now.
    pub(super) fn note(&self, status: &ClientStatus, now: Instant) {
        let reach = match status {
            ClientStatus::Online { .. } => Reach::Well,
            ClientStatus::Unconfigured => Reach::Nowhere,
            ClientStatus::Off
            | ClientStatus::Waiting { .. }
            | ClientStatus::Connecting
            | ClientStatus::Authenticating
            | ClientStatus::Rejected { .. } => Reach::Out,
        };
        self.outage().set(reach, now);
    }

    /// Why words do not go out just now, if they do not.
    pub(super) fn out(&self) -> Option<Out> {
        match self.outage().reach() {
            Reach::Well => None,
            Reach::Out => Some(Out::OfReach),
            Reach::Nowhere => Some(Out::Nowhere),
        }
    }

    /// What became of the credentials file.
    pub(super) fn file(&self) -> Arc<FileState> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.clone()
    }

    pub(super) fn set_file(&self, state: FileState) {
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
    }

    /// Whether this is the name of this game on the network, as far as that is known.
    pub(super) fn is_ours(&self, game: &str) -> bool {
        matches!(&*self.file(), FileState::Read { game: Some(own), .. }
            if own.eq_ignore_ascii_case(game))
    }

    /// Why this player may not speak to other games, for a muted one with the reason.
    pub(super) fn muted(&self, player: &str) -> Option<Text> {
        let staff = self.staff();
        staff.mute(player).map(|rule| Text::from(&*rule.reason))
    }
}
