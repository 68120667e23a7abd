//! `[pure]` What follows in a room when somebody asks, tells or the tick comes: changes of the room
//! and effects outside it.
//!
//! A step reads the state and writes a [`Decision`]; the process applies all changes and then
//! carries out all effects, in order. Nothing here can be half done.

use super::ask::{Answer, Ask, CardNews, Cast};
use super::crowd;
use super::look;
use super::state::{Change, Occupant, RoomState};
use crate::being::{Card, Entry, Item, Parting};
use crate::command::Noun;
use crate::content::{Room, World};
use crate::event::{Did, Event, Refusal, Seen, Text};
use crate::ids::{Being, Direction, MoveSeq};
use crate::limits;
use std::sync::Arc;
use std::time::Duration;

/// When a room is a crowd, and how long it gathers then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrowdRules {
    /// With more players than this the room gathers.
    pub size: usize,
    /// How long it gathers.
    pub gap: Duration,
    /// With more players than this it gathers longer.
    pub size_large: usize,
    /// How long it gathers then.
    pub gap_large: Duration,
}

/// What a step may look at besides the state.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The content.
    pub world: &'a World,
    /// This room in it.
    pub room: &'a Room,
    /// When to gather.
    pub crowd: CrowdRules,
}

/// Something to be done outside the room's state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect<P> {
    /// Owed to the one who asked.
    Answer(Answer),
    /// For all players here but the one who did it, at once.
    Notice(Option<Being>, Seen),
    /// For all players here, in one message each.
    Tick {
        /// What those see who were there before.
        all: Vec<(Option<Being>, Seen)>,
        /// What those see who came in during this tick.
        newcomers: Vec<(Option<Being>, Seen)>,
        /// Who came in during this tick, in order.
        fresh: Vec<Being>,
    },
    /// Come back for the tick after this time.
    Arm(Duration),
    /// Crash, as asked.
    Crash,
    /// Make a mob crash, as asked.
    CrashMob(P),
    /// An ambient event was dropped, for the tick is full.
    Dropped,
}

/// What a step decided.
#[derive(Debug)]
pub struct Decision<P> {
    /// What changes in the room.
    pub changes: Vec<Change<P>>,
    /// What is done besides, in this order, after all changes.
    pub effects: Vec<Effect<P>>,
}

impl<P> Default for Decision<P> {
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            effects: Vec::new(),
        }
    }
}

/// Decides what follows from an ask. Exactly one answer is among the effects (none for a crash).
pub fn decide<P: Clone>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    (being, port): (Being, &P),
    ask: Ask,
    out: &mut Decision<P>,
) {
    if let Ask::Enter { seq, card, how } = ask {
        let mut occupant = Occupant::new(card, seq, port.clone());
        occupant.fresh = gathers(state, scene);
        return enter(state, scene, (being, occupant), how, out);
    }
    if let Ask::Place(item) = ask {
        return place(state, scene, being, item, out);
    }
    let Some(occupant) = state.occupants().get(&being) else {
        let seq = if let Ask::Leave { seq, .. } = ask {
            seq
        } else {
            MoveSeq(0)
        };
        return out.effects.push(Effect::Answer(Answer::Unknown(seq)));
    };
    let who = occupant.card.name.clone();
    let event = match ask {
        Ask::Enter { .. } | Ask::Place(_) => return,
        Ask::Leave { seq, way } => return leave(state, scene, (being, occupant), (seq, way), out),
        Ask::Crash => return out.effects.push(Effect::Crash),
        Ask::Look => Event::RoomSeen(Box::new(look::room(state, scene, being))),
        Ask::LookAt(noun) => look::closer(state, scene, being, &noun),
        Ask::LookWay(way) => Event::WaySeen {
            way,
            room: scene.room.exit(way),
        },
        Ask::Exits => {
            let exits = scene.room.exits.iter();
            Event::ExitsListed(exits.map(|exit| (exit.direction, exit.to)).collect())
        }
        Ask::Say(text) => {
            let seen = Seen::Says {
                who,
                text: text.clone(),
            };
            notice(state, scene, Some(being), seen, out);
            Event::Did(Did::Say(text))
        }
        Ask::Emote(text) => {
            let seen = Seen::Emotes { who, text };
            notice(state, scene, Some(being), seen.clone(), out);
            // The actor reads the same as the bystanders.
            Event::Seen(seen)
        }
        Ask::Get(noun) => match get(state, scene, noun, out) {
            Ok(answer) => return out.effects.push(Effect::Answer(answer)),
            Err(why) => Event::Refused(why),
        },
        Ask::Who(noun) => match look::person(state, being, &noun) {
            None => Event::Refused(Refusal::NotHere(noun.words)),
            Some((found, person)) => {
                let answer = Answer::Person {
                    being: found,
                    card: person.card.clone(),
                };
                return out.effects.push(Effect::Answer(answer));
            }
        },
        Ask::CrashMob(noun) => match look::person(state, being, &noun) {
            Some((Being::Mob(_), mob)) => {
                out.effects.push(Effect::CrashMob(mob.port.clone()));
                Event::Did(Did::Crash(mob.card.name.clone()))
            }
            Some((Being::Session(_), _)) | None => Event::Refused(Refusal::NotHere(noun.words)),
        },
    };
    out.effects
        .push(Effect::Answer(Answer::Show(Box::new(event))));
}

