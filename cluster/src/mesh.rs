//! `[process]` A stand-in for a cluster in tests: some nodes in one process, whose placement the
//! test writes itself. Messages arrive in order, each on the thread that sent it or that let it
//! through; a pair of nodes can be held, cut and healed. No raft, no clock, no lease.

use crate::handle::{Backend, Cluster, OrderReply};
use crate::host::{Built, HandOver, Host, PeerNews};
use crate::ids::{Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::lease::{Fence, LeaseClock};
use crate::order::{Order, OrderError};
use crate::status::Status;
use crate::transport::{Class, Unsent};
use crate::view::{NodePhase, NodeView, Placement, View};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// The nodes of a test. A clone is the same mesh.
#[derive(Clone, Debug)]
pub struct Mesh(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
}

struct State {
    view: Arc<View>,
    index: u64,
    hosts: BTreeMap<NodeId, Arc<dyn Host>>,
    fences: BTreeMap<(ShardId, NodeId), Fence>,
    cut: BTreeSet<(NodeId, NodeId)>,
    /// What is on its way, in order; somebody is letting it through.
    queue: VecDeque<Errand>,
    busy: bool,
    sent: BTreeMap<(NodeId, NodeId), u64>,
}

type Errand = Box<dyn FnOnce() + Send>;

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mesh").finish_non_exhaustive()
    }
}

struct Node {
    me: NodeId,
    name: NodeName,
    mesh: Weak<Shared>,
}

impl Mesh {
    /// Nodes 1 to `count`, named `n1`, `n2` and so on, all up, without shards.
    pub fn new(count: u16) -> Self {
        let nodes = (1..=count).filter_map(|number| {
            let node = NodeView {
                name: NodeName::new(&format!("n{number}")).ok()?,
                address: format!("127.0.0.{number}:0"),
                incarnation: Incarnation(1),
                phase: NodePhase::Up,
            };
            Some((NodeId(number), node))
        });
        let view = View {
            cluster: "mesh".into(),
            nodes: nodes.collect(),
            ..View::default()
        };
        let state = State {
            view: Arc::new(view),
            index: 0,
            hosts: BTreeMap::new(),
            fences: BTreeMap::new(),
            cut: BTreeSet::new(),
            queue: VecDeque::new(),
            busy: false,
            sent: BTreeMap::new(),
        };
        Self(Arc::new(Shared {
            state: Mutex::new(state),
        }))
    }

    /// The handle of one of the nodes; nothing for another number.
    pub fn cluster(&self, node: NodeId) -> Option<Cluster> {
        let name = self.0.lock().view.nodes.get(&node)?.name.clone();
        let mesh = Arc::downgrade(&self.0);
        Some(Cluster::new(Arc::new(Node {
            me: node,
            name,
            mesh,
        })))
    }

    /// This host runs on this node; it learns of the others.
    pub fn attach(&self, node: NodeId, host: Arc<dyn Host>) {
        let mut state = self.0.lock();
        let others: Vec<NodeId> = state.hosts.keys().copied().collect();
        state.hosts.insert(node, host.clone());
        let view = state.view.clone();
        state.post(move || host.changed(&view));
        for other in others {
            state.tell(node, move |host| {
                host.peer(other, PeerNews::Up(Incarnation(1)))
            });
            state.tell(other, move |host| {
                host.peer(node, PeerNews::Up(Incarnation(1)))
            });
        }
        drop(state);
        self.0.let_through();
    }

    /// The shard lives on this node from now on, without a hand-over; returns its epoch.
    pub fn place(&self, shard: &ShardId, to: NodeId) -> Epoch {
        let mut state = self.0.lock();
        if let Some((owner, epoch)) = state.view.owner(shard) {
            state.stop(shard, owner, epoch);
        }
        let epoch = state.next();
        state.set(shard, Placement::Placed { node: to, epoch });
        state.run(shard, to, epoch);
        drop(state);
        self.0.let_through();
        epoch
    }

