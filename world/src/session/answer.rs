//! `[pure]` What a session makes of the answers of rooms, and of their absence.

use super::effect::{Effect, Effects};
use super::line::{refuse, show, travel};
use super::network;
use super::placing;
use super::state::{Held, Pending, PendingAsk, PlayState, SessionRules};
use super::talk;
use super::things;
use super::waiting::put_off;
use crate::being::{JourneyStep, Place};
use crate::content::World;
use crate::event::{Event, Refusal, RoomSeen, Seen, SystemEvent};
use crate::ids::{LineId, MoveSeq, RoomId};
use crate::limits;
use crate::room::{Answer, Cast};
use std::time::Instant;

/// What the steps look at besides the state.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The content.
    pub world: &'a World,
    /// What the operator set.
    pub rules: &'a SessionRules,
    /// The time.
    pub now: Instant,
}

/// Why a room did not get an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDelivered {
    /// Its mailbox is full.
    Busy,
    /// It is closed.
    Closed,
    /// Nobody knows just now where it is.
    OutOfReach,
}

/// A room answered the ask of this line.
pub fn answered(
    state: &mut PlayState,
    scene: Scene<'_>,
    line: LineId,
    answer: Answer,
    out: &mut Effects,
) {
    match answer {
        Answer::Show(event) => {
            let shown = |what: &Pending| {
                matches!(
                    what,
                    Pending::Show(_) | Pending::Talk | Pending::Get | Pending::GiveTo(_)
                )
            };
            let Some(ask) = state.close(line, shown) else {
                return;
            };
            network::answered(state, &event);
            out.push(Effect::Show(talk::without_ignored(state, *event)));
            out.push(ask.done());
        }
        Answer::Left { seq, to, way } => {
            let mut steps = Vec::with_capacity(1);
            state.journey.left(seq, to, way, &mut steps);
            if steps.is_empty() {
                return;
            }
            if let Some(ask) = state.close(line, |what| *what == Pending::Leave) {
                state.wait_next(&ask, Pending::Enter, scene.now);
            }
            travel(line, steps, out);
        }
        Answer::Stayed { seq, way } => {
            state.journey.stayed(seq);
            let Some(ask) = state.close(line, |what| *what == Pending::Leave) else {
                return;
            };
            refuse(out, Refusal::NoExit(way));
            out.push(ask.done());
        }
        Answer::Entered { seq, seen } => entered(state, scene, line, (seq, seen), out),
        Answer::Unknown(seq) => unknown(state, scene, line, seq, out),
        Answer::Handed(room, item) => {
            let Some(ask) = state.close(line, |what| *what == Pending::Get) else {
                return out.push(Effect::Cast(room, Cast::PutBack(item)));
            };
            let held = Held {
                item,
                recorded: Some(room),
            };
            things::handed(state, scene, ask, (room, held), out);
        }
        Answer::Placed(id) => {
            let placed =
                |what: &Pending| matches!(what, Pending::Place { item, .. } if item.id == id);
            let Some(ask) = state.close(line, placed) else {
                return;
            };
            placing::placed(&ask, scene.world, out);
        }
        Answer::Person { being, card } => things::receiver(state, scene, line, (being, &card), out),
    }
}

/// The ask of this line met a crash.
pub fn lost(state: &mut PlayState, scene: Scene<'_>, line: LineId, out: &mut Effects) {
    let Some(ask) = state.close(line, by_message) else {
        return;
    };
    failed(state, scene, ask, Refusal::GotLost, out);
}

/// The ask of this line could not be delivered to its room.
pub fn refused_delivery(
    state: &mut PlayState,
    scene: Scene<'_>,
    line: LineId,
    why: NotDelivered,
    out: &mut Effects,
) {
    let Some(mut ask) = state.close(line, by_message) else {
        return;
    };
    if let Pending::Place { sent, .. } = &mut ask.what {
        // Tried again when it is due.
        *sent = false;
        return state.asks.push(ask);
    }
    let refusal = match why {
        NotDelivered::Busy => Refusal::TooCrowded,
        NotDelivered::Closed => Refusal::WayClosed,
        NotDelivered::OutOfReach => Refusal::PlaceOutOfReach,
    };
    if why == NotDelivered::OutOfReach && put_off(state, scene, &ask, out) {
        return;
    }
    let here = state.journey.place();
    match (&ask.what, why, here) {
        (Pending::Leave, NotDelivered::Busy | NotDelivered::OutOfReach, _) => {
            state.journey.stayed(state.journey.seq());
            refuse(out, refusal);
            out.push(ask.done());
        }
        (
            Pending::Show(_) | Pending::Get | Pending::GiveTo(_) | Pending::Leave,
            NotDelivered::Closed,
            Place::In(room) | Place::Leaving(room),
        ) => {
            out.push(ask.done());
            room_closed(state, scene, room, out);
        }
        (Pending::Enter, NotDelivered::OutOfReach, _)
            if state.journey.held_off(state.journey.seq()) =>
        {
            refuse(out, refusal);
            out.push(ask.done());
        }
        _ => failed(state, scene, ask, refusal, out),
    }
}

/// The room where the player stands begins anew and knows nobody: they come in again, as if they
/// had never been away.
pub fn forgotten(state: &mut PlayState, scene: Scene<'_>, room: RoomId, out: &mut Effects) {
    if state.journey.place() != Place::In(room) {
        return;
    }
    let mut steps = Vec::with_capacity(1);
    state.journey.forgotten(&mut steps);
    show(out, Event::Seen(Seen::Trembles));
    state.next_line();
    let line = state.wait_for(Pending::Return, scene.now);
    travel(line, steps, out);
}

