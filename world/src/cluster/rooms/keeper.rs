//! `[process]` The keeper of one zone on this node: it starts, moves and ends the zone's subtree as
//! the cluster orders, one order after the other.
//!
//! ```text
//!         run: floors from the store              freeze: mobs, then rooms hold still; their
//! (none) ────────────────────────────► running ─────────────────────────────────► still
//!    ▲   run: from the state built          ▲  ◄──────────── thaw ──────────────────┘ │
//!    └───────────────── stop ───────────────┴──────────────── stop ───────────────────┘
//! ```

use super::desk::Stall;
use super::far::Far;
use super::floors;
use super::frame::Opening;
use super::gateway::{Gateway, now};
use super::limits::{KEEPER_MAILBOX, STILL_MAX};
use super::state::ZoneState;
use crate::ids::{Being, RoomId, ZoneId};
use crate::mob::MobBody;
use crate::ring::{BeingPort, MobMessage, RoomMessage};
use crate::room::LiveRoom;
use crate::store::StorePort;
use crate::zone::{Right, ZonePlan};
use belay_cluster::{Built, Epoch, Fence, HandOver, NodeId};
use belay_runtime::{
    Capacity, ChildSpec, Context, DynamicSupervisor, Heir, Incoming, Mailbox, ProcessRef,
};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// After this time a zone whose floors could not be read is tried again.
const LOAD_AGAIN: Duration = Duration::from_millis(500);

/// What the cluster wants of a zone.
#[derive(Debug)]
pub(super) enum Order {
    /// It is this node's.
    Run(Fence),
    /// It is not any more.
    Stop(Epoch),
    /// It holds still and hands over its state.
    Freeze(Epoch, HandOver),
    /// It goes on.
    Thaw(Epoch),
    /// It is to be built from this state.
    Build(Epoch, Bytes, Built),
    /// The keeper is to crash; the zone is not.
    #[cfg(test)]
    Crash,
}

/// How zones are made.
#[derive(Clone)]
pub struct Workshop {
    /// A zone with empty rooms, and this right to act.
    pub plan: Arc<dyn Fn(ZoneId, Arc<Right>) -> ZonePlan + Send + Sync>,
    /// Where what lies on its floors is on record.
    pub store: StorePort,
    /// Where zones run.
    pub zones: DynamicSupervisor,
}

impl fmt::Debug for Workshop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workshop").finish_non_exhaustive()
    }
}

pub(super) fn mailbox() -> Mailbox<Order> {
    Mailbox::new(Capacity::new(KEEPER_MAILBOX))
}

/// The keeper of a zone.
pub(super) fn keeper(
    zone: ZoneId,
    mailbox: &Mailbox<Order>,
    gateway: Arc<Gateway>,
    workshop: Workshop,
) -> ChildSpec {
    let key = gateway
        .world
        .zone(zone)
        .map_or("unknown", |zone| &*zone.key);
    let name = format!("keeper:{key}");
    let heir = Heir::new(Kept::default());
    ChildSpec::body(name, mailbox, move |mut ctx| {
        let mut keeper = Keeper {
            zone,
            gateway: gateway.clone(),
            workshop: workshop.clone(),
            heir: heir.clone(),
        };
        async move {
            keeper.come_back().await;
            loop {
                match ctx.next().await {
                    Incoming::Message(order) | Incoming::Timer(order) => {
                        keeper.obey(&mut ctx, order).await;
                    }
                    Incoming::Signal(_) => {}
                    Incoming::Shutdown => return Ok(()),
                }
            }
        }
    })
}

struct Keeper {
    zone: ZoneId,
    gateway: Arc<Gateway>,
    workshop: Workshop,
    heir: Heir<Kept>,
}

/// What outlives an incarnation of the keeper. The zone's subtree runs on while its keeper is gone.
#[derive(Default)]
struct Kept {
    running: Option<Running>,
    /// The state that a move brought, under the number of the move.
    built: Option<(Epoch, ZoneState)>,
}

#[derive(Clone)]
struct Running {
    epoch: Epoch,
    plan: ZonePlan,
    process: ProcessRef,
}

