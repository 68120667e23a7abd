//! `[pure]` When this node asks for its lease, and whom.

use crate::duty::context::Context;
use crate::duty::io::Effect;
use crate::duty::message::{DutyMessage, Renew};
use crate::ids::{Incarnation, NodeId};
use crate::lease::Holder;
use crate::limits::LEASE_EVERY;
use std::time::Instant;

/// How this node asks.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    next: Instant,
    /// Who leads as others say, while this node itself knows of nobody.
    hint: Option<NodeId>,
    /// Whom it asked last for want of better.
    turn: NodeId,
}

impl Asking {
    /// Asks at the first opportunity.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            next: now,
            hint: None,
            turn: NodeId(0),
        }
    }

    /// Asks at once: somebody else leads, or a wire to the leader stands again.
    pub(super) fn hurry(&mut self, now: Instant) {
        self.next = now;
        self.hint = None;
    }

    /// Somebody who was asked says that another one leads.
    pub(super) fn follow(&mut self, context: &Context<'_>, leader: Option<NodeId>) {
        if context.leader.is_none() && leader.is_some() && leader != self.hint {
            self.hint = leader;
            self.next = context.now;
        }
    }

    /// Asks, if it is time. Whether it did.
    pub(super) fn turn(
        &mut self,
        context: &Context<'_>,
        holder: &mut Holder,
        (incarnation, address): (Incarnation, &str),
        out: &mut Vec<Effect>,
    ) -> bool {
        if context.now < self.next {
            return false;
        }
        self.next = context.now + LEASE_EVERY;
        let hint = self.hint.take();
        let Some(to) = context.leader.or(hint).or_else(|| self.anybody(context)) else {
            return true;
        };
        let renew = Renew {
            incarnation,
            stamp: holder.ask(context.now),
            applied: context.view.applied,
            address: address.to_owned(),
        };
        out.push(Effect::Send(to, DutyMessage::Renew(renew)));
        true
    }

    /// When it is time.
    pub(super) fn due(&self) -> Instant {
        self.next
    }

    /// One other member after the other.
    fn anybody(&mut self, context: &Context<'_>) -> Option<NodeId> {
        let others = || context.view.nodes.keys().copied();
        let others = || others().filter(|node| *node != context.me);
        let next = others().find(|node| *node > self.turn);
        let next = next.or_else(|| others().next())?;
        self.turn = next;
        Some(next)
    }
}
