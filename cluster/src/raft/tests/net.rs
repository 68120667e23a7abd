//! `[process]` Links between rafts in one process, with what a network does to them.

use crate::command::{Candidate, Command, Outcome, ShardSpec};
use crate::ids::{ContentHash, DirectoryMark, Incarnation, NodeId, NodeName, ShardId};
use crate::log::Log;
use crate::raft::random::SeededTokio;
use crate::raft::start::Cuts;
use crate::raft::{ProposeError, Raft, RaftConfig, RaftNews};
use crate::transport::{Class, Lane, Member, Transport, Unsent};
use crate::view::View;
use bytes::Bytes;
use openraft::AsyncRuntime;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::timeout;

/// One way over a link.
const LATENCY: Duration = Duration::from_millis(1);

/// Rafts and the links between them. A clone is the same.
#[derive(Clone, Default)]
pub(super) struct Net(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Something was told or received.
    stirred: Notify,
}

#[derive(Default)]
struct State {
    nodes: BTreeMap<NodeId, Node>,
    logs: BTreeMap<NodeId, Log>,
    lives: BTreeMap<NodeId, u64>,
    /// Who does not reach whom; sending fails at once.
    cut: BTreeSet<(NodeId, NodeId)>,
    /// Who does not reach whom and does not notice.
    deaf: BTreeSet<(NodeId, NodeId)>,
    /// Messages that went by, while that is wanted.
    recorded: Option<VecDeque<(NodeId, NodeId, Bytes)>>,
    sent: u64,
    cuts: Cuts,
    /// What was true after each entry, and who led in each term: for all nodes the same.
    history: BTreeMap<u64, Arc<View>>,
    leaders: BTreeMap<u64, NodeId>,
}

struct Node {
    raft: Option<Raft>,
    seen: Seen,
}

/// What a raft has told.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) view: Arc<View>,
    pub(super) term: u64,
    pub(super) leader: Option<NodeId>,
    pub(super) leads: bool,
    pub(super) quorum: Option<Instant>,
    pub(super) voters: BTreeSet<NodeId>,
    pub(super) learners: BTreeSet<NodeId>,
    pub(super) failed: Option<String>,
    /// Each word about who leads, in order.
    pub(super) roles: Vec<(u64, Option<NodeId>, bool)>,
}

#[derive(Clone)]
struct Link {
    /// Weak, so that a net that a test drops ends with all its rafts.
    net: Weak<Shared>,
    me: NodeId,
    life: u64,
}

pub(super) fn n(number: u16) -> NodeId {
    NodeId(number)
}

pub(super) fn set<const N: usize>(numbers: [u16; N]) -> BTreeSet<NodeId> {
    numbers.into_iter().map(NodeId).collect()
}

pub(super) fn shard(name: &str) -> ShardId {
    ShardId::new(name)
}

pub(super) fn declare(name: &str) -> Command {
    let shard = shard(name);
    Command::Declare(vec![ShardSpec { shard, weight: 1 }])
}

/// The entry with which the cluster of the tests begins.
pub(super) fn founding() -> Command {
    Command::Found {
        cluster: "tests".to_owned(),
        first: Candidate {
            name: NodeName::new("n1").unwrap(),
            mark: DirectoryMark([1; 16]),
            incarnation: Incarnation(1),
            address: "127.0.0.1:1".to_owned(),
            content: ContentHash::default(),
        },
    }
}

pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Lets so much time pass.
pub(super) async fn pass(time: Duration) {
    drop(timeout(time, std::future::pending::<()>()).await);
}

impl Net {
    /// Logs are cut after so many entries, of which so many are kept.
    pub(super) fn with_cuts(every: u64, kept: u64) -> Self {
        let net = Self::default();
        net.lock().cuts = Cuts { every, kept };
        net
    }

