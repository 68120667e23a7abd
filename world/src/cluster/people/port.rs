//! `[process]` The way to people on other nodes, for sessions, staff and the operator.

use super::counter::Waiter;
use super::exchange::Exchange;
use super::host::PeopleHost;
use super::wire::{BanRecord, Errand, PeopleMessage, Reply};
use crate::being::Item;
use crate::event::Text;
use crate::ids::{AccountId, RoomId, SessionId};
use crate::node::{Far, Services};
use crate::store::{BanSubject, NewBan, StorePort};
use belay_cluster::{Cluster, NodeId};
use belay_runtime::Registration;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The node of a player cannot be asked just now; **busy**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of reach")]
pub struct OutOfReach;

/// The people on other nodes. A clone is the same. On a node that is alone there are none, and
/// nothing here does anything.
#[derive(Clone, Default)]
pub struct People(Arc<OnceLock<Arc<Exchange>>>);

impl People {
    /// Of a node that is alone, until it joins a cluster.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on the node is one of a cluster, which is to call the host that is returned;
    /// nothing if it was one already. To be called before anybody plays.
    pub fn join(cluster: Cluster, node: &Arc<Services>) -> Option<Arc<PeopleHost>> {
        let exchange = Exchange::new(cluster, Arc::downgrade(node));
        node.people.0.set(exchange.clone()).ok()?;
        node.players.plug(exchange.clone());
        node.channels.link(exchange.clone());
        node.bridge.link(exchange.clone());
        Some(Arc::new(PeopleHost::new(exchange)))
    }

    /// This node's number in its cluster, if it is in one.
    pub fn me(&self) -> Option<NodeId> {
        self.0.get().map(|exchange| exchange.cluster.me())
    }

    /// Asks something of a player on another node. It is answered exactly once, at once or later.
    pub fn ask(
        &self,
        far: &Far,
        errand: Errand,
        answered: impl FnOnce(Result<Reply, OutOfReach>) + Send + 'static,
    ) {
        match self.0.get() {
            Some(exchange) => exchange.ask(far, errand, Box::new(answered)),
            None => answered(Err(OutOfReach)),
        }
    }

    /// The account is this session's on this node, and in the cluster once it is granted.
    pub fn hold(&self, registration: Registration, account: AccountId, session: SessionId) -> Hold {
        Hold {
            registration: Some(registration),
            people: self.clone(),
            account,
            session,
            number: None,
            store: None,
        }
    }

    /// Asks for the account in the cluster; the session is told. It may be asked again until it is.
    /// Whether there is anybody to ask: not on a node that is alone.
    pub fn claim(&self, account: AccountId, session: SessionId, waiter: Waiter) -> bool {
        let exchange = self.0.get();
        if let Some(exchange) = exchange {
            exchange.claims(|counter, out| counter.claim(account, session, waiter, out));
        }
        exchange.is_some()
    }

    /// Hands a thing that is on record as theirs to a player on another node; for a guest with the
    /// room in which it stays recorded.
    pub fn give(
        &self,
        node: &Services,
        (to, from): (&Far, &Text),
        item: Item,
        recorded: Option<RoomId>,
    ) {
        if let Some(exchange) = self.0.get() {
            exchange.give(node, (to, from), item, recorded);
        }
    }

    /// All nodes hold this ban from now on.
    pub fn banned(&self, ban: &NewBan) {
        if let Some(exchange) = self.0.get() {
            exchange.send_all(&PeopleMessage::Banned(BanRecord::from(ban)));
        }
    }

    /// No node does any more.
    pub fn lifted(&self, subject: &BanSubject) {
        if let Some(exchange) = self.0.get() {
            exchange.send_all(&PeopleMessage::Lifted {
                kind: subject.kind().to_owned(),
                value: subject.value(),
            });
        }
    }

    /// An account has staff rights from now on, or has none.
    pub fn staff(&self, account: AccountId, on: bool) {
        if let Some(exchange) = self.0.get() {
            let account = account.0;
            exchange.send_all(&PeopleMessage::Staff { account, on });
        }
    }
}

/// An account that a session holds, or waits for. Dropped, the next login may have it: so what is
/// to be on record before that must be.
#[must_use = "the account is given up when this is dropped"]
#[derive(Debug)]
pub struct Hold {
    registration: Option<Registration>,
    people: People,
    account: AccountId,
    session: SessionId,
    number: Option<u64>,
    store: Option<StorePort>,
}

impl Hold {
    /// It is the session's, with this number: later claims of the account have higher ones. 0 on a
    /// node that is alone.
    pub fn grant(&mut self, number: u64) {
        self.number = Some(number);
    }

    /// From now on the session writes with this.
    pub fn write_with(&mut self, store: StorePort) {
        self.store = Some(store);
    }

    /// What the session writes with, if it is not the store as it is: writes are refused once a
    /// later session has claimed the character.
    pub fn store(&self) -> Option<&StorePort> {
        self.store.as_ref()
    }

    /// Whether it is.
    pub fn is_granted(&self) -> bool {
        self.number.is_some()
    }

    /// With which number; 0 before it is granted.
    pub fn number(&self) -> u64 {
        self.number.unwrap_or(0)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        drop(self.registration.take());
        if let Some(exchange) = self.people.0.get() {
            exchange.claims(|counter, out| counter.release(self.account, self.session, out));
        }
    }
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("People").field(&self.me()).finish()
    }
}