/// Hands a thing out, or says why not.
fn get<P>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    noun: Noun,
    out: &mut Decision<P>,
) -> Result<Answer, Refusal> {
    match look::on_floor(state, scene, &noun) {
        None => Err(Refusal::NotHere(noun.words)),
        Some((_, kind)) if !kind.takeable => Err(Refusal::NotTakeable(Text::from(&*kind.name))),
        Some((item, _)) => {
            out.changes.push(Change::Take(item.id));
            Ok(Answer::Handed(state.id(), item))
        }
    }
}

/// Decides what follows from something that a being tells the room.
pub fn decide_cast<P: Clone>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    being: Being,
    cast: Cast,
    out: &mut Decision<P>,
) {
    match cast {
        Cast::Gone { seq, how } => {
            if state.newest_seq(being).is_some_and(|newest| newest > seq) {
                return;
            }
            out.changes.push(Change::Part(being, seq));
            let Some(occupant) = state.occupants().get(&being) else {
                return;
            };
            let who = occupant.card.name.clone();
            match how {
                Parting::Sleep => notice(state, scene, Some(being), Seen::Sleeps(who), out),
                Parting::Vanish => notice(state, scene, Some(being), Seen::Vanishes(who), out),
                Parting::Undo => {}
            }
        }
        Cast::Card(card, news) => {
            if !state.occupants().contains_key(&being) {
                return;
            }
            let who = card.name.clone();
            out.changes.push(Change::Recard(being, card));
            match news {
                Some(CardNews::LostLink) => {
                    notice(state, scene, Some(being), Seen::LosesLink(who), out);
                }
                Some(CardNews::RegainedLink) => {
                    notice(state, scene, Some(being), Seen::RegainsLink(who), out);
                }
                None => {}
            }
        }
        Cast::Announce(seen) => notice(state, scene, Some(being), seen, out),
        Cast::PutBack(item) => put(state, item, out),
    }
}

/// Decides what a crowd is told at its tick.
pub fn decide_tick<P>(state: &RoomState<P>, out: &mut Decision<P>) {
    let crowd::Tick { all, newcomers } = crowd::sum_up(state.gathered());
    let fresh = state
        .occupants()
        .iter()
        .filter(|(_, one)| one.fresh)
        .map(|(being, _)| *being);
    out.effects.push(Effect::Tick {
        all,
        newcomers,
        fresh: fresh.collect(),
    });
    out.changes.push(Change::Flushed);
}

