//! kameo: children restarted by its own supervision; bounded mailboxes.

use std::time::Duration;

use kameo::actor::{Actor, ActorRef, Spawn};
use kameo::error::Infallible;
use kameo::mailbox;
use kameo::message::{Context, Message};
use kameo::supervision::RestartPolicy;

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{TIME_OUT, Workload};

pub struct Parent;

impl Actor for Parent {
    type Args = ();
    type Error = Infallible;

    async fn on_start((): (), _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

impl Actor for Counter {
    type Args = Plan;
    type Error = Infallible;

    async fn on_start(plan: Plan, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self::new(plan))
    }
}

impl Message<Note> for Counter {
    type Reply = ();

    async fn handle(&mut self, note: Note, _: &mut Context<Self, ()>) {
        self.note(note);
    }
}

pub struct Get;

impl Message<Get> for Counter {
    type Reply = usize;

    async fn handle(&mut self, _: Get, _: &mut Context<Self, usize>) -> usize {
        self.count
    }
}

async fn launch(parent: &ActorRef<Parent>, bound: usize, plan: Plan) -> ActorRef<Counter> {
    Counter::supervise_with(parent, move || plan.clone())
        .restart_policy(RestartPolicy::Permanent)
        .restart_limit(u32::MAX, Duration::from_secs(1))
        .spawn_with_mailbox(mailbox::bounded(bound))
        .await
}

impl Peer for ActorRef<Parent> {
    type Child = ActorRef<Counter>;

    const LACKS: &'static [Workload] = &[Workload::GroupOut];

    async fn open() -> Self {
        Parent::spawn(())
    }

    async fn start(&self, bound: usize, plan: Plan) -> ActorRef<Counter> {
        let child = launch(self, bound, plan).await;
        child.wait_for_startup().await;
        child
    }

    async fn launch(&self, plan: Plan) {
        launch(self, 64, plan).await;
    }

    async fn stop(self) {
        self.stop_gracefully().await.unwrap();
        self.wait_for_shutdown().await;
    }

    async fn send(child: &ActorRef<Counter>, note: Note) {
        child.tell(note).await.unwrap();
    }

    /// Now and then it says that a child has stopped, while it is being restarted.
    async fn call(child: &ActorRef<Counter>, time_out: bool) -> bool {
        if time_out {
            child.ask(Get).reply_timeout(TIME_OUT).await.is_ok()
        } else {
            child.ask(Get).await.is_ok()
        }
    }

    async fn start_named(&self, name: String) {
        let child = self.start(64, Plan::default()).await;
        child.register(name).unwrap();
    }

    fn find(&self, name: &str) -> bool {
        ActorRef::<Counter>::lookup(name).unwrap().is_some()
    }
}
