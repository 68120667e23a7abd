//! `[pure]` Into the game in a room that may be out of reach: its zone is moving or has no owner
//! just now. The player waits in no room, is told so, and stands where they are to stand as soon as
//! that room takes newcomers.
//!
//! ```text
//!   arrive ──► waits ──── open ────► enters ── Entered ──► stands
//!                │  ▲                   │
//!                │  └── out of reach ───┘
//!                └── closed, or too long ──► comes in elsewhere
//! ```

use super::answer::{Scene, onward};
use super::effect::Effects;
use super::line::{show, travel};
use super::link::appear;
use super::state::{Pending, PendingAsk, PlayState};
use crate::being::{Entry, Place};
use crate::event::{Event, SystemEvent};
use crate::ids::RoomId;
use crate::limits;
use crate::room::Reach;
use std::time::Instant;

/// Where the player is to come into the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The room.
    pub room: RoomId,
    /// Since when.
    pub since: Instant,
    /// When the session looks again whether the room can be reached.
    pub look: Instant,
    /// The player has been told.
    told: bool,
}

impl PlayState {
    /// The room for which the player waits, in no room.
    pub fn waits_for(&self) -> Option<Awaited> {
        let waits = self.journey.place() == Place::Adrift && self.ending.is_none();
        self.bound_for.filter(|_| waits)
    }
}

/// The player comes into the game in this room: at once if it is open, else when it is.
pub fn arrive(
    state: &mut PlayState,
    scene: Scene<'_>,
    (room, reach): (RoomId, Reach),
    out: &mut Effects,
) {
    let awaited = Awaited {
        room,
        since: scene.now,
        look: scene.now + limits::PLACE_LOOK_EVERY,
        told: false,
    };
    if reach == Reach::Open {
        appear(state, scene, room, Entry::Wake, out);
    }
    state.bound_for = Some(awaited);
}

/// The room for which the player waits is like this now. If they wait no longer they come in
/// elsewhere, in the room that is named, if one is.
pub fn looked(
    state: &mut PlayState,
    scene: Scene<'_>,
    reach: Reach,
    elsewhere: impl FnOnce() -> Option<RoomId>,
    out: &mut Effects,
) {
    let Some(mut awaited) = state.waits_for() else {
        return;
    };
    let waited = scene.now.saturating_duration_since(awaited.since);
    let too_long = waited >= limits::PLACE_WAIT_MAX;
    match reach {
        Reach::Open if !too_long => {
            appear(state, scene, awaited.room, Entry::Wake, out);
            awaited.look = scene.now + limits::PLACE_LOOK_EVERY;
            state.bound_for = Some(awaited);
            return;
        }
        Reach::Awaited if !too_long => {
            if waited >= limits::PLACE_TOLD_AFTER {
                tell(&mut awaited, out);
            }
            awaited.look = scene.now + limits::PLACE_LOOK_EVERY;
            state.bound_for = Some(awaited);
            return;
        }
        Reach::Open | Reach::Awaited => show(out, Event::System(SystemEvent::PlaceGivenUp)),
        Reach::Closed => {}
    }
    state.bound_for = None;
    match elsewhere() {
        Some(room) => appear(state, scene, room, Entry::Wake, out),
        None => onward(state, scene, Vec::new(), out),
    }
}

/// The room did not take the player in, for it went out of reach: they wait for it. `false`: they
/// are not on their way into the game.
pub(super) fn put_off(
    state: &mut PlayState,
    scene: Scene<'_>,
    ask: &PendingAsk,
    out: &mut Effects,
) -> bool {
    let Some(mut awaited) = state.bound_for.filter(|_| ask.what == Pending::Enter) else {
        return false;
    };
    let mut steps = Vec::with_capacity(1);
    if !state.journey.put_off(awaited.room, &mut steps) {
        return false;
    }
    tell(&mut awaited, out);
    awaited.look = scene.now + limits::PLACE_LOOK_EVERY;
    state.bound_for = Some(awaited);
    out.push(ask.done());
    travel(ask.line, steps, out);
    true
}

fn tell(awaited: &mut Awaited, out: &mut Effects) {
    if !std::mem::replace(&mut awaited.told, true) {
        show(out, Event::System(SystemEvent::PlaceAwaited));
    }
}
