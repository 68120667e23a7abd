//! `[pure]` A node's machine: its parts, and which of them hears of what.

use crate::duty::asking::Asking;
use crate::duty::context::{Context, changes};
use crate::duty::io::{Effect, HostCall, Input, Note, Role};
use crate::duty::lead::Lead;
use crate::duty::orders::Orders;
use crate::duty::shards::Shards;
use crate::duty::standing::Standing;
use crate::duty::target::Received;
use crate::ids::{Incarnation, NodeId, ShardId};
use crate::lease::{Holder, Waning};
use crate::limits::RECONCILE_EVERY;
use crate::plan::observed::Seen;
use crate::transport::Lane;
use crate::view::View;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a machine must know of its node.
#[derive(Clone, Debug)]
pub(crate) struct DutyConfig {
    /// Its number.
    pub(crate) me: NodeId,
    /// Its life.
    pub(crate) incarnation: Incarnation,
    /// Where other nodes reach it, `HOST:PORT`.
    pub(crate) address: String,
}

/// What a node has to do. See the [module](super).
#[derive(Clone, Debug)]
pub(crate) struct Duty {
    pub(super) config: DutyConfig,
    pub(super) now: Instant,
    pub(super) view: Arc<View>,
    pub(super) role: Role,
    pub(super) standing: Standing,
    pub(super) holder: Holder,
    pub(super) asking: Asking,
    pub(super) shards: Shards,
    pub(super) received: Received,
    pub(super) orders: Orders,
    pub(super) lead: Option<Lead>,
    pub(super) next_proposal: u64,
}

impl Duty {
    /// A node that has just started. It owns nothing and knows of nobody.
    pub(crate) fn new(config: DutyConfig, now: Instant) -> Self {
        Self {
            config,
            now,
            view: Arc::default(),
            role: Role::default(),
            standing: Standing::Waiting,
            holder: Holder::default(),
            asking: Asking::new(now),
            shards: Shards::default(),
            received: Received::default(),
            orders: Orders::default(),
            lead: None,
            next_proposal: 1,
        }
    }

    /// This node's present life.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look at it"))]
    pub(crate) fn incarnation(&self) -> Incarnation {
        self.config.incarnation
    }

    /// Whether this node holds its lease.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look at it"))]
    pub(crate) fn leased(&self, now: Instant) -> bool {
        self.holder.holds(now)
    }

    /// How long ago a node's lease was renewed; only while this node leads.
    pub(crate) fn lease_age(&self, node: NodeId, now: Instant) -> Option<Duration> {
        let renewed = self.lead.as_ref()?.renewed(node)?;
        Some(now.saturating_duration_since(renewed))
    }

    /// What was seen of a shard; only while this node leads.
    pub(crate) fn seen(&self, shard: &ShardId) -> Option<&Seen> {
        self.lead.as_ref()?.seen(shard)
    }

    /// Tells the machine something, at this moment of the node's own clock. What is to be done is
    /// put behind what `out` holds.
    pub(crate) fn step(&mut self, now: Instant, input: Input, out: &mut Vec<Effect>) {
        self.now = self.now.max(now);
        let mut done = Vec::new();
        // A process that was paused must find out before it does anything else.
        self.wane(&mut done);
        if let Some(lead) = &mut self.lead {
            lead.watch(self.now);
        }
        self.take(input, &mut done);
        self.turn(&mut done);
        // What it says to itself needs no wire.
        let mut said = VecDeque::new();
        loop {
            for effect in done.drain(..) {
                if let Effect::Send(to, message) = &effect
                    && *to == self.config.me
                {
                    said.push_back(message.clone());
                } else {
                    out.push(effect);
                }
            }
            let Some(message) = said.pop_front() else {
                break;
            };
            self.control(self.config.me, self.config.incarnation, message, &mut done);
            self.turn(&mut done);
        }
        assert!(
            self.standing == Standing::Alive || !self.shards.any(),
            "who does not live owns nothing"
        );
        assert!(
            self.lead.is_some() == self.role.me_leads,
            "who leads does what leaders do"
        );
    }

    /// When [`Input::Tick`] is due, if nothing else is told before.
    pub(crate) fn next_due(&self) -> Instant {
        let asks = self.standing.asks();
        let dues = [
            asks.then(|| self.asking.due()),
            self.holder.due(),
            self.shards.due(),
            self.received.due(),
            self.orders.due(),
            self.lead.as_ref().and_then(Lead::due),
        ];
        let dues = dues.into_iter().flatten();
        dues.fold(self.now + RECONCILE_EVERY, Instant::min)
    }

    fn take(&mut self, input: Input, out: &mut Vec<Effect>) {
        match input {
            Input::View(view) => self.follow(view, out),
            Input::Role(role) => self.elect(role),
            Input::Quorum(at) => {
                let now = self.now;
                let lead = self.lead.as_mut();
                lead.into_iter().for_each(|lead| lead.quorum(now, at));
            }
            Input::Membership { voters, learners } => {
                if let Some(lead) = &mut self.lead {
                    lead.members(voters, learners);
                }
            }
            Input::Peer { node, lane, up } => {
                let leads = self.role.leader == Some(node);
                if leads && lane == Lane::Control && up.is_some() {
                    self.asking.hurry(self.now);
                }
            }
            Input::Control {
                from,
                incarnation,
                message,
            } => self.control(from, incarnation, message, out),
            Input::HandOver {
                from,
                incarnation,
                message,
            } => self.handed(from, incarnation, message, out),
            Input::Reports(reports) => self.report(reports, out),
            Input::MembershipChanged(result) => {
                if let Some(lead) = &mut self.lead {
                    lead.members_changed(self.now, result, out);
                }
            }
            Input::Order(id, order) => self.orders.give(self.now, id, order, out),
            Input::Frozen { .. } | Input::Built { .. } | Input::Proposed(..) => {
                self.answered(input, out);
            }
            Input::Tick => {}
        }
    }