    /// Three voters and what they need to begin: node 1 leads.
    pub(super) async fn three(self) -> Self {
        for node in 1..=3 {
            self.start(n(node)).await;
        }
        self.raft(n(1)).found().await.unwrap();
        self.until("node 1 leads", |net| net.seen(n(1)).leads).await;
        let done = self.raft(n(1)).propose(founding()).await;
        assert_eq!(done, Ok(Outcome::Joined(n(1))));
        for node in [2, 3] {
            self.raft(n(1)).add_learner(n(node)).await.unwrap();
        }
        let caught_up = |net: &Self| net.raft(n(1)).figures().lag.values().all(|lag| *lag == 0);
        self.until("the others have learned", caught_up).await;
        self.raft(n(1)).set_voters(set([1, 2, 3])).await.unwrap();
        self
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    /// Starts a node on its log, which is empty at first.
    pub(super) async fn start(&self, node: NodeId) {
        let (log, life, cuts) = {
            let mut state = self.lock();
            let log = state.logs.remove(&node).unwrap_or_else(Log::memory);
            let log = log.restarted();
            state.logs.insert(node, log.clone());
            let life = state.lives.entry(node).or_default();
            *life += 1;
            let life = *life;
            let seen = Seen::default();
            state.nodes.insert(node, Node { raft: None, seen });
            (log, life, state.cuts)
        };
        let me = node;
        let config = RaftConfig {
            me,
            rank: node.0 - 1,
            seed: life,
            log,
            cuts,
        };
        let net = Arc::downgrade(&self.0);
        let link = Link {
            net: net.clone(),
            me,
            life,
        };
        let hears = move |news| {
            if let Some(net) = net.upgrade() {
                Self(net).hear(me, life, news);
            }
        };
        let raft = Raft::start(config, link, hears).await.unwrap();
        self.lock().nodes.get_mut(&node).unwrap().raft = Some(raft);
    }

    fn hear(&self, node: NodeId, life: u64, news: RaftNews) {
        let mut state = self.lock();
        if state.lives.get(&node) != Some(&life) {
            return;
        }
        let State {
            nodes,
            history,
            leaders,
            ..
        } = &mut *state;
        let Some(Node { seen, .. }) = nodes.get_mut(&node) else {
            return;
        };
        match news {
            RaftNews::Applied(view) => {
                assert!(view.applied >= seen.view.applied, "a view went back");
                let known = history.entry(view.applied).or_insert_with(|| view.clone());
                assert_eq!(*known, view, "{node} differs");
                seen.view = view;
            }
            RaftNews::Role {
                term,
                leader,
                me_leads,
            } => {
                if me_leads {
                    let known = *leaders.entry(term).or_insert(node);
                    assert_eq!(known, node, "two lead in term {term}");
                }
                seen.roles.push((term, leader, me_leads));
                (seen.term, seen.leader, seen.leads) = (term, leader, me_leads);
            }
            RaftNews::Quorum(at) => seen.quorum = Some(at),
            RaftNews::Members { voters, learners } => {
                (seen.voters, seen.learners) = (voters, learners);
            }
            RaftNews::Failed(why) => seen.failed = Some(why),
        }
        drop(state);
        self.0.stirred.notify_waiters();
    }

    /// The node is dead, with all that it had not kept.
    pub(super) fn kill(&self, node: NodeId) {
        // Dropped when nothing is locked any more.
        let dead = self.lock().nodes.remove(&node);
        drop(dead);
    }

    pub(super) fn raft(&self, node: NodeId) -> Raft {
        self.lock().nodes[&node].raft.clone().unwrap()
    }

    pub(super) fn log(&self, node: NodeId) -> Log {
        self.lock().logs[&node].clone()
    }

    pub(super) fn seen(&self, node: NodeId) -> Seen {
        let state = self.lock();
        let node = state.nodes.get(&node);
        node.map(|node| node.seen.clone()).unwrap_or_default()
    }

    /// Those that live.
    pub(super) fn living(&self) -> Vec<NodeId> {
        self.lock().nodes.keys().copied().collect()
    }

    /// The one that leads beyond doubt; of two, the one of the later term.
    pub(super) fn leader(&self) -> Option<NodeId> {
        let living = self.living().into_iter();
        let leads = living.filter(|node| self.seen(*node).leads);
        leads.max_by_key(|node| self.seen(*node).term)
    }

    /// Between these nothing passes any more, and who sends is told.
    pub(super) fn cut(&self, one: NodeId, other: NodeId) {
        self.lock().cut.extend([(one, other), (other, one)]);
    }

    /// From one to the other nothing passes any more, and nobody notices.
    pub(super) fn deafen(&self, from: NodeId, to: NodeId) {
        self.lock().deaf.insert((from, to));
    }

    /// A node is cut off from all others.
    pub(super) fn isolate(&self, node: NodeId) {
        for other in (1..=9).map(n).filter(|other| *other != node) {
            self.cut(node, other);
        }
    }

    /// All messages that were kept, once more.
    pub(super) fn repeat(&self) {
        let all = self
            .lock()
            .recorded
            .replace(VecDeque::new())
            .unwrap_or_default();
        for (from, to, body) in all {
            let raft = self
                .lock()
                .nodes
                .get(&to)
                .and_then(|node| node.raft.clone());
            if let Some(raft) = raft {
                raft.receive(from, &body);
            }
        }
    }

    pub(super) fn heal(&self) {
        let mut state = self.lock();
        state.cut.clear();
        state.deaf.clear();
    }

    /// Begins to keep what goes by.
    pub(super) fn record(&self) {
        self.lock().recorded = Some(VecDeque::new());
    }

    /// What went from one to the other since then.
    pub(super) fn recorded(&self, from: NodeId, to: NodeId) -> Vec<Bytes> {
        let state = self.lock();
        let all = state.recorded.iter().flatten();
        let between = all.filter(|(one, other, _)| (*one, *other) == (from, to));
        between.map(|(_, _, body)| body.clone()).collect()
    }

    /// How many messages were sent at all.
    pub(super) fn sent(&self) -> u64 {
        self.lock().sent
    }

    /// Waits for this; not for ever.
    pub(super) async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        self.within(Duration::from_secs(20), what, holds).await;
    }

