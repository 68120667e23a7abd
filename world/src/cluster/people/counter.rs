//! `[process]` Claims of accounts, both sides: what sessions here want ([`Desk`]), and the
//! partitions that this node owns ([`Register`]).

use super::claim_wire::{ClaimMessage, HoldingRecord};
use super::desk::{Desk, Notice, Partition, Question};
use super::register::{Holding, Register, Seat, Word};
use super::shards;
use crate::ids::{AccountId, SessionId};
use crate::ring::{SessionMessage, SessionPort};
use belay_cluster::{Epoch, Fence, NodeId, NodePhase, ShardReport, View};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Accounts that weigh as much as one unit of load.
const ACCOUNTS_PER_WEIGHT: usize = 100;

/// A session that waits for the answer to its claim.
#[derive(Clone, Debug)]
pub struct Waiter {
    /// How it is reached.
    pub session: SessionPort,
    /// The incarnation that asked.
    pub asked_by: u32,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimAnswer {
    /// The session has the account; later claims of it have higher numbers.
    Granted(u64),
    /// A later login has it.
    GivenUp,
}

/// What is to be said.
#[derive(Debug)]
pub(super) enum Out {
    /// To the exchange of a node, this one included.
    Send(NodeId, ClaimMessage),
    /// To a session here.
    Tell(SessionPort, SessionMessage),
}

/// See the module.
#[derive(Debug)]
pub(super) struct Counter {
    desk: Desk<Waiter>,
    owned: BTreeMap<Partition, Owned>,
    living: BTreeSet<NodeId>,
}

/// A partition that this node owns.
#[derive(Debug)]
struct Owned {
    fence: Fence,
    register: Register,
    /// It is on its way to another node.
    frozen: bool,
}

impl Counter {
    pub(super) fn new() -> Self {
        Self {
            desk: Desk::new(),
            owned: BTreeMap::new(),
            living: BTreeSet::new(),
        }
    }

    /// A session here wants the account.
    pub(super) fn claim(
        &mut self,
        account: AccountId,
        session: SessionId,
        waiter: Waiter,
        out: &mut Vec<Out>,
    ) {
        let mut notices = Vec::new();
        self.desk.claim(account, (session.0, waiter), &mut notices);
        out.extend(notices.into_iter().map(said));
    }

    /// A session here is over, or wants it no more.
    pub(super) fn release(&mut self, account: AccountId, session: SessionId, out: &mut Vec<Out>) {
        self.at_desk(out, |desk, notices| {
            desk.release(account, session.0, notices)
        });
    }

    /// The cluster has changed.
    pub(super) fn changed(&mut self, view: &View, out: &mut Vec<Out>) {
        self.living = view.living().collect();
        let lost = |node: NodeId| {
            let known = view.nodes.get(&node);
            known.is_none_or(|node| node.phase == NodePhase::Down)
        };
        for owned in self.owned.values_mut() {
            let mut words = Vec::new();
            owned.register.lost(lost, &mut words);
            owned.say(words, out);
        }
        self.at_desk(out, |desk, notices| desk.changed(view, notices));
    }

    /// The wire to a node stands: what was said meanwhile may be lost.
    pub(super) fn wired(&mut self, node: NodeId, out: &mut Vec<Out>) {
        for (partition, owned) in &mut self.owned {
            out.push(owned.recall(*partition, node));
        }
    }

    /// The lease holds again: what came meanwhile was not heard.
    pub(super) fn resume(&mut self, out: &mut Vec<Out>) {
        for (partition, owned) in &mut self.owned {
            let all = self.living.iter();
            out.extend(all.map(|node| owned.recall(*partition, *node)));
        }
    }

    /// This node owns the partition from now on.
    pub(super) fn run(&mut self, partition: Partition, fence: Fence, out: &mut Vec<Out>) {
        let register = Register::begin(fence.epoch(), &self.living);
        let mut owned = Owned {
            fence,
            register,
            frozen: false,
        };
        let recall = |node: &NodeId| owned.recall(partition, *node);
        out.extend(self.living.iter().map(recall));
        self.owned.insert(partition, owned);
    }

    /// It does not any more.
    pub(super) fn stop(&mut self, partition: Partition, epoch: Epoch) {
        let ends = |owned: &Owned| owned.register.epoch() == epoch;
        if self.owned.get(&partition).is_some_and(ends) {
            self.owned.remove(&partition);
        }
    }

    /// It is on its way to another node, or stays after all.
    pub(super) fn freeze(
        &mut self,
        (partition, epoch): (Partition, Epoch),
        frozen: bool,
        out: &mut Vec<Out>,
    ) {
        let owned = self.owned.get_mut(&partition);
        let Some(owned) = owned.filter(|owned| owned.register.epoch() == epoch) else {
            return;
        };
        owned.frozen = frozen;
        if !frozen {
            let all = self.living.iter();
            out.extend(all.map(|node| owned.recall(partition, *node)));
        }
    }

