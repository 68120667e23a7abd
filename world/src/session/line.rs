//! `[pure]` A typed line becomes a command, and the command asks, tells or shows.

use super::answer::Scene;
use super::effect::{Effect, Effects, TalkOrder, TellOutcome};
use super::network;
use super::question;
use super::state::{Pending, PlayState, SessionRules};
use super::talk;
use super::things;
use crate::being::{JourneyStep, Place};
use crate::command::{self, Command, CrashTarget, LookAt, Unclear};
use crate::event::{Did, Event, Refusal, Score, SystemEvent, Text, Told};
use crate::ids::{Direction, LineId, RoomId};
use crate::ops::metrics::VerbClass;
use crate::room::{Ask, Cast};
use crate::text::Depth;
use std::sync::Arc;
use std::time::Instant;

/// Handles one line. The caller has seen that the state is ready.
pub fn line(state: &mut PlayState, scene: Scene<'_>, text: &str, out: &mut Effects) {
    state.next_line();
    if let Some(asked) = state.question.take() {
        return question::answer(state, *asked, text, scene.now, out);
    }
    let command = command::parse(text, state.rights, scene.world.channels());
    if state.away.is_some() && !matches!(command, Command::Away(_) | Command::Nothing) {
        back(state, out);
    }
    let verb = verb_class(&command);
    obey(state, scene, command, out);
    if !state.asks.iter().any(|ask| ask.line == state.line) {
        out.push(Effect::Done {
            since: scene.now,
            verb,
        });
    }
}

fn obey(state: &mut PlayState, scene: Scene<'_>, command: Command, out: &mut Effects) {
    let Scene { world, rules, now } = scene;
    match command {
        Command::Nothing => show(out, Event::Told(Told::Nothing)),
        Command::Look(LookAt::Room) => ask_room(state, Ask::Look, VerbClass::Look, now, out),
        Command::Look(LookAt::Way(way)) => {
            ask_room(state, Ask::LookWay(way), VerbClass::Look, now, out)
        }
        Command::Look(LookAt::Thing(noun)) | Command::Examine(noun) => {
            match things::carried_look(state, world, &noun) {
                Some(event) => show(out, event),
                None => ask_room(state, Ask::LookAt(noun), VerbClass::Look, now, out),
            }
        }
        Command::Go(way) => go(state, way, now, out),
        Command::Exits => ask_room(state, Ask::Exits, VerbClass::Look, now, out),
        Command::Say(text) => ask_room(state, Ask::Say(text), VerbClass::Speech, now, out),
        Command::Emote(text) => ask_room(state, Ask::Emote(text), VerbClass::Speech, now, out),
        Command::Tell { to, text } if network::is_elsewhere(&to) => {
            network::tell(state, (to, false), text, now, out);
        }
        Command::Tell { to, text } => out.push(Effect::Tell { to, text }),
        Command::Reply(text) => match state.reply_to.clone() {
            Some(to) if network::is_elsewhere(&to) => {
                network::tell(state, (to, true), text, now, out);
            }
            Some(to) => out.push(Effect::Tell { to, text }),
            None => refuse(out, Refusal::NobodyToReplyTo),
        },
        Command::Who(prefix) => out.push(Effect::Who(prefix)),
        Command::Speak { channel, text } => talk::speak(state, scene, channel, text, out),
        Command::Recent(channel) => talk::recent(state, channel, now, out),
        Command::Channels => out.push(Effect::Talk(TalkOrder::List)),
        Command::Channel(deed, name) => talk::deed(state, scene, deed, &name, out),
        Command::Ignore(whom) => talk::ignore(state, scene, whom, out),
        Command::Unignore(whom) => talk::unignore(state, scene, &whom, out),
        Command::Network(command) => network::obey(state, scene, command, out),
        Command::Get(noun) => things::get(state, noun, now, out),
        Command::Drop(noun) => things::drop(state, world, &noun, now, out),
        Command::Give { item, to } => things::give(state, scene, &item, to, out),
        Command::Inventory => show(out, things::inventory(state, world)),
        Command::Help(topic) => show(out, help(state, scene, topic)),
        Command::Score => show(out, score(state, now)),
        Command::Color(choice) => color(state, rules, choice, now, out),
        Command::ScreenReader(choice) => screen_reader(state, rules, choice, now, out),
        Command::Password => question::ask_old(state, out),
        Command::Resume => token(state, now, out),
        Command::Away(message) => away(state, message, out),
        Command::Quit => {
            super::link::end(state, now, Event::Did(Did::Quit), out);
        }
        Command::Goto(place) => out.push(Effect::Goto(place)),
        Command::Kick { who, reason } => out.push(Effect::Kick { who, reason }),
        Command::Ban(order) => out.push(Effect::Ban(order)),
        Command::Crash(CrashTarget::Room) => {
            ask_room(state, Ask::Crash, VerbClass::Staff, now, out)
        }
        Command::Crash(CrashTarget::Mob(noun)) => {
            ask_room(state, Ask::CrashMob(noun), VerbClass::Staff, now, out)
        }
        Command::Crash(CrashTarget::Channel(name)) => talk::crash(scene, &name, out),
        Command::Crash(CrashTarget::Session(who)) => out.push(Effect::CrashSession(who)),
        Command::Shutdown => {
            show(out, Event::Did(Did::Shutdown));
            out.push(Effect::Shutdown);
        }
        Command::Unclear(unclear) => refuse(out, unclear_words(unclear)),
    }
}

