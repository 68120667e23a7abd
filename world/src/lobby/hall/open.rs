//! `[process]` The hall and its rooms as parts of a node's tree.

use super::process::{HallBody, HallProcess};
use crate::lobby::limits::{HALL_MAILBOX, HALL_RESERVED, ROOM_MAILBOX, ROOM_RESERVED, ROOMS_MAX};
use crate::lobby::ring::{HallMessage, HallPort, RoomPort};
use crate::lobby::room::{About, RoomBody, RoomContext, RoomProcess, WallClock};
use belay_runtime::{
    Backoff, Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Heir, Intensity, Mailbox,
    Restart, StartError,
};
use std::fmt;
use std::time::Duration;

/// A room, or the hall, that keeps crashing comes back later and later, and is never given up:
/// those in it wait for it, and a message that crashes it is dropped.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(20),
    factor: 4.0,
    max: Duration::from_secs(5),
    jitter: 0.5,
};

/// How a hall is set up.
#[derive(Clone)]
pub struct HallSettings {
    /// Seats of rooms for which nobody asked another number.
    pub seats: u16,
    /// The clock that people read.
    pub clock: WallClock,
}

impl fmt::Debug for HallSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HallSettings")
            .field("seats", &self.seats)
            .finish_non_exhaustive()
    }
}

/// The hall with its rooms. A clone is the same.
#[derive(Clone, Debug)]
pub struct Hall {
    mailbox: Mailbox<HallMessage>,
    opener: Opener,
    heir: Heir<HallBody>,
}

impl Hall {
    /// A hall that runs once its [specs](Self::specs) do.
    pub fn new(settings: HallSettings) -> Self {
        let mailbox = Mailbox::new(Capacity {
            messages: HALL_MAILBOX,
            reserved: HALL_RESERVED,
        });
        let options = DynamicOptions {
            max_children: ROOMS_MAX as usize + 1,
            intensity: Intensity::UNLIMITED,
            partitions: 1,
        };
        let shared = RoomContext {
            hall: mailbox.address(),
            clock: settings.clock,
        };
        Self {
            opener: Opener {
                rooms: DynamicSupervisor::new("lobby-rooms", options),
                shared,
            },
            heir: Heir::new(HallBody::new(settings.seats)),
            mailbox,
        }
    }

    /// How it is reached.
    pub fn port(&self) -> HallPort {
        self.mailbox.address()
    }

    /// The children for the tree: the rooms first, then the hall, which opens them.
    pub fn specs(&self) -> [ChildSpec; 2] {
        let (heir, opener) = (self.heir.clone(), self.opener.clone());
        let hall = ChildSpec::process("hall", &self.mailbox, move || {
            HallProcess::new(heir.clone(), opener.clone())
        });
        let hall = hall.intensity(Intensity::UNLIMITED).backoff(BACKOFF);
        [self.opener.rooms.spec(), hall]
    }

    /// Rooms that run.
    pub fn rooms(&self) -> usize {
        self.opener.rooms.count()
    }
}

/// Opens rooms.
#[derive(Clone, Debug)]
pub(super) struct Opener {
    rooms: DynamicSupervisor,
    shared: RoomContext,
}

impl Opener {
    /// A room that runs from now on: how it is reached, and what outlives its incarnations.
    pub(super) fn open(&self, about: About) -> Result<(RoomPort, Heir<RoomBody>), StartError> {
        let mailbox = Mailbox::new(Capacity {
            messages: ROOM_MAILBOX,
            reserved: ROOM_RESERVED,
        });
        let name = format!("lobby-room:{}", about.id.0);
        let heir = Heir::new(RoomBody::new(about));
        let (own, shared) = (heir.clone(), self.shared.clone());
        let spec = ChildSpec::process(name, &mailbox, move || {
            RoomProcess::new(own.clone(), shared.clone())
        });
        let spec = spec
            .restart(Restart::Transient)
            .intensity(Intensity::UNLIMITED)
            .backoff(BACKOFF);
        self.rooms.spawn_child(spec)?;
        Ok((mailbox.address(), heir))
    }
}