    /// Moves a shard with all that is in it, step by step as a cluster does. `done` says whether
    /// it is there.
    pub fn move_shard(
        &self,
        shard: &ShardId,
        to: NodeId,
        done: impl FnOnce(Result<Epoch, String>) + Send + 'static,
    ) {
        let mut state = self.0.lock();
        let Some((from, epoch)) = state.view.owner(shard) else {
            drop(state);
            return done(Err("nobody owns it".into()));
        };
        let moving = state.next();
        state.set(
            shard,
            Placement::Moving {
                from,
                epoch,
                to,
                moving,
            },
        );
        let (mesh, shard) = (self.clone(), shard.clone());
        let built = {
            let (mesh, shard) = (mesh.clone(), shard.clone());
            move |result: Result<(), String>| mesh.finish(&shard, (moving, result), done)
        };
        let frozen = {
            let (mesh, shard) = (mesh.clone(), shard.clone());
            move |handed: Result<Bytes, String>| match handed {
                Ok(bytes) => {
                    let reply = Built::new(built);
                    let mut state = mesh.0.lock();
                    state.tell(to, move |host| host.build(&shard, moving, bytes, reply));
                    drop(state);
                    mesh.0.let_through();
                }
                Err(why) => built(Err(why)),
            }
        };
        state.tell(from, move |host| {
            host.freeze(&shard, epoch, HandOver::new(frozen))
        });
        drop(state);
        mesh.0.let_through();
    }

    fn finish(
        &self,
        shard: &ShardId,
        (moving, built): (Epoch, Result<(), String>),
        done: impl FnOnce(Result<Epoch, String>),
    ) {
        let mut state = self.0.lock();
        let Some(Placement::Moving {
            from, epoch, to, ..
        }) = state.view.shards.get(shard).copied()
        else {
            drop(state);
            return done(Err("overtaken".into()));
        };
        let outcome = match built {
            Ok(()) => {
                let next = state.next();
                state.set(
                    shard,
                    Placement::Placed {
                        node: to,
                        epoch: next,
                    },
                );
                state.stop(shard, from, epoch);
                state.run(shard, to, next);
                Ok(next)
            }
            Err(why) => {
                state.next();
                state.set(shard, Placement::Placed { node: from, epoch });
                let (id, gone) = (shard.clone(), shard.clone());
                state.tell(from, move |host| host.thaw(&id, epoch));
                state.tell(to, move |host| host.stop(&gone, moving));
                Err(why)
            }
        };
        drop(state);
        self.0.let_through();
        done(outcome);
    }

    /// The node is dead: its wires go down, and what it owned is owned by nobody. Its host hears
    /// nothing any more.
    pub fn kill(&self, node: NodeId) {
        let mut state = self.0.lock();
        state.hosts.remove(&node);
        let others: Vec<NodeId> = state.hosts.keys().copied().collect();
        for other in others {
            state.tell(other, move |host| host.peer(node, PeerNews::Down));
        }
        let index = state.next().0;
        let mut view = View::clone(&state.view);
        view.applied = index;
        if let Some(dead) = view.nodes.get_mut(&node) {
            dead.phase = NodePhase::Down;
        }
        for placement in view.shards.values_mut() {
            if let Some((owner, last)) = placement.owner()
                && owner == node
            {
                *placement = Placement::Unplaced { last };
            }
        }
        for ((_, owner), fence) in &state.fences {
            if *owner == node {
                fence.end();
            }
        }
        state.publish(view);
        drop(state);
        self.0.let_through();
    }

    /// Nothing passes between these two any more, either way.
    pub fn cut(&self, one: NodeId, other: NodeId) {
        let mut state = self.0.lock();
        for (from, to) in [(one, other), (other, one)] {
            if state.cut.insert((from, to)) {
                state.tell(to, move |host| host.peer(from, PeerNews::Down));
            }
        }
        drop(state);
        self.0.let_through();
    }

