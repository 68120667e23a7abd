//! `[edge]` The process of one side: sees to it that a wire to each member with a lower number
//! stands, or is tried again soon.

use super::connection::Wire;
use super::greet::{self, HandshakeError};
use super::outbox::Outbox;
use super::shared::{Shared, SideMessage};
use super::wires::Wires;
use crate::cert::Tls;
use crate::ids::{Incarnation, NodeId};
use crate::transport::{Lane, Member};
use belay_runtime::{Backoff, ChildSpec, Context, Exit, Incoming, MonitorId, Signal, TimerId};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::select;
use tokio::time::{Instant, timeout};

/// The process of a side.
pub(super) fn spec(wires: &Wires, lane: Lane) -> ChildSpec {
    let (shared, tls) = (Arc::clone(&wires.shared), wires.tls.clone());
    let (name, mailbox) = match lane {
        Lane::Control => ("control-dialler", &wires.shared.side(lane).mailbox),
        Lane::Play => ("play-dialler", &wires.shared.side(lane).mailbox),
    };
    ChildSpec::body(name, mailbox, move |ctx| {
        let dialler = Dialler {
            shared: Arc::clone(&shared),
            tls: tls.clone(),
            lane,
            peers: BTreeMap::new(),
        };
        dialler.run(ctx)
    })
}

struct Dialler {
    shared: Arc<Shared>,
    tls: Option<Tls>,
    lane: Lane,
    /// Those that are dialled.
    peers: BTreeMap<NodeId, Peer>,
}

#[derive(Debug, Default)]
struct Peer {
    /// Tries in a row that came to nothing.
    failures: u32,
    /// Which life was dialled last, and where.
    aim: Option<(Incarnation, String)>,
    phase: Phase,
}

#[derive(Debug, Default)]
enum Phase {
    /// To be dialled at once.
    #[default]
    New,
    /// A connection is opened, or stands, since then.
    Running(MonitorId, Instant),
    /// To be dialled when the timer fires.
    Waiting(TimerId),
}