    /// What was asked of the host or of raft has an answer.
    fn answered(&mut self, input: Input, out: &mut Vec<Effect>) {
        let view = self.view.clone();
        let context = self.context(&view);
        match input {
            Input::Frozen {
                shard,
                moving,
                state,
            } => self.shards.frozen(&context, (&shard, moving), state, out),
            Input::Built {
                shard,
                moving,
                result,
            } => self.received.built(&context, (&shard, moving), result, out),
            Input::Proposed(id, landed) => {
                if let Some(lead) = &mut self.lead {
                    lead.proposed(&context, (id, landed), out);
                }
            }
            Input::View(_)
            | Input::Role(_)
            | Input::Quorum(_)
            | Input::Membership { .. }
            | Input::Peer { .. }
            | Input::Control { .. }
            | Input::HandOver { .. }
            | Input::Reports(_)
            | Input::MembershipChanged(_)
            | Input::Order(..)
            | Input::Tick => {}
        }
    }

    /// The log has gone on.
    fn follow(&mut self, view: Arc<View>, out: &mut Vec<Effect>) {
        assert!(view.applied >= self.view.applied, "the log only goes on");
        let was = std::mem::replace(&mut self.view, view.clone());
        let before = self.standing;
        let (me, life) = (self.config.me, self.config.incarnation);
        self.standing = before.next(&view, me, life);
        if before == Standing::Alive && self.standing != Standing::Alive {
            self.give_up(out);
        }
        if self.standing != before {
            self.begin(out);
        }
        let changes = changes(&was, &view);
        let context = self.context(&view);
        self.received.follow(&context, out);
        let began = before != Standing::Alive && context.alive;
        let all = began.then(|| super::context::changes(&View::default(), &view));
        for change in all.as_ref().unwrap_or(&changes) {
            let built = self.received.take(&context, &change.shard);
            self.shards.place(&context, &change.shard, built, out);
        }
        if let Some(lead) = &mut self.lead {
            lead.follow(&context, &was, &changes, out);
        }
    }

    /// This life has just begun or ended, as the log has it.
    fn begin(&mut self, out: &mut Vec<Effect>) {
        match self.standing {
            Standing::Waiting => {}
            Standing::Alive => self.asking.hurry(self.now),
            Standing::Down => {
                // It lives, whatever the others think; but what it owned it owns no more.
                self.config.incarnation.0 += 1;
                self.standing = Standing::Waiting;
                self.asking.hurry(self.now);
                out.push(Effect::NewLife(self.config.incarnation));
            }
            Standing::Outlived(life) => out.push(Effect::Outlived(life)),
            Standing::Forgotten => out.push(Effect::Forgotten),
        }
    }

    /// All that this life had is gone.
    fn give_up(&mut self, out: &mut Vec<Effect>) {
        if self.holder.give_up() {
            out.push(Effect::Lapse);
        }
        self.shards.clear(out);
        self.received.clear(out);
    }

    /// Somebody else leads, or another term has begun.
    fn elect(&mut self, role: Role) {
        let before = std::mem::replace(&mut self.role, role);
        if before.leader != role.leader || before.me_leads != role.me_leads {
            self.asking.hurry(self.now);
        }
        let led = self.lead.as_ref().map(Lead::term);
        if role.me_leads && led == Some(role.term) {
            return;
        }
        if let Some(lead) = self.lead.take() {
            self.next_proposal = lead.next_proposal();
        }
        if role.me_leads {
            let view = self.view.clone();
            let context = self.context(&view);
            self.lead = Some(Lead::new(&context, role.term, self.next_proposal));
        }
    }

    /// The lease may have lapsed.
    fn wane(&mut self, out: &mut Vec<Effect>) {
        match self.holder.wane(self.now) {
            None => {}
            Some(Waning::Still) => {
                out.push(Effect::Host(HostCall::Suspend(true)));
                out.push(Effect::Note(Note::Suspended));
            }
            Some(Waning::Lapsed) => {
                out.push(Effect::Lapse);
                self.shards.lapsed(out);
                out.push(Effect::Note(Note::Lapsed));
            }
        }
    }

    /// Does what time, or anything that was learned, makes due.
    fn turn(&mut self, out: &mut Vec<Effect>) {
        let view = self.view.clone();
        let context = self.context(&view);
        self.shards.turn(&context, out);
        self.received.turn(&context, out);
        self.orders.turn(&context, out);
        if let Some(lead) = &mut self.lead {
            lead.turn(&context, out);
        }
        let life = (self.config.incarnation, self.config.address.as_str());
        if self.standing.asks() && self.asking.turn(&context, &mut self.holder, life, out) {
            out.push(Effect::AskReports);
        }
    }

    pub(super) fn context<'a>(&self, view: &'a View) -> Context<'a> {
        let alive = self.standing == Standing::Alive;
        Context {
            now: self.now,
            me: self.config.me,
            view,
            leader: self.role.leader,
            alive,
            leased: alive && self.holder.holds(self.now),
        }
    }
}
