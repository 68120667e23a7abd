//! `[process]` What the rest of the program sees of a member: the same values, written by the
//! driver and read by everybody.

use super::event::{Event, Newest};
use super::route::Part;
use crate::counts::{Carried, Counts};
use crate::handle::{Backend, OrderReply};
use crate::ids::{Incarnation, NodeId, NodeName};
use crate::lease::LeaseClock;
use crate::order::{Order, OrderError};
use crate::raft::{Raft, RaftFigures};
use crate::status::{NodeStatus, PeerStatus, ShardStatus, Status};
use crate::transport::{Class, Lane, Transport, Unsent};
use crate::view::View;
use belay_runtime::Address;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

/// Tells this node's time.
pub(crate) type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// A member, as the program sees it.
pub(crate) struct Shared<T> {
    pub(crate) name: NodeName,
    pub(crate) transport: T,
    pub(crate) driver: Address<Event>,
    pub(crate) lease: LeaseClock,
    pub(crate) news: Arc<Newest>,
    clock: Clock,
    inner: RwLock<Inner>,
}

#[derive(Default)]
struct Inner {
    me: (NodeId, Incarnation),
    view: Arc<View>,
    raft: Option<Raft>,
    observed: Arc<Observations>,
}

/// What only the leader knows, as it last saw it.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// When each node's lease was last renewed.
    pub(crate) leases: BTreeMap<NodeId, Instant>,
    /// Of each shard: when it ticked, and its load.
    pub(crate) shards: BTreeMap<crate::ids::ShardId, (Instant, u32)>,
    /// What every node counts.
    pub(crate) counts: Counts,
}

impl<T: Transport> Shared<T> {
    pub(crate) fn new(name: NodeName, transport: T, driver: Address<Event>, clock: Clock) -> Self {
        Self {
            name,
            transport,
            driver,
            lease: LeaseClock::new(clock()),
            news: Arc::default(),
            clock,
            inner: RwLock::default(),
        }
    }

    /// This node's time.
    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) fn lives_as(&self, me: NodeId, incarnation: Incarnation) {
        self.write(|inner| inner.me = (me, incarnation));
    }

    /// This node's number; 0 before it has joined.
    pub(crate) fn number(&self) -> NodeId {
        self.read(|inner| inner.me.0)
    }

    pub(crate) fn runs(&self, raft: Raft) {
        self.write(|inner| inner.raft = Some(raft));
    }

    pub(crate) fn sees(&self, view: Arc<View>) {
        self.write(|inner| inner.view = view);
    }

    pub(crate) fn observes(&self, observed: Observations) {
        self.write(|inner| inner.observed = Arc::new(observed));
    }

    pub(crate) fn raft(&self) -> Option<Raft> {
        self.read(|inner| inner.raft.clone())
    }

    fn read<R>(&self, look: impl FnOnce(&Inner) -> R) -> R {
        look(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner));
    }
}

impl<T: Transport> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let me = self.read(|inner| inner.me);
        f.debug_struct("Shared")
            .field("me", &me)
            .finish_non_exhaustive()
    }
}

impl<T: Transport> Backend for Shared<T> {
    fn me(&self) -> (NodeId, NodeName, Incarnation) {
        let (node, incarnation) = self.read(|inner| inner.me);
        (node, self.name.clone(), incarnation)
    }

    fn view(&self) -> Arc<View> {
        self.read(|inner| inner.view.clone())
    }

    fn send(&self, to: NodeId, class: Class, body: Bytes) -> Result<(), Unsent> {
        let body = Part::Host.wrap(&body);
        self.transport.send(to, Lane::Play, class, body)
    }

    fn order(&self, order: Order, reply: OrderReply) {
        if let Err(unsent) = self.driver.try_send(Event::Order(order, reply))
            && let Event::Order(_, reply) = unsent.into_inner()
        {
            reply(Err(OrderError::NoLeader));
        }
    }

    fn status(&self) -> Status {
        let (view, raft, observed) = self.read(|inner| {
            let observed = inner.observed.clone();
            (inner.view.clone(), inner.raft.clone(), observed)
        });
        let figures = raft.map(|raft| raft.figures()).unwrap_or_default();
        let now = self.now();
        let own = Own {
            name: &self.name,
            leased: self.lease.holds(now),
            carried: [Lane::Control, Lane::Play].map(|lane| self.transport.counts(lane)),
            now,
        };
        status(&own, &view, &figures, &observed)
    }
}

/// What a node knows of itself.
struct Own<'a> {
    name: &'a NodeName,
    leased: bool,
    carried: [Carried; 2],
    now: Instant,
}

fn status(own: &Own<'_>, view: &View, figures: &RaftFigures, observed: &Observations) -> Status {
    let name_of = |node: NodeId| view.nodes.get(&node).map(|node| node.name.to_string());
    let ago = |at: &Instant| {
        let ago = own.now.saturating_duration_since(*at).as_millis();
        u64::try_from(ago).unwrap_or(u64::MAX)
    };
    let nodes = view.nodes.iter().map(|(node, known)| NodeStatus {
        number: node.0,
        name: known.name.to_string(),
        address: known.address.clone(),
        phase: known.phase,
        incarnation: known.incarnation.0,
        voter: figures.voters.contains(node),
        lease_ms_ago: observed.leases.get(node).map(ago),
        lag: figures.lag.get(node).copied(),
        shards: owned_by(view, *node),
    });
    let shards = view.shards.iter().map(|(shard, placement)| {
        let seen = observed.shards.get(shard);
        ShardStatus {
            shard: shard.to_string(),
            owner: placement.owner().and_then(|(node, _)| name_of(node)),
            placement: *placement,
            ticked_ms_ago: seen.map(|(at, _)| ago(at)),
            weight: seen.map_or(0, |(_, weight)| *weight),
        }
    });
    let [control, play] = &own.carried;
    let peers = control.peers.iter().filter_map(|(node, counts)| {
        Some(PeerStatus {
            name: name_of(*node)?,
            control: *counts,
            play: play.peers.get(node).copied().unwrap_or_default(),
        })
    });
    Status {
        cluster: view.cluster.clone(),
        node: own.name.to_string(),
        leader: figures.leader.and_then(name_of),
        leased: own.leased,
        counts: Counts {
            control: control.total,
            play: play.total,
            ..observed.counts
        },
        term: figures.term,
        log: (figures.last_log, figures.applied),
        nodes: nodes.collect(),
        shards: shards.collect(),
        peers: peers.collect(),
    }
}

fn owned_by(view: &View, node: NodeId) -> usize {
    let owners = view
        .shards
        .values()
        .filter_map(crate::view::Placement::owner);
    owners.filter(|(owner, _)| *owner == node).count()
}
