//! `[process]` Drives a node's duty: feeds the pure machine with what comes from raft, wires, host
//! and clock, and carries out what it decides. Nothing here waits but for the next event; what
//! takes time (a proposal, a change of voters) is a job beside it.

use super::deeds;
use super::event::{Event, JoinReply, Keep, Newest, News};
use super::roll::Roll;
use super::route::Part;
use super::shared::{Observations, Shared};
use crate::command::{Candidate, Outcome};
use crate::counts::Counts;
use crate::duty::{Duty, Input, OrderId, ProposalId, Role, Unproposed};
use crate::handle::OrderReply;
use crate::host::Host;
use crate::ids::NodeId;
use crate::lease::Fences;
use crate::order::OrderError;
use crate::raft::{ProposeError, Raft};
use crate::transport::{Inbound, Lane, Member, Transport};
use crate::view::View;
use belay_runtime::{Context, Exit, Incoming, TimerId};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// How often what the leader sees is put where an operator's status is made of it.
const SHOW_EVERY: Duration = Duration::from_millis(500);

/// What came of a job.
pub(super) enum Done {
    Proposed(ProposalId, Result<Outcome, Unproposed>),
    Membership(Result<(), String>),
    Joined(JoinReply, Result<Outcome, ProposeError>),
    Founded(Result<(), ProposeError>),
}

/// One incarnation of the driver.
pub(crate) struct Driver<T: Transport> {
    pub(crate) shared: Arc<Shared<T>>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) raft: Raft,
    pub(crate) news: Arc<Newest>,
    pub(crate) keep: Keep,
    pub(super) duty: Duty,
    pub(super) view: Arc<View>,
    pub(super) members: Vec<Member>,
    /// What another member told of them.
    pub(super) told: Roll,
    pub(super) role: Role,
    pub(super) fences: Fences,
    pub(super) orders: BTreeMap<OrderId, OrderReply>,
    order_next: u64,
    pub(super) jobs: FuturesUnordered<BoxFuture<'static, Done>>,
    voting: Option<(BTreeSet<NodeId>, BTreeSet<NodeId>)>,
    counts: Counts,
    shown: Option<Instant>,
    timer: Option<(Instant, TimerId)>,
    pub(super) over: Option<Exit>,
}

/// What a driver works with.
pub(crate) struct Around<T: Transport> {
    pub(crate) shared: Arc<Shared<T>>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) raft: Raft,
    pub(crate) news: Arc<Newest>,
    pub(crate) keep: Keep,
}

impl<T: Transport> Driver<T> {
    pub(crate) fn new(around: Around<T>, duty: Duty) -> Self {
        let Around {
            shared,
            host,
            raft,
            news,
            keep,
        } = around;
        let fences = Fences::new(shared.lease.clone());
        Self {
            shared,
            host,
            raft,
            news,
            keep,
            duty,
            view: Arc::default(),
            members: Vec::new(),
            told: Roll::default(),
            role: Role::default(),
            fences,
            orders: BTreeMap::new(),
            order_next: 0,
            jobs: FuturesUnordered::new(),
            voting: None,
            counts: Counts::default(),
            shown: None,
            timer: None,
            over: None,
        }
    }

    /// The cluster is being founded, beside everything else.
    pub(crate) fn found(
        &mut self,
        founding: impl Future<Output = Result<(), ProposeError>> + Send + 'static,
    ) {
        self.jobs
            .push(Box::pin(async move { Done::Founded(founding.await) }));
    }

    /// Drives until the node stops; all that ran here is stopped then.
    ///
    /// # Errors
    /// The node must not go on: raft has failed, or it is no member any more.
    pub(crate) async fn drive(mut self, mut ctx: Context<Event>) -> Result<(), Exit> {
        self.input(&mut ctx, Input::Tick);
        loop {
            self.look_at_raft(&mut ctx);
            self.show(ctx.now().into_std());
            self.arm(&mut ctx);
            if let Some(exit) = self.over.take() {
                return Err(exit);
            }
            match self.next(&mut ctx).await {
                Next::Event(event) => self.event(&mut ctx, event),
                Next::Done(done) => self.done(&mut ctx, done),
                Next::Stop => {
                    // The log's writer stops after this.
                    self.raft.stop().await;
                    return Ok(());
                }
            }
        }
    }

