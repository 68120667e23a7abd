//! `[process]` A room's process: it takes the state that its zone keeps for it, lets the pure step
//! decide, applies the decision and carries out its effects.
//!
//! The state is the zone's heirloom ([`Heir`]): after a crash the next incarnation goes on with the
//! state after the last completed step, for a step reads the state while it decides and changes it
//! only when the decision is complete. The mailbox survives too; the message that met the crash is
//! dropped, and its [`Receipt`](crate::ring::Receipt) tells the sender.

use super::ask::Answer;
use super::state::{Change, RoomState};
use super::step::{CrowdRules, Decision, Effect, Scene, decide, decide_cast, decide_tick, notice};
use super::telling::{FarTick, Telling, forget, nodes, tell_here, tell_nodes};
use crate::being::Item;
use crate::content::World;
use crate::event::Seen;
use crate::ids::{Being, PrototypeId, RoomId};
use crate::limits;
use crate::ops::metrics;
use crate::ring::{BeingPort, MobMessage, Receipt, RoomMessage};
use crate::zone::Right;
use belay_runtime::{Context, Exit, Flow, Heir, Process, Span};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Decides what follows from a message.
static STEP: Span = Span::new("room.step");

/// Tells all who are here, or the next of a crowd.
static TELL: Span = Span::new("room.tell");

/// The state of a room with the real ports of its occupants.
pub type LiveRoom = RoomState<BeingPort>;

/// Asks for things that a room misses, up to so many of this kind that its resets made; the answer
/// is [`RoomMessage::Appear`] for each that is missing in the whole world.
pub type Restock = dyn Fn(RoomId, PrototypeId, u16) + Send + Sync;

/// What all rooms share.
#[derive(Clone)]
pub struct RoomContext {
    /// The content.
    pub world: Arc<World>,
    /// When rooms gather.
    pub crowd: CrowdRules,
    /// Where missing things come from.
    pub restock: Arc<Restock>,
    /// In a cluster: the right of the rooms' zone to act. A node that is alone needs none.
    pub right: Option<Arc<Right>>,
}

impl fmt::Debug for RoomContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomContext")
            .field("crowd", &self.crowd)
            .finish_non_exhaustive()
    }
}

/// One incarnation of a room.
#[derive(Debug)]
pub struct RoomProcess {
    id: RoomId,
    heir: Heir<LiveRoom>,
    shared: Arc<RoomContext>,
    decision: Decision<BeingPort>,
    telling: Option<Telling>,
    /// The zone is being moved: nothing is done until it is known whether it was.
    still: bool,
}

impl RoomProcess {
    /// An incarnation that goes on with this state.
    pub fn new(id: RoomId, heir: Heir<LiveRoom>, shared: Arc<RoomContext>) -> Self {
        Self {
            id,
            heir,
            shared,
            decision: Decision::default(),
            telling: None,
            still: false,
        }
    }

