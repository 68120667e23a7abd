//! What a peer is asked to do, and the workloads in terms of that: the same code for all peers.

use std::time::{Duration, Instant};
use std::{future::Future, sync::Arc};

use tokio::sync::Semaphore;

use crate::workload::measure::*;
use crate::workload::memory::{self, Held};

/// A library that supervises processes, as a handle to one supervisor.
pub trait Peer: Clone + Send + Sync + 'static {
    /// An address of a child. Where a child's address does not outlive a crash, it finds the new
    /// one.
    type Child: Clone + Send + Sync + 'static;

    /// What the library does not have.
    const LACKS: &'static [Workload];

    /// A running supervisor without children.
    fn open() -> impl Future<Output = Self> + Send;

    /// Starts a child and waits until it says that it runs. The bound is that of its mailbox,
    /// where there are such.
    fn start(&self, bound: usize, plan: Plan) -> impl Future<Output = Self::Child> + Send;

    /// Starts a child without waiting for it.
    fn launch(&self, plan: Plan) -> impl Future<Output = ()> + Send;

    /// Stops the supervisor and its children.
    fn stop(self) -> impl Future<Output = ()> + Send;

    fn send(child: &Self::Child, note: Note) -> impl Future<Output = ()> + Send;

    /// Asks for the count of a child. False when the library says that there is no answer.
    fn call(child: &Self::Child, time_out: bool) -> impl Future<Output = bool> + Send;

    /// Asks a child that was told to crash, until its next incarnation answers. Each start of a
    /// child comes to `started`.
    fn call_again(child: &Self::Child, started: &Gate) -> impl Future<Output = ()> + Send {
        let _ = started;
        async { while !Self::call(child, true).await {} }
    }

    /// Starts a child under a name that anybody can look up.
    fn start_named(&self, name: String) -> impl Future<Output = ()> + Send {
        let _ = name;
        async { unreachable!() }
    }

    /// Looks a child up, and holds its address.
    fn find(&self, name: &str) -> bool {
        let _ = name;
        unreachable!()
    }

    /// What sends a value to all of the children.
    fn group(children: Vec<Self::Child>) -> impl Future<Output = impl Fn(Shared) + Send> + Send {
        let _ = children;
        async { |_| unreachable!() }
    }

    /// Runs a task of the load. Tasks of even and of odd number may run on a thread each.
    fn spawn(number: usize, future: impl Future<Output = ()> + Send + 'static) {
        let _ = number;
        tokio::spawn(future);
    }
}

/// What is sent to a child.
#[derive(Debug)]
pub enum Note {
    Count,
    Shared(Shared),
    Crash,
}

/// What a child does besides. An idle one has none, so that it costs no memory.
#[derive(Clone, Default)]
pub struct Plan(Option<Arc<Gates>>);

#[derive(Default)]
struct Gates {
    until: usize,
    counted: Option<Gate>,
    started: Option<Gate>,
    gone: Option<Gate>,
}

impl Plan {
    fn until(until: usize, counted: &Gate) -> Self {
        Self(Some(Arc::new(Gates {
            until,
            counted: Some(counted.clone()),
            ..Gates::default()
        })))
    }

    fn started(started: &Gate) -> Self {
        Self(Some(Arc::new(Gates {
            started: Some(started.clone()),
            ..Gates::default()
        })))
    }

    fn gone(gone: &Gate) -> Self {
        Self(Some(Arc::new(Gates {
            gone: Some(gone.clone()),
            ..Gates::default()
        })))
    }

    /// Whether the child is of a workload with crashes.
    pub fn crashes(&self) -> bool {
        self.0.as_ref().is_some_and(|gates| gates.started.is_some())
    }
}

/// The state of a child: one for each incarnation.
pub struct Counter {
    pub count: usize,
    plan: Plan,
}

impl Counter {
    pub fn new(plan: Plan) -> Self {
        if let Some(started) = plan.0.as_ref().and_then(|gates| gates.started.as_ref()) {
            started.come();
        }
        Self { count: 0, plan }
    }