    /// The wire between these two stands again.
    pub fn heal(&self, one: NodeId, other: NodeId) {
        let mut state = self.0.lock();
        for (from, to) in [(one, other), (other, one)] {
            if state.cut.remove(&(from, to)) {
                state.tell(to, move |host| {
                    host.peer(from, PeerNews::Up(Incarnation(1)))
                });
            }
        }
        drop(state);
        self.0.let_through();
    }

    /// How many messages went from one node to another.
    pub fn sent(&self, from: NodeId, to: NodeId) -> u64 {
        self.0.lock().sent.get(&(from, to)).copied().unwrap_or(0)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets through what waits, unless somebody does already. No lock is held meanwhile.
    fn let_through(&self) {
        loop {
            let errand = {
                let mut state = self.lock();
                if state.busy {
                    return;
                }
                let Some(errand) = state.queue.pop_front() else {
                    return;
                };
                state.busy = true;
                errand
            };
            errand();
            self.lock().busy = false;
        }
    }
}

impl State {
    fn next(&mut self) -> Epoch {
        self.index += 1;
        Epoch(self.index)
    }

    fn set(&mut self, shard: &ShardId, placement: Placement) {
        let mut view = View::clone(&self.view);
        view.applied = self.index;
        view.shards.insert(shard.clone(), placement);
        self.publish(view);
    }

    fn publish(&mut self, view: View) {
        let view = Arc::new(view);
        self.view = view.clone();
        for node in self.hosts.keys().copied().collect::<Vec<_>>() {
            let view = view.clone();
            self.tell(node, move |host| host.changed(&view));
        }
    }

    fn run(&mut self, shard: &ShardId, node: NodeId, epoch: Epoch) {
        let fence = Fence::new(shard.clone(), epoch, LeaseClock::unlimited(start()));
        self.fences.insert((shard.clone(), node), fence.clone());
        let shard = shard.clone();
        self.tell(node, move |host| host.run(&shard, fence));
    }

    fn stop(&mut self, shard: &ShardId, node: NodeId, epoch: Epoch) {
        if let Some(fence) = self.fences.remove(&(shard.clone(), node)) {
            fence.end();
        }
        let shard = shard.clone();
        self.tell(node, move |host| host.stop(&shard, epoch));
    }

    fn tell(&mut self, node: NodeId, word: impl FnOnce(&dyn Host) + Send + 'static) {
        if let Some(host) = self.hosts.get(&node).cloned() {
            self.post(move || word(&*host));
        }
    }

    fn post(&mut self, errand: impl FnOnce() + Send + 'static) {
        self.queue.push_back(Box::new(errand));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only for tests, and a lease that never lapses"
)]
fn start() -> Instant {
    Instant::now()
}

impl Backend for Node {
    fn me(&self) -> (NodeId, NodeName, Incarnation) {
        (self.me, self.name.clone(), Incarnation(1))
    }

    fn view(&self) -> Arc<View> {
        self.mesh
            .upgrade()
            .map(|mesh| mesh.lock().view.clone())
            .unwrap_or_default()
    }

    fn send(&self, to: NodeId, _class: Class, body: Bytes) -> Result<(), Unsent> {
        let mesh = self.mesh.upgrade().ok_or(Unsent::NoWire)?;
        let from = self.me;
        let mut state = mesh.lock();
        let known = state.hosts.contains_key(&to) && state.hosts.contains_key(&from);
        if !known || state.cut.contains(&(from, to)) {
            return Err(Unsent::NoWire);
        }
        *state.sent.entry((from, to)).or_default() += 1;
        state.tell(to, move |host| host.deliver(from, body));
        drop(state);
        mesh.let_through();
        Ok(())
    }

    fn order(&self, _order: Order, reply: OrderReply) {
        reply(Err(OrderError::NoLeader));
    }

    fn status(&self) -> Status {
        Status::default()
    }
}
