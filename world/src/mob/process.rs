//! `[process]` A mob's process: from time to time it does a deed in the room where it stands. Its
//! journey is sequenced like a player's, so a mob is in at most one room too. What it knows is its
//! zone's heirloom; a crash costs one deed.

use super::deed::{Deed, Draw, next_deed, next_pause};
use crate::being::{Card, Entry, Journey, JourneyStep, Place};
use crate::content::World;
use crate::event::Text;
use crate::ids::{Being, LineId, MobId};
use crate::ring::{BeingPort, MobMessage, Receipt, RoomMessage, Rooms, Undelivered};
use crate::room::{Answer, Ask, Cast};
use belay_runtime::{Context, Exit, Flow, Heir, Process};
use std::sync::Arc;

/// What outlives an incarnation of a mob.
#[derive(Clone, Debug)]
pub struct MobBody {
    journey: Journey,
    draw: Draw,
    line: LineId,
}

impl MobBody {
    /// A mob that is nowhere yet.
    pub fn new(seed: u64) -> Self {
        Self {
            journey: Journey::new(),
            draw: Draw(seed),
            line: LineId(0),
        }
    }

    /// Ends its journey; what the room where it stands is to be told.
    pub fn end(&mut self) -> Option<JourneyStep> {
        let mut steps = Vec::new();
        self.journey.end(&mut steps);
        steps.pop()
    }
}

/// One incarnation of a mob.
#[derive(Debug)]
pub struct MobProcess {
    id: MobId,
    heir: Heir<MobBody>,
    world: Arc<World>,
    rooms: Rooms,
    card: Arc<Card>,
}

impl MobProcess {
    /// An incarnation that goes on with this body.
    pub fn new(
        id: MobId,
        heir: Heir<MobBody>,
        world: Arc<World>,
        rooms: Rooms,
        card: Arc<Card>,
    ) -> Self {
        Self {
            id,
            heir,
            world,
            rooms,
            card,
        }
    }

    /// A complete step on a copy, then what the journey wants.
    fn step(
        &self,
        ctx: &Context<MobMessage>,
        step: impl FnOnce(&mut Journey, &mut Vec<JourneyStep>),
    ) {
        let mut steps = Vec::new();
        let line = self.heir.with(|body| {
            let mut next = body.clone();
            step(&mut next.journey, &mut steps);
            next.line = LineId(next.line.0.wrapping_add(1));
            *body = next;
            body.line
        });
        for one in steps {
            self.travel(ctx, line, one);
        }
    }

    fn travel(&self, ctx: &Context<MobMessage>, line: LineId, step: JourneyStep) {
        let (room, ask) = match step {
            JourneyStep::Enter(room, seq, how) => (
                room,
                Ask::Enter {
                    seq,
                    card: self.card.clone(),
                    how,
                },
            ),
            JourneyStep::Leave(room, seq, way) => (room, Ask::Leave { seq, way }),
            JourneyStep::Gone(room, seq, how) => {
                let gone = RoomMessage::Cast(Being::Mob(self.id), Cast::Gone { seq, how });
                return self.rooms.tell_if_open(room, gone);
            }
        };
        let receipt = Receipt::new(BeingPort::Mob(ctx.address()), line);
        let asked = self.rooms.ask(room, Being::Mob(self.id), ask, receipt);
        if let Err(Undelivered::Busy | Undelivered::Closed) = asked {
            // No room now: the next deed tries again from here.
            self.heir.with(|body| {
                body.journey.stayed(body.journey.seq());
            });
        }
    }

    fn act(&self, ctx: &mut Context<MobMessage>) {
        let Some(mob) = self.world.mob(self.id) else {
            return;
        };
        let (place, line, deed) = self.heir.with(|body| {
            let mut draw = body.draw;
            let deed = match body.journey.place() {
                Place::In(room) => next_deed(&self.world, mob, room, &mut draw),
                Place::Leaving(_) | Place::Between { .. } | Place::Adrift => Deed::Rest,
            };
            body.draw = draw;
            body.line = LineId(body.line.0.wrapping_add(1));
            (body.journey.place(), body.line, deed)
        });
        match (deed, place) {
            (Deed::Say(text), Place::In(room)) => {
                let receipt = Receipt::new(BeingPort::Mob(ctx.address()), line);
                let ask = Ask::Say(Text::from(text));
                // A busy room does not hear it; mobs do not insist.
                let _heard = self
                    .rooms
                    .ask(room, Being::Mob(self.id), ask, receipt)
                    .is_ok();
            }
            (Deed::Go(way), _) => self.step(ctx, |journey, out| {
                journey.leave(way, out);
            }),
            (_, Place::Adrift | Place::Leaving(_) | Place::Between { .. }) => self.home(ctx),
            (Deed::Rest, Place::In(_)) => {}
        }
        self.pause(ctx);
    }

    /// Whatever went wrong, it appears at home.
    fn home(&self, ctx: &Context<MobMessage>) {
        if let Some(mob) = self.world.mob(self.id) {
            self.step(ctx, |journey, out| {
                journey.appear(mob.home, Entry::Appear, out)
            });
        }
    }

    fn pause(&self, ctx: &mut Context<MobMessage>) {
        let Some(mob) = self.world.mob(self.id) else {
            return;
        };
        let pause = self.heir.with(|body| next_pause(mob, &mut body.draw));
        ctx.send_after(pause, MobMessage::Wake);
    }

    fn answered(&self, ctx: &Context<MobMessage>, answer: Answer) {
        match answer {
            Answer::Left { seq, to, way } => {
                self.step(ctx, |journey, out| journey.left(seq, to, way, out));
            }
            Answer::Stayed { seq, .. } => self.step(ctx, |journey, _| journey.stayed(seq)),
            Answer::Entered { seq, seen } => self.step(ctx, |journey, out| {
                journey.entered(seen.room, seq, out);
            }),
            Answer::Unknown(_) => self.home(ctx),
            Answer::Show(_) | Answer::Handed(..) | Answer::Placed(_) | Answer::Person { .. } => {}
        }
    }
}

impl Process for MobProcess {
    type Message = MobMessage;

    async fn init(&mut self, ctx: &mut Context<MobMessage>) -> Result<(), Exit> {
        let stands = self
            .heir
            .with(|body| matches!(body.journey.place(), Place::In(_)));
        if !stands {
            self.home(ctx);
        }
        self.pause(ctx);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<MobMessage>,
        message: MobMessage,
    ) -> Result<Flow, Exit> {
        match message {
            MobMessage::Wake => self.act(ctx),
            MobMessage::Answer(_, answer) => self.answered(ctx, answer),
            MobMessage::Lost(_) | MobMessage::RoomClosed(_) => self.home(ctx),
            MobMessage::Crash => return Err(Exit::error("crash on demand")),
        }
        Ok(Flow::Continue)
    }
}