    /// Decides, applies, and leaves the effects in `self.decision`.
    fn step(
        &mut self,
        decide: impl FnOnce(&LiveRoom, Scene<'_>, &mut Decision<BeingPort>),
    ) -> Result<(), Exit> {
        let _step = STEP.enter();
        let Some(room) = self.shared.world.room(self.id) else {
            return Err(Exit::error("the content has no such room"));
        };
        let scene = Scene {
            world: &self.shared.world,
            room,
            crowd: self.shared.crowd,
        };
        let decision = &mut self.decision;
        self.heir.with(|state| {
            decision.changes.clear();
            decision.effects.clear();
            decide(state, scene, decision);
            for change in decision.changes.drain(..) {
                state.apply(change);
            }
        });
        Ok(())
    }

    fn carry_out(&mut self, ctx: &mut Context<RoomMessage>, mut receipt: Option<Receipt>) {
        if !self.may_act(ctx) {
            return self.hold_back();
        }
        let mut effects = std::mem::take(&mut self.decision.effects);
        let mut not_taken = None;
        for effect in effects.drain(..) {
            match effect {
                Effect::Answer(answer) => {
                    let answered = receipt.take().map(|receipt| receipt.answer(answer));
                    if let Some(Err(Answer::Handed(_, item))) = answered {
                        not_taken = Some(item);
                    }
                }
                Effect::Notice(by, seen) => self.tell_all(by, &seen),
                Effect::Tick {
                    all,
                    newcomers,
                    fresh,
                } => {
                    let tick = FarTick {
                        all,
                        newcomers,
                        fresh,
                    };
                    self.tick(ctx, tick);
                }
                Effect::Arm(gap) => {
                    ctx.send_after(gap, RoomMessage::Tick);
                }
                Effect::Crash => crash(),
                Effect::CrashMob(BeingPort::Mob(mob)) => {
                    drop(mob.try_send_owed(MobMessage::Crash));
                }
                Effect::CrashMob(BeingPort::Session(_) | BeingPort::Far(..)) => {}
                Effect::Dropped => {
                    metrics::ambient_dropped(1);
                }
            }
        }
        self.decision.effects = effects;
        if let Some(item) = not_taken {
            // Who asked for it is gone: it stays here.
            self.heir.with(|state| state.apply(Change::Put(item)));
        }
    }

    /// One notice for all players here but the one who did it.
    fn tell_all(&self, by: Option<Being>, seen: &Seen) {
        let _tell = TELL.enter();
        let nodes = self.heir.with(|state| tell_here(state, by, seen));
        tell_nodes(&nodes, self.id, by, seen);
    }

    /// Begins to tell a crowd what happened in a tick.
    fn tick(&mut self, ctx: &mut Context<RoomMessage>, tick: FarTick) {
        if self.shared.right.is_some() {
            let nodes = self.heir.with(|state| nodes(state));
            tick.tell(&nodes, self.id);
        }
        let telling = Telling::new(tick.all, tick.newcomers, tick.fresh);
        // The tick before was told in much less time than a tick takes; if not, its rest goes now.
        while self.tell_slice() {}
        self.telling = Some(telling);
        self.go_on_telling(ctx);
    }

    fn go_on_telling(&mut self, ctx: &mut Context<RoomMessage>) {
        if self.tell_slice() {
            ctx.send_after(limits::CROWD_SLICE_GAP, RoomMessage::Slice);
        }
    }

    /// Tells the next players of a crowd; whether more are to be told. Told all at once, the writes
    /// to thousands of sockets would stand in the way of everybody's answers.
    fn tell_slice(&mut self) -> bool {
        let Some(telling) = &mut self.telling else {
            return false;
        };
        let _tell = TELL.enter();
        let more = self.heir.with(|state| telling.slice(state.occupants()));
        if !more {
            self.telling = None;
        }
        more
    }

    /// Whether the zone may act: asked before a message is handled, and again before its effects
    /// leave, for the process may have been paused in between.
    fn may_act(&self, ctx: &Context<RoomMessage>) -> bool {
        let right = self.shared.right.as_ref();
        right.is_none_or(|right| right.may_act(ctx.now().into_std()))
    }

    /// The right to act is gone since the step: nothing of it leaves. A thing that was to be handed
    /// out stays; the asker's receipt says that the ask is lost.
    fn hold_back(&mut self) {
        for effect in self.decision.effects.drain(..) {
            if let Effect::Answer(Answer::Handed(_, item)) = effect {
                self.heir.with(|state| state.apply(Change::Put(item)));
            }
        }
    }

    /// What comes while the room may not act: asks are lost and their receipts say so, the rest
    /// comes again a little later.
    fn put_off(&self, ctx: &mut Context<RoomMessage>, message: RoomMessage) {
        match message {
            RoomMessage::Ask(..)
            | RoomMessage::Slice
            | RoomMessage::Reset
            | RoomMessage::Crash
            | RoomMessage::Stall(_)
            | RoomMessage::Beat => {}
            RoomMessage::GoOn | RoomMessage::Still(_) => {}
            again @ (RoomMessage::Cast(..)
            | RoomMessage::Tick
            | RoomMessage::Appear(_)
            | RoomMessage::Forget(..)) => {
                ctx.send_after(PUT_OFF, again);
            }
        }
    }

    /// Holds still from now on: what was queued before is done, and nothing comes after it.
    fn hold_still(&mut self, told: &mpsc::Sender<RoomId>) {
        while self.tell_slice() {}
        self.still = true;
        if told.try_send(self.id).is_err() {
            tracing::debug!(target: "belay_world", room = self.id.0, "nobody waits for the room");
        }
    }

    /// Goes on: a tick that was due meanwhile is set again.
    fn go_on(&mut self, ctx: &mut Context<RoomMessage>) {
        self.still = false;
        self.rearm(ctx);
    }

    /// Sets the tick of what was gathered by another incarnation, or before holding still.
    fn rearm(&self, ctx: &mut Context<RoomMessage>) {
        let waiting = self.heir.with(|state| {
            let waiting = !state.gathered().is_empty();
            if !waiting {
                state.disarm();
            }
            waiting
        });
        if waiting {
            ctx.send_after(self.shared.crowd.gap, RoomMessage::Tick);
        }
    }

    /// Asks only for what is not here, so that a world in which nothing moved costs no write.
    fn reset(&self) {
        let Some(room) = self.shared.world.room(self.id) else {
            return;
        };
        for reset in &room.resets {
            let here = self.heir.with(|state| {
                state
                    .items()
                    .iter()
                    .filter(|item| item.prototype == reset.item)
                    .count()
            });
            if here < usize::from(reset.count) {
                (self.shared.restock)(self.id, reset.item, reset.count);
            }
        }
    }

    fn appear(&mut self, item: Item) -> Result<(), Exit> {
        let name = self
            .shared
            .world
            .item(item.prototype)
            .map(|kind| kind.name.clone());
        self.step(|state, scene, out| {
            decide_cast(state, scene, NOBODY, super::Cast::PutBack(item), out);
            if let Some(name) = name {
                notice(state, scene, None, Seen::ItemAppears((&*name).into()), out);
            }
        })
    }
}

/// After this time a room that may not act looks again.
const PUT_OFF: Duration = Duration::from_millis(50);

const NOBODY: Being = Being::Mob(crate::ids::MobId(u32::MAX));

impl Process for RoomProcess {
    type Message = RoomMessage;

