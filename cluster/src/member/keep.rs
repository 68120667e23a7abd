//! `[edge]` Keeps who this node is: a thread writes the identity, so that a slow disk holds up
//! neither raft nor leases.

use super::event::{Event, Keeper};
use super::identity::{Identity, IdentityFile, KnownPeer};
use crate::ids::Incarnation;
use crate::transport::Member;
use crate::wire::WireTransport;
use belay_runtime::{Address, BlockingContext, Capacity, ChildSpec, Exit, Incoming, Mailbox};

/// What the thread is told.
pub(super) enum Order {
    /// This life begins; the driver is told when it is on disk.
    NewLife(Incarnation),
    /// These are the other members.
    Members(Vec<KnownPeer>),
}

/// The driver's side.
pub(super) struct FileKeeper {
    pub(super) writer: Address<Order>,
    pub(super) transport: WireTransport,
}

impl Keeper for FileKeeper {
    fn new_life(&mut self, incarnation: Incarnation) {
        self.post(Order::NewLife(incarnation));
    }

    fn show(&mut self, incarnation: Incarnation) {
        self.transport.live_as(incarnation);
    }

    fn members(&mut self, members: &[Member]) {
        self.post(Order::Members(known(members)));
    }
}

impl FileKeeper {
    fn post(&self, order: Order) {
        // The next change of the members, or the next start, writes them anyway; and a life that
        // is not on disk is not lived.
        if self.writer.try_send(order).is_err() {
            tracing::warn!(target: "belay_cluster", "the identity is written too slowly");
        }
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

/// The thread that writes, with its mailbox.
pub(super) fn writer(
    file: IdentityFile,
    identity: Identity,
    driver: Address<Event>,
) -> (ChildSpec, Address<Order>) {
    let mailbox = Mailbox::new(Capacity::new(64));
    let address = mailbox.address();
    let mut identity = identity;
    let body = move |mut ctx: BlockingContext<Order>| {
        loop {
            let order = match ctx.recv()? {
                Incoming::Message(order) | Incoming::Timer(order) => order,
                Incoming::Signal(_) => continue,
                Incoming::Shutdown => return Ok(()),
            };
            let lives = match order {
                Order::NewLife(incarnation) => {
                    identity.lives = identity.lives.max(incarnation.0);
                    Some(incarnation)
                }
                Order::Members(peers) => {
                    identity.peers = peers;
                    None
                }
            };
            let written = file.write(&identity);
            written.map_err(|error| Exit::error(error.to_string()))?;
            if let Some(incarnation) = lives {
                drop(driver.try_send_owed(Event::NewLife(incarnation)));
            }
        }
    };
    (ChildSpec::blocking("identity", &mailbox, body), address)
}
