//! `[pure]` Orders, at the leader: what they come to in commands, and what to answer, in words for
//! whoever gave them. The nodes on which they were given ask again; each is carried out once.

use super::moves::Moves;
use super::proposals::{About, Landed, Proposals};
use crate::command::{Command, Outcome};
use crate::duty::context::Context;
use crate::duty::io::{Effect, Unproposed};
use crate::duty::message::DutyMessage;
use crate::ids::{Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::limits::{ORDER_DEADLINE, ORDERS_MAX, SAY_AGAIN};
use crate::order::{Order, OrderError};
use crate::view::{NodePhase, Placement, View};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// Who gave an order: a node, in a life of it, with that life's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asker {
    pub(crate) node: NodeId,
    pub(crate) incarnation: Incarnation,
    pub(crate) number: u64,
}

/// Orders that are being carried out, and the last answers.
#[derive(Clone, Debug, Default)]
pub(super) struct LedOrders {
    open: BTreeMap<Asker, Open>,
    answers: VecDeque<(Asker, Answer)>,
}

type Answer = Result<String, OrderError>;

#[derive(Clone, Debug)]
struct Open {
    stage: Stage,
    deadline: Instant,
}

#[derive(Clone, Debug)]
enum Stage {
    /// Its command is with raft.
    Proposed(Order),
    /// Its move goes on.
    Moving(ShardId, NodeName, Epoch),
}

/// What an order comes to.
enum Plan {
    Propose(Command),
    Watch(ShardId, NodeName, Epoch),
    Rebalance,
    Answer(Answer),
}

impl LedOrders {
    /// An order comes in. Whether load is to be evened out, which is then answered with
    /// [`LedOrders::answer`].
    pub(super) fn take(
        &mut self,
        context: &Context<'_>,
        (asker, order): (Asker, Order),
        proposals: &mut Proposals,
        out: &mut Vec<Effect>,
    ) -> bool {
        if self.open.contains_key(&asker) {
            return false;
        }
        if let Some((_, answer)) = self.answers.iter().find(|(known, _)| *known == asker) {
            out.push(reply(asker, answer.clone()));
            return false;
        }
        if self.open.len() >= ORDERS_MAX {
            let answer = refused("the leader has too many orders in hand; try again");
            self.answer(asker, answer, out);
            return false;
        }
        let stage = match plan(context, &order) {
            Plan::Answer(answer) => {
                self.answer(asker, answer, out);
                return false;
            }
            Plan::Rebalance => return true,
            Plan::Propose(command) => {
                proposals.propose(context.now, About::Order(asker), command, out);
                Stage::Proposed(order)
            }
            Plan::Watch(shard, to, moving) => Stage::Moving(shard, to, moving),
        };
        // A little before whoever asked gives up.
        let deadline = context.now + ORDER_DEADLINE - SAY_AGAIN * 2;
        self.open.insert(asker, Open { stage, deadline });
        false
    }

    /// It is known what became of an order's command.
    pub(super) fn landed(
        &mut self,
        context: &Context<'_>,
        (asker, landed): (Asker, Landed),
        out: &mut Vec<Effect>,
    ) {
        let Some(open) = self.open.get_mut(&asker) else {
            return;
        };
        let Stage::Proposed(order) = &open.stage else {
            return;
        };
        let answer = match (landed, order) {
            (Err(Unproposed::NotLeader | Unproposed::Unknown), _) => Err(OrderError::NoLeader),
            (Ok(Outcome::Refused(why)), _) => Err(OrderError::Refused(why.to_string())),
            (Ok(Outcome::Began(moving)), Order::Move(shard, to)) => {
                open.stage = Stage::Moving(shard.clone(), to.clone(), moving);
                return;
            }
            (Ok(Outcome::Done | Outcome::Joined(_) | Outcome::Began(_)), order) => {
                Ok(done(context.view, order))
            }
        };
        self.answer(asker, answer, out);
    }

    /// Time has passed, or the log has gone on: answers orders whose moves have ended.
    pub(super) fn turn(&mut self, context: &Context<'_>, moves: &Moves, out: &mut Vec<Effect>) {
        let mut answers = Vec::new();
        for (asker, open) in &self.open {
            let late = open.deadline <= context.now;
            let answer = match &open.stage {
                Stage::Proposed(_) => late.then_some(Err(OrderError::NoLeader)),
                Stage::Moving(shard, to, moving) => {
                    ended(context.view, moves, (shard, to), *moving).or_else(|| {
                        late.then(|| Ok(format!("{shard} is still on its way to {to}")))
                    })
                }
            };
            answers.extend(answer.map(|answer| (*asker, answer)));
        }
        for (asker, answer) in answers {
            self.answer(asker, answer, out);
        }
    }

    /// Answers an order.
    pub(super) fn answer(&mut self, asker: Asker, answer: Answer, out: &mut Vec<Effect>) {
        self.open.remove(&asker);
        if self.answers.len() >= ORDERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((asker, answer.clone()));
        out.push(reply(asker, answer));
    }

    /// When [`LedOrders::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.open.values().map(|open| open.deadline).min()
    }
}

fn reply(asker: Asker, result: Answer) -> Effect {
    let number = asker.number;
    Effect::Send(asker.node, DutyMessage::Answer { number, result })
}

