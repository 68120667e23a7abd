//! `[pure]` What follows when somebody speaks on a channel.

use super::line::{ChannelLine, Mark, Past, Speaker};
use super::shown::Talk;
use super::state::{ChannelState, Spoken};
use crate::event::{Event, Text};
use crate::view::Notice;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a channel is asked for.
#[derive(Clone, Debug)]
pub enum Deed<P> {
    /// A player here speaks; this is their session. It gets the next place of this term.
    Say(ChannelLine, P, u64),
    /// Somebody else speaks: of another game, or a player of another node. It gets the next place
    /// of this term.
    Hear(ChannelLine, u64),
    /// The owner has put this line at this place; a player here spoke, if this is their session.
    Pass(Mark, ChannelLine, Option<P>),
    /// Another node remembers these lines.
    Learn(Vec<Past>),
    /// A player wants the last lines.
    Recall,
    /// Nothing of this game is read here any more, nor what was said before.
    Forget(Text),
}

/// What a channel does outside itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Answer the player.
    Answer(Event),
    /// There is no room for what a player says.
    Refused,
    /// The line stands at this place, and the player gets it as the answer.
    Said(Mark, ChannelLine),
    /// Some of what was learnt was not known.
    Learnt,
    /// There was no room for something that nobody waits for.
    Dropped,
}

/// Decides what follows, and remembers it. One deed has at most one effect.
pub fn decide<P>(state: &mut ChannelState<P>, deed: Deed<P>, now: Instant) -> Option<Effect> {
    match deed {
        Deed::Say(..) if state.is_full() => Some(Effect::Refused),
        Deed::Hear(line, _) if is_foreign(&line) && state.is_full_for_others() => {
            Some(Effect::Dropped)
        }
        Deed::Hear(..) if state.is_full() => Some(Effect::Refused),
        Deed::Say(line, by, term) => Some(stands(state, line, Some(by), term, now)),
        Deed::Hear(line, term) => Some(stands(state, line, None, term, now)),
        Deed::Pass(mark, line, by) => pass(state, mark, line, by, now),
        Deed::Learn(lines) => {
            let mut learnt = false;
            for Past { mark, line, age_s } in lines {
                let age = Duration::from_secs(age_s);
                let heard = now.checked_sub(age).unwrap_or(now);
                learnt |= state.keep(mark, line, heard);
                state.comes(mark);
            }
            learnt.then_some(Effect::Learnt)
        }
        Deed::Forget(game) => {
            state.forget(&game);
            None
        }
        Deed::Recall => {
            let lines = state.history(now).map(|past| (past.line, past.age_s));
            let (channel, lines) = (state.channel(), lines.collect());
            Some(Effect::Answer(Event::Talk(Talk::History {
                channel,
                lines,
            })))
        }
    }
}

fn is_foreign(line: &ChannelLine) -> bool {
    matches!(line.speaker, Speaker::Foreign { .. })
}

fn stands<P>(
    state: &mut ChannelState<P>,
    line: ChannelLine,
    by: Option<P>,
    term: u64,
    now: Instant,
) -> Effect {
    let mark = state.next(term);
    tell(state, by, Talk::Line(line.clone()));
    state.keep(mark, line.clone(), now);
    Effect::Said(mark, line)
}

/// A line that comes after others of a later place is remembered, and not told out of its order.
fn pass<P>(
    state: &mut ChannelState<P>,
    mark: Mark,
    line: ChannelLine,
    by: Option<P>,
    now: Instant,
) -> Option<Effect> {
    let answered = by.is_some();
    let full = state.is_full();
    let told = state.comes(mark) && !full;
    if told {
        tell(state, by, Talk::Line(line.clone()));
    }
    state.keep(mark, line.clone(), now);
    match (answered, told) {
        (true, _) => Some(Effect::Said(mark, line)),
        (false, true) => None,
        (false, false) => full.then_some(Effect::Dropped),
    }
}