/// Tells bystanders: at once, or with the next tick where a crowd stands.
pub(super) fn notice<P>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    by: Option<Being>,
    seen: Seen,
    out: &mut Decision<P>,
) {
    let sessions = state.sessions();
    let bystanders = match by {
        Some(Being::Session(_)) => sessions.saturating_sub(1),
        Some(Being::Mob(_)) | None => sessions,
    };
    if !gathers(state, scene) {
        if bystanders > 0 || !state.occupants().contains_key(&by.unwrap_or(NOBODY)) {
            out.effects.push(Effect::Notice(by, seen));
        }
        return;
    }
    if state.gathered().len() >= limits::ROOM_GATHERED_MAX {
        return out.effects.push(Effect::Dropped);
    }
    out.changes.push(Change::Gather(by, seen));
    if !state.armed() {
        let large = sessions > scene.crowd.size_large;
        let gap = if large {
            scene.crowd.gap_large
        } else {
            scene.crowd.gap
        };
        out.changes.push(Change::Armed);
        out.effects.push(Effect::Arm(gap));
    }
}

/// Whether what happens is told with the next tick.
fn gathers<P>(state: &RoomState<P>, scene: Scene<'_>) -> bool {
    state.sessions() > scene.crowd.size || !state.gathered().is_empty()
}

/// A being that stands nowhere.
const NOBODY: Being = Being::Mob(crate::ids::MobId(u32::MAX));

fn enter<P: Clone>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    (being, occupant): (Being, Occupant<P>),
    how: Entry,
    out: &mut Decision<P>,
) {
    let seq = occupant.seq;
    if state.newest_seq(being).is_some_and(|newest| newest >= seq) {
        return out.effects.push(Effect::Answer(Answer::Unknown(seq)));
    }
    let who = occupant.card.name.clone();
    let known = state.occupants().contains_key(&being);
    let seen = Box::new(look::room(state, scene, being));
    out.changes.push(Change::Join(being, occupant));
    out.effects
        .push(Effect::Answer(Answer::Entered { seq, seen }));
    if known {
        return;
    }
    let seen = match how {
        Entry::Walk(way) => Seen::Arrives {
            who,
            went: Some(way),
        },
        Entry::Wake => Seen::Wakes(who),
        Entry::Appear => Seen::Appears(who),
        Entry::Stay => return,
    };
    notice(state, scene, Some(being), seen, out);
}

fn leave<P: Clone>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    (being, occupant): (Being, &Occupant<P>),
    (seq, way): (MoveSeq, Direction),
    out: &mut Decision<P>,
) {
    if occupant.seq != seq {
        return out.effects.push(Effect::Answer(Answer::Unknown(seq)));
    }
    let Some(to) = scene.room.exit(way) else {
        return out
            .effects
            .push(Effect::Answer(Answer::Stayed { seq, way }));
    };
    let who = occupant.card.name.clone();
    out.changes.push(Change::Part(being, seq));
    out.effects
        .push(Effect::Answer(Answer::Left { seq, to, way }));
    notice(
        state,
        scene,
        Some(being),
        Seen::Leaves {
            who,
            went: Some(way),
        },
        out,
    );
}

/// Lays a thing down: it is on record as lying here, also when who dropped it has gone on.
fn place<P>(
    state: &RoomState<P>,
    scene: Scene<'_>,
    being: Being,
    item: Item,
    out: &mut Decision<P>,
) {
    out.effects.push(Effect::Answer(Answer::Placed(item.id)));
    if state.items().iter().any(|here| here.id == item.id) {
        return;
    }
    put(state, item, out);
    let Some(occupant) = state.occupants().get(&being) else {
        return;
    };
    let name = scene
        .world
        .item(item.prototype)
        .map_or("something", |prototype| &prototype.name);
    let seen = Seen::Drops {
        who: occupant.card.name.clone(),
        item: Text::from(name),
    };
    notice(state, scene, Some(being), seen, out);
}

fn put<P>(state: &RoomState<P>, item: Item, out: &mut Decision<P>) {
    if !state.items().iter().any(|here| here.id == item.id) {
        out.changes.push(Change::Put(item));
    }
}

/// The card of a mob as its room shows it.
pub fn mob_card(world: &World, id: crate::ids::MobId) -> Option<Arc<Card>> {
    let mob = world.mob(id)?;
    Some(Arc::new(Card {
        name: Text::from(&*mob.name),
        description: Text::from(&*mob.description),
        character: None,
        mob: Some(id),
        away: false,
        linkdead: false,
    }))
}
