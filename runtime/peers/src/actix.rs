//! actix: each of two threads has its own. Its supervisor restarts who stops, but a panic ends the
//! thread; so its figures show what is possible without supervision of panics.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock};

use actix::prelude::*;
use tokio::sync::oneshot;

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{Figures, TIME_OUT, Workload};

static THREADS: OnceLock<[ArbiterHandle; 2]> = OnceLock::new();

/// Runs the workload on the first of two threads.
pub fn run(workload: Workload) -> Figures {
    System::new().block_on(async move {
        let threads = [Arbiter::new(), Arbiter::new()];
        let handles = THREADS.get_or_init(|| [threads[0].handle(), threads[1].handle()]);
        let (done, measured) = oneshot::channel();
        handles[0].spawn(async move {
            let _ = done.send(crate::peer::run::<Actix>(workload).await);
        });
        measured.await.unwrap()
    })
}

pub struct Child {
    counter: Counter,
    /// Told when the child runs.
    ready: RefCell<Option<oneshot::Sender<()>>>,
}

impl Actor for Child {
    type Context = Context<Self>;

    fn started(&mut self, _: &mut Context<Self>) {
        if let Some(ready) = self.ready.take() {
            let _ = ready.send(());
        }
    }
}

impl Supervised for Child {}

struct Told(Note);

impl Message for Told {
    type Result = ();
}

impl Handler<Told> for Child {
    type Result = ();

    fn handle(&mut self, Told(note): Told, _: &mut Context<Self>) {
        self.counter.note(note);
    }
}

struct Get;

impl Message for Get {
    type Result = usize;
}

impl Handler<Get> for Child {
    type Result = usize;

    fn handle(&mut self, _: Get, _: &mut Context<Self>) -> usize {
        self.counter.count
    }
}

/// Children live as long as somebody holds their addresses.
#[derive(Clone, Default)]
pub struct Actix(Arc<Mutex<Vec<Addr<Child>>>>);

impl Actix {
    fn child(&self, plan: Plan, ready: Option<oneshot::Sender<()>>) -> Addr<Child> {
        let child = Supervisor::start(|_| Child {
            counter: Counter::new(plan),
            ready: RefCell::new(ready),
        });
        self.0.lock().unwrap().push(child.clone());
        child
    }
}

impl Peer for Actix {
    type Child = Addr<Child>;

    const LACKS: &'static [Workload] = &[
        Workload::GroupOut,
        Workload::Crash,
        Workload::CrashLarge,
        Workload::LookUp,
    ];

    async fn open() -> Self {
        Self::default()
    }

    async fn start(&self, _: usize, plan: Plan) -> Addr<Child> {
        let (ready, started) = oneshot::channel();
        let child = self.child(plan, Some(ready));
        started.await.unwrap();
        child
    }

    async fn launch(&self, plan: Plan) {
        self.child(plan, None);
    }

    async fn stop(self) {
        self.0.lock().unwrap().clear();
    }

    /// It can refuse a message at a bound but cannot wait for room.
    async fn send(child: &Addr<Child>, note: Note) {
        child.do_send(Told(note));
    }

    async fn call(child: &Addr<Child>, time_out: bool) -> bool {
        if time_out {
            child.send(Get).timeout(TIME_OUT).await.is_ok()
        } else {
            child.send(Get).await.is_ok()
        }
    }

    fn spawn(number: usize, future: impl Future<Output = ()> + Send + 'static) {
        THREADS.get().unwrap()[number % 2].spawn(future);
    }
}
