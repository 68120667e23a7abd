//! `[pure]` A thing is laid down: on record first, then on the room's floor.

use super::effect::{Effect, Effects, StoreOrder};
use super::line::{refuse, show};
use super::state::{Pending, PendingAsk, PlayState};
use super::things::{name, take_out};
use crate::being::Item;
use crate::content::World;
use crate::event::{Did, Event, Refusal};
use crate::ids::{ItemId, RoomId};
use crate::limits;
use crate::room::Ask;
use std::time::Instant;

/// How often a room is asked to lay a thing down. Then it stays on record only, and lies there
/// after the next start.
const PLACE_TRIES_MAX: u8 = 5;

/// Lays a carried thing down in this room: on record first.
pub(super) fn lay(state: &mut PlayState, id: ItemId, to: RoomId, now: Instant, out: &mut Effects) {
    let Some(held) = take_out(state, id) else {
        return;
    };
    if held.recorded == Some(to) {
        let line = state.wait_for(
            Pending::Place {
                to,
                item: held.item,
                tries: 0,
                sent: true,
            },
            now,
        );
        return out.push(Effect::Ask(line, to, Ask::Place(held.item)));
    }
    let line = state.wait_for(Pending::DropRecorded { to, held }, now);
    let order = StoreOrder::Lay {
        to,
        item: held.item,
        recorded: held.recorded,
    };
    out.push(Effect::Store(line, order));
}

/// The room laid the thing down.
pub(super) fn placed(ask: &PendingAsk, world: &World, out: &mut Effects) {
    if let Pending::Place { item, .. } = ask.what {
        show(out, Event::Did(Did::Drop(name(world, item))));
        out.push(ask.done());
    }
}

/// The room did not lay the thing down: asked again, a few times.
pub(super) fn place_again(
    state: &mut PlayState,
    ask: &PendingAsk,
    now: Instant,
    out: &mut Effects,
) {
    let Pending::Place {
        to, item, tries, ..
    } = ask.what
    else {
        return;
    };
    if tries >= PLACE_TRIES_MAX {
        return left_on_record(ask, item, out);
    }
    let what = Pending::Place {
        to,
        item,
        tries: tries + 1,
        sent: true,
    };
    state.wait_next(ask, what, now);
    out.push(Effect::Ask(ask.line, to, Ask::Place(item)));
}

/// The room has not laid the thing down in time. An ask that it has it answers, or says that it is
/// lost; asked a second time meanwhile, it could lay down again what somebody took in between.
pub(super) fn place_late(
    state: &mut PlayState,
    mut ask: PendingAsk,
    now: Instant,
    out: &mut Effects,
) {
    let Pending::Place {
        item, tries, sent, ..
    } = &mut ask.what
    else {
        return;
    };
    if !*sent {
        return place_again(state, &ask, now, out);
    }
    if *tries >= PLACE_TRIES_MAX {
        let item = *item;
        return left_on_record(&ask, item, out);
    }
    *tries += 1;
    ask.deadline = now + limits::ASK_DEADLINE;
    state.asks.push(ask);
}

fn left_on_record(ask: &PendingAsk, item: Item, out: &mut Effects) {
    out.push(Effect::LeftOnRecord(item));
    refuse(out, Refusal::GotLost);
    out.push(ask.done());
}

/// It is on record as the room's: the room is to lay it down.
pub(super) fn place(
    state: &mut PlayState,
    ask: &PendingAsk,
    (to, item): (RoomId, Item),
    now: Instant,
    out: &mut Effects,
) {
    let what = Pending::Place {
        to,
        item,
        tries: 0,
        sent: true,
    };
    state.wait_next(ask, what, now);
    out.push(Effect::Ask(ask.line, to, Ask::Place(item)));
}
