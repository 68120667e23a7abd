//! `[edge]` Keeps who this node is: a thread writes the identity, so that a slow disk holds up
//! neither raft nor leases.
//!
//! ```text
//! driver ─ what is to be on disk ─► Desk ─ once it lies there ─► writer ─► identity file
//!    ▲                                                              │
//!    └───────────────── this life is on disk ───────────────────────┘
//! ```
//! The desk has room for the newest life and the newest members, which are all that matters, so
//! it is never full and nothing on it is lost: what could not be written stays there and is
//! written by the writer's next incarnation. A writer that fails again and again ends the node.

use super::event::{Event, Keeper};
use super::identity::{Identity, IdentityFile, KnownPeer};
use crate::ids::Incarnation;
use crate::transport::Member;
use crate::wire::WireTransport;
use belay_runtime::SendWithinError;
use belay_runtime::{Address, BlockingContext, Capacity, ChildSpec, Exit, Incoming, Mailbox};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a writer that waits for room with the driver looks whether it is to stop.
const STOP_LOOK: Duration = Duration::from_millis(500);

/// Something lies on the desk. One that waits stands for all.
pub(super) struct Wake;

/// What is to be on disk and is not yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Owed {
    /// This life begins; the driver is told when it is on disk.
    life: Option<Incarnation>,
    /// These are the other members.
    members: Option<Vec<KnownPeer>>,
}

/// Where the driver leaves it for the writer. A clone is the same desk.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    owed: Arc<Mutex<Owed>>,
    writer: Address<Wake>,
}

/// The driver's side.
pub(super) struct FileKeeper {
    pub(super) desk: Desk,
    pub(super) transport: WireTransport,
}

impl Keeper for FileKeeper {
    fn new_life(&mut self, incarnation: Incarnation) {
        self.desk
            .put(|owed| owed.life = owed.life.max(Some(incarnation)));
    }

    fn show(&mut self, incarnation: Incarnation) {
        self.transport.live_as(incarnation);
    }

    fn members(&mut self, members: &[Member]) {
        self.desk.put(|owed| owed.members = Some(known(members)));
    }
}

impl Desk {
    fn put(&self, change: impl FnOnce(&mut Owed)) {
        change(&mut self.lock());
        // Full: the wake that waits there comes after this.
        drop(self.writer.try_send(Wake));
    }

    /// What lies there, if anything does. It stays.
    fn look(&self) -> Option<Owed> {
        let owed = self.lock().clone();
        (owed != Owed::default()).then_some(owed)
    }

    /// This much is done; what is newer stays.
    fn done(&self, done: &Owed) {
        let mut owed = self.lock();
        if owed.life == done.life {
            owed.life = None;
        }
        if owed.members == done.members {
            owed.members = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Owed> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Members, as they are kept.
pub(super) fn known(members: &[Member]) -> Vec<KnownPeer> {
    let known = members.iter().map(|member| KnownPeer {
        number: member.node.0,
        name: member.name.clone(),
        address: member.address.clone(),
    });
    known.collect()
}

/// The thread that writes, and the desk it writes from.
pub(super) fn writer(
    file: IdentityFile,
    identity: Identity,
    driver: Address<Event>,
) -> (ChildSpec, Desk) {
    let mailbox = Mailbox::new(Capacity::new(2));
    let desk = Desk {
        owed: Arc::default(),
        writer: mailbox.address(),
    };
    let mut writer = Writer {
        file,
        identity,
        desk: desk.clone(),
        driver,
    };
    let body = move |mut ctx: BlockingContext<Wake>| {
        loop {
            // Before the first wake: what an incarnation before this one could not write.
            writer.settle(&mut ctx)?;
            match ctx.recv()? {
                Incoming::Message(Wake) | Incoming::Timer(Wake) | Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    };
    (ChildSpec::blocking("identity", &mailbox, body), desk)
}

struct Writer {
    file: IdentityFile,
    identity: Identity,
    desk: Desk,
    driver: Address<Event>,
}

impl Writer {
    /// Writes until nothing lies on the desk.
    fn settle(&mut self, ctx: &mut BlockingContext<Wake>) -> Result<(), Exit> {
        while let Some(owed) = self.desk.look() {
            if let Some(life) = owed.life {
                self.identity.lives = self.identity.lives.max(life.0);
            }
            if let Some(members) = &owed.members {
                self.identity.peers.clone_from(members);
            }
            let written = self.file.write(&self.identity);
            written.map_err(|error| Exit::error(error.to_string()))?;
            if let Some(life) = owed.life {
                self.tell(ctx, life)?;
            }
            self.desk.done(&owed);
        }
        Ok(())
    }

    /// Tells the driver that this life is on disk; waits while the driver has too much to do.
    fn tell(&self, ctx: &mut BlockingContext<Wake>, life: Incarnation) -> Result<(), Exit> {
        if self.driver.try_send_owed(Event::NewLife(life)).is_ok() {
            return Ok(());
        }
        while !ctx.is_stopping() {
            let sent = self.driver.send_within(Event::NewLife(life), STOP_LOOK);
            match ctx.wait(sent)? {
                Err(SendWithinError::TimedOut(_)) => {}
                // Without a driver nobody lives that life.
                Ok(()) | Err(SendWithinError::Closed(_)) => break,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
