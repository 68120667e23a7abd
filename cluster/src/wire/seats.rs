//! `[process]` One seat for each node and lane: the wire that sits there is the one whose messages
//! count. What a seat gives to the inbox comes in order, whichever thread brings it: `Up`, the
//! messages of that wire, `Down`, and only then the `Up` of the next.

use super::figures::LaneFigures;
use super::outbox::{Closed, Outbox};
use crate::counts::PeerCounts;
use crate::ids::{Incarnation, NodeId};
use crate::transport::{Class, Inbound, Lane, Unsent};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// Where what comes is put. Called on the thread of the wire, and must not wait. It may send, and
/// may change the members.
pub type Inbox = Arc<dyn Fn(Inbound) + Send + Sync>;

/// The seats of one lane.
pub(crate) struct Seats {
    pub(crate) lane: Lane,
    pub(crate) figures: Arc<LaneFigures>,
    inbox: OnceLock<Inbox>,
    /// Where to send to. Changed only under the lock of the seat.
    routes: RwLock<BTreeMap<NodeId, Sitting>>,
    seats: Mutex<BTreeMap<NodeId, Arc<Seat>>>,
    /// What was counted of each member.
    peers: Mutex<BTreeMap<NodeId, Arc<LaneFigures>>>,
}

#[derive(Default)]
struct Seat {
    state: Mutex<SeatState>,
}

#[derive(Default)]
struct SeatState {
    /// Counts those that sat here.
    serial: u64,
    sitting: Option<Sitting>,
}

/// Who sits.
#[derive(Clone)]
struct Sitting {
    incarnation: Incarnation,
    outbox: Arc<Outbox>,
}

/// A wire that sits: dropped, it leaves.
pub(crate) struct Seated {
    seats: Arc<Seats>,
    seat: Arc<Seat>,
    serial: u64,
    pub(crate) node: NodeId,
    incarnation: Incarnation,
}

impl Seats {
    pub(crate) fn new(lane: Lane) -> Self {
        Self {
            lane,
            figures: Arc::default(),
            inbox: OnceLock::new(),
            routes: RwLock::default(),
            seats: Mutex::default(),
            peers: Mutex::default(),
        }
    }

    /// What comes goes there. The first stands.
    pub(crate) fn deliver_to(&self, inbox: Inbox) {
        let _first = self.inbox.set(inbox);
    }

    /// Sends to a node.
    pub(crate) fn send(&self, to: NodeId, class: Class, body: Bytes) -> Result<(), Unsent> {
        let outbox = {
            let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
            routes.get(&to).map(|sitting| Arc::clone(&sitting.outbox))
        };
        outbox.ok_or(Unsent::NoWire)?.send(class, body)
    }

    /// A wire sits down, in place of another one of that node, unless that is of a later life.
    pub(crate) fn take(
        self: &Arc<Self>,
        node: NodeId,
        incarnation: Incarnation,
        outbox: &Arc<Outbox>,
    ) -> Result<Seated, Incarnation> {
        let seat = {
            let mut seats = lock(&self.seats);
            Arc::clone(seats.entry(node).or_default())
        };
        let mut state = lock(&seat.state);
        if let Some(sitting) = &state.sitting {
            if sitting.incarnation > incarnation {
                return Err(sitting.incarnation);
            }
            sitting.outbox.close(Closed::Replaced);
            self.empty(&mut state, node);
        }
        outbox.leads_to(self.counted(node));
        state.serial += 1;
        let sitting = Sitting {
            incarnation,
            outbox: Arc::clone(outbox),
        };
        state.sitting = Some(sitting.clone());
        let serial = state.serial;
        // Before anybody hears of it, so that whoever hears can send.
        self.route(node, Some(sitting));
        outbox.count(|it| it.connected.add(1));
        self.put(Inbound::Up {
            from: node,
            incarnation,
            lane: self.lane,
        });
        drop(state);
        Ok(Seated {
            seats: Arc::clone(self),
            seat,
            serial,
            node,
            incarnation,
        })
    }

    /// Has those that sit leave, where `why` says so. Waits for no seat: it may be called by the
    /// inbox.
    pub(crate) fn close(&self, why: impl Fn(NodeId, Incarnation) -> Option<Closed>) {
        {
            let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
            for (node, sitting) in routes.iter() {
                if let Some(why) = why(*node, sitting.incarnation) {
                    sitting.outbox.close(why);
                }
            }
        }
        // A seat that nobody holds but the table has nobody on it.
        lock(&self.seats).retain(|_, seat| Arc::strong_count(seat) > 1);
    }

    /// Wires that stand, and messages that wait for them.
    pub(crate) fn standing(&self) -> (u64, u64) {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let waiting: usize = routes.values().map(|sitting| sitting.outbox.len()).sum();
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        (count(routes.len()), count(waiting))
    }

    fn counted(&self, node: NodeId) -> Arc<LaneFigures> {
        Arc::clone(lock(&self.peers).entry(node).or_default())
    }

    /// Only these are told of from now on.
    pub(crate) fn tell_of(&self, members: impl Iterator<Item = NodeId>) {
        let mut peers = lock(&self.peers);
        let kept = members.map(|node| (node, peers.remove(&node).unwrap_or_default()));
        let kept = kept.collect();
        *peers = kept;
    }

    /// What was counted of each member.
    pub(crate) fn peers(&self) -> BTreeMap<NodeId, PeerCounts> {
        let peers = lock(&self.peers).clone();
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let queued = |node| {
            let sitting = routes.get(node)?;
            u64::try_from(sitting.outbox.len()).ok()
        };
        let told = peers.iter();
        let told = told.map(|(node, figures)| (*node, figures.of_peer(queued(node))));
        told.collect()
    }

    /// Whether a wire to the node stands.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        routes.contains_key(&node)
    }

    fn empty(&self, state: &mut SeatState, node: NodeId) {
        state.sitting = None;
        self.route(node, None);
        self.figures.lost.add(1);
        self.put(Inbound::Down {
            from: node,
            lane: self.lane,
        });
    }

    fn route(&self, node: NodeId, sitting: Option<Sitting>) {
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        match sitting {
            Some(sitting) => routes.insert(node, sitting),
            None => routes.remove(&node),
        };
    }

    fn put(&self, inbound: Inbound) {
        if let Some(inbox) = self.inbox.get() {
            inbox(inbound);
        }
    }
}

impl Seated {
    /// Gives a message to the inbox; `false` when another wire sits here by now.
    pub(crate) fn deliver(&self, body: Bytes) -> bool {
        let state = lock(&self.seat.state);
        let mine = state.serial == self.serial;
        if mine {
            self.seats.put(Inbound::Message {
                from: self.node,
                incarnation: self.incarnation,
                lane: self.seats.lane,
                body,
            });
        }
        drop(state);
        mine
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        let mut state = lock(&self.seat.state);
        if state.serial == self.serial && state.sitting.is_some() {
            self.seats.empty(&mut state, self.node);
        }
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seats")
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}

/// What is behind these locks is whole whenever they are free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
