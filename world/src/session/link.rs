//! `[pure]` A session begins, loses its connection, gets it back, and ends.

use super::answer::Scene;
use super::effect::{Effect, Effects, StoreOrder};
use super::line::{show, travel};
use super::state::{Ending, Held, Pending, PlayState};
use crate::being::{Entry, Place};
use crate::event::{Event, SystemEvent};
use crate::ids::RoomId;
use crate::limits;
use crate::room::{Ask, CardNews, Cast};
use std::sync::Arc;
use std::time::Instant;

/// The player comes from nowhere into this room (staff).
pub fn appear(
    state: &mut PlayState,
    scene: Scene<'_>,
    room: RoomId,
    how: Entry,
    out: &mut Effects,
) {
    let mut steps = Vec::with_capacity(2);
    state.journey.appear(room, how, &mut steps);
    state.adrift_due = None;
    state.bound_for = None;
    state.asks.retain(|ask| !ask.what.travels());
    state.next_line();
    let line = state.wait_for(Pending::Enter, scene.now);
    travel(line, steps, out);
}

/// The connection is lost. A character waits for it; a guest, who could not come back, ends.
pub fn link_lost(state: &mut PlayState, scene: Scene<'_>, why: Event, out: &mut Effects) {
    if state.guest() {
        return end(state, scene.now, why, out);
    }
    state.linkdead_due = Some(scene.now + scene.rules.linkdead);
    state.question = None;
    recard(state, true, CardNews::LostLink, out);
    out.push(Effect::Save(state.journey.room()));
}

/// A connection is there again.
pub fn link_regained(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    state.question = None;
    out.push(Effect::Hide(false));
    let was_dead = state.linkdead_due.take().is_some();
    if was_dead {
        recard(state, false, CardNews::RegainedLink, out);
    }
    if let Place::In(room) = state.journey.place() {
        state.next_line();
        let line = state.wait_for(
            Pending::Show(crate::ops::metrics::VerbClass::Look),
            scene.now,
        );
        out.push(Effect::Ask(line, room, Ask::Look));
    } else if state.waits_for().is_some() {
        show(out, Event::System(SystemEvent::PlaceAwaited));
    } else if state.adrift_due.is_some() {
        show(out, Event::System(SystemEvent::Adrift));
    }
}

/// The token that led here is used up: a line of its own asks for the next.
pub(super) fn renew_token(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    state.next_line();
    let line = state.wait_for(Pending::Token, scene.now);
    out.push(Effect::Store(line, StoreOrder::Token));
}

/// The player leaves the game: at once, or as soon as no thing is on its way any more. A thing that
/// a room or the database has just let go would else be in nobody's hands.
pub fn end(state: &mut PlayState, now: Instant, why: Event, out: &mut Effects) {
    if !state.moves_things() {
        return end_now(state, why, out);
    }
    state.linkdead_due = None;
    if state.ending.is_none() {
        let deadline = now + limits::ENDING_MAX;
        state.ending = Some(Box::new(Ending { why, deadline }));
    }
}

/// Ends a session that waited for things on their way, if it need not wait any more. To be called
/// after each step.
pub fn settle(state: &mut PlayState, now: Instant, out: &mut Effects) {
    let over = |ending: &Ending| ending.deadline <= now;
    let may_end = !state.moves_things() || state.ending.as_deref().is_some_and(over);
    if may_end && let Some(ending) = state.ending.take() {
        end_now(state, ending.why, out);
    }
}

/// The player leaves the game at once: out of the room, saved, and the session ends. Things that a
/// guest carried go back to the rooms that have them on record.
pub fn end_now(state: &mut PlayState, why: Event, out: &mut Effects) {
    // A line of its own, so that the answer to this save is told from those before.
    state.next_line();
    out.push(Effect::Save(state.journey.room()));
    let guests_things = std::mem::take(&mut state.inventory);
    for Held { item, recorded } in guests_things.iter().copied() {
        if let Some(room) = recorded {
            out.push(Effect::Cast(room, Cast::PutBack(item)));
        }
    }
    let mut steps = Vec::with_capacity(1);
    state.journey.end(&mut steps);
    state.bound_for = None;
    travel(state.line, steps, out);
    out.push(Effect::End(why));
}

fn recard(state: &mut PlayState, linkdead: bool, news: CardNews, out: &mut Effects) {
    Arc::make_mut(&mut state.card).linkdead = linkdead;
    if let Place::In(room) = state.journey.place() {
        out.push(Effect::Cast(
            room,
            Cast::Card(state.card.clone(), Some(news)),
        ));
    }
    out.push(Effect::Roster);
}
