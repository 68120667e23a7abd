//! `[process]` A room's process: it takes the state that its zone keeps for it, lets the pure step
//! decide, applies the decision and carries out its effects.
//!
//! The state is the zone's heirloom ([`Heir`]): after a crash the next incarnation goes on with the
//! state after the last completed step, for a step reads the state while it decides and changes it
//! only when the decision is complete. The mailbox survives too; the message that met the crash is
//! dropped, and its [`Receipt`](crate::ring::Receipt) tells the sender.

use super::ask::Answer;
use super::state::{Change, Occupant, RoomState};
use super::step::{CrowdRules, Decision, Effect, Scene, decide, decide_cast, decide_tick, notice};
use crate::being::Item;
use crate::content::World;
use crate::event::{Event, Seen};
use crate::ids::{Being, PrototypeId, RoomId};
use crate::limits;
use crate::ops::metrics;
use crate::ring::{BeingPort, MobMessage, Receipt, RoomMessage, SessionMessage};
use crate::view::{Batch, Notice};
use belay_runtime::{Context, Exit, Flow, Heir, Process, Span};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

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
                Effect::Notice(by, seen) => self.tell_all(by, seen),
                Effect::Tick {
                    all,
                    newcomers,
                    fresh,
                } => {
                    self.tick(ctx, Telling::new(all, newcomers, fresh));
                }
                Effect::Arm(gap) => {
                    ctx.send_after(gap, RoomMessage::Tick);
                }
                Effect::Crash => crash(),
                Effect::CrashMob(BeingPort::Mob(mob)) => {
                    drop(mob.try_send_owed(MobMessage::Crash));
                }
                Effect::CrashMob(BeingPort::Session(_)) => {}
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

    /// One notice for all players here but the one who did it; rendered once, shared by pointer.
    fn tell_all(&self, by: Option<Being>, seen: Seen) {
        let _tell = TELL.enter();
        let notice = Arc::new(Notice::new(Event::Seen(seen)));
        self.heir.with(|state| {
            for (being, occupant) in state.occupants() {
                if let BeingPort::Session(session) = &occupant.port
                    && Some(*being) != by
                    && session
                        .try_send(SessionMessage::Notice(notice.clone()))
                        .is_err()
                {
                    metrics::ambient_dropped(1);
                }
            }
        });
    }

    /// Begins to tell a crowd what happened in a tick.
    fn tick(&mut self, ctx: &mut Context<RoomMessage>, telling: Telling) {
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

/// What a crowd is being told, some players at a time, in the order of their numbers.
#[derive(Debug)]
struct Telling {
    all: Option<Arc<Batch>>,
    newcomers: Option<Arc<Batch>>,
    fresh: Vec<Being>,
    told_to: Option<Being>,
}

impl Telling {
    fn new(
        all: Vec<(Option<Being>, Seen)>,
        newcomers: Vec<(Option<Being>, Seen)>,
        fresh: Vec<Being>,
    ) -> Self {
        Self {
            all: batch(all),
            newcomers: batch(newcomers),
            fresh,
            told_to: None,
        }
    }

    /// Tells the next ones; whether more are to be told.
    fn slice(&mut self, occupants: &BTreeMap<Being, Occupant<BeingPort>>) -> bool {
        let from = self.told_to.map_or(Bound::Unbounded, Bound::Excluded);
        let next = occupants.range((from, Bound::Unbounded)).enumerate();
        for (told, (being, occupant)) in next {
            if told >= limits::CROWD_SLICE {
                return true;
            }
            self.told_to = Some(*being);
            let came_during = self.fresh.binary_search(being).is_ok();
            let batch = match (came_during, occupant.fresh) {
                (true, _) => &self.newcomers,
                // Came after the tick: none of it was before their eyes.
                (false, true) => continue,
                (false, false) => &self.all,
            };
            if let (BeingPort::Session(session), Some(batch)) = (&occupant.port, batch)
                && session
                    .try_send(SessionMessage::Tick(batch.clone()))
                    .is_err()
            {
                metrics::ambient_dropped(1);
            }
        }
        false
    }
}

fn batch(entries: Vec<(Option<Being>, Seen)>) -> Option<Arc<Batch>> {
    if entries.is_empty() {
        return None;
    }
    let events = entries
        .into_iter()
        .map(|(by, seen)| (by, Event::Seen(seen)))
        .collect();
    Some(Arc::new(Batch::new(events)))
}

const NOBODY: Being = Being::Mob(crate::ids::MobId(u32::MAX));

impl Process for RoomProcess {
    type Message = RoomMessage;

    async fn init(&mut self, ctx: &mut Context<RoomMessage>) -> Result<(), Exit> {
        if ctx.incarnation() == 0 {
            return Ok(());
        }
        let waiting = self.heir.with(|state| {
            state.disarm();
            !state.gathered().is_empty()
        });
        if waiting {
            ctx.send_after(self.shared.crowd.gap, RoomMessage::Tick);
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
        }
        Ok(Flow::Continue)
    }
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
fn crash() {
    panic!("crash on demand");
}