impl Keeper {
    async fn obey(&mut self, ctx: &mut Context<Order>, order: Order) {
        match order {
            Order::Run(fence) => self.run(ctx, fence).await,
            Order::Stop(epoch) => self.stop(epoch).await,
            Order::Freeze(epoch, reply) => self.freeze(epoch, reply).await,
            Order::Thaw(epoch) => self.thaw(epoch),
            Order::Build(moving, bytes, reply) => match ZoneState::decode(&bytes) {
                Ok(state) => {
                    self.heir.with(|kept| kept.built = Some((moving, state)));
                    reply.done(Ok(()));
                }
                Err(error) => reply.done(Err(error.to_string())),
            },
            #[cfg(test)]
            Order::Crash => panic!("crash on demand"),
        }
    }

    /// The zone that runs, if it does so in this epoch.
    fn running_in(&self, epoch: Epoch) -> Option<Running> {
        let running = self.heir.with(|kept| kept.running.clone());
        running.filter(|running| running.epoch == epoch)
    }

    /// After a crash: an order to stop may be lost with the incarnation before. A zone that counts
    /// for nothing any more ends; one that does goes on, and obeys this incarnation. An order to
    /// run that is lost shows by its absence, and comes again.
    async fn come_back(&mut self) {
        let running = self.heir.with(|kept| kept.running.clone());
        if let Some(running) = running
            && self.gateway.epoch_of(self.zone) != Some(running.epoch)
        {
            self.stop(running.epoch).await;
        }
    }

    async fn run(&mut self, ctx: &mut Context<Order>, fence: Fence) {
        let running = self
            .heir
            .with(|kept| kept.running.as_ref().map(|one| one.epoch));
        if let Some(epoch) = running {
            if epoch >= fence.epoch() {
                return;
            }
            self.gateway.end_zone(self.zone, epoch);
            self.stop(epoch).await;
        }
        if !fence.may_act(now()) {
            return;
        }
        let epoch = fence.epoch();
        let right = Arc::new(Right::new(fence.clone(), now()));
        let plan = (self.workshop.plan)(self.zone, right.clone());
        let mut far = BTreeMap::new();
        let built = self.heir.with(|kept| kept.built.take());
        let how = match built.filter(|(moving, _)| *moving < epoch) {
            Some((_, state)) => {
                self.settle().await;
                self.restore(&plan, (state, epoch), &mut far);
                floors::claim(&self.workshop.store, &plan.shared.world, self.zone, epoch);
                Opening::Moved
            }
            None => {
                if let Err(error) = floors::load(&self.workshop.store, &plan, epoch).await {
                    tracing::warn!(
                        target: "belay_world", shard = %fence.shard(), %error,
                        "a zone could not begin"
                    );
                    ctx.send_after(LOAD_AGAIN, Order::Run(fence));
                    return;
                }
                Opening::Fresh
            }
        };
        let started = self.workshop.zones.start_child(plan.clone().spec()).await;
        match started {
            Ok(process) => {
                let shard = fence.shard();
                tracing::info!(target: "belay_world", %shard, %epoch, ?how, "zone runs");
                let floors = plan.heirs();
                let running = Running {
                    epoch,
                    plan,
                    process,
                };
                self.heir.with(|kept| kept.running = Some(running));
                self.gateway.open_zone(
                    self.zone,
                    (epoch, how),
                    Stall::new(epoch, right, floors, far),
                );
            }
            Err(error) => {
                tracing::error!(target: "belay_world", shard = %fence.shard(), %error, "no zone");
            }
        }
    }

    /// Waits until all that this node's sessions sent to the owner before is answered: only then it
    /// is known who stands there.
    async fn settle(&self) {
        loop {
            let told = self.gateway.settled.notified();
            let done = self
                .gateway
                .step(self.zone, |desk, outs| desk.gate.settle(now(), outs));
            if done {
                return;
            }
            told.await;
        }
    }

