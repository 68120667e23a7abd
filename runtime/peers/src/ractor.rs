//! ractor: unbounded mailboxes. Its supervisor is its user's, and restarts who failed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ractor::{
    Actor, ActorId, ActorProcessingErr, ActorRef, OutputPort, RpcReplyPort, SupervisionEvent,
};

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{Gate, Shared, TIME_OUT, Workload};

pub enum Ask {
    Note(Note),
    Get(RpcReplyPort<usize>),
}

/// Where a child that may crash puts its address whenever it has started.
type Seat = Arc<Mutex<Option<ActorRef<Ask>>>>;

#[derive(Clone)]
pub struct Arguments {
    plan: Plan,
    seat: Option<Seat>,
}

pub struct Child;

impl Actor for Child {
    type Msg = Ask;
    type State = Counter;
    type Arguments = Arguments;

    async fn pre_start(
        &self,
        own: ActorRef<Ask>,
        arguments: Arguments,
    ) -> Result<Counter, ActorProcessingErr> {
        if let Some(seat) = &arguments.seat {
            *seat.lock().unwrap() = Some(own);
        }
        Ok(Counter::new(arguments.plan))
    }

    async fn handle(
        &self,
        _: ActorRef<Ask>,
        message: Ask,
        counter: &mut Counter,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Ask::Note(note) => counter.note(note),
            Ask::Get(reply) => drop(reply.send(counter.count)),
        }
        Ok(())
    }
}

/// What to restart children with; empty but where they crash.
type Kept = Arc<Mutex<HashMap<ActorId, Arguments>>>;

pub struct Parent;

impl Actor for Parent {
    type Msg = ();
    type State = Kept;
    type Arguments = Kept;

    async fn pre_start(&self, _: ActorRef<()>, kept: Kept) -> Result<Kept, ActorProcessingErr> {
        Ok(kept)
    }

    async fn handle_supervisor_evt(
        &self,
        own: ActorRef<()>,
        event: SupervisionEvent,
        kept: &mut Kept,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(failed, _) = event {
            let arguments = kept.lock().unwrap().remove(&failed.get_id());
            let arguments = arguments.expect("it was kept");
            let again = arguments.clone();
            let (child, _) = Actor::spawn_linked(None, Child, again, own.get_cell()).await?;
            kept.lock().unwrap().insert(child.get_id(), arguments);
        }
        Ok(())
    }
}

#[derive(Clone)]
pub struct Ractor {
    parent: ActorRef<()>,
    kept: Kept,
}

/// The address of a child that does not crash, or the seat of one that does.
#[derive(Clone)]
pub enum Address {
    Lasting(ActorRef<Ask>),
    Changing(Seat),
}

impl Address {
    fn now(&self) -> ActorRef<Ask> {
        match self {
            Self::Lasting(child) => child.clone(),
            Self::Changing(seat) => seat.lock().unwrap().clone().expect("it has started"),
        }
    }
}

async fn call(child: &ActorRef<Ask>, time_out: bool) -> bool {
    let answer = child.call(Ask::Get, time_out.then_some(TIME_OUT)).await;
    answer.is_ok_and(|answer| answer.is_success())
}

impl Peer for Ractor {
    type Child = Address;

    const LACKS: &'static [Workload] = &[];

    async fn open() -> Self {
        let kept = Kept::default();
        let parent = Actor::spawn(None, Parent, Arc::clone(&kept)).await;
        Self {
            parent: parent.unwrap().0,
            kept,
        }
    }

    async fn start(&self, _: usize, plan: Plan) -> Address {
        let seat = plan.crashes().then(Seat::default);
        let arguments = Arguments {
            plan,
            seat: seat.clone(),
        };
        let kept = seat.is_some().then(|| arguments.clone());
        let child = Actor::spawn_linked(None, Child, arguments, self.parent.get_cell()).await;
        let child = child.unwrap().0;
        if let Some(arguments) = kept {
            let mut kept = self.kept.lock().unwrap();
            kept.insert(child.get_id(), arguments);
        }
        match seat {
            Some(seat) => Address::Changing(seat),
            None => Address::Lasting(child),
        }
    }

    async fn launch(&self, plan: Plan) {
        let arguments = Arguments { plan, seat: None };
        let parent = self.parent.get_cell();
        ractor::ActorRuntime::spawn_linked_instant(None, Child, arguments, parent).unwrap();
    }

    async fn stop(self) {
        self.parent.stop_children_and_wait(None, None).await;
        self.parent.stop_and_wait(None, None).await.unwrap();
    }

    async fn send(child: &Address, note: Note) {
        let sent = match child {
            Address::Lasting(child) => child.cast(Ask::Note(note)),
            Address::Changing(_) => child.now().cast(Ask::Note(note)),
        };
        sent.unwrap();
    }

    async fn call(child: &Address, time_out: bool) -> bool {
        match child {
            Address::Lasting(child) => call(child, time_out).await,
            Address::Changing(_) => call(&child.now(), time_out).await,
        }
    }

    /// Its messages go with a child that crashes: who asks again must wait for the next one.
    async fn call_again(child: &Address, started: &Gate) {
        started.wait().await;
        assert!(Self::call(child, true).await);
    }

    async fn start_named(&self, name: String) {
        let arguments = Arguments {
            plan: Plan::default(),
            seat: None,
        };
        let parent = self.parent.get_cell();
        let child = Actor::spawn_linked(Some(name), Child, arguments, parent).await;
        child.unwrap();
    }

    fn find(&self, name: &str) -> bool {
        ActorRef::<Ask>::where_is(name).is_some()
    }

    async fn group(children: Vec<Address>) -> impl Fn(Shared) + Send {
        let port = OutputPort::<Shared>::default();
        for child in children {
            port.subscribe(child.now(), |value| Some(Ask::Note(Note::Shared(value))));
        }
        move |value| port.send(value)
    }
}