/// The room where the player stood is closed.
pub fn room_closed(state: &mut PlayState, scene: Scene<'_>, room: RoomId, out: &mut Effects) {
    let mut steps = Vec::with_capacity(1);
    if state
        .journey
        .closed(room, scene.world.recall_rooms(), &mut steps)
    {
        show(out, Event::System(SystemEvent::RoomClosed));
        onward(state, scene, steps, out);
    }
}

/// Carries out what the journey wants after something failed, as a line of its own. Who is adrift
/// is told so once: from then on a further try is due, until a room takes them.
pub(super) fn onward(
    state: &mut PlayState,
    scene: Scene<'_>,
    steps: Vec<JourneyStep>,
    out: &mut Effects,
) {
    if steps
        .iter()
        .any(|step| matches!(step, JourneyStep::Enter(..)))
    {
        state.asks.retain(|ask| !ask.what.travels());
        state.next_line();
        let line = state.wait_for(Pending::Enter, scene.now);
        return travel(line, steps, out);
    }
    travel(state.line, steps, out);
    if state.journey.place() == Place::Adrift && state.adrift_due.is_none() {
        state.adrift_due = Some(scene.now + limits::ADRIFT_RETRY);
        show(out, Event::System(SystemEvent::Adrift));
    }
}

/// An ask has failed: the player is told, and a journey goes on by its own rules. Of a recall room
/// that is closed too the player is not told: they chose no way, and read where they end up.
pub(super) fn failed(
    state: &mut PlayState,
    scene: Scene<'_>,
    ask: PendingAsk,
    why: Refusal,
    out: &mut Effects,
) {
    match ask.what {
        Pending::Leave | Pending::Enter => {
            if ask.what == Pending::Enter {
                // From here on they go where they are taken in, and wait for no room.
                state.bound_for = None;
            }
            if !state.journey.recalled() {
                refuse(out, why);
            }
            out.push(ask.done());
            let mut steps = Vec::with_capacity(2);
            let seq = state.journey.seq();
            state
                .journey
                .failed(seq, scene.world.recall_rooms(), &mut steps);
            onward(state, scene, steps, out);
        }
        Pending::Return => {
            // The next command shows whether the room knows the player by then.
            state.journey.held_off(state.journey.seq());
            refuse(out, why);
            out.push(ask.done());
        }
        Pending::Place { .. } => placing::place_again(state, &ask, scene.now, out),
        Pending::Talk if why == Refusal::GotLost => {
            refuse(out, Refusal::ChannelBroke);
            out.push(ask.done());
        }
        Pending::Show(_) | Pending::Talk | Pending::Get | Pending::GiveTo(_) => {
            refuse(out, why);
            out.push(ask.done());
        }
        Pending::GetRecorded { .. }
        | Pending::DropRecorded { .. }
        | Pending::GiveRecorded(_)
        | Pending::Password
        | Pending::Token => state.asks.push(ask),
    }
}

fn entered(
    state: &mut PlayState,
    scene: Scene<'_>,
    line: LineId,
    (seq, seen): (MoveSeq, Box<RoomSeen>),
    out: &mut Effects,
) {
    let mut steps = Vec::new();
    let stands = state.journey.entered(seen.room, seq, &mut steps);
    let ask = state.close(line, |what| {
        matches!(what, Pending::Enter | Pending::Return)
    });
    if stands {
        state.adrift_due = None;
        state.bound_for = None;
        state.dirty(scene.rules, scene.now);
        if ask.as_ref().is_none_or(|ask| ask.what != Pending::Return) {
            show(out, Event::RoomSeen(seen));
        }
        if let Some(ask) = ask {
            out.push(ask.done());
        }
    }
    travel(line, steps, out);
}

/// The room does not know the player, or knows a newer number: they come in anew.
fn unknown(state: &mut PlayState, scene: Scene<'_>, line: LineId, seq: MoveSeq, out: &mut Effects) {
    let Some(ask) = state.close(line, by_message) else {
        return;
    };
    match (&ask.what, state.journey.place()) {
        (Pending::Leave | Pending::Enter | Pending::Return, _) if seq == state.journey.seq() => {
            failed(state, scene, ask, Refusal::GotLost, out);
        }
        (Pending::Leave | Pending::Enter | Pending::Return, _) => {}
        (_, Place::In(_)) => {
            let mut steps = Vec::with_capacity(1);
            state.journey.forgotten(&mut steps);
            failed(state, scene, ask, Refusal::GotLost, out);
            onward(state, scene, steps, out);
        }
        _ => failed(state, scene, ask, Refusal::GotLost, out),
    }
}

/// Whether a room or a channel owes the answer.
fn by_message(what: &Pending) -> bool {
    match what {
        Pending::Show(_)
        | Pending::Talk
        | Pending::Leave
        | Pending::Enter
        | Pending::Return
        | Pending::Get
        | Pending::Place { .. }
        | Pending::GiveTo(_) => true,
        Pending::GetRecorded { .. }
        | Pending::DropRecorded { .. }
        | Pending::GiveRecorded(_)
        | Pending::Password
        | Pending::Token => false,
    }
}
