//! `[pure]` The leader's machine: its parts, and which of them hears of what.

use super::membership::Membership;
use super::moves::Moves;
use super::orders::{Asker, LedOrders};
use super::proposals::{About, Landed, Proposals};
use super::reconcile::Reconciler;
use crate::command::{Command, Outcome};
use crate::duty::context::{Change, Context, changes};
use crate::duty::io::{Effect, Note, ProposalId};
use crate::duty::message::{DutyMessage, Granted, MoveStep, Renew};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::lease::{Grantor, Verdict};
use crate::limits::ADDRESS_BYTES_MAX;
use crate::order::Order;
use crate::plan::observed::Seen;
use crate::report::ShardReport;
use crate::view::View;
use std::collections::BTreeSet;
use std::time::Instant;

/// A node that leads.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    term: u64,
    grantor: Grantor,
    proposals: Proposals,
    reconciler: Reconciler,
    moves: Moves,
    membership: Membership,
    orders: LedOrders,
}

impl Lead {
    /// Leads from now on, in this term.
    pub(crate) fn new(context: &Context<'_>, term: u64, next_proposal: u64) -> Self {
        let (now, view) = (context.now, context.view);
        let mut lead = Self {
            term,
            grantor: Grantor::new(now, view),
            proposals: Proposals::new(next_proposal),
            reconciler: Reconciler::new(now),
            moves: Moves::default(),
            membership: Membership::default(),
            orders: LedOrders::default(),
        };
        let nothing = View::default();
        lead.moves.follow(now, &changes(&nothing, view));
        lead.reconciler.observed.follow(view, now);
        lead
    }

    /// The term.
    pub(crate) fn term(&self) -> u64 {
        self.term
    }

    /// The number of its next proposal.
    pub(crate) fn next_proposal(&self) -> u64 {
        self.proposals.next()
    }

    /// When a node's lease was renewed last.
    pub(crate) fn renewed(&self, node: NodeId) -> Option<Instant> {
        self.grantor.renewed(node)
    }

    /// What was seen of a shard.
    pub(crate) fn seen(&self, shard: &ShardId) -> Option<&Seen> {
        self.reconciler.observed.shard(shard)
    }

    /// Time passes. To be called before anything else in a step.
    pub(crate) fn watch(&mut self, now: Instant) {
        self.grantor.watch(now);
    }

    /// The log has gone on.
    pub(crate) fn follow(
        &mut self,
        context: &Context<'_>,
        was: &View,
        changes: &[Change],
        out: &mut Vec<Effect>,
    ) {
        self.grantor.follow(context.now, context.view);
        // Answers first: they tell why a move is off, which is forgotten with the move.
        self.orders.turn(context, &self.moves, out);
        self.moves.follow(context.now, changes);
        self.reconciler
            .follow(context.now, was, context.view, changes);
    }

    /// A majority stood behind this leader at that moment.
    pub(crate) fn quorum(&mut self, now: Instant, at: Instant) {
        self.grantor.quorum(now, at);
    }

    /// Raft says who its members are.
    pub(crate) fn members(&mut self, voters: BTreeSet<NodeId>, learners: BTreeSet<NodeId>) {
        self.membership.is(voters, learners);
    }

    /// The change of members that was asked for is done, or failed.
    pub(crate) fn members_changed(
        &mut self,
        now: Instant,
        result: Result<(), String>,
        out: &mut Vec<Effect>,
    ) {
        self.membership.changed(now, result, out);
    }

