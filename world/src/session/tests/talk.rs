//! `[pure]` What a player does with channels, and what becomes of their answers.

use super::stage::{Play, refusal};
use crate::event::{Did, Event, Refusal, Told};
use crate::ids::{ChannelId, LineId};
use crate::limits;
use crate::ops::metrics::VerbClass as Verb;
use crate::room::Answer;
use crate::session::{Effect, Effects, TalkOrder};
use crate::talk::{ChannelLine, Ignored, Speaker, Talk};
use std::time::Duration;

const CHAT: ChannelId = ChannelId(0);
const GOSSIP: ChannelId = ChannelId(1);

fn show(talk: Talk) -> Effect {
    Effect::Show(Event::Talk(talk))
}

fn order(order: TalkOrder) -> Effect {
    Effect::Talk(order)
}

fn say(line: u32, channel: ChannelId, text: &str) -> Effect {
    order(TalkOrder::Say(LineId(line), channel, text.into()))
}

/// A line that is done at once, and its effects but for the last word that it is.
fn check(play: &mut Play, text: &str, mut expected: Effects) {
    let effects = play.typed(text);
    expected.push(play.done(Verb::Session));
    assert_eq!(effects, expected, "{text}");
}

fn heard(speaker: Speaker) -> (ChannelLine, u64) {
    let (channel, text) = (CHAT, "hi".into());
    let line = ChannelLine {
        channel,
        speaker,
        text,
        missed: false,
    };
    (line, 5)
}

#[test]
fn who_speaks_on_a_channel_is_on_it_or_joins_it_and_waits_for_the_answer() {
    let mut play = Play::character();
    assert_eq!(play.typed("chat hello"), [say(2, CHAT, "hello")]);
    assert!(play.state.save_due.is_none());
    let expected = [
        order(TalkOrder::Join(GOSSIP)),
        show(Talk::Joined(GOSSIP)),
        say(3, GOSSIP, "hi"),
    ];
    assert_eq!(play.typed("gossip hi"), expected);
    assert!(play.state.save_due.is_some(), "the choice is saved");
    assert_eq!(play.typed("gossip ho"), [say(4, GOSSIP, "ho")]);
    let event = Event::Talk(Talk::Left(CHAT));
    let shown = play.answer(2, Answer::Show(Box::new(event.clone())));
    assert_eq!(shown, [Effect::Show(event), play.done(Verb::Speech)]);
    let lost = [refusal(Refusal::ChannelBroke), play.done(Verb::Speech)];
    assert_eq!(play.lost(3), lost);
    let late = play.after(limits::ASK_DEADLINE);
    assert_eq!(late[0], refusal(Refusal::NoAnswer));
    assert!(play.state.asks.is_empty());
}

#[test]
fn a_player_who_talks_too_fast_is_told_and_may_go_on_later() {
    let mut play = Play::character();
    for number in 0..u32::from(limits::TALK_BURST) {
        let line = 2 + number;
        assert_eq!(play.typed("chat a"), [say(line, CHAT, "a")]);
        play.lost(line);
    }
    let refused = [refusal(Refusal::TalksTooFast), play.done(Verb::Speech)];
    assert_eq!(play.typed("chat a"), refused);
    play.after(Duration::from_secs(1));
    let line = 3 + u32::from(limits::TALK_BURST);
    assert_eq!(play.typed("chat a"), [say(line, CHAT, "a")]);
}

#[test]
fn channels_are_joined_left_listed_and_asked_about() {
    let mut play = Play::character();
    let play = &mut play;
    check(play, "channels", vec![order(TalkOrder::List)]);
    check(play, "channel who gos", vec![order(TalkOrder::Who(GOSSIP))]);
    check(play, "channel join chat", vec![show(Talk::OnAlready(CHAT))]);
    check(
        play,
        "channel leave gossip",
        vec![show(Talk::NotOn(GOSSIP))],
    );
    let left = vec![order(TalkOrder::Leave(CHAT)), show(Talk::Left(CHAT))];
    check(play, "channel chat off", left);
    check(play, "channel leave chat", vec![show(Talk::NotOn(CHAT))]);
    let joined = vec![order(TalkOrder::Join(CHAT)), show(Talk::Joined(CHAT))];
    check(play, "channel chat on", joined);
    let unknown = vec![refusal(Refusal::NoChannel("x".into()))];
    check(play, "channel join x", unknown);
    let help = Event::Told(Told::Help("channels".into()));
    check(play, "help chat", vec![Effect::Show(help)]);
    let recalled = play.typed("chat");
    let history = |line| order(TalkOrder::History(LineId(line), CHAT));
    assert_eq!(recalled, [history(play.state.line.0)]);
    let recalled = play.typed("channel history chat");
    assert_eq!(recalled[0], history(play.state.line.0));
}

#[test]
fn whom_one_ignores_is_kept_shown_and_left_out_of_what_was_said() {
    let mut play = Play::character();
    let bo = Ignored::parse("Bo@Other").unwrap();
    check(&mut play, "ignore", vec![show(Talk::Ignoring(vec![]))]);
    let ignored = vec![show(Talk::Ignored(bo.clone()))];
    check(&mut play, "ignore Bo@Other", ignored);
    assert!(play.state.save_due.is_some());
    let again = vec![refusal(Refusal::IgnoredAlready)];
    check(&mut play, "ignore bo@other", again);
    let list = vec![show(Talk::Ignoring(vec![bo.clone()]))];
    check(&mut play, "ignore", list);
    play.typed("chat");
    let foreign = Speaker::Foreign {
        name: "Bo".into(),
        game: "Other".into(),
    };
    let (own, other) = (heard(Speaker::Local("Bo".into())), heard(foreign));
    let history = |lines| {
        Event::Talk(Talk::History {
            channel: CHAT,
            lines,
        })
    };
    let answer = Answer::Show(Box::new(history(vec![own.clone(), other])));
    let shown = play.answer(play.state.line.0, answer);
    assert_eq!(shown[0], Effect::Show(history(vec![own])));
    let read = vec![show(Talk::Unignored(bo))];
    check(&mut play, "unignore BO@OTHER", read);
    check(&mut play, "unignore bo", vec![refusal(Refusal::NotIgnored)]);
    for number in 0..limits::IGNORED_MAX {
        play.typed(&format!("ignore p{number}"));
    }
    let full = vec![refusal(Refusal::IgnoresTooMany(100))];
    check(&mut play, "ignore ann", full);
}

#[test]
fn choices_are_bounded_and_those_of_lost_channels_go_first() {
    let mut play = Play::character();
    let lost = (0..limits::CHANNEL_CHOICES_MAX).map(|at| (format!("lost{at}").into(), true));
    play.state.settings.channels = std::sync::Arc::new(lost.collect());
    play.typed("channel chat off");
    let kept = [("chat".into(), false)];
    assert_eq!(*play.state.settings.channels, kept.into());
}

#[test]
fn staff_makes_a_channel_crash() {
    let mut play = Play::character();
    play.state.rights.staff = true;
    let effects = play.typed("crash channel chat");
    let expected = [
        Effect::Show(Event::Did(Did::Crash("chat".into()))),
        order(TalkOrder::Crash(CHAT)),
        play.done(Verb::Staff),
    ];
    assert_eq!(effects, expected);
}
