//! `[process]` A zone: the supervisor of its rooms and mobs, and the keeper of what outlives their
//! crashes.
//!
//! ```text
//! zone ─┬─ room … (permanent; 3 crashes in 5 s: closed alone)
//!       ├─ mob …  (permanent; 3 crashes in 60 s: gone)
//!       └─ clock  (what is missing comes back)
//! ```
//! The state of each room and mob is held here, as an heirloom of its child. A room that keeps
//! crashing is closed: its occupants are told and go to the recall room. When several rooms of a
//! zone are closed, the zone itself restarts: all of its rooms open again, with what lay in them
//! and nobody there.

mod clock;
mod right;
#[cfg(test)]
mod tests;

use crate::being::{JourneyStep, Parting};
use crate::content::World;
use crate::ids::{Being, MobId, RoomId, ZoneId};
use crate::limits;
use crate::mob::{MobBody, MobProcess};
use crate::ring::{MobMessage, RoomMessage, Rooms};
use crate::room::{self, LiveRoom, RoomContext, RoomProcess, RoomState, mob_card};
use belay_runtime::{
    Address, Capacity, ChildSpec, Heir, Intensity, Mailbox, Supervisor, SupervisorBuilder,
};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use right::Right;

/// A room that crashes more often is closed.
const ROOM_INTENSITY: Intensity = Intensity::new(3, Duration::from_secs(5));

/// A mob that crashes more often is gone until its zone restarts.
const MOB_INTENSITY: Intensity = Intensity::new(3, Duration::from_secs(60));

/// A zone that loses more children than this restarts as a whole, and so opens its rooms again.
const CHILDREN_LOST_MAX: u32 = 3;

/// How long a lost child counts. A closed room stays closed, so nearly for ever: rooms that close
/// one by one over hours must not leave a zone without any.
const CHILDREN_LOST_WINDOW: Duration = Duration::from_secs(24 * 3600);

/// What a zone is made of.
#[derive(Clone)]
pub struct ZonePlan {
    /// Which zone.
    pub id: ZoneId,
    /// The rooms' directory.
    pub rooms: Rooms,
    /// What rooms share.
    pub shared: Arc<RoomContext>,
    /// Whether mobs live.
    pub mobs: bool,
    /// How often missing things come back.
    pub reset_every: Duration,
    heirs: Arc<BTreeMap<RoomId, Heir<LiveRoom>>>,
    actors: Arc<Mutex<Cast>>,
}

/// The mobs of a zone.
#[derive(Debug, Default)]
struct Cast {
    /// Those that came from another node, until they start.
    moved: BTreeMap<MobId, MobBody>,
    /// How those are reached that have not started.
    mailboxes: BTreeMap<MobId, Mailbox<MobMessage>>,
    /// Those that live.
    living: BTreeMap<MobId, (Address<MobMessage>, Heir<MobBody>)>,
}

/// A mob of a zone that lives: how it is reached, and what it knows.
pub type LiveMob = (MobId, Address<MobMessage>, Heir<MobBody>);

