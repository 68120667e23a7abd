//! The workloads on belay-runtime.

mod crash;
mod population;
mod traffic;

use super::measure::{CHILDREN, CRASHING, Figures, Gate, Shared, TIME_OUT, Workload};
use belay_runtime::*;

/// Runs a workload on the tokio runtime that this is called on. Without a figure where
/// belay-runtime has no such thing: it has no calls without a time-out.
pub async fn run(workload: Workload) -> Figures {
    match workload {
        Workload::StartOne => population::start_one().await,
        Workload::StartTwo => population::start_two().await,
        Workload::StartMany => population::start_many().await,
        Workload::Stop => population::stop().await,
        Workload::Idle => population::idle_bytes().await,
        Workload::Known => population::known().await,
        Workload::CallPair => traffic::call_pair().await,
        Workload::CallPairs => traffic::call_pairs().await,
        Workload::FanIn => traffic::fan_in().await,
        Workload::FanOut => traffic::fan_out().await,
        Workload::Crash => crash::run("crash", CRASHING).await,
        Workload::CrashLarge => crash::run("crash-large", CHILDREN).await,
        Workload::LookUp => traffic::look_up().await,
        Workload::GroupOut => traffic::group_out().await,
        Workload::PlainPair | Workload::PlainPairs => Figures::default(),
    }
}

enum Ask {
    Count,
    Shared(Shared),
    Get(Reply<usize>),
    Crash,
}

/// Counts, answers, crashes.
#[derive(Clone, Default)]
struct Counter {
    count: usize,
    /// Comes to the gate `counted` when it has counted that far.
    until: usize,
    counted: Option<Gate>,
    /// Comes here whenever it has started.
    started: Option<Gate>,
}

impl Counter {
    fn until(until: usize, counted: &Gate) -> Self {
        Self {
            until,
            counted: Some(counted.clone()),
            ..Self::default()
        }
    }

    fn count(&mut self) {
        self.count += 1;
        if self.count == self.until
            && let Some(gate) = &self.counted
        {
            gate.come();
        }
    }
}

impl Process for Counter {
    type Message = Ask;

    async fn init(&mut self, _: &mut Context<Ask>) -> Result<(), Exit> {
        if let Some(gate) = &self.started {
            gate.come();
        }
        Ok(())
    }

    async fn handle(&mut self, _: &mut Context<Ask>, message: Ask) -> Result<Flow, Exit> {
        match message {
            Ask::Count => self.count(),
            Ask::Shared(value) => {
                std::hint::black_box(&value);
                self.count();
            }
            Ask::Get(reply) => drop(reply.send(self.count)),
            Ask::Crash => panic!("told to"),
        }
        Ok(Flow::Continue)
    }
}

/// A tree with one dynamic supervisor in it.
struct Bed {
    node: Node,
    children: DynamicSupervisor,
}

impl Bed {
    async fn new() -> Self {
        let options = DynamicOptions {
            intensity: Intensity::UNLIMITED,
            partitions: 2,
            ..DynamicOptions::default()
        };
        let children = DynamicSupervisor::new("children", options);
        let node = Node::start(Supervisor::builder("node").child(children.spec())).await;
        Self {
            node: node.expect("the node starts"),
            children,
        }
    }

    /// Starts a child and waits for it.
    async fn counter(&self, bound: usize, counter: Counter) -> Address<Ask> {
        let bound = u32::try_from(bound).expect("it is small");
        let mailbox = Mailbox::new(Capacity::new(bound));
        let spec = ChildSpec::process("counter", &mailbox, move || counter.clone());
        self.children.start_child(spec).await.expect("it starts");
        mailbox.address()
    }

    fn task(&self, future: impl Future<Output = ()> + Send + 'static) {
        let spec = ChildSpec::task("task", |_| async move {
            future.await;
            Ok(())
        });
        self.children.spawn_child(spec).expect("there is room");
    }

    async fn stop(self) {
        let report = self.node.stop(TIME_OUT).await;
        assert_eq!(report, StopReport::default());
    }
}
