//! `[pure]` Things: taken from a floor, laid down, given. The database is told first and the player
//! after; what is on its way stands in the pending ask, so it is never in two places.
//!
//! A guest's things stay recorded in the room they came from, for nothing of a guest is saved.

use super::answer::Scene;
use super::effect::{Effect, Effects, StoreAnswer, StoreOrder};
use super::line::{here, refuse, show};
use super::placing;
use super::question;
use super::state::{Gift, Held, Pending, PendingAsk, PlayState};
use crate::being::{Card, Item, piles};
use crate::command::Noun;
use crate::content::World;
use crate::event::{Did, Event, Received, Refusal, Seen, SystemEvent, Text, Told};
use crate::ids::{Being, ItemId, LineId, RoomId};
use crate::limits;
use crate::room::{Ask, Cast};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the player waits for the next word about a slow store.
const STORE_PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn name(world: &World, item: Item) -> Text {
    Text::from(
        world
            .item(item.prototype)
            .map_or("something", |prototype| &*prototype.name),
    )
}

pub(super) fn inventory(state: &PlayState, world: &World) -> Event {
    Event::Told(Told::Inventory(piles(
        state.inventory.iter().map(|held| name(world, held.item)),
    )))
}

/// A closer look at something carried.
pub(super) fn carried_look(state: &PlayState, world: &World, noun: &Noun) -> Option<Event> {
    let held = carried(state, world, noun)?;
    let prototype = world.item(held.item.prototype)?;
    Some(Event::ThingSeen {
        name: Text::from(&*prototype.name),
        description: Text::from(&*prototype.description),
    })
}

fn carried(state: &PlayState, world: &World, noun: &Noun) -> Option<Held> {
    let known: Vec<_> = state
        .inventory
        .iter()
        .filter_map(|held| Some((*held, world.item(held.item.prototype)?)))
        .collect();
    let at = noun.pick(known.iter().map(|(_, kind)| (&*kind.keywords, &*kind.name)))?;
    known.get(at).map(|(held, _)| *held)
}

pub(super) fn take_out(state: &mut PlayState, id: ItemId) -> Option<Held> {
    let at = state.inventory.iter().position(|held| held.item.id == id)?;
    Some(Arc::make_mut(&mut state.inventory).remove(at))
}

fn put_in(state: &mut PlayState, held: Held) {
    if !state
        .inventory
        .iter()
        .any(|known| known.item.id == held.item.id)
    {
        Arc::make_mut(&mut state.inventory).push(held);
    }
}

pub(super) fn get(state: &mut PlayState, noun: Noun, now: Instant, out: &mut Effects) {
    let Some(room) = here(state, out) else { return };
    if state.inventory.len() >= limits::INVENTORY_MAX {
        return refuse(out, Refusal::HandsFull);
    }
    let line = state.wait_for(Pending::Get, now);
    out.push(Effect::Ask(line, room, Ask::Get(noun)));
}

/// The room handed the thing over.
pub(super) fn handed(
    state: &mut PlayState,
    scene: Scene<'_>,
    ask: PendingAsk,
    (from, held): (RoomId, Held),
    out: &mut Effects,
) {
    if state.guest() {
        return got(state, scene.world, &ask, (from, held), out);
    }
    let item = held.item;
    state.wait_next(&ask, Pending::GetRecorded { from, item }, scene.now);
    out.push(Effect::Store(ask.line, StoreOrder::Take { from, item }));
}

fn got(
    state: &mut PlayState,
    world: &World,
    ask: &PendingAsk,
    (from, held): (RoomId, Held),
    out: &mut Effects,
) {
    let item = name(world, held.item);
    put_in(state, held);
    let who = state.identity.name.clone();
    out.push(Effect::Cast(
        from,
        Cast::Announce(Seen::Gets {
            who,
            item: item.clone(),
        }),
    ));
    show(out, Event::Did(Did::Get(item)));
    out.push(ask.done());
}

pub(super) fn drop(
    state: &mut PlayState,
    world: &World,
    noun: &Noun,
    now: Instant,
    out: &mut Effects,
) {
    let Some(to) = here(state, out) else { return };
    let Some(held) = carried(state, world, noun) else {
        return refuse(out, Refusal::NotCarried(noun.words.clone()));
    };
    placing::lay(state, held.item.id, to, now, out);
}

pub(super) fn give(
    state: &mut PlayState,
    scene: Scene<'_>,
    item: &Noun,
    to: Noun,
    out: &mut Effects,
) {
    let Some(room) = here(state, out) else { return };
    let Some(held) = carried(state, scene.world, item) else {
        return refuse(out, Refusal::NotCarried(item.words.clone()));
    };
    let line = state.wait_for(Pending::GiveTo(held.item.id), scene.now);
    out.push(Effect::Ask(line, room, Ask::Who(to)));
}

