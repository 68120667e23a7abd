//! `[pure]` Why something was not done: one helpful line each.

use super::page::{Page, either, one_line};
use crate::event::{Refusal, Text};
use crate::text::Style;

/// The line for a refusal.
pub(super) fn refusal(page: &mut Page<'_>, why: &Refusal) {
    let line = match why {
        Refusal::UnknownVerb { word, near } => {
            let unknown = format!("I do not know the word \"{}\".", one_line(word));
            return near_words(page, &unknown, near);
        }
        Refusal::NoHelp { topic, near } => {
            let unknown = format!("There is no help on \"{}\".", one_line(topic));
            return near_words(page, &unknown, near);
        }
        Refusal::BadArgument { given, allowed } => {
            let given = one_line(given);
            let statement = format!("\"{given}\" is not understood. Use {allowed}");
            return page.sentence(Style::Error, &statement);
        }
        Refusal::Missing(question) => return page.sentence(Style::Error, question),
        Refusal::NotHere(noun) => return about(page, "There is no ", noun, " here."),
        Refusal::NotCarried(noun) => return about(page, "You carry no ", noun, "."),
        Refusal::NotTakeable(item) => return about(page, "You cannot take ", item, "."),
        Refusal::WillNotTake(who) => return about(page, "", who, " cannot take it just now."),
        Refusal::NobodyCalled(name) => {
            return about(page, "Nobody called ", name, " plays just now.");
        }
        Refusal::CannotListen(who) => {
            return about(page, "", who, " cannot listen just now. Try again.");
        }
        Refusal::OutOfReach(who) => {
            return about(page, "", who, " cannot be reached just now. Try again.");
        }
        Refusal::LineCut(bytes) => {
            let line = format!("That line is too long. Only its first {bytes} bytes count.");
            return page.line(Style::Error, &line);
        }
        Refusal::NoChannel(name) => {
            page.put(Style::Error, "There is no channel \"")
                .quote(Style::Error, name);
            return page.line(Style::Error, "\". Type channels for the list.");
        }
        Refusal::IgnoresTooMany(most) => {
            let line = format!("You ignore {most} already, and that is all you can. See ignore.");
            return page.line(Style::Error, &line);
        }
        Refusal::NoExit(_) => "You cannot go that way.",
        Refusal::HandsFull => "Your hands are full.",
        Refusal::NobodyToReplyTo => "Nobody has told you anything yet.",
        Refusal::TalksTooFast => "You talk faster than others can read. Wait a moment.",
        Refusal::ChannelBusy => "Too much is said there just now. Try again.",
        Refusal::ChannelOut => "That channel cannot be reached just now. Try again.",
        Refusal::ChannelBroke => "Something broke there; that did not get through. Try again.",
        Refusal::IgnoredAlready => "You ignore them already.",
        Refusal::NotIgnored => "You do not ignore them. Type ignore for the list.",
        Refusal::TooCrowded => "Too crowded to act just now.",
        Refusal::WayClosed => "The way is closed just now.",
        Refusal::PlaceOutOfReach => "The ground trembles; this place is out of reach just now.",
        Refusal::GotLost => "The ground trembles; that did not get through.",
        Refusal::NoAnswer => "Nothing came of that in time. Try again.",
        Refusal::NotSaved => "That could not be saved, so it did not happen. Try again.",
        Refusal::SomebodyElses => "It slips away: somebody else has it by now.",
        Refusal::GuestsCannot => "Guests cannot do that.",
        Refusal::NotYourPassword => "That is not your password. It stays as it is.",
        Refusal::StaffOnly => "Only staff can do that.",
        Refusal::TooFast => "You type faster than can be read. Some lines were dropped.",
    };
    page.line(Style::Error, line);
}

fn near_words(page: &mut Page<'_>, unknown: &str, near: &[Text]) {
    page.put(Style::Error, unknown);
    if near.is_empty() {
        page.line(Style::Error, " Type help for the list of words.");
    } else {
        let words = either(near);
        page.put(Style::Error, " Did you mean ")
            .put(Style::Error, &words);
        page.line(Style::Error, "?");
    }
}

fn about(page: &mut Page<'_>, before: &str, what: &Text, after: &str) {
    page.put(Style::Error, before);
    if before.is_empty() {
        page.quote_start(Style::Error, what);
    } else {
        page.quote(Style::Error, what);
    }
    page.line(Style::Error, after);
}
