//! Goal: a dynamic supervisor starts, bounds, restarts, abandons and stops its children as said,
//! and gives up when it must, whatever the order. Method: random steps on a paused clock, and after
//! each a comparison with a model that is a page of plain code.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use belay_runtime::*;
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

/// More than so many in so many milliseconds is too many.
type Limit = (u32, u64);

const CHILDREN_MAX: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Blow {
    Panic,
    Fail,
    Kill,
    Stop,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Start(Restart, Option<Limit>),
    /// A start that fails.
    Fail,
    Stop(usize),
    Blow(usize, Blow),
    Advance(u64),
}

fn steps() -> impl Generator<Value = Vec<Step>> {
    let restart = prop_oneof![
        Just(Restart::Permanent),
        Just(Restart::Transient),
        Just(Restart::Temporary),
    ];
    let own = prop::option::weighted(0.4, (0_u32..3, (1_u64..8).prop_map(|halves| halves * 500)));
    let blow = prop_oneof![
        Just(Blow::Panic),
        Just(Blow::Fail),
        Just(Blow::Kill),
        Just(Blow::Stop),
    ];
    let step = prop_oneof![
        4 => (restart, own).prop_map(|(restart, own)| match restart {
            Restart::Temporary => Step::Start(restart, None),
            Restart::Permanent | Restart::Transient => Step::Start(restart, own),
        }),
        1 => Just(Step::Fail),
        1 => (0_usize..30).prop_map(Step::Stop),
        6 => (0_usize..30, blow).prop_map(|(child, blow)| Step::Blow(child, blow)),
        1 => (0_u64..7).prop_map(|halves| Step::Advance(halves * 500)),
    ];
    prop::collection::vec(step, 1..40)
}

/// A child as the model sees it.
struct Child {
    restart: Restart,
    own: Option<Limit>,
    failures: Vec<u64>,
    restarts: u32,
    runs: bool,
}

struct Model {
    limit: Limit,
    now: u64,
    failures: Vec<u64>,
    children: Vec<Child>,
    gave_up: bool,
}

/// Records a failure now; true when it is one too many.
fn too_many(failures: &mut Vec<u64>, now: u64, (most, period): Limit) -> bool {
    failures.retain(|at| now - at < period);
    failures.push(now);
    failures.len() > most as usize
}

impl Model {
    fn running(&self) -> usize {
        self.children.iter().filter(|child| child.runs).count()
    }

    fn blow(&mut self, number: usize, blow: Blow) {
        let child = &mut self.children[number];
        child.runs = match child.restart {
            Restart::Permanent => true,
            Restart::Transient => blow != Blow::Stop,
            Restart::Temporary => false,
        };
        if !child.runs {
            return;
        }
        let counts = match child.own {
            Some(own) => {
                let abandoned = too_many(&mut child.failures, self.now, own);
                child.runs = !abandoned;
                abandoned
            }
            None => true,
        };
        child.restarts += 1;
        if counts && too_many(&mut self.failures, self.now, self.limit) {
            self.gave_up = true;
        }
    }
}

/// Counts itself while it is, and ends as it is told.
struct Pawn {
    all: Arc<AtomicUsize>,
    starts: bool,
}

impl Pawn {
    fn new(all: &Arc<AtomicUsize>, starts: bool) -> Self {
        all.fetch_add(1, Ordering::Relaxed);
        Self {
            all: Arc::clone(all),
            starts,
        }
    }
}

impl Drop for Pawn {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Process for Pawn {
    type Message = Blow;

    async fn init(&mut self, _: &mut Context<Blow>) -> Result<(), Exit> {
        if self.starts {
            Ok(())
        } else {
            Err(Exit::error("told not to"))
        }
    }

    async fn handle(&mut self, ctx: &mut Context<Blow>, blow: Blow) -> Result<Flow, Exit> {
        match blow {
            Blow::Panic => panic!("told to"),
            Blow::Fail => Err(Exit::error("told to")),
            Blow::Kill => {
                ctx.process().kill();
                std::future::pending().await
            }
            Blow::Stop => Ok(Flow::Stop),
        }
    }
}

fn intensity((most, period): Limit) -> Intensity {
    Intensity::new(most, Duration::from_millis(period))
}

struct Rig {
    node: Node,
    supervisor: DynamicSupervisor,
    alive: Arc<AtomicUsize>,
    children: Vec<(ProcessRef, Address<Blow>)>,
}

impl Rig {
    async fn start(limit: Limit) -> Self {
        let options = DynamicOptions {
            max_children: CHILDREN_MAX,
            intensity: intensity(limit),
            partitions: 3,
        };
        let supervisor = DynamicSupervisor::new("children", options);
        let builder = Supervisor::builder("node").intensity(Intensity::new(0, Duration::MAX));
        Self {
            node: Node::start(builder.child(supervisor.spec())).await.unwrap(),
            supervisor,
            alive: Arc::default(),
            children: Vec::new(),
        }
    }