/// The room says who is meant.
pub(super) fn receiver(
    state: &mut PlayState,
    scene: Scene<'_>,
    line: LineId,
    (being, card): (Being, &Card),
    out: &mut Effects,
) {
    let Some(ask) = state.close(line, |what| matches!(what, Pending::GiveTo(_))) else {
        return;
    };
    let (&Pending::GiveTo(id), Being::Session(_), Some(room)) =
        (&ask.what, being, state.journey.room())
    else {
        refuse(out, Refusal::WillNotTake(card.name.clone()));
        return out.push(ask.done());
    };
    let Some(held) = take_out(state, id) else {
        // Dropped or given meanwhile.
        refuse(out, Refusal::NotCarried("such thing any more".into()));
        return out.push(ask.done());
    };
    let guest = card.character.is_none();
    let recorded = guest.then(|| held.recorded.unwrap_or(room));
    let to = card.name.clone();
    let gift = Box::new(Gift {
        held,
        to,
        character: card.character,
        recorded,
    });
    let changes_record = held.recorded != recorded || !guest;
    state.wait_next(&ask, Pending::GiveRecorded(gift.clone()), scene.now);
    if changes_record {
        out.push(Effect::Store(line, StoreOrder::Give(gift)));
    } else {
        stored(state, scene, line, StoreAnswer::Recorded, out);
    }
}

/// A thing comes from another player. Hands too full let it fall.
pub fn received(
    state: &mut PlayState,
    scene: Scene<'_>,
    from: Text,
    held: Held,
    out: &mut Effects,
) {
    put_in(state, held);
    show(
        out,
        Event::Received(Received::Item {
            from,
            item: name(scene.world, held.item),
        }),
    );
    if state.inventory.len() > limits::INVENTORY_MAX
        && let Some(room) = here(state, out)
    {
        refuse(out, Refusal::HandsFull);
        state.next_line();
        placing::lay(state, held.item.id, room, scene.now, out);
    }
}

/// The store answered.
pub fn stored(
    state: &mut PlayState,
    scene: Scene<'_>,
    line: LineId,
    answer: StoreAnswer,
    out: &mut Effects,
) {
    match answer {
        StoreAnswer::Saved(true) => return,
        StoreAnswer::Saved(false) => return state.dirty(scene.rules, scene.now),
        StoreAnswer::Token(token) => {
            if let Some(ask) = state.close(line, |what| *what == Pending::Token) {
                show(out, Event::Told(Told::ResumeToken(token)));
                out.push(ask.done());
            }
            return;
        }
        StoreAnswer::Recorded
        | StoreAnswer::Failed
        | StoreAnswer::Moved
        | StoreAnswer::PasswordChecked(_)
        | StoreAnswer::PasswordSet
        | StoreAnswer::Busy => {}
    }
    let recorded = answer == StoreAnswer::Recorded;
    let Some(ask) = state.close(line, is_record) else {
        if let Some(ask) = state.close(line, |what| *what == Pending::Token) {
            return not_saved(&ask, out);
        }
        return question::stored(state, line, answer, out);
    };
    if answer == StoreAnswer::Moved {
        // A node died while the thing changed hands, and what is left in sight of it ends here.
        refuse(out, Refusal::SomebodyElses);
        return out.push(ask.done());
    }
    match (ask.what.clone(), recorded) {
        (Pending::GetRecorded { from, item }, true) => {
            got(
                state,
                scene.world,
                &ask,
                (
                    from,
                    Held {
                        item,
                        recorded: None,
                    },
                ),
                out,
            );
        }
        (Pending::GetRecorded { from, item }, false) => {
            out.push(Effect::Cast(from, Cast::PutBack(item)));
            not_saved(&ask, out);
        }
        (Pending::DropRecorded { to, held }, true) => {
            placing::place(state, &ask, (to, held.item), scene.now, out);
        }
        (Pending::DropRecorded { held, .. }, false) => {
            put_in(state, held);
            not_saved(&ask, out);
        }
        (Pending::GiveRecorded(gift), true) => given(state, scene, &ask, gift, out),
        (Pending::GiveRecorded(gift), false) => {
            put_in(state, gift.held);
            not_saved(&ask, out);
        }
        _ => {}
    }
}

fn given(
    state: &PlayState,
    scene: Scene<'_>,
    ask: &PendingAsk,
    gift: Box<Gift>,
    out: &mut Effects,
) {
    let item = name(scene.world, gift.held.item);
    let to = gift.to.clone();
    out.push(Effect::Deliver(gift));
    if let Some(room) = state.journey.room() {
        let who = state.identity.name.clone();
        let seen = Seen::Gives {
            who,
            item: item.clone(),
            to: to.clone(),
        };
        out.push(Effect::Cast(room, Cast::Announce(seen)));
    }
    show(out, Event::Did(Did::Give { item, to }));
    out.push(ask.done());
}

fn not_saved(ask: &PendingAsk, out: &mut Effects) {
    refuse(out, Refusal::NotSaved);
    out.push(ask.done());
}

/// The store has not answered in time. What is on its way stays on its way; the player is told.
pub(super) fn slow(state: &mut PlayState, mut ask: PendingAsk, now: Instant, out: &mut Effects) {
    ask.deadline = now + STORE_PATIENCE;
    state.asks.push(ask);
    show(out, Event::System(SystemEvent::StoreSlow));
}

fn is_record(what: &Pending) -> bool {
    matches!(
        what,
        Pending::GetRecorded { .. } | Pending::DropRecorded { .. } | Pending::GiveRecorded(_)
    )
}
