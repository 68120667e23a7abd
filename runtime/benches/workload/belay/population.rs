//! Many processes that do nothing: started, stopped, weighed.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::super::measure::{CHILDREN, Figures, Gate, rate};
use super::super::memory::Held;
use super::Bed;
use belay_runtime::*;

/// Waits for a message, for ever. It has no gate: its start is acknowledged by the library.
struct Idle;

impl Process for Idle {
    type Message = u64;

    async fn handle(&mut self, _: &mut Context<u64>, _: u64) -> Result<Flow, Exit> {
        Ok(Flow::Continue)
    }
}

fn idle(name: &Arc<str>) -> ChildSpec {
    let mailbox = Mailbox::new(Capacity::new(64));
    ChildSpec::process(Arc::clone(name), &mailbox, || Idle)
}

async fn start(children: DynamicSupervisor, count: usize) {
    let name = Arc::from("idle");
    for _ in 0..count {
        let started = children.start_child(idle(&name)).await;
        started.expect("it starts");
    }
}

pub(super) async fn start_one() -> Figures {
    let bed = Bed::new().await;
    let begun = Instant::now();
    start(bed.children.clone(), CHILDREN).await;
    Figures::one("start-one", rate(CHILDREN, begun.elapsed()))
}

pub(super) async fn start_two() -> Figures {
    let bed = Bed::new().await;
    let gate = Gate::new(2);
    let begun = Instant::now();
    for _ in 0..2 {
        let (children, gate) = (bed.children.clone(), gate.clone());
        bed.task(async move {
            start(children, CHILDREN / 2).await;
            gate.come();
        });
    }
    gate.wait().await;
    Figures::one("start-two", rate(CHILDREN, begun.elapsed()))
}

/// Says itself that it has started: nobody waits for each.
struct Told(Gate);

impl Process for Told {
    type Message = u64;

    async fn init(&mut self, _: &mut Context<u64>) -> Result<(), Exit> {
        self.0.come();
        Ok(())
    }

    async fn handle(&mut self, _: &mut Context<u64>, _: u64) -> Result<Flow, Exit> {
        Ok(Flow::Continue)
    }
}

pub(super) async fn start_many() -> Figures {
    let bed = Bed::new().await;
    let gate = Gate::new(CHILDREN);
    let name: Arc<str> = Arc::from("idle");
    let begun = Instant::now();
    for _ in 0..CHILDREN {
        let (mailbox, gate) = (Mailbox::new(Capacity::new(64)), gate.clone());
        let spec = ChildSpec::process(Arc::clone(&name), &mailbox, move || Told(gate.clone()));
        bed.children.spawn_child(spec).expect("there is room");
    }
    gate.wait().await;
    Figures::one("start-many", rate(CHILDREN, begun.elapsed()))
}

pub(super) async fn stop() -> Figures {
    let bed = Bed::new().await;
    start(bed.children.clone(), CHILDREN).await;
    let begun = Instant::now();
    bed.stop().await;
    Figures::one("stop", rate(CHILDREN, begun.elapsed()))
}

pub(super) async fn idle_bytes() -> Figures {
    let bed = Bed::new().await;
    let before = Held::now();
    start(bed.children.clone(), CHILDREN).await;
    let (allocated, resident) = before.since(CHILDREN);
    Figures::one("idle", allocated).and("idle-rss", resident)
}

/// Registers itself, links itself to who did so before it, and monitors it.
struct Known {
    registry: Registry<String, Address<u64>>,
    before: Arc<Mutex<Option<ProcessRef>>>,
}

impl Process for Known {
    type Message = u64;

    async fn init(&mut self, ctx: &mut Context<u64>) -> Result<(), Exit> {
        let own = ctx.process();
        let name = ctx.name().to_string();
        let held = self.registry.register(name, ctx.address(), &own);
        held.expect("the name is free").keep();
        let before = self.before.lock().expect("nobody panics").replace(own);
        if let Some(before) = before {
            ctx.link(&before);
            ctx.monitor(&before);
        }
        Ok(())
    }

    async fn handle(&mut self, _: &mut Context<u64>, _: u64) -> Result<Flow, Exit> {
        Ok(Flow::Continue)
    }
}

pub(super) async fn known() -> Figures {
    let bed = Bed::new().await;
    let (registry, last) = (Registry::new(), Arc::new(Mutex::new(None)));
    let before = Held::now();
    for number in 0..CHILDREN {
        let mailbox = Mailbox::new(Capacity::new(64));
        let (registry, last) = (registry.clone(), Arc::clone(&last));
        let spec = ChildSpec::process(format!("name:{number}"), &mailbox, move || Known {
            registry: registry.clone(),
            before: Arc::clone(&last),
        });
        bed.children.start_child(spec).await.expect("it starts");
    }
    let (allocated, resident) = before.since(CHILDREN);
    Figures::one("known", allocated).and("known-rss", resident)
}
