//! `[pure]` Channels: exact texts for the eye and for the ear.

use super::sample::*;
use crate::event::*;
use crate::ids::ChannelId;
use crate::talk::{ChannelLine, ChannelSeen, Ignored, Speaker, Talk};

const CHAT: ChannelId = ChannelId(0);
const GOSSIP: ChannelId = ChannelId(1);

fn ann(text: &str) -> ChannelLine {
    ChannelLine {
        channel: CHAT,
        speaker: Speaker::Local(t("Ann")),
        text: t(text),
        missed: false,
    }
}

fn bo(text: &str) -> ChannelLine {
    ChannelLine {
        channel: GOSSIP,
        speaker: Speaker::Foreign {
            name: t("Bo"),
            game: t("Othergame"),
        },
        text: t(text),
        missed: true,
    }
}

fn both(talk: Talk, seen: &str, heard: &str) {
    check(Event::Talk(talk.clone()), PLAIN, seen);
    check(Event::Talk(talk), ALOUD, heard);
}

fn same(talk: Talk, expected: &str) {
    both(talk, expected, expected);
}

#[test]
fn lines_name_channel_speaker_and_game() {
    both(
        Talk::Line(ann("hello")),
        "[chat] Ann: hello\n",
        "Ann on chat: hello\n",
    );
    both(
        Talk::Line(bo("hi")),
        "[gossip] Bo@Othergame: hi (missed)\n",
        "Bo at Othergame on gossip: hi (missed)\n",
    );
    both(
        Talk::Said {
            line: ann("hello"),
            remark: Some(t("nobody else hears it")),
        },
        "[chat] Ann: hello\nNobody else hears it.\n",
        "Ann on chat: hello\nNobody else hears it.\n",
    );
}

#[test]
fn a_channel_has_its_color() {
    let line = Event::Talk(Talk::Line(bo("hi")));
    check(
        line,
        COLORED,
        "\x1b[32m[gossip] \x1b[94mBo@Othergame\x1b[32m: hi\x1b[90m (missed)\x1b[0m\n",
    );
}

#[test]
fn what_was_said_comes_with_its_age() {
    let history = |lines| Talk::History {
        channel: CHAT,
        lines,
    };
    same(history(vec![]), "Nothing was said on chat lately.\n");
    let lines = vec![
        (ann("a"), 200_000),
        (ann("b"), 7_200),
        (ann("c"), 60),
        (ann("d"), 59),
        (ann("e"), 0),
    ];
    both(
        history(lines),
        "[chat] Ann: a (2 days ago)\n[chat] Ann: b (2 hours ago)\n\
         [chat] Ann: c (1 minute ago)\n[chat] Ann: d (59 seconds ago)\n\
         [chat] Ann: e (just now)\n",
        "Ann on chat: a (2 days ago)\nAnn on chat: b (2 hours ago)\n\
         Ann on chat: c (1 minute ago)\nAnn on chat: d (59 seconds ago)\n\
         Ann on chat: e (just now)\n",
    );
}

#[test]
fn the_list_says_what_a_channel_is_about_and_who_hears_it() {
    let seen = |channel, on, members| ChannelSeen {
        channel,
        on,
        members,
    };
    let hint = "Type the name of a channel and your words to speak there. More: help channels.\n";
    same(
        Talk::Listed(vec![seen(CHAT, true, 12), seen(GOSSIP, false, 0)]),
        &format!(
            "chat: For everybody. You are on it, twelve in all.\n\
             gossip: For other games. Shared with other games. You are not on it.\n{hint}"
        ),
    );
    same(
        Talk::Listed(vec![seen(CHAT, true, 1)]),
        &format!("chat: For everybody. You are on it.\n{hint}"),
    );
    same(Talk::Listed(vec![]), "There are no channels here.\n");
}

#[test]
fn who_is_on_a_channel() {
    let who = |people, total| Talk::Who {
        channel: CHAT,
        people,
        total,
    };
    same(who(vec![], 0), "Nobody is on chat just now.\n");
    let away = PersonSeen {
        away: true,
        ..person("Bob")
    };
    both(
        who(vec![person("Ann"), away], 2),
        "On chat: Ann and Bob (away).\nTwo players in all.\n",
        "Ann.\nBob, away from the keyboard.\nTwo players in all.\n",
    );
}

#[test]
fn what_one_does_with_channels_and_others() {
    same(Talk::Joined(CHAT), "You are on chat from now on.\n");
    same(
        Talk::Joined(GOSSIP),
        "You are on gossip from now on. It is shared with other games, when they can be reached.\n",
    );
    same(Talk::OnAlready(CHAT), "You are on chat already.\n");
    same(Talk::Left(CHAT), "You are not on chat any more.\n");
    same(Talk::NotOn(CHAT), "You are not on chat.\n");
    let list = ["ann", "Bo@Other", "@Third"];
    let list = list.map(|entry| Ignored::parse(entry).unwrap());
    same(Talk::Ignoring(vec![]), "You ignore nobody.\n");
    same(
        Talk::Ignoring(list.to_vec()),
        "You ignore ann, Bo@Other and @Third.\n",
    );
    let [ann, ..] = list;
    same(
        Talk::Ignored(ann.clone()),
        "You read nothing more of ann on channels, and nothing they tell you.\n",
    );
    same(Talk::Unignored(ann), "You read ann again.\n");
}

#[test]
fn refusals() {
    let table = vec![
        (
            Refusal::NoChannel(t("chatt")),
            "There is no channel \"chatt\". Type channels for the list.\n",
        ),
        (
            Refusal::TalksTooFast,
            "You talk faster than others can read. Wait a moment.\n",
        ),
        (
            Refusal::ChannelBusy,
            "Too much is said there just now. Try again.\n",
        ),
        (
            Refusal::ChannelBroke,
            "Something broke there; that did not get through. Try again.\n",
        ),
        (Refusal::IgnoredAlready, "You ignore them already.\n"),
        (
            Refusal::IgnoresTooMany(100),
            "You ignore 100 already, and that is all you can. See ignore.\n",
        ),
        (
            Refusal::NotIgnored,
            "You do not ignore them. Type ignore for the list.\n",
        ),
    ];
    check_all(table, Event::Refused);
}
