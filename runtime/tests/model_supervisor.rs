//! Goal: a static supervisor restarts, gives up, abandons and shuts itself down as OTP's does,
//! whatever the order of crashes. Method: random children under a random supervisor, random steps
//! on a paused clock, and after each step a comparison with a model that is a page of plain code.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use belay_runtime::{Strategy, *};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

/// How a child ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Blow {
    Panic,
    Fail,
    Kill,
    Stop,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Blow(usize, Blow),
    Advance(u64),
    Terminate(usize),
    Restart(usize),
}

/// More than so many in so many milliseconds is too many.
type Limit = (u32, u64);

#[derive(Clone, Copy, Debug)]
struct Child {
    restart: Restart,
    significant: bool,
    own: Option<Limit>,
}

#[derive(Clone, Debug)]
struct Plan {
    strategy: Strategy,
    auto_shutdown: AutoShutdown,
    limit: Limit,
    children: Vec<Child>,
}

impl Plan {
    /// Takes away what contradicts itself and would be refused.
    fn made_consistent(mut self) -> Self {
        for child in &mut self.children {
            child.significant &= self.auto_shutdown != AutoShutdown::Never;
            child.significant &= child.restart != Restart::Permanent;
            if child.restart == Restart::Temporary {
                child.own = None;
            }
        }
        self
    }
}

fn limits(most: u32) -> impl Generator<Value = Limit> {
    (0..most, (1_u64..8).prop_map(|halves| halves * 500))
}

fn plans() -> impl Generator<Value = Plan> {
    let restart = prop_oneof![
        3 => Just(Restart::Permanent),
        2 => Just(Restart::Transient),
        1 => Just(Restart::Temporary),
    ];
    let child = (
        restart,
        any::<bool>(),
        prop::option::weighted(0.3, limits(3)),
    );
    let child = child.prop_map(|(restart, significant, own)| Child {
        restart,
        significant,
        own,
    });
    let strategy = prop_oneof![
        Just(Strategy::OneForOne),
        Just(Strategy::OneForAll),
        Just(Strategy::RestForOne),
    ];
    let auto = prop_oneof![
        Just(AutoShutdown::Never),
        Just(AutoShutdown::AnySignificant),
        Just(AutoShutdown::AllSignificant),
    ];
    (
        strategy,
        auto,
        limits(6),
        prop::collection::vec(child, 1..6),
    )
        .prop_map(|(strategy, auto_shutdown, limit, children)| {
            Plan {
                strategy,
                auto_shutdown,
                limit,
                children,
            }
            .made_consistent()
        })
}

fn steps() -> impl Generator<Value = Vec<Step>> {
    let blow = prop_oneof![
        Just(Blow::Panic),
        Just(Blow::Fail),
        Just(Blow::Kill),
        Just(Blow::Stop),
    ];
    let step = prop_oneof![
        4 => (0_usize..6, blow).prop_map(|(child, blow)| Step::Blow(child, blow)),
        1 => (0_u64..7).prop_map(|halves| Step::Advance(halves * 500)),
        1 => (0_usize..6).prop_map(Step::Terminate),
        1 => (0_usize..6).prop_map(Step::Restart),
    ];
    prop::collection::vec(step, 1..24)
}

/// What the model says that a child does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Running,
    /// Ended; comes back when a sibling is restarted.
    Parked,
    /// Terminated by name; comes back by name.
    Resting,
    Ended,
    Abandoned,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    GaveUp,
    ShutDown,
}

struct Model {
    plan: Plan,
    now: u64,
    doing: Vec<Doing>,
    restarts: Vec<u32>,
    failures: Vec<u64>,
    own_failures: Vec<Vec<u64>>,
    outcome: Option<Outcome>,
}

/// Records a failure now; true when it is one too many.
fn too_many(failures: &mut Vec<u64>, now: u64, (most, period): Limit) -> bool {
    failures.retain(|at| now - at < period);
    failures.push(now);
    failures.len() > most as usize
}

impl Model {
    fn new(plan: Plan) -> Self {
        let count = plan.children.len();
        Self {
            plan,
            now: 0,
            doing: vec![Doing::Running; count],
            restarts: vec![0; count],
            failures: Vec::new(),
            own_failures: vec![Vec::new(); count],
            outcome: None,
        }
    }

    fn blow(&mut self, number: usize, blow: Blow) {
        let child = self.plan.children[number];
        let restarted = match child.restart {
            Restart::Permanent => true,
            Restart::Transient => blow != Blow::Stop,
            Restart::Temporary => false,
        };
        if !restarted {
            let rests =
                child.restart == Restart::Transient && self.plan.strategy != Strategy::OneForOne;
            return self.end(number, if rests { Doing::Parked } else { Doing::Ended });
        }
        let too_often = match child.own {
            Some(own) if too_many(&mut self.own_failures[number], self.now, own) => {
                self.end(number, Doing::Abandoned);
                self.count_failure();
                return;
            }
            Some(_) => false,
            None => self.count_failure(),
        };
        if !too_often {
            self.restart(number);
        }
    }