    #[inline]
    pub fn note(&mut self, note: Note) {
        match note {
            Note::Count => {}
            Note::Shared(value) => drop(std::hint::black_box(value)),
            Note::Crash => panic!("told to"),
        }
        self.count += 1;
        if let Some(gates) = &self.plan.0
            && self.count == gates.until
            && let Some(counted) = &gates.counted
        {
            counted.come();
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(gone) = self.plan.0.as_ref().and_then(|gates| gates.gone.as_ref()) {
            gone.come();
        }
    }
}

/// Runs a workload; without a figure where the peer has no such thing.
pub async fn run<P: Peer>(workload: Workload) -> Figures {
    if P::LACKS.contains(&workload) {
        return Figures::default();
    }
    match workload {
        Workload::StartOne => start_one::<P>().await,
        Workload::StartTwo => start_two::<P>().await,
        Workload::StartMany => start_many::<P>().await,
        Workload::Stop => stop::<P>().await,
        Workload::Idle => idle::<P>().await,
        Workload::CallPair => Figures::one("call-pair", calls::<P>(1, CALLS, true).await),
        Workload::CallPairs => {
            Figures::one("call-pairs", calls::<P>(PAIRS, CALLS_OF_PAIR, true).await)
        }
        Workload::PlainPair => Figures::one("plain-pair", calls::<P>(1, CALLS, false).await),
        Workload::PlainPairs => {
            Figures::one("plain-pairs", calls::<P>(PAIRS, CALLS_OF_PAIR, false).await)
        }
        Workload::FanIn => fan_in::<P>().await,
        Workload::FanOut => fan_out::<P>().await,
        Workload::GroupOut => group_out::<P>().await,
        Workload::Crash => crash::<P>("crash", CRASHING).await,
        Workload::CrashLarge => crash::<P>("crash-large", CHILDREN).await,
        Workload::LookUp => look_up::<P>().await,
        // Asked of belay-runtime only.
        Workload::Known => Figures::default(),
    }
}

async fn start_one<P: Peer>() -> Figures {
    let peer = P::open().await;
    let begun = Instant::now();
    for _ in 0..CHILDREN {
        peer.start(64, Plan::default()).await;
    }
    Figures::one("start-one", rate(CHILDREN, begun.elapsed()))
}

async fn start_two<P: Peer>() -> Figures {
    let gate = Gate::new(2);
    let peers = [P::open().await, P::open().await];
    let begun = Instant::now();
    for (number, peer) in peers.into_iter().enumerate() {
        let gate = gate.clone();
        P::spawn(number, async move {
            for _ in 0..CHILDREN / 2 {
                peer.start(64, Plan::default()).await;
            }
            gate.come();
        });
    }
    gate.wait().await;
    Figures::one("start-two", rate(CHILDREN, begun.elapsed()))
}

async fn start_many<P: Peer>() -> Figures {
    let (peer, gate) = (P::open().await, Gate::new(CHILDREN));
    let begun = Instant::now();
    for _ in 0..CHILDREN {
        peer.launch(Plan::started(&gate)).await;
    }
    gate.wait().await;
    Figures::one("start-many", rate(CHILDREN, begun.elapsed()))
}

async fn stop<P: Peer>() -> Figures {
    let (peer, gate) = (P::open().await, Gate::new(CHILDREN));
    for _ in 0..CHILDREN {
        peer.start(64, Plan::gone(&gate)).await;
    }
    let begun = Instant::now();
    peer.stop().await;
    gate.wait().await;
    Figures::one("stop", rate(CHILDREN, begun.elapsed()))
}

async fn idle<P: Peer>() -> Figures {
    let peer = P::open().await;
    let before = Held::now();
    for _ in 0..CHILDREN {
        peer.start(64, Plan::default()).await;
    }
    let (allocated, resident) = before.since(CHILDREN);
    Figures::one("idle", allocated).and("idle-rss", resident)
}

async fn calls<P: Peer>(pairs: usize, each: usize, time_out: bool) -> f64 {
    let peer = P::open().await;
    let (ready, go, done) = (
        Gate::new(pairs),
        Arc::new(Semaphore::new(0)),
        Gate::new(pairs),
    );
    for number in 0..pairs {
        let (peer, ready, go, done) = (peer.clone(), ready.clone(), Arc::clone(&go), done.clone());
        P::spawn(number, async move {
            let callee = peer.start(64, Plan::default()).await;
            ready.come();
            drop(go.acquire().await);
            for _ in 0..each {
                assert!(P::call(&callee, time_out).await);
            }
            done.come();
        });
    }
    ready.wait().await;
    let begun = Instant::now();
    go.add_permits(pairs);
    done.wait().await;
    rate(pairs * each, begun.elapsed())
}

async fn fan_in<P: Peer>() -> Figures {
    let (peer, gate) = (P::open().await, Gate::new(1));
    let all = SENDERS * MESSAGES_OF_SENDER;
    let receiver = peer.start(BOUND, Plan::until(all, &gate)).await;
    let begun = Instant::now();
    for number in 0..SENDERS {
        let receiver = receiver.clone();
        P::spawn(number, async move {
            for _ in 0..MESSAGES_OF_SENDER {
                P::send(&receiver, Note::Count).await;
            }
        });
    }
    gate.wait().await;
    Figures::one("fan-in", rate(all, begun.elapsed())).and("fan-in-peak", memory::peak())
}

async fn receivers<P: Peer>(peer: &P, gate: &Gate) -> Vec<P::Child> {
    let mut receivers = Vec::new();
    for _ in 0..RECEIVERS {
        let plan = Plan::until(MESSAGES_TO_RECEIVER, gate);
        receivers.push(peer.start(BOUND, plan).await);
    }
    receivers
}

async fn fan_out<P: Peer>() -> Figures {
    let (peer, gate) = (P::open().await, Gate::new(RECEIVERS));
    let receivers = receivers(&peer, &gate).await;
    let begun = Instant::now();
    P::spawn(0, async move {
        for _ in 0..MESSAGES_TO_RECEIVER {
            let value: Shared = Arc::new([7; SHARED_BYTES]);
            for receiver in &receivers {
                P::send(receiver, Note::Shared(Arc::clone(&value))).await;
            }
        }
    });
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    Figures::one("fan-out", rate)
}

async fn group_out<P: Peer>() -> Figures {
    let (peer, gate) = (P::open().await, Gate::new(RECEIVERS));
    let receivers = receivers(&peer, &gate).await;
    let group = P::group(receivers).await;
    let begun = Instant::now();
    for _ in 0..MESSAGES_TO_RECEIVER {
        group(Arc::new([7; SHARED_BYTES]));
    }
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    Figures::one("fan-out-group", rate)
}

/// [`CRASHING`] of `count` children crash: all at once, then one after the other.
async fn crash<P: Peer>(id: &str, count: usize) -> Figures {
    let (peer, started) = (P::open().await, Gate::new(count));
    let mut children = Vec::new();
    for _ in 0..count {
        children.push(peer.start(64, Plan::started(&started)).await);
    }
    started.wait().await;
    let crashing: Vec<_> = children.iter().step_by(count / CRASHING).collect();
    let mut storms = Duration::ZERO;
    for _ in 0..STORMS {
        started.arm(CRASHING);
        let begun = Instant::now();
        for child in &crashing {
            P::send(child, Note::Crash).await;
        }
        started.wait().await;
        storms += begun.elapsed();
    }
    let mut took = Vec::with_capacity(CRASHING);
    for child in crashing {
        started.arm(1);
        let begun = Instant::now();
        P::send(child, Note::Crash).await;
        P::call_again(child, &started).await;
        took.push(begun.elapsed());
    }
    Figures::crashes(id, storms, took)
}

async fn look_up<P: Peer>() -> Figures {
    let peer = P::open().await;
    let names: Arc<[String]> = (0..NAMES).map(|number| format!("name:{number}")).collect();
    for name in names.iter() {
        peer.start_named(name.clone()).await;
    }
    let gate = Gate::new(2);
    let begun = Instant::now();
    for number in 0..2 {
        let (peer, gate, names) = (peer.clone(), gate.clone(), Arc::clone(&names));
        P::spawn(number, async move {
            let names = names.iter().cycle().skip(number * NAMES / 2);
            for name in names.take(LOOKUPS) {
                assert!(peer.find(name));
            }
            gate.come();
        });
    }
    gate.wait().await;
    Figures::one("look-up", rate(2 * LOOKUPS, begun.elapsed()))
}
