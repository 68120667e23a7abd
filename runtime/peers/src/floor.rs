//! Raw tokio: what the simplest supervisor that restarts who panics costs, with tokio's own bounded
//! mailbox. No names of children, no deadlines, no reports, no tree: a floor, no competitor.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{TIME_OUT, Workload};

type Ready = oneshot::Sender<()>;
type Run = Pin<Box<dyn Future<Output = ()> + Send>>;
type Make = Box<dyn Fn(Option<Ready>) -> Run + Send>;

pub enum Command {
    Start(Make, Option<Ready>),
    Stop(Ready),
}

/// The supervisor: starts, restarts whoever panics, stops.
async fn supervise(mut commands: mpsc::Receiver<Command>) {
    let mut children = JoinSet::new();
    let mut made: HashMap<_, Make> = HashMap::new();
    loop {
        tokio::select! {
            Some(command) = commands.recv() => match command {
                Command::Start(make, ready) => {
                    made.insert(children.spawn(make(ready)).id(), make);
                }
                Command::Stop(done) => {
                    children.shutdown().await;
                    let _ = done.send(());
                    return;
                }
            },
            Some(ended) = children.join_next_with_id() => match ended {
                Ok((id, ())) => drop(made.remove(&id)),
                Err(error) => {
                    if let Some(make) = made.remove(&error.id()) && error.is_panic() {
                        made.insert(children.spawn(make(None)).id(), make);
                    }
                }
            },
            else => return,
        }
    }
}

pub enum Ask {
    Note(Note),
    Get(oneshot::Sender<usize>),
}

/// A mailbox that outlives who reads it.
type Mailbox = Arc<Mutex<mpsc::Receiver<Ask>>>;

async fn live(mailbox: Mailbox, plan: Plan, ready: Option<Ready>) {
    let mut mailbox = mailbox.lock().await;
    let mut counter = Counter::new(plan);
    if let Some(ready) = ready {
        let _ = ready.send(());
    }
    while let Some(message) = mailbox.recv().await {
        match message {
            Ask::Note(note) => counter.note(note),
            Ask::Get(reply) => drop(reply.send(counter.count)),
        }
    }
}

#[derive(Clone)]
pub struct Floor {
    commands: mpsc::Sender<Command>,
    names: Arc<DashMap<String, mpsc::Sender<Ask>>>,
}

impl Floor {
    async fn child(&self, bound: usize, plan: Plan, ready: Option<Ready>) -> mpsc::Sender<Ask> {
        let (address, mailbox) = mpsc::channel(bound);
        let mailbox = Arc::new(Mutex::new(mailbox));
        // Kept: a mailbox without an address would end its reader.
        let kept = address.clone();
        let make: Make = Box::new(move |ready| {
            let _ = &kept;
            Box::pin(live(Arc::clone(&mailbox), plan.clone(), ready))
        });
        let command = Command::Start(make, ready);
        assert!(self.commands.send(command).await.is_ok());
        address
    }
}

impl Peer for Floor {
    type Child = mpsc::Sender<Ask>;

    const LACKS: &'static [Workload] = &[Workload::GroupOut];

    async fn open() -> Self {
        let (sender, commands) = mpsc::channel(64);
        tokio::spawn(supervise(commands));
        Self {
            commands: sender,
            names: Arc::default(),
        }
    }

    async fn start(&self, bound: usize, plan: Plan) -> mpsc::Sender<Ask> {
        let (ready, started) = oneshot::channel();
        let child = self.child(bound, plan, Some(ready)).await;
        started.await.unwrap();
        child
    }

    async fn launch(&self, plan: Plan) {
        self.child(64, plan, None).await;
    }

    async fn stop(self) {
        let (done, stopped) = oneshot::channel();
        assert!(self.commands.send(Command::Stop(done)).await.is_ok());
        stopped.await.unwrap();
    }

    async fn send(child: &mpsc::Sender<Ask>, note: Note) {
        assert!(child.send(Ask::Note(note)).await.is_ok());
    }

    async fn call(child: &mpsc::Sender<Ask>, time_out: bool) -> bool {
        let exchange = async {
            let (reply, answer) = oneshot::channel();
            child.send(Ask::Get(reply)).await.is_ok() && answer.await.is_ok()
        };
        if time_out {
            timeout(TIME_OUT, exchange).await == Ok(true)
        } else {
            exchange.await
        }
    }

    async fn start_named(&self, name: String) {
        let child = self.start(64, Plan::default()).await;
        self.names.insert(name, child);
    }

    fn find(&self, name: &str) -> bool {
        self.names.get(name).map(|child| child.clone()).is_some()
    }
}
