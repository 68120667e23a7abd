//! `[pure]` From one event to bytes: which part of the view writes it.

use super::page::Page;
use super::{bridge, did, login, refusal, room, seen, system, talk, told};
use crate::content::World;
use crate::event::{Event, LoginEvent};
use crate::text::{Painter, Style, ViewerClass};

/// The prompt in play: short, because a screen reader reads it each time.
pub const PROMPT: &str = "> ";

/// Appends what `viewer` is shown of `event`, ready for the socket: whole lines that end in CR LF,
/// but for the prompts of the login dialogue, which stay open. [`Told::Nothing`] is nothing.
///
/// [`Told::Nothing`]: crate::event::Told::Nothing
pub fn render(event: &Event, viewer: ViewerClass, world: &World, out: &mut Vec<u8>) {
    let mut page = Page::new(out, viewer, world);
    let page = &mut page;
    match event {
        Event::RoomSeen(seen) => room::room(page, seen),
        Event::ThingSeen { name, description } => room::thing(page, name, description),
        Event::WaySeen { way, room } => room::way(page, *way, *room),
        Event::ExitsListed(exits) => room::exits(page, exits),
        Event::Did(done) => did::did(page, done),
        Event::Seen(seen) => seen::seen(page, seen),
        Event::Received(received) => did::received(page, received),
        Event::Bridge(shown) => bridge::bridge(page, shown),
        Event::Talk(said) => talk::talk(page, said),
        Event::Refused(why) => refusal::refusal(page, why),
        Event::Told(fact) => told::told(page, fact),
        Event::Login(step) => login::login(page, step),
        Event::System(said) => system::system(page, said),
    }
}

/// Appends the prompt in play.
pub fn render_prompt(viewer: ViewerClass, out: &mut Vec<u8>) {
    Painter::new(out, viewer).style(Style::Prompt, PROMPT);
}

/// Whether the event ends in a prompt, which the connection marks as one (EOR or GA).
pub fn ends_in_prompt(event: &Event) -> bool {
    let Event::Login(step) = event else {
        return false;
    };
    match step {
        LoginEvent::AskName { .. }
        | LoginEvent::AskCreate(_)
        | LoginEvent::AskPassword
        | LoginEvent::AskNewPassword
        | LoginEvent::AskRepeat
        | LoginEvent::AskCharacterName
        | LoginEvent::AskCharacter(_) => true,
        LoginEvent::Greeting
        | LoginEvent::YesOrNo
        | LoginEvent::BadName(_)
        | LoginEvent::BadPassword(_)
        | LoginEvent::PasswordsDiffer
        | LoginEvent::Wrong
        | LoginEvent::NameTaken(_)
        | LoginEvent::NoSuchCharacter
        | LoginEvent::BadToken
        | LoginEvent::SlowDown(_)
        | LoginEvent::InLine(_)
        | LoginEvent::Waiting
        | LoginEvent::Busy
        | LoginEvent::NoGuests
        | LoginEvent::Banned(_)
        | LoginEvent::EchoWarning
        | LoginEvent::TooSlow
        | LoginEvent::Welcome { .. }
        | LoginEvent::Resumed { .. } => false,
    }
}