    /// A node says something of claims. What does not concern it any more is not heard.
    pub(super) fn receive(
        &mut self,
        from: NodeId,
        message: ClaimMessage,
        now: Instant,
        out: &mut Vec<Out>,
    ) {
        match message {
            ClaimMessage::Claim { account, session } => {
                let (account, seat) = (
                    AccountId(account),
                    Seat {
                        node: from,
                        session,
                    },
                );
                self.with(Partition::of(account), now, out, |register, words| {
                    register.claim(account, seat, words);
                });
            }
            ClaimMessage::Released { account, session } => {
                let (account, seat) = (
                    AccountId(account),
                    Seat {
                        node: from,
                        session,
                    },
                );
                self.with(Partition::of(account), now, out, |register, words| {
                    register.released(account, seat, words);
                });
            }
            ClaimMessage::Holds {
                partition,
                epoch,
                number,
                holdings,
            } => {
                let held: Vec<Holding> = holdings.into_iter().map(Holding::from).collect();
                self.with(Partition(partition), now, out, |register, words| {
                    if register.epoch() == Epoch(epoch) {
                        register.holds((from, number), &held, words);
                    }
                });
            }
            ClaimMessage::Recall {
                partition,
                epoch,
                number,
            } => {
                let question = Question {
                    partition: Partition(partition),
                    epoch: Epoch(epoch),
                    number,
                };
                self.at_desk(out, |desk, notices| desk.recall(from, question, notices));
            }
            ClaimMessage::Granted { epoch, holding } => self.at_desk(out, |desk, notices| {
                desk.granted((from, Epoch(epoch)), holding.into(), notices);
            }),
            ClaimMessage::MakeWay {
                epoch,
                account,
                session,
            } => self.at_desk(out, |desk, notices| {
                desk.make_way((from, Epoch(epoch)), (AccountId(account), session), notices);
            }),
            ClaimMessage::GivenUp {
                epoch,
                account,
                session,
            } => self.at_desk(out, |desk, notices| {
                desk.given_up(Epoch(epoch), (AccountId(account), session), notices);
            }),
        }
    }

    fn at_desk(
        &mut self,
        out: &mut Vec<Out>,
        step: impl FnOnce(&mut Desk<Waiter>, &mut Vec<Notice<Waiter>>),
    ) {
        let mut notices = Vec::new();
        step(&mut self.desk, &mut notices);
        out.extend(notices.into_iter().map(said));
    }

    /// How the partitions are.
    pub(super) fn report(&self, out: &mut Vec<ShardReport>) {
        out.extend(self.owned.iter().map(|(partition, owned)| {
            let accounts = owned.register.len() / ACCOUNTS_PER_WEIGHT;
            ShardReport {
                shard: shards::accounts(partition.0),
                epoch: owned.register.epoch(),
                ticked_ms_ago: 0,
                weight: u32::try_from(accounts)
                    .unwrap_or(u32::MAX)
                    .saturating_add(1),
                busy: false,
            }
        }));
    }

    /// Lets the owner of a partition act, if it is here and may.
    fn with(
        &mut self,
        partition: Partition,
        now: Instant,
        out: &mut Vec<Out>,
        step: impl FnOnce(&mut Register, &mut Vec<Word>),
    ) {
        let owned = self.owned.get_mut(&partition);
        let acts = |owned: &&mut Owned| !owned.frozen && owned.fence.may_act(now);
        if let Some(owned) = owned.filter(acts) {
            let mut words = Vec::new();
            step(&mut owned.register, &mut words);
            owned.say(words, out);
        }
    }
}

impl Owned {
    fn recall(&mut self, partition: Partition, node: NodeId) -> Out {
        let message = ClaimMessage::Recall {
            partition: partition.0,
            epoch: self.register.epoch().0,
            number: self.register.recall(),
        };
        Out::Send(node, message)
    }

    fn say(&self, words: Vec<Word>, out: &mut Vec<Out>) {
        let epoch = self.register.epoch().0;
        for word in words {
            let (to, message) = match word {
                Word::Granted(seat, holding) => {
                    let holding = HoldingRecord::from(holding);
                    (seat.node, ClaimMessage::Granted { epoch, holding })
                }
                Word::MakeWay(seat, account) => {
                    let (account, session) = (account.0, seat.session);
                    let message = ClaimMessage::MakeWay {
                        epoch,
                        account,
                        session,
                    };
                    (seat.node, message)
                }
                Word::GivenUp(seat, account) => {
                    let (account, session) = (account.0, seat.session);
                    let message = ClaimMessage::GivenUp {
                        epoch,
                        account,
                        session,
                    };
                    (seat.node, message)
                }
            };
            out.push(Out::Send(to, message));
        }
    }
}

/// A notice of the desk, as it is said.
fn said(notice: Notice<Waiter>) -> Out {
    let claimed = |waiter: Waiter, answer| {
        let message = SessionMessage::Claimed(waiter.asked_by, answer);
        Out::Tell(waiter.session, message)
    };
    match notice {
        Notice::Claim(to, account, session) => {
            let account = account.0;
            Out::Send(to, ClaimMessage::Claim { account, session })
        }
        Notice::Released(to, account, session) => {
            let account = account.0;
            Out::Send(to, ClaimMessage::Released { account, session })
        }
        Notice::Holds(to, question, holdings) => {
            let message = ClaimMessage::Holds {
                partition: question.partition.0,
                epoch: question.epoch.0,
                number: question.number,
                holdings: holdings.into_iter().map(HoldingRecord::from).collect(),
            };
            Out::Send(to, message)
        }
        Notice::Granted(waiter, number) => claimed(waiter, ClaimAnswer::Granted(number)),
        Notice::GivenUp(waiter) => claimed(waiter, ClaimAnswer::GivenUp),
        Notice::MakeWay(waiter) => Out::Tell(waiter.session, SessionMessage::MakeWay),
    }
}