impl fmt::Debug for ZonePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZonePlan")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl ZonePlan {
    /// A plan with empty rooms.
    pub fn new(id: ZoneId, rooms: Rooms, shared: Arc<RoomContext>) -> Self {
        let zone = shared.world.zone(id);
        let heirs = zone
            .into_iter()
            .flat_map(crate::content::Zone::rooms)
            .map(|room| (room, Heir::new(RoomState::new(room))));
        let heirs = Arc::new(heirs.collect());
        let reset_every = Duration::from_secs(15 * 60);
        Self {
            id,
            rooms,
            shared,
            mobs: true,
            reset_every,
            heirs,
            actors: Arc::default(),
        }
    }

    /// The states of its rooms, for whoever puts things onto the floors before the zone starts.
    pub fn floors(&self) -> impl Iterator<Item = (RoomId, Heir<LiveRoom>)> + '_ {
        self.heirs.iter().map(|(room, heir)| (*room, heir.clone()))
    }

    /// The same, shared.
    pub fn heirs(&self) -> Arc<BTreeMap<RoomId, Heir<LiveRoom>>> {
        self.heirs.clone()
    }

    /// This mob comes from another node, when the zone starts.
    pub fn with_mob(&self, id: MobId, body: MobBody) {
        self.actors().moved.insert(id, body);
    }

    /// How this mob will be reached, once the zone has started.
    pub fn mob_port(&self, id: MobId) -> Address<MobMessage> {
        let mut actors = self.actors();
        let mailbox = actors.mailboxes.entry(id).or_insert_with(mob_mailbox);
        mailbox.address()
    }

    /// The mobs that live, once the zone has started.
    pub fn living(&self) -> Vec<LiveMob> {
        let living = &self.actors().living;
        let each = living.iter();
        each.map(|(id, (address, heir))| (*id, address.clone(), heir.clone()))
            .collect()
    }

    fn actors(&self) -> std::sync::MutexGuard<'_, Cast> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The child for the supervisor of all zones.
    pub fn spec(self) -> ChildSpec {
        let key = self
            .shared
            .world
            .zone(self.id)
            .map_or("unknown", |zone| &*zone.key);
        ChildSpec::supervisor(format!("zone:{key}"), move || self.build())
    }

    /// Opens the rooms; called for each incarnation of the zone.
    fn build(&self) -> SupervisorBuilder {
        let world = &self.shared.world;
        let zone = world.zone(self.id);
        let key = zone.map_or("unknown", |zone| &*zone.key);
        let rooms = self.heirs.iter().map(|(id, heir)| self.room(*id, heir));
        let mobs: Vec<ChildSpec> = match zone {
            Some(zone) if self.mobs => zone.mobs().filter_map(|id| self.mob(id)).collect(),
            Some(_) | None => Vec::new(),
        };
        Supervisor::builder(format!("zone:{key}"))
            .intensity(zone_intensity(self.heirs.len()))
            .children(rooms.collect::<Vec<_>>())
            .children(mobs)
            .child(self.clock())
    }

    fn room(&self, id: RoomId, heir: &Heir<LiveRoom>) -> ChildSpec {
        // Who came with the zone from another node stays.
        if self.shared.right.is_none() || self.rooms.is_here(id) {
            throw_out(id, heir);
        }
        let capacity = Capacity {
            messages: limits::ROOM_MAILBOX,
            reserved: limits::ROOM_RESERVED,
        };
        let mailbox = Mailbox::with_kinds(capacity);
        self.rooms.open(id, mailbox.address());
        let name = room_name(&self.shared.world, id);
        let (shared, kept) = (self.shared.clone(), heir.clone());
        let (rooms, heir) = (self.rooms.clone(), heir.clone());
        ChildSpec::process(name, &mailbox, move || {
            RoomProcess::new(id, kept.clone(), shared.clone())
        })
        .intensity(ROOM_INTENSITY)
        .on_abandoned(move |name, exit| {
            rooms.close(id);
            let thrown_out = throw_out(id, &heir);
            tracing::error!(
                target: "belay_world", room = name, reason = %exit, thrown_out, "room closed"
            );
        })
    }

    fn mob(&self, id: MobId) -> Option<ChildSpec> {
        let world = self.shared.world.clone();
        let card = mob_card(&world, id)?;
        let name = format!("mob:{}", world.mob(id)?.key);
        let moved = self.actors().moved.remove(&id);
        let new = || MobBody::new(u64::from(id.0) ^ 0x5eed);
        let heir = Heir::new(moved.unwrap_or_else(new));
        let rooms = self.rooms.clone();
        let (kept, last_rooms) = (heir.clone(), rooms.clone());
        let ready = self.actors().mailboxes.remove(&id);
        let mailbox = ready.unwrap_or_else(mob_mailbox);
        let living = (mailbox.address(), heir.clone());
        self.actors().living.insert(id, living);
        let spec = ChildSpec::process(name, &mailbox, move || {
            MobProcess::new(id, kept.clone(), world.clone(), rooms.clone(), card.clone())
        });
        let spec = spec.on_abandoned(move |_, _| take_out(id, &heir, &last_rooms));
        Some(spec.intensity(MOB_INTENSITY))
    }
}

/// A zone with few rooms restarts at the latest when the last of them closes.
fn zone_intensity(rooms: usize) -> Intensity {
    let all_but_one = u32::try_from(rooms.saturating_sub(1)).unwrap_or(u32::MAX);
    Intensity::new(CHILDREN_LOST_MAX.min(all_but_one), CHILDREN_LOST_WINDOW)
}

fn mob_mailbox() -> Mailbox<MobMessage> {
    Mailbox::with_kinds(Capacity {
        messages: limits::MOB_MAILBOX,
        reserved: limits::MOB_RESERVED,
    })
}

/// Takes a mob that cannot be restarted out of the room where it stands.
fn take_out(id: MobId, heir: &Heir<MobBody>, rooms: &Rooms) {
    let gone = heir.with(MobBody::end);
    if let Some(JourneyStep::Gone(room, seq, _)) = gone {
        let how = Parting::Vanish;
        rooms.tell_if_open(
            room,
            RoomMessage::Cast(Being::Mob(id), room::Cast::Gone { seq, how }),
        );
    }
}

/// Tells those who stand in a room that it is closed, and forgets them.
fn throw_out(id: RoomId, heir: &Heir<LiveRoom>) -> usize {
    let occupants = heir.with(RoomState::empty);
    for occupant in occupants.values() {
        occupant.port.room_closed(id);
    }
    occupants.len()
}

fn room_name(world: &World, id: RoomId) -> String {
    world
        .room(id)
        .map_or_else(|| id.to_string(), |room| format!("room:{}", room.key))
}