fn refused(why: impl Into<String>) -> Answer {
    Err(OrderError::Refused(why.into()))
}

fn plan(context: &Context<'_>, order: &Order) -> Plan {
    let view = context.view;
    let named = |name: &NodeName| {
        let unknown = || Plan::Answer(refused(format!("no node is called \"{name}\"")));
        view.named(name.as_str()).ok_or_else(unknown)
    };
    let planned = match order {
        Order::Declare(specs) => Ok(Plan::Propose(Command::Declare(specs.clone()))),
        Order::Drain(name, on) => {
            named(name).map(|node| Plan::Propose(Command::Drain { node, on: *on }))
        }
        Order::Move(shard, name) => named(name).map(|node| plan_move(view, shard, (node, name))),
        Order::Rebalance => Ok(Plan::Rebalance),
        Order::Forget(name) => named(name).map(|node| plan_forget(context, (node, name))),
        Order::Retire(shard) => Ok(plan_retire(view, shard)),
    };
    planned.unwrap_or_else(|answer| answer)
}

fn plan_move(view: &View, shard: &ShardId, (to, name): (NodeId, &NodeName)) -> Plan {
    let answer = match view.shards.get(shard) {
        None => refused(format!("no shard is called \"{shard}\"")),
        Some(Placement::Unplaced { .. }) => refused(format!(
            "no node owns {shard} just now; it is placed as soon as one can"
        )),
        Some(Placement::Placed { node, .. }) if *node == to => {
            Ok(format!("{shard} is on {name} already"))
        }
        Some(Placement::Placed { epoch, .. }) => {
            let (shard, epoch) = (shard.clone(), *epoch);
            return Plan::Propose(Command::BeginMove { shard, epoch, to });
        }
        Some(Placement::Moving {
            to: under_way,
            moving,
            ..
        }) => {
            if *under_way == to {
                return Plan::Watch(shard.clone(), name.clone(), *moving);
            }
            refused(format!(
                "{shard} is on its way to {} just now; try again",
                called(view, *under_way)
            ))
        }
    };
    Plan::Answer(answer)
}

fn plan_retire(view: &View, shard: &ShardId) -> Plan {
    let last = match view.shards.get(shard) {
        None => return Plan::Answer(refused(format!("no shard is called \"{shard}\""))),
        Some(Placement::Moving { .. }) => {
            let why = format!("{shard} is on its way to another node; try again");
            return Plan::Answer(refused(why));
        }
        Some(Placement::Unplaced { last }) => *last,
        Some(Placement::Placed { epoch, .. }) => *epoch,
    };
    let shard = shard.clone();
    Plan::Propose(Command::Retire { shard, last })
}

fn plan_forget(context: &Context<'_>, (node, name): (NodeId, &NodeName)) -> Plan {
    let phase = context.view.nodes.get(&node).map(|node| node.phase);
    let lives = matches!(phase, Some(NodePhase::Up | NodePhase::Draining));
    let owned = owned(context.view, node);
    let why = if node == context.me {
        format!("{name} leads just now; stop it, and forget it then")
    } else if lives && owned > 0 {
        format!("{name} still owns {owned} shards; drain it or stop it first")
    } else {
        return Plan::Propose(Command::Forget { node });
    };
    Plan::Answer(refused(why))
}

fn done(view: &View, order: &Order) -> String {
    match order {
        Order::Declare(specs) => format!("{} shards are declared", specs.len()),
        Order::Drain(name, true) => {
            let owned = view
                .named(name.as_str())
                .map_or(0, |node| owned(view, node));
            format!("{name} is being emptied: {owned} shards to go")
        }
        Order::Drain(name, false) => format!("{name} may own shards again"),
        Order::Move(shard, name) => format!("{shard} moves to {name}"),
        Order::Rebalance => "load is being evened out".to_owned(),
        Order::Forget(name) => format!("{name} is no member any more"),
        Order::Retire(shard) => format!("{shard} is no shard any more"),
    }
}

/// What to say of a move, once it has ended. The view may be behind its beginning.
fn ended(
    view: &View,
    moves: &Moves,
    (shard, to): (&ShardId, &NodeName),
    moving: Epoch,
) -> Option<Answer> {
    if view.applied < moving.0 {
        return None;
    }
    match view.shards.get(shard) {
        Some(Placement::Moving { moving: now, .. }) if *now == moving => None,
        Some(Placement::Placed { node, .. } | Placement::Moving { from: node, .. })
            if view.arrived.get(shard) == Some(&moving) =>
        {
            Some(Ok(format!("{shard} is on {} now", called(view, *node))))
        }
        Some(Placement::Placed { .. } | Placement::Moving { .. } | Placement::Unplaced { .. })
        | None => {
            let why = moves.why_off(shard, moving);
            let why = why.unwrap_or("one of the two nodes was lost");
            Some(refused(format!("{shard} did not move to {to}: {why}")))
        }
    }
}

fn called(view: &View, node: NodeId) -> String {
    let node = view.nodes.get(&node).map(|node| node.name.to_string());
    node.unwrap_or_else(|| "a node that is gone".to_owned())
}

fn owned(view: &View, node: NodeId) -> usize {
    let owners = view.shards.values().filter_map(Placement::owner);
    owners.filter(|(owner, _)| *owner == node).count()
}