impl Dialler {
    async fn run(mut self, mut ctx: Context<SideMessage>) -> Result<(), Exit> {
        self.look(&mut ctx);
        loop {
            match ctx.next().await {
                Incoming::Message(SideMessage::Changed) | Incoming::Timer(SideMessage::Changed) => {
                    self.look(&mut ctx);
                }
                Incoming::Message(SideMessage::Dial(node))
                | Incoming::Timer(SideMessage::Dial(node)) => self.dial(&mut ctx, node),
                Incoming::Signal(Signal::Down { monitor, .. }) => self.over(&mut ctx, monitor),
                Incoming::Signal(Signal::Exit { .. }) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    }

    /// Dials those that are new, and forgets those that are members no more.
    fn look(&mut self, ctx: &mut Context<SideMessage>) {
        let me = self.shared.me().node;
        let members = self.shared.members();
        let lower: Vec<NodeId> = members
            .iter()
            .map(|member| member.node)
            .filter(|node| Some(*node) < me)
            .collect();
        self.peers.retain(|node, peer| {
            let stays = lower.contains(node);
            match peer.phase {
                Phase::Waiting(timer) if !stays => drop(ctx.cancel(timer)),
                Phase::Running(monitor, _) if !stays => ctx.demonitor(monitor),
                Phase::Waiting(_) | Phase::Running(..) | Phase::New => {}
            }
            stays
        });
        for node in lower {
            let peer = self.peers.entry(node).or_default();
            match peer.phase {
                Phase::New => self.dial(ctx, node),
                // It has shown itself elsewhere, or as a later life: not a wait longer.
                Phase::Waiting(timer) if peer.aim != self.shared.aim(node) => {
                    let _due_later = ctx.cancel(timer);
                    peer.failures = 0;
                    self.dial(ctx, node);
                }
                Phase::Waiting(_) | Phase::Running(..) => {}
            }
        }
    }

    fn dial(&mut self, ctx: &mut Context<SideMessage>, node: NodeId) {
        let (Some(member), Some(peer)) = (self.shared.member(node), self.peers.get_mut(&node))
        else {
            return;
        };
        peer.aim = self.shared.aim(node);
        let (outbox, mailbox) = self.shared.outbox(self.lane);
        let (shared, tls, lane) = (Arc::clone(&self.shared), self.tls.clone(), self.lane);
        let spec = ChildSpec::once_body(format!("to {}", member.name), &mailbox, move |ctx| {
            run(ctx, (shared, tls), (member, lane), outbox)
        });
        match self.shared.side(lane).connections.spawn_child(spec) {
            Ok(process) => peer.phase = Phase::Running(ctx.monitor(&process), ctx.now()),
            Err(_full) => wait(&self.shared, ctx, (node, peer), Duration::ZERO),
        }
    }

    /// A connection ended, or came to nothing.
    fn over(&mut self, ctx: &mut Context<SideMessage>, ended: MonitorId) {
        let mut peers = self.peers.iter_mut();
        let found = peers.find_map(|(node, peer)| match peer.phase {
            Phase::Running(monitor, since) if monitor == ended => Some((*node, peer, since)),
            Phase::Running(..) | Phase::Waiting(_) | Phase::New => None,
        });
        let Some((node, peer, since)) = found else {
            return;
        };
        if peer.aim != self.shared.aim(node) {
            peer.failures = 0;
            return self.dial(ctx, node);
        }
        // It must have stood for a while: no handshake takes so long.
        let rules = &self.shared.rules;
        let took = ctx.now().saturating_duration_since(since);
        let stood = took > rules.handshake_within + rules.redial.1;
        if stood {
            peer.failures = 0;
        }
        let waited = if stood { Duration::ZERO } else { took };
        wait(&self.shared, ctx, (node, peer), waited);
    }
}

/// Has a node dialled again after a while. The time that the last try took counts.
fn wait(
    shared: &Shared,
    ctx: &mut Context<SideMessage>,
    (node, peer): (NodeId, &mut Peer),
    waited: Duration,
) {
    let (first, max) = shared.rules.redial;
    let backoff = Backoff {
        first,
        factor: 2.0,
        max,
        jitter: 0.5,
    };
    let delay = backoff.delay(peer.failures, chance());
    let delay = delay.saturating_sub(waited).max(delay.min(first / 2));
    peer.failures = peer.failures.saturating_add(1);
    peer.phase = Phase::Waiting(ctx.send_after(delay, SideMessage::Dial(node)));
}

/// Between 0 and 1. Without randomness all wait as long as they may.
pub(super) fn chance() -> f64 {
    getrandom::u32().map_or(0.0, |drawn| f64::from(drawn) / f64::from(u32::MAX))
}

/// The process of a connection to a member, from dialling to its end.
async fn run(
    mut ctx: Context<Bytes>,
    (shared, tls): (Arc<Shared>, Option<Tls>),
    (member, lane): (Member, Lane),
    outbox: Arc<Outbox>,
) -> Result<(), Exit> {
    let dialling = greet::dial(&shared, tls.as_ref(), (&member, lane), &outbox);
    let dialled = select! {
        () = ctx.stopping() => return Ok(()),
        dialled = timeout(shared.rules.handshake_within, dialling) => dialled,
    };
    match dialled.unwrap_or(Err(HandshakeError::TooSlow)) {
        Ok((framed, seated)) => {
            shared.stands(lane, &member.name);
            let pace = shared.rules.lane(lane).pace;
            let wire = Wire::new(*framed, seated, outbox, pace, ctx.now());
            let why = wire.run(&mut ctx).await;
            shared.ended(lane, &member.name, &why);
        }
        Err(error) => shared.trouble(lane, member.name.as_str(), &error.to_string()),
    }
    Ok(())
}