    pub(super) async fn within(&self, time: Duration, what: &str, holds: impl Fn(&Self) -> bool) {
        let wait = async {
            loop {
                let stirred = self.0.stirred.notified();
                if holds(self) {
                    return;
                }
                stirred.await;
            }
        };
        if timeout(time, wait).await.is_err() {
            let seen: Vec<_> = self
                .living()
                .iter()
                .map(|id| (*id, self.seen(*id)))
                .collect();
            panic!("not within {time:?}: {what}\n{seen:#?}");
        }
    }

    /// Has a command committed by whoever leads, as a client does who tries again.
    pub(super) async fn commit(&self, command: Command) -> Outcome {
        loop {
            self.until("somebody leads", |net| net.leader().is_some())
                .await;
            let Some(leader) = self.leader() else {
                continue;
            };
            match self.raft(leader).propose(command.clone()).await {
                Ok(outcome) => return outcome,
                Err(ProposeError::NotLeader { .. } | ProposeError::Unknown) => {}
                Err(other) => panic!("{other}"),
            }
            pass(Duration::from_millis(20)).await;
        }
    }

    /// Waits until all that live have applied the same, and that this is in it.
    pub(super) async fn agree(&self, shards: &[String]) -> Arc<View> {
        let same = |net: &Self| {
            let views: Vec<_> = net.living().iter().map(|id| net.seen(*id).view).collect();
            let one = &views[0];
            let all = shards
                .iter()
                .all(|name| one.shards.contains_key(&shard(name)));
            all && views.iter().all(|view| view == one)
        };
        self.until("all agree", same).await;
        self.seen(self.living()[0]).view
    }
}

impl Transport for Link {
    fn send(&self, to: NodeId, lane: Lane, class: Class, body: Bytes) -> Result<(), Unsent> {
        assert_eq!((lane, class), (Lane::Control, Class::Owed));
        assert!(body.len() <= crate::limits::FRAME_BYTES_MAX);
        let net = Net(self.net.upgrade().ok_or(Unsent::NoWire)?);
        let from = self.me;
        {
            let mut state = net.lock();
            let dead =
                state.lives.get(&from) != Some(&self.life) || !state.nodes.contains_key(&from);
            if dead || state.cut.contains(&(from, to)) || !state.nodes.contains_key(&to) {
                return Err(Unsent::NoWire);
            }
            state.sent += 1;
            if let Some(recorded) = &mut state.recorded {
                // The last ones; a run of random faults is long.
                if recorded.len() == 2_000 {
                    recorded.pop_front();
                }
                recorded.push_back((from, to, body.clone()));
            }
            if state.deaf.contains(&(from, to)) {
                return Ok(());
            }
        }
        let net = self.net.clone();
        drop(SeededTokio::spawn(async move {
            pass(LATENCY).await;
            let Some(net) = net.upgrade().map(Net) else {
                return;
            };
            let raft = {
                let state = net.lock();
                let cut = state.cut.contains(&(from, to));
                let node = state.nodes.get(&to).filter(|_| !cut);
                node.and_then(|node| node.raft.clone())
            };
            if let Some(raft) = raft {
                raft.receive(from, &body);
            }
            net.0.stirred.notify_waiters();
        }));
        Ok(())
    }

    fn counts(&self, _: Lane) -> crate::Carried {
        crate::Carried::default()
    }

    fn members(&self, _: &[Member]) {}
}
