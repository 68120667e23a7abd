//! `[process]` The ports and rules that sessions work with.

use super::bans::Bans;
use super::players::{Claims, Players};
use crate::account::{PasswordCost, Throttle};
use crate::bridge::Bridge;
use crate::cluster::people::People;
use crate::content::World;
use crate::event::Text;
use crate::ids::{AccountId, RoomId, SessionId};
use crate::login::LoginRules;
use crate::ring::{Rooms, SessionMessage};
use crate::room::Reach;
use crate::session::SessionRules;
use crate::store::{BanSubject, NewBan, StorePort};
use crate::talk::Channels;
use belay_runtime::WorkerPool;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Asks the node to stop.
pub type ShutdownPort = Arc<dyn Fn() + Send + Sync>;

/// Where new players begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In the first start room that is open.
    StartRoom,
    /// In any room, drawn with this seed.
    Spread {
        /// The seed.
        seed: u64,
    },
}

/// What sessions share.
pub struct Services {
    /// The content.
    pub world: Arc<World>,
    /// The rooms.
    pub rooms: Rooms,
    /// The channels.
    pub channels: Channels,
    /// The bridge to other games.
    pub bridge: Bridge,
    /// The store.
    pub store: StorePort,
    /// Where passwords are hashed.
    pub pool: WorkerPool,
    /// Which session holds which account.
    pub claims: Claims,
    /// Who plays.
    pub players: Players,
    /// Those on other nodes of a cluster.
    pub people: People,
    /// Who may not play.
    pub bans: Bans,
    /// Failed logins.
    pub throttle: Mutex<Throttle>,
    /// What a hash costs.
    pub password_cost: PasswordCost,
    /// For the login dialogue.
    pub login: LoginRules,
    /// For sessions in play.
    pub play: SessionRules,
    /// Where new players begin.
    pub start: Start,
    /// Stops the node.
    pub shutdown: ShutdownPort,
    /// The number of the next guest.
    pub next_guest: AtomicU64,
}

impl Services {
    /// The room where somebody begins who has none.
    pub fn start_room(&self, session: SessionId) -> Option<RoomId> {
        let rooms = self.world.rooms().len();
        match self.start {
            Start::Spread { seed } if rooms > 0 => {
                let drawn = scatter(seed ^ session.0) % u64::try_from(rooms).unwrap_or(1);
                u32::try_from(drawn).ok().map(RoomId)
            }
            Start::Spread { .. } | Start::StartRoom => {
                let listed = self.world.start_rooms().iter();
                let listed = listed.chain(self.world.recall_rooms());
                let first = |reach| {
                    let mut listed = listed.clone();
                    listed.find(|room| self.rooms.reach(**room) == reach)
                };
                let best = first(Reach::Open).or_else(|| first(Reach::Awaited));
                best.copied().or_else(|| self.rooms.first_open())
            }
        }
    }

    /// The room where somebody begins who cannot wait for the right one.
    pub fn open_room(&self) -> Option<RoomId> {
        let listed = self.world.start_rooms().iter();
        let mut listed = listed.chain(self.world.recall_rooms());
        let open = listed.find(|room| self.rooms.is_open(**room)).copied();
        open.or_else(|| self.rooms.first_open())
    }

    /// Bans on all nodes, at once and on record.
    pub fn ban(&self, ban: NewBan) {
        self.ban_everywhere(&ban);
        let (bans, store, people) = (self.bans.clone(), self.store.clone(), self.people.clone());
        self.store.add_ban(ban.clone(), move |added| match added {
            // A node that read the record meanwhile has forgotten what it was told.
            Ok(()) => {
                people.banned(&ban);
                bans.refresh(&store, |_| {});
            }
            Err(error) => tracing::error!(target: "belay_world", %error, "ban not recorded"),
        });
    }

    /// From here on this ban, which is on record or soon will be, holds on all nodes.
    pub fn ban_everywhere(&self, ban: &NewBan) {
        self.people.banned(ban);
        self.hold_ban(ban);
    }

    /// From here on this ban holds on this node, and who plays under it is removed.
    pub fn hold_ban(&self, ban: &NewBan) {
        self.bans.hold(ban);
        self.remove_banned(&ban.subject, &Text::from(&*ban.reason));
    }

    /// From here on this subject is banned on no node.
    pub fn lift_ban(&self, subject: &BanSubject) {
        self.people.lifted(subject);
        self.bans.lift(subject);
    }

    /// Reads the bans from the record, and removes who plays under one that is new.
    pub fn refresh_bans(self: &Arc<Self>) {
        let node = Arc::downgrade(self);
        self.bans.refresh(&self.store, move |bans| {
            if let Some(node) = node.upgrade() {
                for ban in bans {
                    node.remove_banned(&ban.subject, &Text::from(ban.reason));
                }
            }
        });
    }

    /// An account has staff rights from now on, or has none: who plays it notices, wherever.
    pub fn staff(&self, account: AccountId, on: bool) {
        self.people.staff(account, on);
        self.staff_here(account, on);
    }

    /// The same on this node.
    pub fn staff_here(&self, account: AccountId, on: bool) {
        if let Some(holder) = self.claims.lookup(&account) {
            drop(holder.session.try_send_owed(SessionMessage::Staff(on)));
        }
    }

    /// Removes who plays on this node under what was banned.
    pub fn remove_banned(&self, subject: &BanSubject, reason: &Text) {
        let kick = SessionMessage::Kick(reason.clone());
        match subject {
            BanSubject::Character(name) => {
                if let Some(player) = self.players.find_exactly(name.as_str()) {
                    drop(player.session.try_send_owed(kick));
                }
            }
            BanSubject::Account(name) => {
                let claims = self.claims.clone();
                self.store.load_account(name.clone(), move |found| {
                    let holder = found.ok().flatten().and_then(|one| claims.lookup(&one.id));
                    if let Some(holder) = holder {
                        drop(holder.session.try_send_owed(kick));
                    }
                });
            }
            BanSubject::Address(network) => self.players.for_each(|player| {
                let banned = SessionMessage::Banned(*network, reason.clone());
                drop(player.session.try_send_owed(banned));
            }),
        }
    }

    /// A name for the next guest.
    pub fn guest_name(&self) -> String {
        let number = self.next_guest.fetch_add(1, Ordering::Relaxed);
        match self.people.me() {
            None => format!("Guest{number}"),
            Some(node) => format!("Guest{number}n{}", node.0),
        }
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services")
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// Scatters a number over all 64 bits (the finaliser of splitmix64).
fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
