//! `[pure]` What other nodes and the host say, and which part of the machine hears of it.

use crate::duty::context::Context;
use crate::duty::io::{Effect, HostCall, Note};
use crate::duty::lead::Asker;
use crate::duty::machine::Duty;
use crate::duty::message::{DutyMessage, Granted, HandOverMessage, Part};
use crate::duty::standing::Standing;
use crate::ids::{Incarnation, NodeId};
use crate::limits::REPORTS_MAX;
use crate::report::ShardReport;
use std::time::Duration;

impl Duty {
    /// A message on the control lane, or one that this node says to itself.
    pub(super) fn control(
        &mut self,
        from: NodeId,
        life: Incarnation,
        message: DutyMessage,
        out: &mut Vec<Effect>,
    ) {
        if self.is_of_the_past(from, life) {
            return;
        }
        match message {
            DutyMessage::Granted(granted) => self.granted(granted, out),
            DutyMessage::NotLeader(leader) => {
                let view = self.view.clone();
                let context = self.context(&view);
                self.asking.follow(&context, leader);
            }
            DutyMessage::Answer { number, result } => self.orders.answered(number, result, out),
            DutyMessage::Renew(_)
            | DutyMessage::Reports(_)
            | DutyMessage::Ended(_)
            | DutyMessage::Moved { .. }
            | DutyMessage::Order { .. } => self.asked_to_lead(from, life, message, out),
        }
    }

    /// Something for the leader, whom others may take this node for before or after it is.
    fn asked_to_lead(
        &mut self,
        from: NodeId,
        incarnation: Incarnation,
        message: DutyMessage,
        out: &mut Vec<Effect>,
    ) {
        let (now, view) = (self.now, self.view.clone());
        let context = self.context(&view);
        let Some(lead) = &mut self.lead else {
            if matches!(message, DutyMessage::Renew(_)) {
                out.push(Effect::Send(from, DutyMessage::NotLeader(self.role.leader)));
            }
            return;
        };
        match message {
            DutyMessage::Renew(renew) => lead.renew(&context, from, renew, out),
            DutyMessage::Reports(reports) => lead.reports(now, from, &reports),
            DutyMessage::Ended(ended) => lead.ended(now, from, &ended),
            DutyMessage::Moved {
                shard,
                moving,
                step,
            } => lead.moved(now, from, (&shard, moving), step),
            DutyMessage::Order { number, order } => {
                let asker = Asker {
                    node: from,
                    incarnation,
                    number,
                };
                lead.order(&context, asker, order, out);
            }
            DutyMessage::Granted(_) | DutyMessage::NotLeader(_) | DutyMessage::Answer { .. } => {}
        }
    }

    /// The leader has granted the lease, in answer to a request of this life.
    fn granted(&mut self, granted: Granted, out: &mut Vec<Effect>) {
        if granted.incarnation != self.config.incarnation || self.standing != Standing::Alive {
            return;
        }
        let age = Duration::from_millis(granted.quorum_ms_ago.into());
        let Some(renewed) = self.holder.granted(self.now, granted.stamp, age) else {
            return;
        };
        out.push(Effect::Lease(renewed.until));
        if renewed.go_on {
            out.push(Effect::Host(HostCall::Suspend(false)));
            out.push(Effect::Note(Note::Resumed));
        }
        if renewed.anew {
            let view = self.view.clone();
            let context = self.context(&view);
            self.shards.leased(&context, out);
            self.tell_ended(&context, out);
        }
    }

    /// A message on the play lane.
    pub(super) fn handed(
        &mut self,
        from: NodeId,
        life: Incarnation,
        message: HandOverMessage,
        out: &mut Vec<Effect>,
    ) {
        if self.is_of_the_past(from, life) || self.standing != Standing::Alive {
            return;
        }
        let view = self.view.clone();
        let context = self.context(&view);
        match message.part {
            Part::Got { parts } => {
                let which = (&message.shard, message.moving, from);
                self.shards.got(&context, which, parts, out);
            }
            Part::Chunk { .. } | Part::End { .. } => {
                self.received.part(&context, from, message, out);
            }
        }
    }

    /// What the host's shards have done goes to the leader.
    pub(super) fn report(&mut self, mut reports: Vec<ShardReport>, out: &mut Vec<Effect>) {
        let view = self.view.clone();
        let context = self.context(&view);
        while !reports.is_empty() {
            let rest = reports.split_off(reports.len().min(REPORTS_MAX));
            context.tell_leader(DutyMessage::Reports(reports), out);
            reports = rest;
        }
        self.tell_ended(&context, out);
    }

    fn tell_ended(&self, context: &Context<'_>, out: &mut Vec<Effect>) {
        for ended in self.shards.ended().chunks(REPORTS_MAX) {
            context.tell_leader(DutyMessage::Ended(ended.to_vec()), out);
        }
    }

    /// A life that is over said it; its wire is about to go down.
    fn is_of_the_past(&self, node: NodeId, life: Incarnation) -> bool {
        let known = self.view.nodes.get(&node);
        known.is_some_and(|known| life < known.incarnation)
    }
}