    async fn start_child(
        &mut self,
        restart: Restart,
        own: Option<Limit>,
        starts: bool,
    ) -> Result<(), StartError> {
        let mailbox = Mailbox::new(Capacity::new(1));
        let alive = Arc::clone(&self.alive);
        let make = move || Pawn::new(&alive, starts);
        let mut spec = ChildSpec::process("child", &mailbox, make).restart(restart);
        if let Some(own) = own {
            spec = spec.intensity(intensity(own));
        }
        let child = self.supervisor.start_child(spec).await?;
        self.children.push((child, mailbox.address()));
        Ok(())
    }

    fn compare(&self, model: &Model) -> Result<(), TestCaseError> {
        prop_assert!(self.node.root().is_alive(), "it ended");
        prop_assert_eq!(self.supervisor.count(), model.running());
        prop_assert_eq!(self.alive.load(Ordering::Relaxed), model.running());
        let tree = self.node.tree();
        let shown = &tree.children[0].children;
        prop_assert_eq!(shown.len(), model.running());
        for ((process, address), child) in self.children.iter().zip(&model.children) {
            prop_assert_eq!(process.is_alive(), child.runs);
            prop_assert_eq!(!address.is_closed(), child.runs);
            let found = shown.iter().find(|found| found.pid == process.pid());
            let restarts = found.map(|found| found.restarts);
            prop_assert_eq!(restarts, child.runs.then_some(child.restarts));
        }
        Ok(())
    }

    async fn end(self, gave_up: bool) -> Result<(), TestCaseError> {
        prop_assert_eq!(!self.node.root().is_alive(), gave_up);
        let report = self.node.stop(Duration::from_secs(60)).await;
        prop_assert_eq!(report, StopReport::default());
        prop_assert_eq!(self.supervisor.count(), 0);
        prop_assert_eq!(self.alive.load(Ordering::Relaxed), 0);
        let gone = |(child, address): &(ProcessRef, Address<Blow>)| {
            !child.is_alive() && address.is_closed()
        };
        prop_assert!(self.children.iter().all(gone));
        Ok(())
    }
}

async fn follow(limit: Limit, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut rig = Rig::start(limit).await;
    let mut model = Model {
        limit,
        now: 0,
        failures: Vec::new(),
        children: Vec::new(),
        gave_up: false,
    };
    for step in steps {
        let full = model.running() == CHILDREN_MAX;
        match step {
            Step::Advance(ms) => {
                model.now += ms;
                test_kit::advance(Duration::from_millis(ms)).await;
            }
            Step::Start(restart, own) => {
                let started = rig.start_child(restart, own, true).await;
                prop_assert_eq!(started.is_err(), full, "{:?}", started);
                if !full {
                    model.children.push(Child {
                        restart,
                        own,
                        failures: Vec::new(),
                        restarts: 0,
                        runs: true,
                    });
                }
            }
            Step::Fail => {
                let started = rig.start_child(Restart::Permanent, None, false).await;
                let expected = match started {
                    Err(StartError::TooManyChildren { max: CHILDREN_MAX }) => full,
                    Err(StartError::Failed { .. }) => !full,
                    _ => false,
                };
                prop_assert!(expected);
            }
            Step::Stop(number) if number < model.children.len() => {
                let pid = rig.children[number].0.pid();
                let stopped = rig.supervisor.stop_child(pid).await;
                let runs = std::mem::take(&mut model.children[number].runs);
                prop_assert_eq!(stopped.is_ok(), runs, "{:?}", stopped);
            }
            Step::Blow(number, blow) if number < model.children.len() => {
                let sent = rig.children[number].1.try_send(blow);
                prop_assert_eq!(sent.is_ok(), model.children[number].runs);
                if sent.is_ok() {
                    model.blow(number, blow);
                }
            }
            Step::Stop(_) | Step::Blow(..) => {}
        }
        test_kit::settle().await;
        if model.gave_up {
            break;
        }
        rig.compare(&model)?;
    }
    rig.end(model.gave_up).await
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_dynamic_supervisor_does_as_the_model_says(
        limit in (0_u32..8, (1_u64..8).prop_map(|halves| halves * 500)),
        steps in steps(),
    ) {
        test_kit::run(follow(limit, steps))?;
    }
}