    fn count_failure(&mut self) -> bool {
        let too_often = too_many(&mut self.failures, self.now, self.plan.limit);
        if too_often {
            self.outcome.get_or_insert(Outcome::GaveUp);
        }
        too_often
    }

    /// A child ended by itself and does not come back.
    fn end(&mut self, number: usize, doing: Doing) {
        self.doing[number] = doing;
        let children = &self.plan.children;
        if !children[number].significant {
            return;
        }
        let others = (0..children.len())
            .any(|other| children[other].significant && self.doing[other] == Doing::Running);
        let shuts_down = match self.plan.auto_shutdown {
            AutoShutdown::Never => false,
            AutoShutdown::AnySignificant => true,
            AutoShutdown::AllSignificant => !others,
        };
        if shuts_down {
            self.outcome.get_or_insert(Outcome::ShutDown);
        }
    }

    fn terminate(&mut self, number: usize) {
        let temporary = self.plan.children[number].restart == Restart::Temporary;
        self.doing[number] = match self.doing[number] {
            Doing::Running if temporary => Doing::Ended,
            Doing::Running | Doing::Parked | Doing::Resting => Doing::Resting,
            ended @ (Doing::Ended | Doing::Abandoned) => ended,
        };
    }

    fn restart_by_name(&mut self, number: usize) {
        if self.doing[number] == Doing::Resting {
            self.doing[number] = Doing::Running;
            self.restarts[number] += 1;
        }
    }

    fn restart(&mut self, failed: usize) {
        let group = match self.plan.strategy {
            Strategy::OneForOne => failed..failed + 1,
            Strategy::OneForAll => 0..self.doing.len(),
            Strategy::RestForOne => failed..self.doing.len(),
        };
        for number in group {
            let temporary = self.plan.children[number].restart == Restart::Temporary;
            match self.doing[number] {
                Doing::Running if temporary => self.doing[number] = Doing::Ended,
                Doing::Running | Doing::Parked => {
                    self.doing[number] = Doing::Running;
                    self.restarts[number] += 1;
                }
                Doing::Resting | Doing::Ended | Doing::Abandoned => {}
            }
        }
    }
}

/// Counts itself while it is, and ends as it is told.
struct Pawn(Arc<AtomicUsize>);

impl Pawn {
    fn new(all: &Arc<AtomicUsize>) -> Self {
        all.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(all))
    }
}

impl Drop for Pawn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Process for Pawn {
    type Message = Blow;

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
    addresses: Vec<Address<Blow>>,
    alive: Arc<AtomicUsize>,
}

impl Rig {
    async fn start(plan: &Plan) -> Self {
        let alive = Arc::new(AtomicUsize::new(0));
        let mut builder = Supervisor::builder("node")
            .strategy(plan.strategy)
            .auto_shutdown(plan.auto_shutdown)
            .intensity(intensity(plan.limit));
        let mut addresses = Vec::new();
        for (number, child) in plan.children.iter().enumerate() {
            let mailbox = Mailbox::new(Capacity::new(1));
            addresses.push(mailbox.address());
            let alive = Arc::clone(&alive);
            let make = move || Pawn::new(&alive);
            let mut spec = ChildSpec::process(number.to_string(), &mailbox, make)
                .restart(child.restart)
                .significant(child.significant);
            if let Some(own) = child.own {
                spec = spec.intensity(intensity(own));
            }
            builder = builder.child(spec);
        }
        Self {
            node: Node::start(builder).await.unwrap(),
            addresses,
            alive,
        }
    }

    /// Compares what runs with what the model says.
    fn compare(&self, model: &Model) -> Result<(), TestCaseError> {
        let tree = self.node.tree();
        prop_assert!(self.node.root().is_alive(), "it ended");
        for (number, expected) in model.doing.iter().enumerate() {
            let name = number.to_string();
            let Some(found) = tree.children.iter().find(|child| child.name == name) else {
                prop_assert_eq!(*expected, Doing::Ended, "{} is not listed", number);
                continue;
            };
            match expected {
                Doing::Running => {
                    prop_assert_eq!(found.state, State::Running, "{}", tree.to_text());
                    prop_assert_eq!(found.restarts, model.restarts[number], "{}", number);
                }
                Doing::Parked => prop_assert_eq!(found.state, State::Waiting, "{}", number),
                Doing::Resting | Doing::Ended => {
                    prop_assert_eq!(found.state, State::Ended, "{}", number)
                }
                Doing::Abandoned => prop_assert_eq!(found.state, State::Abandoned, "{}", number),
            }
            let open = *expected == Doing::Running;
            prop_assert_eq!(!self.addresses[number].is_closed(), open, "{}", number);
        }
        let running = model.doing.iter().filter(|doing| **doing == Doing::Running);
        prop_assert_eq!(self.alive.load(Ordering::Relaxed), running.count());
        Ok(())
    }

