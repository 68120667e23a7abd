//! `[pure]` What follows when somebody speaks on a channel.

use super::line::ChannelLine;
use super::shown::Talk;
use super::state::{ChannelState, Spoken};
use crate::event::{Event, Refusal, Text};
use crate::view::Notice;
use std::sync::Arc;
use std::time::Instant;

/// What a channel is asked for.
#[derive(Clone, Debug)]
pub enum Deed<P> {
    /// A player here speaks; this is their session.
    Say(ChannelLine, P),
    /// Somebody of another game speaks.
    Hear(ChannelLine),
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
    /// The line stands, and the player gets it as the answer.
    Said(ChannelLine),
    /// There was no room for something that nobody waits for.
    Dropped,
}

/// Decides what follows, and remembers it. One deed has at most one effect.
pub fn decide<P>(state: &mut ChannelState<P>, deed: Deed<P>, now: Instant) -> Option<Effect> {
    match deed {
        Deed::Say(_, _) if state.is_full() => {
            Some(Effect::Answer(Event::Refused(Refusal::ChannelBusy)))
        }
        Deed::Hear(_) if state.is_full_for_others() => Some(Effect::Dropped),
        Deed::Say(line, by) => {
            tell(state, Some(by), Talk::Line(line.clone()));
            state.keep(line.clone(), now);
            Some(Effect::Said(line))
        }
        Deed::Hear(line) => {
            tell(state, None, Talk::Line(line.clone()));
            state.keep(line, now);
            None
        }
        Deed::Forget(game) => {
            state.forget(&game);
            None
        }
        Deed::Recall => {
            let age = |at: &Instant| now.saturating_duration_since(*at).as_secs();
            let lines = state.history().map(|(line, at)| (line.clone(), age(at)));
            let (channel, lines) = (state.channel(), lines.collect());
            Some(Effect::Answer(Event::Talk(Talk::History {
                channel,
                lines,
            })))
        }
    }
}

fn tell<P>(state: &mut ChannelState<P>, by: Option<P>, talk: Talk) {
    let notice = Arc::new(Notice::new(Event::Talk(talk)));
    state.tell(Spoken { by, notice });
}

#[cfg(test)]
mod tests {
    use super::super::line::Speaker;
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
        let said = decide(&mut state, Deed::Say(ann("hi"), 1), now);
        assert_eq!(said, Some(Effect::Said(ann("hi"))));
        let later = now + Duration::from_secs(90);
        assert_eq!(decide(&mut state, Deed::Hear(bo("ho")), later), None);
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
            decide(&mut state, Deed::Say(ann(&number.to_string()), 1), now);
            assert_eq!(state.take_waiting().len(), 1);
        }
        let lines = recalled(&mut state, now);
        assert_eq!(lines.len(), limits::CHANNEL_HISTORY_MAX);
        assert_eq!(lines[0].0, "Ann: 3");
    }

    #[test]
    fn what_a_game_said_is_forgotten_and_nothing_else() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        decide(&mut state, Deed::Say(ann("hi"), 1), now);
        decide(&mut state, Deed::Hear(bo("ho")), now);
        assert_eq!(decide(&mut state, Deed::Forget("Others".into()), now), None);
        assert_eq!(recalled(&mut state, now).len(), 2);
        assert_eq!(decide(&mut state, Deed::Forget("OTHER".into()), now), None);
        assert_eq!(recalled(&mut state, now), [("Ann: hi".to_owned(), 0)]);
    }

    #[test]
    fn a_channel_with_too_much_to_tell_refuses_its_players_and_drops_the_rest() {
        let (mut state, now) = (ChannelState::new(CHAT), start());
        for _ in 0..limits::CHANNEL_WAITING_FOREIGN_MAX {
            assert_eq!(decide(&mut state, Deed::Hear(bo("flood")), now), None);
        }
        let dropped = decide(&mut state, Deed::Hear(bo("more")), now);
        assert_eq!(dropped, Some(Effect::Dropped));
        // Whatever comes from elsewhere, players here have room.
        while !state.is_full() {
            let said = decide(&mut state, Deed::Say(ann("here"), 1), now);
            assert_eq!(said, Some(Effect::Said(ann("here"))));
        }
        let before = recalled(&mut state, now);
        let refused = Effect::Answer(Event::Refused(Refusal::ChannelBusy));
        assert_eq!(
            decide(&mut state, Deed::Say(ann("hi"), 1), now),
            Some(refused)
        );
        assert_eq!(
            decide(&mut state, Deed::Hear(bo("more")), now),
            Some(Effect::Dropped)
        );
        assert_eq!(recalled(&mut state, now), before);
        assert_eq!(state.take_waiting().len(), limits::CHANNEL_WAITING_MAX);
        let said = decide(&mut state, Deed::Say(ann("hi"), 1), now);
        assert_eq!(said, Some(Effect::Said(ann("hi"))));
    }
}
