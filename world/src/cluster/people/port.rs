//! `[process]` The way to people on other nodes, for sessions, staff and the operator.

use super::exchange::Exchange;
use super::host::PeopleHost;
use super::wire::{BanRecord, Errand, PeopleMessage, Reply};
use crate::being::Item;
use crate::event::Text;
use crate::ids::{AccountId, RoomId};
use crate::node::{Far, Services};
use crate::store::{BanSubject, NewBan};
use belay_cluster::{Cluster, NodeId};
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
        let exchange = Arc::new(Exchange::new(cluster, Arc::downgrade(node)));
        node.people.0.set(exchange.clone()).ok()?;
        node.players.plug(exchange.clone());
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

    /// Hands a thing that is on record as theirs to a player on another node; for a guest with the
    /// room in which it stays recorded.
    pub fn give(
        &self,
        node: &Services,
        (to, from): (&Far, &Text),
        item: Item,
        recorded: Option<RoomId>,
    ) {
        let world = &node.world;
        let room = recorded.and_then(|room| world.room(room));
        let (Some(exchange), Some(prototype)) = (self.0.get(), world.item(item.prototype)) else {
            return;
        };
        let gift = PeopleMessage::Gift {
            to: to.name.to_string(),
            from: from.to_string(),
            item: item.id.0,
            prototype: prototype.key.to_string(),
            recorded: room.map(|room| room.key.to_string()),
        };
        exchange.send(to.node, &gift);
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

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("People").field(&self.me()).finish()
    }
}