    /// Compares how the supervisor ended, or stops it; nothing is left over.
    async fn end(self, outcome: Option<Outcome>) -> Result<(), TestCaseError> {
        match outcome {
            Some(outcome) => {
                prop_assert!(!self.node.root().is_alive(), "it runs on: {outcome:?}");
                let found = match self.node.finished().await {
                    Exit::Crash(crash) if crash.kind == CrashKind::Intensity => Outcome::GaveUp,
                    Exit::Shutdown => Outcome::ShutDown,
                    other @ (Exit::Normal | Exit::Killed | Exit::Crash(_)) => {
                        return Err(TestCaseError::fail(format!("ended with {other}")));
                    }
                };
                prop_assert_eq!(found, outcome);
            }
            None => {
                prop_assert!(self.node.root().is_alive(), "it gave up");
                let report = self.node.stop(Duration::from_secs(60)).await;
                prop_assert_eq!(report, StopReport::default());
            }
        }
        prop_assert_eq!(self.alive.load(Ordering::Relaxed), 0);
        prop_assert!(self.addresses.iter().all(Address::is_closed));
        Ok(())
    }
}

async fn follow(plan: Plan, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let rig = Rig::start(&plan).await;
    let supervisor = rig.node.supervisor();
    let mut model = Model::new(plan);
    for step in steps {
        match step {
            Step::Advance(ms) => {
                model.now += ms;
                test_kit::advance(Duration::from_millis(ms)).await;
            }
            Step::Blow(number, blow) => {
                let number = number % model.doing.len();
                let sent = rig.addresses[number].try_send(blow);
                prop_assert_eq!(sent.is_ok(), model.doing[number] == Doing::Running);
                if sent.is_ok() {
                    model.blow(number, blow);
                }
                test_kit::settle().await;
            }
            Step::Terminate(number) => {
                let number = number % model.doing.len();
                let done = supervisor.terminate_child(&number.to_string()).await;
                let listed = !matches!(done, Err(ChildError::NotFound));
                prop_assert!(listed || model.doing[number] == Doing::Ended);
                model.terminate(number);
            }
            Step::Restart(number) => {
                let number = number % model.doing.len();
                let done = supervisor.restart_child(&number.to_string()).await;
                let expected = match model.doing[number] {
                    Doing::Running => matches!(done, Err(ChildError::Running)),
                    Doing::Parked => matches!(done, Err(ChildError::Restarting)),
                    Doing::Resting => done.is_ok(),
                    Doing::Ended => {
                        matches!(done, Err(ChildError::Ended | ChildError::NotFound))
                    }
                    Doing::Abandoned => matches!(done, Err(ChildError::Ended)),
                };
                prop_assert!(expected, "{:?}: {:?}", model.doing[number], done);
                model.restart_by_name(number);
            }
        }
        if model.outcome.is_some() {
            break;
        }
        rig.compare(&model)?;
    }
    rig.end(model.outcome).await
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_static_supervisor_does_as_the_model_says(plan in plans(), steps in steps()) {
        test_kit::run(follow(plan, steps))?;
    }
}

/// A significant child that came back with its siblings counts again.
#[test]
fn regression_a_significant_child_that_came_back_ends_twice() {
    let child = Child {
        restart: Restart::Transient,
        significant: true,
        own: None,
    };
    let plan = Plan {
        strategy: Strategy::OneForAll,
        auto_shutdown: AutoShutdown::AllSignificant,
        limit: (5, 1_000),
        children: vec![child; 2],
    };
    let steps = [
        Step::Blow(0, Blow::Stop),
        Step::Blow(1, Blow::Panic),
        Step::Blow(0, Blow::Stop),
    ];
    test_kit::run(follow(plan, steps.to_vec())).unwrap();
}

/// A significant child that was stopped with its siblings and does not come back counts no more.
#[test]
fn regression_a_significant_temporary_child_ends_with_its_siblings() {
    let child = |restart| Child {
        restart,
        significant: true,
        own: None,
    };
    let plan = Plan {
        strategy: Strategy::OneForAll,
        auto_shutdown: AutoShutdown::AllSignificant,
        limit: (5, 1_000),
        children: vec![child(Restart::Temporary), child(Restart::Transient)],
    };
    let steps = [Step::Blow(1, Blow::Panic), Step::Blow(1, Blow::Stop)];
    test_kit::run(follow(plan, steps.to_vec())).unwrap();
}
