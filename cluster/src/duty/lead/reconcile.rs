//! `[pure]` What is, compared with what should be, again and again: at each change that calls for
//! something, and every few seconds for what nobody said. Nothing is remembered from one round to
//! the next but what was seen, so no message can be lost for good.

use super::proposals::Proposals;
use crate::command::Command;
use crate::duty::context::{Change, Context};
use crate::ids::{Incarnation, NodeId, ShardId};
use crate::lease::Grantor;
use crate::limits::{LEASE_EVERY, PLAN_EVERY_MIN, REBALANCE_EVERY, RECONCILE_EVERY, SAY_AGAIN};
use crate::plan::observed::Observed;
use crate::plan::round::{Round, plan};
use crate::view::{NodePhase, Placement, View};
use std::time::Instant;

/// The reconciler of one term.
#[derive(Clone, Debug)]
pub(super) struct Reconciler {
    pub(super) observed: Observed,
    round: Round,
    /// When there was a plan last, when there will be one, and when load is evened out again.
    last: Option<Instant>,
    next: Instant,
    rebalance: Instant,
}

impl Reconciler {
    /// Nothing was seen yet.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            observed: Observed::new(),
            round: Round::closed(),
            last: None,
            next: now,
            rebalance: now + REBALANCE_EVERY,
        }
    }

    /// The log has gone on. Plans at once if that calls for something.
    pub(super) fn follow(&mut self, now: Instant, was: &View, is: &View, changes: &[Change]) {
        let up = |view: &View, id| {
            let node = view
                .nodes
                .get(id)
                .filter(|node| node.phase == NodePhase::Up);
            node.map(|node| node.incarnation)
        };
        let came_up = is.nodes.keys().any(|id| {
            let life = up(is, id);
            life.is_some() && life != up(was, id)
        });
        if came_up {
            self.round = Round::open(is);
        }
        let moving = |at| matches!(at, Some(Placement::Moving { .. }));
        let calls = |change: &Change| {
            matches!(change.is, Some(Placement::Unplaced { .. }))
                || moving(change.was) && !moving(change.is)
        };
        if was.nodes != is.nodes || changes.iter().any(calls) {
            self.hurry(now);
        }
        if !changes.is_empty() {
            self.observed.follow(is, now);
        }
    }

    /// A node got its lease, and has applied so much of the log. Plans at once if it was not
    /// heard of before: it may be given shards now.
    pub(super) fn renewed(
        &mut self,
        now: Instant,
        (node, incarnation): (NodeId, Incarnation),
        applied: u64,
    ) {
        let heard = self.observed.node(node).is_some_and(|heard| {
            let silent = now.saturating_duration_since(heard.at);
            heard.incarnation == incarnation && silent < LEASE_EVERY * 2
        });
        self.observed.renewed(node, incarnation, applied, now);
        if !heard {
            self.hurry(now);
        }
    }

    /// Something calls for a plan.
    pub(super) fn hurry(&mut self, now: Instant) {
        let earliest = self.last.map_or(now, |last| last + PLAN_EVERY_MIN);
        self.next = self.next.min(earliest.max(now));
    }

    /// Load is to be evened out now. What a first step of it would be.
    pub(super) fn even_out(&mut self, context: &Context<'_>) -> usize {
        self.observed.follow(context.view, context.now);
        self.round = Round::open(context.view);
        self.hurry(context.now);
        let mut round = self.round;
        let commands = plan(context.view, &self.observed, context.now, &mut round);
        let moves = |command: &&Command| matches!(command, Command::BeginMove { .. });
        commands.iter().filter(moves).count()
    }

    /// Plans, if it is time.
    pub(super) fn turn(
        &mut self,
        context: &Context<'_>,
        grantor: &mut Grantor,
        proposals: &mut Proposals,
    ) {
        let (now, view) = (context.now, context.view);
        if now < self.next {
            return;
        }
        if now >= self.rebalance {
            self.rebalance = now + REBALANCE_EVERY;
            self.round = Round::open(view);
        }
        self.observed.follow(view, now);
        let commands = plan(view, &self.observed, now, &mut self.round);
        proposals.want(commands.into_iter().filter_map(about).collect());
        let waits = self.press(context, grantor);
        self.last = Some(now);
        self.next = now + if waits { SAY_AGAIN } else { RECONCILE_EVERY };
    }

    /// When [`Reconciler::turn`] has something to do.
    pub(super) fn due(&self) -> Instant {
        self.next
    }

    /// Whoever owned a shard that nobody owns must say that it knows, before another may own it;
    /// a node that goes on without knowing gets no lease in the end. Whether there are such
    /// shards.
    fn press(&self, context: &Context<'_>, grantor: &mut Grantor) -> bool {
        let mut waits = false;
        for (shard, placement) in &context.view.shards {
            let Placement::Unplaced { last } = *placement else {
                continue;
            };
            waits = true;
            let Some(seen) = self.observed.shard(shard).filter(|_| last.0 > 0) else {
                continue;
            };
            let lives: Vec<_> = match seen.owner {
                Some(owner) => vec![owner],
                None => grantor.lives().collect(),
            };
            for life in lives {
                grantor.owes(context.now, life, seen.applied);
            }
        }
        waits
    }
}

/// The shard that a planned command is about.
fn about(command: Command) -> Option<(ShardId, Command)> {
    let shard = match &command {
        Command::Place { shard, .. }
        | Command::Restart { shard, .. }
        | Command::Release { shard, .. }
        | Command::BeginMove { shard, .. }
        | Command::FinishMove { shard, .. }
        | Command::AbortMove { shard, .. }
        | Command::Retire { shard, .. } => Some(shard.clone()),
        Command::Found { .. }
        | Command::FoundIn { .. }
        | Command::Join(_)
        | Command::Up { .. }
        | Command::Expire { .. }
        | Command::Drain { .. }
        | Command::Forget { .. }
        | Command::Declare(_)
        | Command::Content(_) => None,
    };
    shard.map(|shard| (shard, command))
}