    /// A node asks for its lease.
    pub(crate) fn renew(
        &mut self,
        context: &Context<'_>,
        from: NodeId,
        renew: Renew,
        out: &mut Vec<Effect>,
    ) {
        let now = context.now;
        let life = (from, renew.incarnation);
        let verdict = self.grantor.asked(now, life, renew.applied, context.view);
        match verdict {
            Verdict::Granted(age) => {
                self.reconciler.renewed(now, life, renew.applied);
                let granted = Granted {
                    incarnation: renew.incarnation,
                    stamp: renew.stamp,
                    // Up, not down: a lease may only be counted shorter.
                    quorum_ms_ago: u32::try_from(age.as_millis() + 1).unwrap_or(u32::MAX),
                };
                out.push(Effect::Send(from, DutyMessage::Granted(granted)));
            }
            Verdict::Begins if renew.address.len() <= ADDRESS_BYTES_MAX => {
                let up = Command::Up {
                    node: from,
                    incarnation: renew.incarnation,
                    address: renew.address,
                };
                self.proposals.propose(now, About::Node(from), up, out);
            }
            Verdict::Begins | Verdict::Nothing => {}
        }
    }

    /// A node says what its shards have done.
    pub(crate) fn reports(&mut self, now: Instant, from: NodeId, reports: &[ShardReport]) {
        self.reconciler.observed.reported(from, reports, now);
    }

    /// A node had to stop shards that it owns.
    pub(crate) fn ended(&mut self, now: Instant, from: NodeId, ended: &[(ShardId, Epoch)]) {
        for (shard, _) in ended {
            self.moves.call_off(shard, from, "its node had to stop it");
        }
        self.reconciler.observed.ended(from, ended);
        self.reconciler.hurry(now);
    }

    /// Source or target of a move say how far it is.
    pub(crate) fn moved(
        &mut self,
        now: Instant,
        by: NodeId,
        (shard, moving): (&ShardId, Epoch),
        step: MoveStep,
    ) {
        self.moves.step(now, (shard, moving, by), step);
    }

    /// An order comes in.
    pub(crate) fn order(
        &mut self,
        context: &Context<'_>,
        asker: Asker,
        order: Order,
        out: &mut Vec<Effect>,
    ) {
        let proposals = &mut self.proposals;
        if self.orders.take(context, (asker, order), proposals, out) {
            let answer = match self.reconciler.even_out(context) {
                0 => {
                    "nothing to begin: load is even, or shards are moving already, or none may move"
                        .to_owned()
                }
                moves => format!("load is being evened out: {moves} shards move first"),
            };
            self.orders.answer(asker, Ok(answer), out);
        }
    }

    /// It is known what became of a proposal.
    pub(crate) fn proposed(
        &mut self,
        context: &Context<'_>,
        (id, landed): (ProposalId, Landed),
        out: &mut Vec<Effect>,
    ) {
        let Some(about) = self.proposals.landed(id) else {
            return;
        };
        match about {
            About::Order(asker) => self.orders.landed(context, (asker, landed), out),
            About::Node(_) | About::Shard(_) => {
                if let Ok(Outcome::Refused(why)) = landed {
                    let what = format!("{about}: {why}");
                    out.push(Effect::Note(Note::Refused(what)));
                }
            }
        }
    }

    /// Time has passed, or something was learned: does what is to be done.
    pub(crate) fn turn(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        let now = context.now;
        self.proposals.turn(now);
        self.orders.turn(context, &self.moves, out);
        // Without a majority nothing would come of it, and its end would be waited for in vain.
        if self.grantor.is_blind() {
            return;
        }
        for (node, incarnation) in self.grantor.overdue(now) {
            let expire = Command::Expire { node, incarnation };
            if self.proposals.propose(now, About::Node(node), expire, out) {
                out.push(Effect::Note(Note::Expiring(node)));
            }
        }
        self.moves.turn(now, &mut self.proposals, out);
        self.reconciler
            .turn(context, &mut self.grantor, &mut self.proposals);
        self.proposals.go_on(now, out);
        self.membership.turn(now, context.view, out);
    }

    /// When [`Lead::turn`] has something to do.
    pub(crate) fn due(&self) -> Option<Instant> {
        let blind = self.grantor.is_blind();
        let seeing = |due: Option<Instant>| due.filter(|_| !blind);
        let dues = [
            self.proposals.due(),
            self.orders.due(),
            seeing(self.grantor.due()),
            seeing(self.moves.due(&self.proposals)),
            seeing(self.membership.due()),
            seeing(Some(self.reconciler.due())),
        ];
        dues.into_iter().flatten().min()
    }
}