/// What came of a tell.
pub fn told(text: Text, outcome: TellOutcome, asked: &Text, out: &mut Effects) {
    match outcome {
        TellOutcome::Delivered { to, away } => {
            show(out, Event::Did(Did::Tell { to, text, away }));
        }
        TellOutcome::Nobody => refuse(out, Refusal::NobodyCalled(asked.clone())),
        TellOutcome::Full(to) => refuse(out, Refusal::CannotListen(to)),
    }
}

/// The room that the player stands in, or the player is told that there is none.
pub(super) fn here(state: &PlayState, out: &mut Effects) -> Option<RoomId> {
    if let Place::In(room) = state.journey.place() {
        return Some(room);
    }
    let why = match state.waits_for() {
        Some(_) => SystemEvent::PlaceAwaited,
        None => SystemEvent::Adrift,
    };
    show(out, Event::System(why));
    None
}

/// Asks the room that the player stands in.
fn ask_room(state: &mut PlayState, ask: Ask, verb: VerbClass, now: Instant, out: &mut Effects) {
    let Some(room) = here(state, out) else { return };
    let line = state.wait_for(Pending::Show(verb), now);
    out.push(Effect::Ask(line, room, ask));
}

pub(super) fn show(out: &mut Effects, event: Event) {
    out.push(Effect::Show(event));
}

pub(super) fn refuse(out: &mut Effects, why: Refusal) {
    out.push(Effect::Show(Event::Refused(why)));
}

/// Sends the steps of the journey as work of this line.
pub(super) fn travel(line: LineId, steps: Vec<JourneyStep>, out: &mut Effects) {
    out.extend(steps.into_iter().map(|step| Effect::Travel(line, step)));
}

fn go(state: &mut PlayState, way: Direction, now: Instant, out: &mut Effects) {
    if here(state, out).is_none() {
        return;
    }
    let mut steps = Vec::with_capacity(1);
    state.journey.leave(way, &mut steps);
    let line = state.wait_for(Pending::Leave, now);
    travel(line, steps, out);
}

fn help(state: &PlayState, scene: Scene<'_>, topic: Option<Text>) -> Event {
    match command::help::find(topic.as_deref(), state.rights) {
        Ok(found) => Event::Told(Told::Help(Text::from(found))),
        Err(_) if is_channel(scene, topic.as_deref()) => {
            Event::Told(Told::Help(Text::from("channels")))
        }
        Err(near) => {
            let near = near.into_iter().map(Text::from).collect();
            Event::Refused(Refusal::NoHelp {
                topic: topic.unwrap_or_default(),
                near,
            })
        }
    }
}

fn is_channel(scene: Scene<'_>, topic: Option<&str>) -> bool {
    topic.is_some_and(|topic| scene.world.find_channel(topic).is_some())
}

