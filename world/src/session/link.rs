//! `[pure]` A session begins, loses its connection, gets it back, and ends.

use super::answer::Scene;
use super::effect::{Effect, Effects, StoreOrder};
use super::line::{show, travel};
use super::state::{Held, Pending, PlayState};
use crate::being::{Entry, Place};
use crate::event::{Event, SystemEvent};
use crate::ids::{LineId, RoomId};
use crate::room::{Ask, CardNews, Cast};
use std::sync::Arc;

/// The player comes into the game in this room.
pub fn begin(state: &mut PlayState, scene: Scene<'_>, room: RoomId, out: &mut Effects) {
    appear(state, scene, room, Entry::Wake, out);
}

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
    state
        .asks
        .retain(|ask| !matches!(ask.what, Pending::Leave | Pending::Enter));
    state.line = LineId(state.line.0.wrapping_add(1));
    let line = state.wait_for(Pending::Enter, scene.now);
    travel(line, steps, out);
}

/// The connection is lost. A character waits for it; a guest, who could not come back, ends.
pub fn link_lost(state: &mut PlayState, scene: Scene<'_>, why: Event, out: &mut Effects) {
    if state.guest() {
        return end(state, why, out);
    }
    state.linkdead_due = Some(scene.now + scene.rules.linkdead);
    state.question = None;
    recard(state, true, CardNews::LostLink, out);
    out.push(Effect::Save(state.journey.room()));
}

/// A connection is there again.
pub fn link_regained(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    state.question = None;
    state.ending = None;
    out.push(Effect::Hide(false));
    let was_dead = state.linkdead_due.take().is_some();
    if was_dead {
        recard(state, false, CardNews::RegainedLink, out);
    }
    if let Place::In(room) = state.journey.place() {
        state.line = LineId(state.line.0.wrapping_add(1));
        let line = state.wait_for(
            Pending::Show(crate::ops::metrics::VerbClass::Look),
            scene.now,
        );
        out.push(Effect::Ask(line, room, Ask::Look));
    } else if state.adrift_due.is_some() {
        show(out, Event::System(SystemEvent::Adrift));
    }
}

/// The token that led here is used up: a line of its own asks for the next.
pub(super) fn renew_token(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    state.line = LineId(state.line.0.wrapping_add(1));
    let line = state.wait_for(Pending::Token, scene.now);
    out.push(Effect::Store(line, StoreOrder::Token));
}

/// The player leaves the game: at once, or when the things settle that are on their way between
/// player, room and record. Who left before would not be there to hand them on.
pub fn end(state: &mut PlayState, why: Event, out: &mut Effects) {
    state.ending.get_or_insert_with(|| Box::new(why));
    settle(state, out);
}

/// Ends the session that wanted to end, if nothing keeps it any more.
pub(super) fn settle(state: &mut PlayState, out: &mut Effects) {
    if state.asks.iter().any(|ask| moves_a_thing(&ask.what)) {
        return;
    }
    if let Some(why) = state.ending.take() {
        leave(state, *why, out);
    }
}

/// Out of the room, saved, and the session ends. Things that a guest carried go back to the rooms
/// that have them on record.
pub(super) fn leave(state: &mut PlayState, why: Event, out: &mut Effects) {
    // A line of its own, so that the answer to this save is told from those before.
    state.line = LineId(state.line.0.wrapping_add(1));
    out.push(Effect::Save(state.journey.room()));
    let guests_things = std::mem::take(&mut state.inventory);
    for Held { item, recorded } in guests_things.iter().copied() {
        if let Some(room) = recorded {
            out.push(Effect::Cast(room, Cast::PutBack(item)));
        }
    }
    let mut steps = Vec::with_capacity(1);
    state.journey.end(&mut steps);
    travel(state.line, steps, out);
    out.push(Effect::End(why));
}

fn moves_a_thing(what: &Pending) -> bool {
    match what {
        Pending::Get
        | Pending::GetRecorded { .. }
        | Pending::DropRecorded { .. }
        | Pending::Place { .. }
        | Pending::GiveTo(_)
        | Pending::GiveRecorded(_) => true,
        Pending::Show(_) | Pending::Leave | Pending::Enter | Pending::Password | Pending::Token => {
            false
        }
    }
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