    async fn next(&mut self, ctx: &mut Context<Event>) -> Next {
        let Self { jobs, .. } = self;
        poll_fn(|cx| {
            // Jobs first: what they bring was asked for.
            if let Poll::Ready(Some(done)) = jobs.poll_next_unpin(cx) {
                return Poll::Ready(Next::Done(done));
            }
            let mut next = std::pin::pin!(ctx.next());
            next.as_mut().poll(cx).map(|incoming| match incoming {
                Incoming::Message(event) | Incoming::Timer(event) => Next::Event(event),
                Incoming::Signal(_) => Next::Event(Event::Tick),
                Incoming::Shutdown => Next::Stop,
            })
        })
        .await
    }

    fn event(&mut self, ctx: &mut Context<Event>, event: Event) {
        match event {
            Event::News => {}
            Event::Tick => {
                self.timer = None;
                self.input(ctx, Input::Tick);
            }
            Event::Came(inbound) => self.came(ctx, inbound),
            Event::Frozen(shard, moving, state) => {
                self.input(
                    ctx,
                    Input::Frozen {
                        shard,
                        moving,
                        state,
                    },
                );
            }
            Event::Built(shard, moving, result) => {
                self.input(
                    ctx,
                    Input::Built {
                        shard,
                        moving,
                        result,
                    },
                );
            }
            Event::Order(order, reply) => {
                self.order_next += 1;
                let id = OrderId(self.order_next);
                self.orders.insert(id, reply);
                self.input(ctx, Input::Order(id, order));
            }
            Event::Join(candidate, reply) => self.join(candidate, reply),
            Event::NewLife(incarnation) => {
                self.shared.lives_as(self.shared.number(), incarnation);
                self.keep.show(incarnation);
            }
        }
    }

    /// A message or news of a wire.
    fn came(&mut self, ctx: &mut Context<Event>, inbound: Inbound) {
        let (node, lane, up) = match inbound {
            Inbound::Up {
                from,
                incarnation,
                lane,
            } => (from, lane, Some(incarnation)),
            Inbound::Down { from, lane } => (from, lane, None),
            Inbound::Message {
                from,
                incarnation,
                lane: _,
                body,
            } => {
                if let Some((Part::Members, roll)) = Part::unwrap(body.clone()) {
                    return self.told(from, &roll);
                }
                match super::route::to_input(from, incarnation, body) {
                    Some(input) => self.input(ctx, input),
                    None => {
                        tracing::warn!(target: "belay_cluster", peer = from.0, "garbled message");
                    }
                }
                return;
            }
        };
        if up.is_some() && lane == Lane::Control {
            self.tell(node);
        }
        self.input(ctx, Input::Peer { node, lane, up });
    }

    /// What raft has to tell: first the log, then who leads, then how sure it is.
    fn look_at_raft(&mut self, ctx: &mut Context<Event>) {
        let News {
            view,
            role,
            quorum,
            members,
            failed,
        } = self.news.take();
        if let Some(view) = view {
            self.see(&view);
            self.input(ctx, Input::View(view));
        }
        if let Some(role) = role {
            self.counts.elections += u64::from(self.sees_election(role));
            self.role = role;
            self.input(ctx, Input::Role(role));
        }
        if members.is_some() {
            self.voting.clone_from(&members);
        }
        // Told to whoever begins to lead, and when it changes.
        if let Some((voters, learners)) = self.voting.clone()
            && (role.is_some() || members.is_some())
        {
            self.input(ctx, Input::Membership { voters, learners });
        }
        if let Some(at) = quorum {
            self.input(ctx, Input::Quorum(at));
        }
        if let Some(reason) = failed {
            self.over = Some(Exit::error(reason));
        }
    }

    /// Whether somebody leads now who did not before.
    fn sees_election(&self, role: Role) -> bool {
        role.leader.is_some() && (role.leader, role.term) != (self.role.leader, self.role.term)
    }

