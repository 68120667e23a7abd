//! `[pure]` Looking: what a viewer sees of a room, and which thing or person a noun means there.

use super::state::{Occupant, RoomState};
use super::step::Scene;
use crate::being::{Item, piles};
use crate::command::Noun;
use crate::content::ItemPrototype;
use crate::event::{Event, Refusal, RoomSeen, Text};
use crate::ids::Being;

/// The room as this being sees it: without itself.
pub(super) fn room<P>(state: &RoomState<P>, scene: Scene<'_>, viewer: Being) -> RoomSeen {
    let viewer_here = state.occupants().contains_key(&viewer);
    let others = state.sessions() - usize::from(viewer_here && matches!(viewer, Being::Session(_)));
    let people: Vec<_> = state
        .occupants()
        .iter()
        .filter(|(being, _)| matches!(being, Being::Session(_)) && **being != viewer)
        .take(RoomSeen::PEOPLE_MAX)
        .map(|(_, occupant)| occupant.card.seen())
        .collect();
    let people_more = u32::try_from(others.saturating_sub(people.len())).unwrap_or(u32::MAX);
    let mobs = state
        .occupants()
        .iter()
        .filter(|(being, _)| matches!(being, Being::Mob(_)) && **being != viewer)
        .map(|(_, occupant)| occupant.card.name.clone())
        .collect();
    let longs = state
        .items()
        .iter()
        .filter_map(|item| scene.world.item(item.prototype))
        .map(|prototype| Text::from(&*prototype.long));
    RoomSeen {
        room: state.id(),
        people,
        people_more,
        mobs,
        items: piles(longs),
    }
}

/// A closer look at whatever the noun means: a thing on the floor, somebody, or a feature.
pub(super) fn closer<P>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    viewer: Being,
    noun: &Noun,
) -> Event {
    if let Some((_, prototype)) = on_floor(state, scene, noun) {
        return Event::ThingSeen {
            name: Text::from(&*prototype.name),
            description: Text::from(&*prototype.description),
        };
    }
    if let Some((_, occupant)) = person(state, viewer, noun) {
        return Event::ThingSeen {
            name: occupant.card.name.clone(),
            description: occupant.card.description.clone(),
        };
    }
    let things = scene.room.things.iter();
    let at = noun.pick(things.map(|thing| (&*thing.keywords, "")));
    let thing = at.and_then(|at| scene.room.things.get(at));
    match thing {
        Some(thing) => Event::ThingSeen {
            name: thing
                .keywords
                .first()
                .map_or_else(|| noun.words.clone(), |word| Text::from(&**word)),
            description: Text::from(&*thing.description),
        },
        None => Event::Refused(Refusal::NotHere(noun.words.clone())),
    }
}

/// The thing on the floor that the noun means.
pub(super) fn on_floor<'a, P>(
    state: &RoomState<P>,
    scene: Scene<'a>,
    noun: &Noun,
) -> Option<(Item, &'a ItemPrototype)> {
    let known: Vec<_> = state
        .items()
        .iter()
        .filter_map(|item| Some((*item, scene.world.item(item.prototype)?)))
        .collect();
    let at = noun.pick(known.iter().map(|(_, kind)| (&*kind.keywords, &*kind.name)))?;
    known.get(at).copied()
}

/// Who the noun means, other than the viewer.
pub(super) fn person<'a, P>(
    state: &'a RoomState<P>,
    viewer: Being,
    noun: &Noun,
) -> Option<(Being, &'a Occupant<P>)> {
    const NO_KEYWORDS: &[&str] = &[];
    let others: Vec<_> = state
        .occupants()
        .iter()
        .filter(|(one, _)| **one != viewer)
        .collect();
    let at = noun.pick(others.iter().map(|(_, one)| (NO_KEYWORDS, &*one.card.name)))?;
    others.get(at).map(|(being, occupant)| (**being, *occupant))
}
