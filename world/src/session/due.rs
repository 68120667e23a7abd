//! `[pure]` What a session does because time passed.

use super::answer::{Scene, failed, onward};
use super::effect::{Effect, Effects};
use super::placing;
use super::state::{Pending, PlayState};
use super::things;
use super::waiting::put_off;
use crate::event::{Event, Refusal, SystemEvent};
use crate::limits;
use std::time::Instant;

/// When something will be due, if anything is.
pub fn next_due(state: &PlayState) -> Option<Instant> {
    let asks = state.asks.iter().map(|ask| ask.deadline).min();
    let ending = state.ending.as_ref().map(|ending| ending.deadline);
    let dues = [
        asks,
        ending,
        state.save_due,
        state.linkdead_due,
        state.adrift_due,
        state.waits_for().map(|awaited| awaited.look),
    ];
    dues.into_iter().flatten().min()
}

/// Does what is due.
pub fn due(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    let now = scene.now;
    if state.linkdead_due.is_some_and(|at| at <= now) {
        let why = Event::System(SystemEvent::Goodbye(
            "The connection did not come back.".into(),
        ));
        return super::link::end(state, now, why, out);
    }
    // What is asked again has a later deadline, so this comes to an end.
    while let Some(at) = state.asks.iter().position(|ask| ask.deadline <= now) {
        let ask = state.asks.remove(at);
        if put_off(state, scene, &ask, out) {
            continue;
        }
        match ask.what {
            Pending::GetRecorded { .. }
            | Pending::DropRecorded { .. }
            | Pending::GiveRecorded(_)
            | Pending::Password
            | Pending::Token => things::slow(state, ask, now, out),
            Pending::Place { .. } => placing::place_late(state, ask, now, out),
            Pending::Show(_)
            | Pending::Talk
            | Pending::Leave
            | Pending::Enter
            | Pending::Return
            | Pending::Get
            | Pending::GiveTo(_) => failed(state, scene, ask, Refusal::NoAnswer, out),
        }
    }
    if state.save_due.is_some_and(|at| at <= now) {
        state.save_due = None;
        out.push(Effect::Save(state.journey.room()));
    }
    if state.adrift_due.is_some_and(|at| at <= now) {
        state.adrift_due = Some(now + limits::ADRIFT_RETRY);
        let mut steps = Vec::with_capacity(1);
        state.journey.retry(scene.world.recall_rooms(), &mut steps);
        onward(state, scene, steps, out);
    }
}
