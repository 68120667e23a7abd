//! `[pure]` What is said on channels, and what there is to know of them.

use super::page::{Page, condition, counted, number, one_line, person};
use super::told::count_players;
use crate::event::PersonSeen;
use crate::ids::ChannelId;
use crate::talk::{ChannelLine, ChannelSeen, Speaker, Talk};
use crate::text::{Style, list_in_words};

/// One thing of channels.
pub(super) fn talk(page: &mut Page<'_>, talk: &Talk) {
    match talk {
        Talk::Line(line) => said(page, line, None),
        Talk::Said { line, remark } => {
            said(page, line, None);
            if let Some(remark) = remark {
                page.sentence(Style::Notice, remark);
            }
        }
        Talk::History { channel, lines } => history(page, *channel, lines),
        Talk::Listed(channels) => list(page, channels),
        Talk::Who {
            channel,
            people,
            total,
        } => who(page, *channel, people, *total),
        Talk::Joined(channel) => {
            about(page, "You are on ", *channel, " from now on.");
            if is_remote(page, *channel) {
                page.put(
                    Style::Notice,
                    " It is shared with other games, when they can be reached.",
                );
            }
            page.end();
        }
        Talk::OnAlready(channel) => {
            about(page, "You are on ", *channel, " already.").end();
        }
        Talk::Left(channel) => {
            about(page, "You are not on ", *channel, " any more.").end();
        }
        Talk::NotOn(channel) => about(page, "You are not on ", *channel, ".").end(),
        Talk::Ignoring(list) if list.is_empty() => {
            page.line(Style::Notice, "You ignore nobody.");
        }
        Talk::Ignoring(list) => {
            let names: Vec<String> = list.iter().map(ToString::to_string).collect();
            page.prose(
                Style::Notice,
                &format!("You ignore {}.", list_in_words(&names)),
            );
        }
        Talk::Ignored(whom) => page.sentence(
            Style::Notice,
            &format!("You read nothing more of {whom} on channels, and nothing they tell you"),
        ),
        Talk::Unignored(whom) => page.sentence(Style::Notice, &format!("You read {whom} again")),
    }
}

/// `[chat] Ann: hello`; aloud without signs: `Ann on chat: hello`.
fn said(page: &mut Page<'_>, line: &ChannelLine, ago: Option<&str>) {
    let (style, name) = look(page, line.channel);
    if page.is_read_aloud() {
        speaker(page, &line.speaker);
        page.put(style, " on ").quote(style, name);
    } else {
        page.put(style, "[").quote(style, name).put(style, "] ");
        speaker(page, &line.speaker);
    }
    page.put(style, ": ").quote(style, &line.text);
    if line.missed {
        page.put(Style::Dim, " (missed)");
    }
    if let Some(ago) = ago {
        page.put(Style::Dim, " (")
            .put(Style::Dim, ago)
            .put(Style::Dim, ")");
    }
    page.end();
}

fn speaker(page: &mut Page<'_>, speaker: &Speaker) {
    match speaker {
        Speaker::Local(name) => page.quote(Style::Person, name),
        Speaker::Foreign { name, game } if page.is_read_aloud() => page
            .quote(Style::Person, name)
            .put(Style::Plain, " at ")
            .quote(Style::Person, game),
        Speaker::Foreign { name, game } => page
            .quote(Style::Person, name)
            .put(Style::Person, "@")
            .quote(Style::Person, game),
    };
}

fn history(page: &mut Page<'_>, channel: ChannelId, lines: &[(ChannelLine, u64)]) {
    if lines.is_empty() {
        return about(page, "Nothing was said on ", channel, " lately.").end();
    }
    for (line, ago_s) in lines {
        said(page, line, Some(&ago(*ago_s)));
    }
}

fn list(page: &mut Page<'_>, channels: &[ChannelSeen]) {
    if channels.is_empty() {
        return page.line(Style::Notice, "There are no channels here.");
    }
    for seen in channels {
        let (style, name) = look(page, seen.channel);
        page.quote(style, name).put(Style::Plain, ": ");
        let world = page.world();
        if let Some(channel) = world.channel(seen.channel) {
            page.quote(Style::Plain, &channel.about);
            if channel.remote.is_some() {
                page.put(Style::Notice, " Shared with other games.");
            }
        }
        let on = if seen.on {
            " You are on it"
        } else {
            " You are not on it"
        };
        page.put(Style::Plain, on);
        match (seen.members, seen.on) {
            (0, _) | (1, true) => page.put(Style::Plain, "."),
            (count, _) => {
                let count = format!(", {} in all.", number(count));
                page.put(Style::Plain, &count)
            }
        }
        .end();
    }
    page.line(
        Style::Notice,
        "Type the name of a channel and your words to speak there. More: help channels.",
    );
}

fn who(page: &mut Page<'_>, channel: ChannelId, people: &[PersonSeen], total: u32) {
    if people.is_empty() {
        return about(page, "Nobody is on ", channel, " just now.").end();
    }
    if page.is_read_aloud() {
        for one in people {
            page.quote(Style::Person, &one.name)
                .put(Style::Person, condition(one))
                .put(Style::Person, ".")
                .end();
        }
    } else {
        let (_, name) = look(page, channel);
        let name = one_line(name);
        let names: Vec<String> = people.iter().map(person).collect();
        let line = format!("On {name}: {}.", list_in_words(&names));
        page.prose(Style::Person, &line);
    }
    page.line(Style::Plain, &count_players(total));
}

fn about<'p, 'a>(
    page: &'p mut Page<'a>,
    before: &str,
    channel: ChannelId,
    after: &str,
) -> &'p mut Page<'a> {
    let (_, name) = look(page, channel);
    page.put(Style::Notice, before)
        .quote(Style::Notice, name)
        .put(Style::Notice, after)
}

/// How a channel looks, and its name.
fn look<'a>(page: &Page<'a>, channel: ChannelId) -> (Style, &'a str) {
    let found = page.world().channel(channel);
    found.map_or((Style::Channel, "channel"), |channel| {
        (channel.color, &*channel.name)
    })
}

fn is_remote(page: &Page<'_>, channel: ChannelId) -> bool {
    let found = page.world().channel(channel);
    found.is_some_and(|channel| channel.remote.is_some())
}

/// How long ago, with its greatest unit.
fn ago(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..5 => return "just now".to_owned(),
        5..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", counted(count, unit))
}
