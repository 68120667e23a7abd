//! bastion: groups of one child under one supervisor, its best case; unbounded mailboxes and an
//! executor of its own with a thread for each core.

use std::sync::{Arc, Mutex};

use bastion::prelude::*;
use tokio::sync::oneshot;

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{Figures, Gate, Workload};

/// Runs the workload on bastion's executor.
pub fn run(workload: Workload) -> Figures {
    Bastion::init_with(Config::new().hide_backtraces());
    Bastion::start();
    let (done, measured) = oneshot::channel();
    bastion::executor::spawn(async move {
        let _ = done.send(crate::peer::run::<Group>(workload).await);
    });
    measured.blocking_recv().unwrap()
}

#[derive(Debug)]
struct Get;

/// Where a child puts its address whenever it has started.
type Seat = Arc<Mutex<Option<ChildRef>>>;

#[derive(Clone)]
pub struct Group(SupervisorRef);

/// The address of a child that does not crash, or the seat of one that does.
#[derive(Clone)]
pub enum Address {
    Lasting(ChildRef),
    Changing(Seat),
}

impl Address {
    fn with<R>(&self, f: impl FnOnce(&ChildRef) -> R) -> R {
        match self {
            Self::Lasting(child) => f(child),
            Self::Changing(seat) => {
                let child = seat.lock().unwrap().clone();
                f(&child.expect("it has started"))
            }
        }
    }
}

async fn live(ctx: BastionContext, plan: Plan) -> Result<(), ()> {
    let mut counter = Counter::new(plan);
    loop {
        let message = ctx.recv().await?;
        MessageHandler::new(message)
            .on_tell(|note: Note, _| counter.note(note))
            .on_question(|_: Get, sender| sender.reply(counter.count).unwrap())
            .on_fallback(|_, _| ());
    }
}

type Ready = Arc<Mutex<Option<oneshot::Sender<()>>>>;

impl Group {
    fn child(&self, plan: Plan, seat: Option<Seat>, ready: Option<Ready>) -> ChildRef {
        let group = self.0.children(|children| {
            children.with_exec(move |ctx| {
                let (plan, seat, ready) = (plan.clone(), seat.clone(), ready.clone());
                async move {
                    if let Some(seat) = seat {
                        *seat.lock().unwrap() = Some(ctx.current().clone());
                    }
                    if let Some(ready) = ready.and_then(|ready| ready.lock().unwrap().take()) {
                        let _ = ready.send(());
                    }
                    live(ctx, plan).await
                }
            })
        });
        group.unwrap().elems()[0].clone()
    }
}

impl Peer for Group {
    type Child = Address;

    const LACKS: &'static [Workload] = &[
        Workload::CallPair,
        Workload::CallPairs,
        Workload::GroupOut,
        Workload::LookUp,
    ];

    async fn open() -> Self {
        Self(Bastion::supervisor(|supervisor| supervisor).unwrap())
    }

    async fn start(&self, _: usize, plan: Plan) -> Address {
        let (ready, started) = oneshot::channel();
        let seat = plan.crashes().then(Seat::default);
        let ready = Arc::new(Mutex::new(Some(ready)));
        let child = self.child(plan, seat.clone(), Some(ready));
        started.await.unwrap();
        match seat {
            Some(seat) => Address::Changing(seat),
            None => Address::Lasting(child),
        }
    }

    async fn launch(&self, plan: Plan) {
        self.child(plan, None, None);
    }

    async fn stop(self) {
        self.0.stop().unwrap();
    }

    async fn send(child: &Address, note: Note) {
        child
            .with(|child| child.tell_anonymously(note))
            .expect("it is there");
    }

    /// There is no time-out to give.
    async fn call(child: &Address, _: bool) -> bool {
        match child.with(|child| child.ask_anonymously(Get)) {
            Ok(answer) => answer.await.is_ok(),
            Err(Get) => false,
        }
    }

    async fn call_again(child: &Address, started: &Gate) {
        started.wait().await;
        assert!(Self::call(child, true).await);
    }

    fn spawn(_: usize, future: impl Future<Output = ()> + Send + 'static) {
        bastion::executor::spawn(future);
    }
}
