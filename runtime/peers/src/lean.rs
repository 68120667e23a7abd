//! Raw tokio without a supervisor: a task that catches its own panics, and a mailbox that allocates
//! nothing while it is empty and is taken as a whole. Unbounded. What is left when everything but
//! the message is left out.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::peer::{Counter, Note, Peer, Plan};
use crate::workload::measure::{TIME_OUT, Workload};

pub enum Ask {
    Note(Note),
    Get(oneshot::Sender<usize>),
}

#[derive(Default)]
pub struct Mailbox(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    messages: VecDeque<Ask>,
    reader: Option<Waker>,
    closed: bool,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap()
    }

    fn send(&self, message: Ask) {
        let reader = {
            let mut queue = self.lock();
            queue.messages.push_back(message);
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn close(&self) {
        let reader = {
            let mut queue = self.lock();
            queue.closed = true;
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// All that is queued, in exchange for an empty queue; false when it is closed.
    async fn take(&self, batch: &mut VecDeque<Ask>) -> bool {
        poll_fn(|cx| {
            let mut queue = self.lock();
            if queue.closed {
                return Poll::Ready(false);
            }
            if queue.messages.is_empty() {
                queue.reader = Some(cx.waker().clone());
                // An idle process holds no buffers.
                if batch.capacity() > 32 {
                    *batch = VecDeque::new();
                }
                return Poll::Pending;
            }
            std::mem::swap(&mut queue.messages, batch);
            Poll::Ready(true)
        })
        .await
    }
}

async fn live(mailbox: Arc<Mailbox>, plan: Plan, ready: Option<oneshot::Sender<()>>) {
    let mut counter = Counter::new(plan.clone());
    if let Some(ready) = ready {
        let _ = ready.send(());
    }
    let mut batch = VecDeque::new();
    while mailbox.take(&mut batch).await {
        while !batch.is_empty() {
            let handled = catch_unwind(AssertUnwindSafe(|| {
                while let Some(message) = batch.pop_front() {
                    match message {
                        Ask::Note(note) => counter.note(note),
                        Ask::Get(reply) => drop(reply.send(counter.count)),
                    }
                }
            }));
            if handled.is_err() {
                counter = Counter::new(plan.clone());
            }
        }
    }
}

/// Who was started.
#[derive(Clone, Default)]
pub struct Lean(Arc<Mutex<Vec<Arc<Mailbox>>>>);

impl Lean {
    fn child(&self, plan: Plan, ready: Option<oneshot::Sender<()>>) -> Arc<Mailbox> {
        let mailbox = Arc::<Mailbox>::default();
        tokio::spawn(live(Arc::clone(&mailbox), plan, ready));
        self.0.lock().unwrap().push(Arc::clone(&mailbox));
        mailbox
    }
}

impl Peer for Lean {
    type Child = Arc<Mailbox>;

    const LACKS: &'static [Workload] = &[Workload::GroupOut, Workload::LookUp];

    async fn open() -> Self {
        Self::default()
    }

    async fn start(&self, _: usize, plan: Plan) -> Arc<Mailbox> {
        let (ready, started) = oneshot::channel();
        let child = self.child(plan, Some(ready));
        started.await.unwrap();
        child
    }

    async fn launch(&self, plan: Plan) {
        self.child(plan, None);
    }

    async fn stop(self) {
        let children = std::mem::take(&mut *self.0.lock().unwrap());
        for child in children {
            child.close();
        }
    }

    async fn send(child: &Arc<Mailbox>, note: Note) {
        child.send(Ask::Note(note));
    }

    async fn call(child: &Arc<Mailbox>, time_out: bool) -> bool {
        let (reply, answer) = oneshot::channel();
        child.send(Ask::Get(reply));
        if time_out {
            timeout(TIME_OUT, answer)
                .await
                .is_ok_and(|answer| answer.is_ok())
        } else {
            answer.await.is_ok()
        }
    }
}
