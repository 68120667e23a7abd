//! `[process]` A stand-in for a cluster in tests of what operators see: it shows the status that
//! the test wrote, and answers orders as the test says.

use crate::handle::{Backend, Cluster, OrderReply};
use crate::ids::{Incarnation, NodeId, NodeName};
use crate::order::{Order, OrderError};
use crate::status::Status;
use crate::transport::{Class, Unsent};
use crate::view::View;
use bytes::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the test writes and reads. A clone is the same script.
#[derive(Clone)]
pub struct Script(Arc<Inner>);

type Answer = dyn Fn(&Order) -> Result<String, OrderError> + Send + Sync;

struct Inner {
    name: NodeName,
    answer: Box<Answer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    status: Status,
    view: Arc<View>,
    orders: Vec<Order>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

impl Script {
    /// The script of a node of this name, number 1; each order is answered like this, at once.
    pub fn new(
        name: NodeName,
        answer: impl Fn(&Order) -> Result<String, OrderError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            name,
            answer: Box::new(answer),
            state: Mutex::new(State::default()),
        }))
    }

    /// The cluster that follows the script.
    pub fn cluster(&self) -> Cluster {
        Cluster::new(self.0.clone())
    }

    /// This is the status from now on.
    pub fn show(&self, status: Status) {
        self.0.lock().status = status;
    }

    /// This is the view from now on.
    pub fn view(&self, view: View) {
        self.0.lock().view = Arc::new(view);
    }

    /// The orders so far.
    pub fn orders(&self) -> Vec<Order> {
        self.0.lock().orders.clone()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Inner {
    fn me(&self) -> (NodeId, NodeName, Incarnation) {
        (NodeId(1), self.name.clone(), Incarnation(1))
    }

    fn view(&self) -> Arc<View> {
        self.lock().view.clone()
    }

    fn send(&self, _to: NodeId, _class: Class, _body: Bytes) -> Result<(), Unsent> {
        Err(Unsent::NoWire)
    }

    fn order(&self, order: Order, reply: OrderReply) {
        let answer = (self.answer)(&order);
        self.lock().orders.push(order);
        reply(answer);
    }

    fn status(&self) -> Status {
        self.lock().status.clone()
    }
}
