//! `[process]` A mob's process: from time to time it does a deed in the room where it stands. Its
//! journey is sequenced like a player's, so a mob is in at most one room too. What it knows is its
//! zone's heirloom; a crash costs one deed.

use super::deed::{Deed, Draw, next_deed, next_pause};
use super::record::MobRecord;
use crate::being::{Card, Entry, Journey, JourneyStep, Place};
use crate::content::World;
use crate::event::Text;
use crate::ids::{Being, LineId, MobId};
use crate::ring::{BeingPort, MobMessage, Receipt, RoomMessage, Rooms, Undelivered};
use crate::room::{Answer, Ask, Cast};
use belay_runtime::{Context, Exit, Flow, Heir, Process};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// What outlives an incarnation of a mob.
#[derive(Clone, Debug)]
pub struct MobBody {
    journey: Journey,
    draw: Draw,
    line: LineId,
    /// When it does something next; or after what time, for one that has just moved here.
    next: Next,
}

/// When a mob does something next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A pause of its own after its start.
    Pause,
    /// After so long.
    After(Duration),
    /// Then.
    At(Instant),
}

impl MobBody {
    /// A mob that is nowhere yet.
    pub fn new(seed: u64) -> Self {
        Self {
            journey: Journey::new(),
            draw: Draw(seed),
            line: LineId(0),
            next: Next::Pause,
        }
    }

    /// A mob that comes from another node.
    pub fn from_record(record: &MobRecord) -> Self {
        let after = |ms: u32| Next::After(Duration::from_millis(u64::from(ms)));
        Self {
            journey: record.journey,
            draw: Draw(record.draw),
            line: record.line,
            next: record.next_ms.map_or(Next::Pause, after),
        }
    }

    /// What goes to another node; times as what is left of them.
    pub fn record(&self, now: Instant) -> MobRecord {
        let left = match self.next {
            Next::Pause => None,
            Next::After(left) => Some(left),
            Next::At(at) => Some(at.saturating_duration_since(now)),
        };
        MobRecord {
            journey: self.journey,
            draw: self.draw.0,
            line: self.line,
            next_ms: left.map(|left| u32::try_from(left.as_millis()).unwrap_or(u32::MAX)),
        }
    }

    /// Whether no step is in hand.
    fn rests(&self) -> bool {
        matches!(self.journey.place(), Place::In(_) | Place::Adrift)
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
    /// Its zone is being moved: who is to know when no step is in hand any more, until then.
    still: Option<Option<mpsc::Sender<MobId>>>,
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
            still: None,
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
        self.wake_after(ctx, pause);
    }

    fn wake_after(&self, ctx: &mut Context<MobMessage>, pause: Duration) {
        let at = ctx.now().into_std() + pause;
        self.heir.with(|body| body.next = Next::At(at));
        ctx.send_after(pause, MobMessage::Wake);
    }

    /// Goes on to wait for what it waited for where it was before.
    fn go_on(&mut self, ctx: &mut Context<MobMessage>) {
        self.still = None;
        let now = ctx.now().into_std();
        match self.heir.with(|body| body.next) {
            Next::Pause => self.pause(ctx),
            Next::After(left) => self.wake_after(ctx, left),
            Next::At(at) => self.wake_after(ctx, at.saturating_duration_since(now)),
        }
    }

    /// Says that it holds still, as soon as no step is in hand.
    fn see_still(&mut self) {
        if let Some(told) = &mut self.still
            && self.heir.with(|body| body.rests())
            && let Some(told) = told.take()
            && told.try_send(self.id).is_err()
        {
            tracing::debug!(target: "belay_world", mob = self.id.0, "nobody waits for the mob");
        }
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
        let moved = self.heir.with(|body| matches!(body.next, Next::After(_)));
        if moved {
            self.go_on(ctx);
        } else {
            self.pause(ctx);
        }
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<MobMessage>,
        message: MobMessage,
    ) -> Result<Flow, Exit> {
        match message {
            MobMessage::Wake if self.still.is_some() => {}
            MobMessage::Wake => self.act(ctx),
            MobMessage::Still(told) => self.still = Some(Some(told)),
            MobMessage::GoOn => self.go_on(ctx),
            MobMessage::Answer(_, answer) => self.answered(ctx, answer),
            MobMessage::Lost(_) | MobMessage::RoomClosed(_) => self.home(ctx),
            MobMessage::Crash => return Err(Exit::error("crash on demand")),
        }
        self.see_still();
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mob_that_moves_to_another_node_waits_there_for_what_is_left_of_its_pause() {
        let now = tokio::time::Instant::now().into_std();
        let mut body = MobBody::new(3);
        assert_eq!(MobBody::from_record(&body.record(now)).next, Next::Pause);
        body.next = Next::At(now + Duration::from_secs(9));
        let later = now + Duration::from_secs(4);
        let moved = MobBody::from_record(&body.record(later));
        assert_eq!(moved.next, Next::After(Duration::from_secs(5)));
        assert_eq!(
            moved.record(later),
            body.record(later),
            "moved on before it started"
        );
        assert_eq!((moved.draw, moved.journey), (body.draw, body.journey));
    }
}
