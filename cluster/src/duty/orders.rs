//! `[pure]` Orders that were given on this node. The leader carries them out; they are said to it
//! until it answers, or until the time is up. It carries none out twice.

use crate::command::ShardSpec;
use crate::duty::context::Context;
use crate::duty::io::{Effect, OrderId};
use crate::duty::message::DutyMessage;
use crate::ids::NodeId;
use crate::limits::{DECLARED_MAX, ORDER_DEADLINE, ORDERS_MAX, SAY_AGAIN};
use crate::order::{Order, OrderError};
use std::collections::BTreeMap;
use std::time::Instant;

/// Orders without an answer, by this node's number for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    waiting: BTreeMap<u64, Waiting>,
    last: u64,
}

#[derive(Clone, Debug)]
struct Waiting {
    id: OrderId,
    order: Order,
    /// More shards to declare, in the next pieces.
    rest: Vec<ShardSpec>,
    declared: usize,
    deadline: Instant,
    /// Said to whom, and when it is said again.
    said: Option<(NodeId, Instant)>,
}

impl Orders {
    /// An order is given.
    pub(super) fn give(&mut self, now: Instant, id: OrderId, order: Order, out: &mut Vec<Effect>) {
        if self.waiting.len() >= ORDERS_MAX {
            let why = "too many orders wait for an answer; try again".to_owned();
            out.push(Effect::Ordered(id, Err(OrderError::Refused(why))));
            return;
        }
        let mut waiting = Waiting {
            id,
            order,
            rest: Vec::new(),
            declared: 0,
            deadline: now + ORDER_DEADLINE,
            said: None,
        };
        waiting.divide();
        self.last += 1;
        self.waiting.insert(self.last, waiting);
    }

    /// The leader has answered.
    pub(super) fn answered(
        &mut self,
        number: u64,
        result: Result<String, OrderError>,
        out: &mut Vec<Effect>,
    ) {
        let Some(mut waiting) = self.waiting.remove(&number) else {
            return;
        };
        let result = match (&waiting.order, result) {
            (Order::Declare(piece), Ok(_)) => {
                waiting.declared += piece.len();
                if !waiting.rest.is_empty() {
                    return self.go_on(waiting);
                }
                Ok(format!("{} shards are declared", waiting.declared))
            }
            (
                Order::Declare(_)
                | Order::Drain(..)
                | Order::Move(..)
                | Order::Rebalance
                | Order::Forget(_)
                | Order::Retire(_),
                result,
            ) => result,
        };
        out.push(Effect::Ordered(waiting.id, result));
    }

    /// Time has passed, or somebody else leads.
    pub(super) fn turn(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        let late = |(number, waiting): (&u64, &Waiting)| {
            (waiting.deadline <= context.now).then_some(*number)
        };
        for number in self.waiting.iter().filter_map(late).collect::<Vec<_>>() {
            if let Some(waiting) = self.waiting.remove(&number) {
                out.push(Effect::Ordered(waiting.id, Err(OrderError::NoLeader)));
            }
        }
        let Some(leader) = context.leader else {
            let waiting = self.waiting.values_mut();
            waiting.for_each(|waiting| waiting.said = None);
            return;
        };
        for (number, waiting) in &mut self.waiting {
            let said = waiting.said;
            if said.is_none_or(|(to, again)| to != leader || again <= context.now) {
                waiting.said = Some((leader, context.now + SAY_AGAIN));
                let (number, order) = (*number, waiting.order.clone());
                out.push(Effect::Send(leader, DutyMessage::Order { number, order }));
            }
        }
    }

    /// When [`Orders::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = |waiting: &Waiting| {
            let again = waiting.said.map_or(waiting.deadline, |(_, again)| again);
            again.min(waiting.deadline)
        };
        self.waiting.values().map(due).min()
    }

    /// Goes on with the next piece, as an order of its own to the leader.
    fn go_on(&mut self, mut waiting: Waiting) {
        waiting.order = Order::Declare(std::mem::take(&mut waiting.rest));
        waiting.said = None;
        waiting.divide();
        self.last += 1;
        self.waiting.insert(self.last, waiting);
    }
}

impl Waiting {
    /// One entry of the log, and one message, hold only so many shards.
    fn divide(&mut self) {
        match &mut self.order {
            Order::Declare(specs) if specs.len() > DECLARED_MAX => {
                self.rest = specs.split_off(DECLARED_MAX);
            }
            Order::Declare(_)
            | Order::Drain(..)
            | Order::Move(..)
            | Order::Rebalance
            | Order::Forget(_)
            | Order::Retire(_) => {}
        }
    }
}
