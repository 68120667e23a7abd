//! `[process]` Things that players give to players of other nodes. Each is brought until the other
//! node says what became of it, and taken there once; so a wire that is cut loses none.
//!
//! What is given is on record before it goes: as the receiver's, or, where that is a guest, as the
//! room's that had it. So when the receiver's node is given up, a character finds it at the next
//! login, and what a guest was to get lies in that room again.

use super::exchange::Exchange;
use super::limits::{GIFTS_MAX, RECEIVED_MAX};
use super::port::OutOfReach;
use super::wire::{Errand, Reply};
use crate::being::Item;
use crate::ids::{Being, ItemId, MobId, RoomId};
use crate::node::{Far, Services};
use crate::ring::{RoomMessage, SessionMessage};
use crate::room::Cast;
use belay_cluster::{Incarnation, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Who lays a thing back that nobody took.
const NOBODY: Being = Being::Mob(MobId(u32::MAX));

/// What this node has brought to others and taken from them.
#[derive(Debug, Default)]
pub(super) struct Gifts {
    last: u64,
    /// Of which it is not known whether they were taken, and in which life of the node.
    open: BTreeMap<u64, Gift>,
    /// The last that were taken here.
    received: BTreeSet<(NodeId, u64)>,
    lives: BTreeMap<NodeId, Incarnation>,
}

/// A thing on its way.
#[derive(Clone, Debug)]
struct Gift {
    to: Far,
    errand: Errand,
    item: Item,
    recorded: Option<RoomId>,
}

impl Gifts {
    /// The wire to a node stands, in this life of it: what is to be brought again, and what has
    /// nobody to be brought to.
    fn up(&mut self, node: NodeId, life: Incarnation) -> (Vec<u64>, Vec<Gift>) {
        let mine = self.open.iter().filter(|(_, gift)| gift.to.node == node);
        let numbers: Vec<u64> = mine.map(|(number, _)| *number).collect();
        let before = self.lives.insert(node, life);
        if before.is_none_or(|before| before == life) {
            return (numbers, Vec::new());
        }
        self.received.retain(|(from, _)| *from != node);
        (Vec::new(), self.end(&numbers))
    }

    fn end(&mut self, numbers: &[u64]) -> Vec<Gift> {
        let ended = numbers.iter().filter_map(|number| self.open.remove(number));
        ended.collect()
    }

    fn lost(&mut self, node: NodeId) -> Vec<Gift> {
        let mine = self.open.iter().filter(|(_, gift)| gift.to.node == node);
        let numbers: Vec<u64> = mine.map(|(number, _)| *number).collect();
        self.end(&numbers)
    }

    /// Whether this gift of the node comes for the first time.
    fn is_new(&mut self, from: NodeId, gift: u64) -> bool {
        let new = self.received.insert((from, gift));
        if self.received.len() > RECEIVED_MAX {
            // The oldest of the node with the lowest number.
            self.received.pop_first();
        }
        new
    }
}

impl Exchange {
    /// Brings a thing to a player of another node.
    pub(super) fn give(
        &self,
        node: &Services,
        (to, from): (&Far, &str),
        item: Item,
        recorded: Option<RoomId>,
    ) {
        let world = &node.world;
        let Some(prototype) = world.item(item.prototype) else {
            return;
        };
        let room = recorded.and_then(|room| world.room(room));
        let number = self.gifts(|gifts| {
            gifts.last += 1;
            let errand = Errand::Receive {
                gift: gifts.last,
                from: from.to_owned(),
                item: item.id.0,
                prototype: prototype.key.to_string(),
                recorded: room.map(|room| room.key.to_string()),
            };
            let gift = Gift {
                to: to.clone(),
                errand,
                item,
                recorded,
            };
            let room = gifts.open.len() < GIFTS_MAX;
            room.then(|| gifts.open.insert(gifts.last, gift))
                .map(|_| gifts.last)
        });
        match number {
            Some(number) => self.bring(number),
            None => tracing::warn!(
                target: "belay_world", item = item.id.0, "too many gifts; it waits on record"
            ),
        }
    }

    fn bring(&self, number: u64) {
        let gift = self.gifts(|gifts| gifts.open.get(&number).cloned());
        let (Some(gift), me) = (gift, self.myself()) else {
            return;
        };
        self.ask(
            &gift.to,
            gift.errand,
            Box::new(move |reply| {
                if let Some(exchange) = me.upgrade() {
                    exchange.brought(number, reply);
                }
            }),
        );
    }

    fn brought(&self, number: u64, reply: Result<Reply, OutOfReach>) {
        let taken = match reply {
            // Nobody knows: it is brought again when the wire stands.
            Err(OutOfReach) => return,
            Ok(reply) => matches!(reply, Reply::Done { .. }),
        };
        let ended = self.gifts(|gifts| gifts.end(&[number]));
        if !taken {
            self.lay_back(ended);
        }
    }

    /// The wire to a node stands.
    pub(super) fn gifts_up(&self, node: NodeId, life: Incarnation) {
        let (again, ended) = self.gifts(|gifts| gifts.up(node, life));
        self.lay_back(ended);
        for number in again {
            self.bring(number);
        }
    }

    /// A node is given up.
    pub(super) fn gifts_lost(&self, node: NodeId) {
        let ended = self.gifts(|gifts| gifts.lost(node));
        self.lay_back(ended);
    }

    /// What a guest did not get lies where it is on record.
    fn lay_back(&self, ended: Vec<Gift>) {
        let Some(node) = self.node() else { return };
        for gift in ended {
            if let Some(room) = gift.recorded {
                let back = RoomMessage::Cast(NOBODY, Cast::PutBack(gift.item));
                node.rooms.tell_if_open(room, back);
            }
        }
    }

    /// A thing comes from a player of another node. It is taken, or was before.
    pub(super) fn receive_gift(
        &self,
        node: &Services,
        from: NodeId,
        to: &str,
        errand: Errand,
    ) -> Reply {
        let Errand::Receive {
            gift,
            from: giver,
            item,
            prototype,
            recorded,
        } = errand
        else {
            return Reply::Nobody;
        };
        let Some(prototype) = node.world.item_id(&prototype) else {
            return Reply::Nobody;
        };
        if !self.gifts(|gifts| gifts.is_new(from, gift)) {
            return Reply::Done { name: to.into() };
        }
        let message = SessionMessage::Receive {
            from: giver.into(),
            item: Item {
                id: ItemId(item),
                prototype,
            },
            recorded: recorded.and_then(|key| node.world.room_id(&key)),
        };
        let player = node.players.find_exactly(to);
        let taken = player.is_some_and(|to| to.session.try_send_owed(message).is_ok());
        if taken {
            return Reply::Done { name: to.into() };
        }
        self.gifts(|gifts| gifts.received.remove(&(from, gift)));
        Reply::Nobody
    }
}