    async fn init(&mut self, ctx: &mut Context<RoomMessage>) -> Result<(), Exit> {
        self.rearm(ctx);
        if ctx.incarnation() == 0 {
            return Ok(());
        }
        self.step(|state, scene, out| notice(state, scene, None, Seen::Trembles, out))?;
        self.carry_out(ctx, None);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<RoomMessage>,
        message: RoomMessage,
    ) -> Result<Flow, Exit> {
        if self.still || !self.may_act(ctx) {
            match message {
                RoomMessage::GoOn => self.go_on(ctx),
                // Also one that may not act can be moved.
                RoomMessage::Still(told) => self.hold_still(&told),
                other @ (RoomMessage::Ask(..)
                | RoomMessage::Cast(..)
                | RoomMessage::Tick
                | RoomMessage::Slice
                | RoomMessage::Reset
                | RoomMessage::Crash
                | RoomMessage::Stall(_)
                | RoomMessage::Appear(_)
                | RoomMessage::Forget(..)
                | RoomMessage::Beat) => self.put_off(ctx, other),
            }
            return Ok(Flow::Continue);
        }
        if let Some(right) = &self.shared.right {
            right.handled();
        }
        match message {
            RoomMessage::Ask(being, ask, receipt) => {
                let port = receipt.port().clone();
                self.step(|state, scene, out| decide(state, scene, (being, &port), ask, out))?;
                self.carry_out(ctx, Some(receipt));
            }
            RoomMessage::Cast(being, cast) => {
                self.step(|state, scene, out| decide_cast(state, scene, being, cast, out))?;
                self.carry_out(ctx, None);
            }
            RoomMessage::Tick => {
                self.step(|state, _, out| decide_tick(state, out))?;
                self.carry_out(ctx, None);
            }
            RoomMessage::Slice => self.go_on_telling(ctx),
            RoomMessage::Reset => self.reset(),
            RoomMessage::Crash => crash(),
            // Wrong on purpose: this is what the watchdog is to find.
            RoomMessage::Stall(lasts) => std::thread::sleep(lasts),
            RoomMessage::Appear(item) => {
                self.appear(item)?;
                self.carry_out(ctx, None);
            }
            RoomMessage::Still(told) => self.hold_still(&told),
            RoomMessage::GoOn => {}
            RoomMessage::Forget(node, farewell) => {
                self.step(|state, scene, out| forget(state, scene, (node, farewell), out))?;
                self.carry_out(ctx, None);
            }
            RoomMessage::Beat => {
                if let Some(right) = &self.shared.right {
                    right.beat(ctx.now().into_std());
                }
            }
        }
        Ok(Flow::Continue)
    }
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
fn crash() {
    panic!("crash on demand");
}
