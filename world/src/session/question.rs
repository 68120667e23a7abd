//! `[pure]` The password dialogue of a session in play: the old one, the new one twice.

use super::effect::{Effect, Effects, StoreAnswer, StoreOrder};
use super::state::{Pending, PlayState};
use crate::event::{Did, Event, LoginEvent, Refusal};
use crate::ids::LineId;
use std::fmt;
use std::time::Instant;

/// Text that never shows in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What the next line answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The present password.
    Old,
    /// The new password.
    New,
    /// The new password again.
    Repeat(Secret),
}

/// `password` was typed.
pub(super) fn ask_old(state: &mut PlayState, out: &mut Effects) {
    if state.guest() {
        return out.push(Effect::Show(Event::Refused(Refusal::GuestsCannot)));
    }
    state.question = Some(Box::new(Question::Old));
    out.push(Effect::Hide(true));
    out.push(Effect::Show(Event::Login(LoginEvent::AskPassword)));
}

/// A line that answers the question.
pub(super) fn answer(
    state: &mut PlayState,
    question: Question,
    text: &str,
    now: Instant,
    out: &mut Effects,
) {
    // As the login dialogue reads it: a space at an end is no part of a password.
    let text = text.trim();
    out.push(Effect::Hide(false));
    match question {
        Question::Old => {
            let line = state.wait_for(Pending::Password, now);
            out.push(Effect::Store(
                line,
                StoreOrder::CheckPassword(Secret(text.to_owned())),
            ));
        }
        Question::New => match crate::login::good_password(text, &state.identity.account_name) {
            Err(why) => {
                out.push(Effect::Show(Event::Login(LoginEvent::BadPassword(why))));
            }
            Ok(()) => {
                state.question = Some(Box::new(Question::Repeat(Secret(text.to_owned()))));
                out.push(Effect::Hide(true));
                out.push(Effect::Show(Event::Login(LoginEvent::AskRepeat)));
            }
        },
        Question::Repeat(first) if first.0 == text => {
            let line = state.wait_for(Pending::Password, now);
            out.push(Effect::Store(line, StoreOrder::SetPassword(first)));
        }
        Question::Repeat(_) => {
            out.push(Effect::Show(Event::Login(LoginEvent::PasswordsDiffer)));
        }
    }
}

/// The login pool and the store answered.
pub(super) fn stored(state: &mut PlayState, line: LineId, is: StoreAnswer, out: &mut Effects) {
    let Some(ask) = state.close(line, |what| *what == Pending::Password) else {
        return;
    };
    let event = match is {
        StoreAnswer::PasswordChecked(true) => {
            state.question = Some(Box::new(Question::New));
            out.push(Effect::Hide(true));
            Event::Login(LoginEvent::AskNewPassword)
        }
        StoreAnswer::PasswordChecked(false) => Event::Refused(Refusal::NotYourPassword),
        StoreAnswer::PasswordSet => Event::Did(Did::Password),
        StoreAnswer::Busy => Event::Login(LoginEvent::Busy),
        StoreAnswer::Recorded
        | StoreAnswer::Failed
        | StoreAnswer::Token(_)
        | StoreAnswer::Moved
        | StoreAnswer::Saved(_) => Event::Refused(Refusal::NotSaved),
    };
    out.push(Effect::Show(event));
    out.push(ask.done());
}