fn tell<P>(state: &mut ChannelState<P>, by: Option<P>, talk: Talk) {
    let notice = Arc::new(Notice::new(Event::Talk(talk)));
    state.tell(Spoken { by, notice });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ChannelId;
    use crate::limits;
    use std::time::Duration;

    const CHAT: ChannelId = ChannelId(0);

    #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
    fn start() -> Instant {
        Instant::now()
    }

    fn line(speaker: Speaker, text: &str) -> ChannelLine {
        ChannelLine {
            channel: CHAT,
            speaker,
            text: text.into(),
            missed: false,
        }
    }

    fn ann(text: &str) -> ChannelLine {
        line(Speaker::Local("Ann".into()), text)
    }

    fn bo(text: &str) -> ChannelLine {
        let (name, game) = ("Bo".into(), "Other".into());
        line(Speaker::Foreign { name, game }, text)
    }

    /// The line stands at this place of the term 0.
    fn said(number: u64, line: ChannelLine) -> Option<Effect> {
        Some(Effect::Said(mark(0, number), line))
    }

    fn mark(term: u64, number: u64) -> Mark {
        Mark { term, number }
    }

    fn recalled(state: &mut ChannelState<u8>, now: Instant) -> Vec<(String, u64)> {
        let told = decide(state, Deed::Recall, now);
        let Some(Effect::Answer(Event::Talk(Talk::History { lines, .. }))) = told else {
            panic!("{told:?}");
        };
        let text = |line: ChannelLine| format!("{}: {}", line.speaker, line.text);
        lines
            .into_iter()
            .map(|(one, ago)| (text(one), ago))
            .collect()
    }

    #[test]
    fn what_is_said_is_answered_told_to_the_others_and_remembered() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        let first = decide(&mut state, Deed::Say(ann("hi"), 1, 0), now);
        assert_eq!(first, said(1, ann("hi")));
        let later = now + Duration::from_secs(90);
        let second = decide(&mut state, Deed::Hear(bo("ho"), 0), later);
        assert_eq!(second, said(2, bo("ho")));
        let told = state.take_waiting();
        let by: Vec<Option<u8>> = told.iter().map(|one| one.by).collect();
        assert_eq!(by, [Some(1), None]);
        assert_eq!(told[1].notice.event(), &Event::Talk(Talk::Line(bo("ho"))));
        assert!(!state.waits());
        let expected = [("Ann: hi".to_owned(), 90), ("Bo@Other: ho".to_owned(), 0)];
        assert_eq!(recalled(&mut state, later), expected);
    }

    #[test]
    fn only_the_last_lines_are_remembered() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        for number in 0..limits::CHANNEL_HISTORY_MAX + 3 {
            decide(&mut state, Deed::Say(ann(&number.to_string()), 1, 0), now);
            assert_eq!(state.take_waiting().len(), 1);
        }
        let lines = recalled(&mut state, now);
        assert_eq!(lines.len(), limits::CHANNEL_HISTORY_MAX);
        assert_eq!(lines[0].0, "Ann: 3");
    }

    #[test]
    fn what_a_game_said_is_forgotten_and_nothing_else() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        decide(&mut state, Deed::Say(ann("hi"), 1, 0), now);
        decide(&mut state, Deed::Hear(bo("ho"), 0), now);
        assert_eq!(decide(&mut state, Deed::Forget("Others".into()), now), None);
        assert_eq!(recalled(&mut state, now).len(), 2);
        assert_eq!(decide(&mut state, Deed::Forget("OTHER".into()), now), None);
        assert_eq!(recalled(&mut state, now), [("Ann: hi".to_owned(), 0)]);
    }

    #[test]
    fn a_channel_with_too_much_to_tell_refuses_its_players_and_drops_the_rest() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        for _ in 0..limits::CHANNEL_WAITING_FOREIGN_MAX {
            let heard = decide(&mut state, Deed::Hear(bo("flood"), 0), now);
            assert!(matches!(heard, Some(Effect::Said(..))));
        }
        let dropped = decide(&mut state, Deed::Hear(bo("more"), 0), now);
        assert_eq!(dropped, Some(Effect::Dropped));
        // Whatever comes from elsewhere, players here have room.
        while !state.is_full() {
            let said = decide(&mut state, Deed::Say(ann("here"), 1, 0), now);
            assert!(matches!(said, Some(Effect::Said(..))));
        }
        let before = recalled(&mut state, now);
        for deed in [Deed::Say(ann("hi"), 1, 0), Deed::Hear(ann("far"), 0)] {
            assert_eq!(decide(&mut state, deed, now), Some(Effect::Refused));
        }
        assert_eq!(
            decide(&mut state, Deed::Hear(bo("more"), 0), now),
            Some(Effect::Dropped)
        );
        assert_eq!(recalled(&mut state, now), before);
        assert_eq!(state.take_waiting().len(), limits::CHANNEL_WAITING_MAX);
        let said = decide(&mut state, Deed::Say(ann("hi"), 1, 0), now);
        assert!(matches!(said, Some(Effect::Said(..))));
    }

    #[test]
    fn lines_of_the_owner_are_told_in_their_order_and_once() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        let mut pass = |term, number, text: &str, by| {
            let deed = Deed::Pass(mark(term, number), ann(text), by);
            let effect = decide(&mut state, deed, now);
            (effect.is_some(), state.take_waiting().len())
        };
        assert_eq!(pass(5, 1, "one", None), (false, 1));
        assert_eq!(pass(5, 1, "one", None), (false, 0), "doubled");
        assert_eq!(pass(5, 3, "three", Some(1)), (true, 1));
        assert_eq!(pass(9, 1, "four", None), (false, 1), "of the next owner");
        // The owner before had said it to others in time: known from now on, and answered.
        assert_eq!(pass(5, 4, "late", Some(1)), (true, 0));
        let lines = recalled(&mut state, now);
        let texts: Vec<&str> = lines.iter().map(|(text, _)| &text[5..]).collect();
        assert_eq!(texts, ["one", "three", "late", "four"]);
    }

    #[test]
    fn what_others_remember_takes_its_place_and_is_not_told() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        let now = now + Duration::from_secs(100);
        let past = |number, text: &str| Past {
            mark: mark(5, number),
            line: ann(text),
            age_s: 10 - number,
        };
        let learn = |state: &mut ChannelState<u8>, lines| decide(state, Deed::Learn(lines), now);
        let lines = vec![past(2, "two"), past(4, "four")];
        assert_eq!(learn(&mut state, lines.clone()), Some(Effect::Learnt));
        assert_eq!(learn(&mut state, lines), None, "known");
        assert_eq!(
            learn(&mut state, vec![past(3, "three")]),
            Some(Effect::Learnt)
        );
        assert!(!state.waits());
        let lines = recalled(&mut state, now);
        let expected = [("two", 8), ("three", 7), ("four", 6)];
        assert_eq!(
            lines,
            expected.map(|(text, age)| (format!("Ann: {text}"), age))
        );
        let many = (10..10 + limits::CHANNEL_HISTORY_MAX as u64).map(|number| Past {
            age_s: 0,
            mark: mark(6, number),
            line: ann("more"),
        });
        assert_eq!(learn(&mut state, many.collect()), Some(Effect::Learnt));
        assert_eq!(learn(&mut state, vec![past(1, "one")]), None, "too old");
        // The next line of a new term comes after all of them.
        assert_eq!(state.next(7), mark(7, 1));
        assert_eq!(state.next(7), mark(7, 2));
    }
}