    /// Puts a state that another node handed over into the rooms of a zone that has not started.
    fn restore(
        &self,
        plan: &ZonePlan,
        (state, epoch): (ZoneState, Epoch),
        far: &mut BTreeMap<NodeId, Arc<Far>>,
    ) {
        let me = self.gateway.me.0;
        let floors = plan.heirs();
        for (id, record) in state.mobs {
            plan.with_mob(id, MobBody::from_record(&record));
        }
        let mut players = 0_usize;
        for record in state.rooms {
            let Some(heir) = floors.get(&record.id()) else {
                continue;
            };
            let room = LiveRoom::from_record(record, |being| match being {
                Being::Session(session) if session.node() == me => {
                    let desk = self.gateway.lock(self.zone);
                    let found = desk.standing.find(session);
                    found.map(|(_, port)| BeingPort::Session(port.clone()))
                }
                Being::Session(session) => {
                    let node = NodeId(session.node());
                    let new = || Arc::new(self.gateway.new_far(self.zone, node, epoch));
                    let far = far.entry(node).or_insert_with(new).clone();
                    Some(BeingPort::Far(far, session))
                }
                Being::Mob(mob) => Some(BeingPort::Mob(plan.mob_port(mob))),
            });
            players += room.sessions();
            heir.with(|state| *state = room);
        }
        tracing::debug!(target: "belay_world", zone = self.zone.0, players, "zone moved in");
    }

    async fn stop(&mut self, epoch: Epoch) {
        let running = self.heir.with(|kept| {
            kept.built.take_if(|(moving, _)| *moving <= epoch);
            let running = kept.running.clone();
            running.filter(|running| running.epoch <= epoch)
        });
        let Some(running) = running else { return };
        if let Err(error) = self.workshop.zones.stop_child(running.process.pid()).await {
            tracing::error!(target: "belay_world", %error, "a zone did not stop");
        }
        for room in self.gateway.rooms_of(self.zone) {
            self.gateway.rooms.close(room);
        }
        // Last, so that a crash on the way does not forget it.
        self.heir.with(|kept| kept.running = None);
    }

    async fn freeze(&mut self, epoch: Epoch, reply: HandOver) {
        let Some(running) = self.running_in(epoch) else {
            return reply.done(Err("the zone does not run in this epoch".into()));
        };
        let still = timeout(STILL_MAX, hold_still(&self.gateway, &running.plan)).await;
        if still.is_err() {
            return reply.done(Err("the rooms did not hold still in time".into()));
        }
        let state = export(&running.plan);
        self.gateway.zone_is_still(self.zone, epoch);
        let bytes = state.encode().map_err(|error| error.to_string());
        reply.done(bytes.map(Bytes::from));
    }

    fn thaw(&mut self, epoch: Epoch) {
        let Some(running) = self.running_in(epoch) else {
            return;
        };
        for (room, _) in running.plan.floors() {
            self.gateway.rooms.tell_if_here(room, RoomMessage::GoOn);
        }
        for (_, mob, _) in running.plan.living() {
            drop(mob.try_send_owed(MobMessage::GoOn));
        }
        self.gateway.thaw_zone(self.zone, epoch);
    }
}

/// The mobs first, so that none is between two rooms; then the rooms, behind all that they were
/// asked before.
async fn hold_still(gateway: &Gateway, plan: &ZonePlan) {
    let mobs = plan.living();
    let (told, mut still) = mpsc::channel(mobs.len().max(1));
    let mut waits = 0_usize;
    for (_, mob, _) in &mobs {
        let sent = mob.try_send_owed(MobMessage::Still(told.clone()));
        waits += usize::from(sent.is_ok());
    }
    for _ in 0..waits {
        still.recv().await;
    }
    let rooms: Vec<RoomId> = plan.floors().map(|(room, _)| room).collect();
    let (told, mut still) = mpsc::channel(rooms.len().max(1));
    let mut waits = 0_usize;
    for room in rooms {
        let sent = gateway
            .rooms
            .tell_here(room, RoomMessage::Still(told.clone()));
        waits += usize::from(sent.is_ok());
    }
    for _ in 0..waits {
        still.recv().await;
    }
}

fn export(plan: &ZonePlan) -> ZoneState {
    let at = now();
    ZoneState {
        rooms: plan
            .floors()
            .map(|(_, heir)| heir.with(|room| room.record()))
            .collect(),
        mobs: plan
            .living()
            .into_iter()
            .map(|(id, _, heir)| (id, heir.with(|body| body.record(at))))
            .collect(),
    }
}