    /// A newer view, before the duty acts on it.
    fn see(&mut self, view: &Arc<View>) {
        self.counts.see(&self.view, view);
        self.shared.sees(view.clone());
        self.view = view.clone();
        self.reach();
        self.host.changed(view);
    }

    pub(super) fn input(&mut self, ctx: &mut Context<Event>, input: Input) {
        let mut effects = Vec::new();
        self.duty.step(ctx.now().into_std(), input, &mut effects);
        for effect in effects {
            self.carry_out(ctx, effect);
        }
    }

    /// A node asks to join. Only the leader can write it down.
    fn join(&mut self, candidate: Candidate, reply: JoinReply) {
        if !self.role.me_leads {
            let leader = self.role.leader.and_then(|node| self.view.nodes.get(&node));
            return reply.try_there(leader.map(|node| node.address.clone()));
        }
        let raft = self.raft.clone();
        self.jobs.push(Box::pin(async move {
            Done::Joined(reply, super::effects::admit(&raft, candidate).await)
        }));
    }

    fn done(&mut self, ctx: &mut Context<Event>, done: Done) {
        match done {
            Done::Proposed(id, outcome) => self.input(ctx, Input::Proposed(id, outcome)),
            Done::Membership(result) => self.input(ctx, Input::MembershipChanged(result)),
            Done::Joined(reply, outcome) => {
                // The applied view has the new member; it is told of all others.
                self.look_at_raft(ctx);
                let others = self.everybody();
                reply.answer(outcome, &self.view.cluster, others);
            }
            Done::Founded(Ok(())) => {}
            Done::Founded(Err(error)) => {
                self.over = Some(Exit::error(format!("cannot found the cluster: {error}")));
            }
        }
    }

    /// All members with this one, for a node that joins.
    fn everybody(&self) -> Vec<Member> {
        let me = self.shared.number();
        let own = self.view.nodes.get(&me).map(|known| Member {
            node: me,
            name: known.name.clone(),
            address: known.address.clone(),
            incarnation: known.incarnation,
        });
        self.members.iter().cloned().chain(own).collect()
    }

    /// Puts what only the leader sees where an operator finds it.
    fn show(&mut self, now: Instant) {
        let due = |at| now.saturating_duration_since(at) >= SHOW_EVERY;
        if !self.shown.is_none_or(due) {
            return;
        }
        self.shown = Some(now);
        let leases = self.view.nodes.keys().filter_map(|node| {
            let age = self.duty.lease_age(*node, now)?;
            Some((*node, now.checked_sub(age)?))
        });
        let shards = self.view.shards.keys().filter_map(|shard| {
            let seen = self.duty.seen(shard)?;
            Some((shard.clone(), (seen.ticked?, seen.weight.unwrap_or(0))))
        });
        self.shared.observes(Observations {
            leases: leases.collect(),
            shards: shards.collect(),
            counts: self.counts,
        });
    }

    /// Sees to it that the duty is asked again when it wants to be.
    fn arm(&mut self, ctx: &mut Context<Event>) {
        let due = self.duty.next_due();
        match self.timer.take() {
            Some((at, timer)) if at <= due => {
                self.timer = Some((at, timer));
                return;
            }
            Some((_, timer)) => drop(ctx.cancel(timer)),
            None => {}
        }
        let wait = due.saturating_duration_since(ctx.now().into_std());
        let timer = ctx.send_after(wait.max(Duration::from_millis(1)), Event::Tick);
        self.timer = Some((due, timer));
    }
}

/// This driver is over, by whatever: nothing that it let run may act any more.
impl<T: Transport> Drop for Driver<T> {
    fn drop(&mut self) {
        self.shared.lease.lapse();
        deeds::lapsed(self.shared.now());
        for (shard, epoch) in self.fences.end_all() {
            self.host.stop(&shard, epoch);
            deeds::stopped(&shard, epoch, self.shared.now());
        }
        for (_, reply) in std::mem::take(&mut self.orders) {
            reply(Err(OrderError::NoLeader));
        }
    }
}

/// What comes next.
enum Next {
    Event(Event),
    Done(Done),
    Stop,
}