fn score(state: &PlayState, now: Instant) -> Event {
    let here = now.saturating_duration_since(state.since).as_secs();
    Event::Told(Told::Score(Box::new(Score {
        name: state.identity.name.clone(),
        guest: state.guest(),
        staff: state.rights.staff,
        room: state.journey.room(),
        items: u32::try_from(state.inventory.len()).unwrap_or(u32::MAX),
        played_s: state.played_s.saturating_add(here),
    })))
}

fn color(
    state: &mut PlayState,
    rules: &SessionRules,
    choice: Option<Text>,
    now: Instant,
    out: &mut Effects,
) {
    let Some(choice) = choice else {
        return out.push(Effect::ShowColor);
    };
    let depth = match &*choice {
        "off" => Some(Depth::None),
        "8" => Some(Depth::Ansi8),
        "16" | "on" => Some(Depth::Ansi16),
        "256" => Some(Depth::Ansi256),
        "true" => Some(Depth::True),
        _ => None,
    };
    state.settings.depth = depth;
    state.dirty(rules, now);
    out.push(Effect::Color(depth));
    show(out, Event::Did(Did::Color(choice)));
}

fn screen_reader(
    state: &mut PlayState,
    rules: &SessionRules,
    choice: Option<bool>,
    now: Instant,
    out: &mut Effects,
) {
    let Some(on) = choice else {
        return out.push(Effect::ShowScreenReader);
    };
    state.settings.screen_reader = Some(on);
    state.dirty(rules, now);
    out.push(Effect::ScreenReader(on));
    show(out, Event::Did(Did::ScreenReader(on)));
}

fn token(state: &mut PlayState, now: Instant, out: &mut Effects) {
    if state.guest() {
        return refuse(out, Refusal::GuestsCannot);
    }
    let line = state.wait_for(Pending::Token, now);
    out.push(Effect::Store(line, super::effect::StoreOrder::Token));
}

fn away(state: &mut PlayState, message: Option<Text>, out: &mut Effects) {
    if state.away.is_some() && message.is_none() {
        back(state, out);
        return show(out, Event::Told(Told::Nothing));
    }
    let message = message.unwrap_or_else(|| Text::from(""));
    state.away = Some(message.clone());
    recard(state, true, out);
    show(out, Event::Did(Did::Away(message)));
}

fn back(state: &mut PlayState, out: &mut Effects) {
    state.away = None;
    recard(state, false, out);
    show(out, Event::Did(Did::Back));
}

fn recard(state: &mut PlayState, away: bool, out: &mut Effects) {
    let card = Arc::make_mut(&mut state.card);
    card.away = away;
    if let Place::In(room) = state.journey.place() {
        out.push(Effect::Cast(room, Cast::Card(state.card.clone(), None)));
    }
    out.push(Effect::Roster);
}

fn unclear_words(unclear: Unclear) -> Refusal {
    match unclear {
        Unclear::Unknown { word, near } => Refusal::UnknownVerb { word, near },
        Unclear::Missing(what) => Refusal::Missing(what),
        Unclear::BadArgument { given, allowed } => Refusal::BadArgument { given, allowed },
        Unclear::StaffOnly => Refusal::StaffOnly,
    }
}

/// The kind of a command, for the figures.
fn verb_class(command: &Command) -> VerbClass {
    match command {
        Command::Look(_) | Command::Examine(_) | Command::Exits => VerbClass::Look,
        Command::Go(_) => VerbClass::Move,
        Command::Say(_)
        | Command::Emote(_)
        | Command::Tell { .. }
        | Command::Reply(_)
        | Command::Speak { .. }
        | Command::Recent(_) => VerbClass::Speech,
        Command::Get(_) | Command::Drop(_) | Command::Give { .. } | Command::Inventory => {
            VerbClass::Item
        }
        Command::Nothing
        | Command::Who(_)
        | Command::Channels
        | Command::Channel(..)
        | Command::Ignore(_)
        | Command::Unignore(_)
        | Command::Network(_)
        | Command::Help(_)
        | Command::Score
        | Command::Color(_)
        | Command::ScreenReader(_)
        | Command::Password
        | Command::Resume
        | Command::Away(_)
        | Command::Quit => VerbClass::Session,
        Command::Goto(_)
        | Command::Kick { .. }
        | Command::Ban(_)
        | Command::Crash(_)
        | Command::Shutdown => VerbClass::Staff,
        Command::Unclear(_) => VerbClass::Unclear,
    }
}
