//! `[pure]` A player speaks on channels, joins and leaves them, and ignores others.

use super::answer::Scene;
use super::effect::{Effect, Effects, TalkOrder};
use super::line::{refuse, show};
use super::state::{Pending, PlayState};
use crate::command::ChannelDeed;
use crate::content::{Channel, World};
use crate::event::{Did, Event, Refusal, Text};
use crate::ids::{ChannelId, LineId};
use crate::limits;
use crate::talk::{Ignored, NotIgnored, NotTaken, Talk};
use std::sync::Arc;
use std::time::Instant;

/// The player comes into the game: on the channels that they chose, or that newcomers are on.
pub(super) fn begin(state: &mut PlayState, scene: Scene<'_>, out: &mut Effects) {
    let all = scene.world.channels_by_id();
    let on = all.filter(|(_, channel)| state.settings.is_on(channel));
    out.extend(on.map(|(id, _)| Effect::Talk(TalkOrder::Join(id))));
}

/// `chat hello`. Who speaks on a channel joins it, and is told so: else they would hear no answer.
pub(super) fn speak(
    state: &mut PlayState,
    scene: Scene<'_>,
    channel: ChannelId,
    text: Text,
    out: &mut Effects,
) {
    let Some(about) = scene.world.channel(channel) else {
        return;
    };
    if !state.talk.take(scene.now) {
        return refuse(out, Refusal::TalksTooFast);
    }
    if !state.settings.is_on(about) {
        join(state, scene, (channel, about), out);
    }
    let line = state.wait_for(Pending::Talk, scene.now);
    out.push(Effect::Talk(TalkOrder::Say(line, channel, text)));
}

/// `channel join chat` and its like.
pub(super) fn deed(
    state: &mut PlayState,
    scene: Scene<'_>,
    deed: ChannelDeed,
    name: &Text,
    out: &mut Effects,
) {
    let found = scene.world.find_channel(name);
    let Some((channel, about)) = found.and_then(|id| Some((id, scene.world.channel(id)?))) else {
        return refuse(out, Refusal::NoChannel(name.clone()));
    };
    let on = state.settings.is_on(about);
    match deed {
        ChannelDeed::Join if on => show(out, Event::Talk(Talk::OnAlready(channel))),
        ChannelDeed::Join => join(state, scene, (channel, about), out),
        ChannelDeed::Leave if on => {
            choose(state, scene, about, false);
            out.push(Effect::Talk(TalkOrder::Leave(channel)));
            show(out, Event::Talk(Talk::Left(channel)));
        }
        ChannelDeed::Leave => show(out, Event::Talk(Talk::NotOn(channel))),
        ChannelDeed::Who => out.push(Effect::Talk(TalkOrder::Who(channel))),
        ChannelDeed::History => recent(state, channel, scene.now, out),
    }
}

/// `chat` alone: the last lines. They can be read by who is not on it, to see whether to join.
pub(super) fn recent(state: &mut PlayState, channel: ChannelId, now: Instant, out: &mut Effects) {
    let line = state.wait_for(Pending::Talk, now);
    out.push(Effect::Talk(TalkOrder::History(line, channel)));
}

fn join(
    state: &mut PlayState,
    scene: Scene<'_>,
    (channel, about): (ChannelId, &Channel),
    out: &mut Effects,
) {
    choose(state, scene, about, true);
    out.push(Effect::Talk(TalkOrder::Join(channel)));
    show(out, Event::Talk(Talk::Joined(channel)));
}

/// Keeps the choice. Of channels that the content has no more it is kept as long as there is room.
fn choose(state: &mut PlayState, scene: Scene<'_>, channel: &Channel, on: bool) {
    let choices = Arc::make_mut(&mut state.settings.channels);
    if choices.len() >= limits::CHANNEL_CHOICES_MAX {
        choices.retain(|name, _| is_known(scene.world, name));
    }
    choices.insert(Text::from(channel.name.to_ascii_lowercase()), on);
    state.dirty(scene.rules, scene.now);
}

fn is_known(world: &World, name: &str) -> bool {
    let mut channels = world.channels().iter();
    channels.any(|channel| channel.name.eq_ignore_ascii_case(name))
}

/// Staff: makes a channel crash.
pub(super) fn crash(scene: Scene<'_>, name: &Text, out: &mut Effects) {
    let Some(channel) = scene.world.find_channel(name) else {
        return refuse(out, Refusal::NoChannel(name.clone()));
    };
    let about = scene.world.channel(channel);
    let what = about.map_or("the channel", |about| &about.name);
    show(out, Event::Did(Did::Crash(what.into())));
    out.push(Effect::Talk(TalkOrder::Crash(channel)));
}

/// The channel did not take the words of this line.
pub(super) fn not_taken(state: &mut PlayState, line: LineId, why: NotTaken, out: &mut Effects) {
    let Some(ask) = state.close(line, |what| *what == Pending::Talk) else {
        return;
    };
    refuse(
        out,
        match why {
            NotTaken::Busy => Refusal::ChannelBusy,
            NotTaken::Closed => Refusal::ChannelBroke,
        },
    );
    out.push(ask.done());
}

/// `ignore ann`, and `ignore` alone for the list.
pub(super) fn ignore(
    state: &mut PlayState,
    scene: Scene<'_>,
    whom: Option<Ignored>,
    out: &mut Effects,
) {
    let Some(whom) = whom else {
        let list = state.settings.ignored.entries().to_vec();
        return show(out, Event::Talk(Talk::Ignoring(list)));
    };
    match Arc::make_mut(&mut state.settings.ignored).add(whom.clone()) {
        Ok(()) => {
            state.dirty(scene.rules, scene.now);
            show(out, Event::Talk(Talk::Ignored(whom)));
        }
        Err(NotIgnored::Already) => refuse(out, Refusal::IgnoredAlready),
        Err(NotIgnored::Full) => {
            let most = u32::try_from(limits::IGNORED_MAX).unwrap_or(u32::MAX);
            refuse(out, Refusal::IgnoresTooMany(most));
        }
    }
}

/// `unignore ann`.
pub(super) fn unignore(state: &mut PlayState, scene: Scene<'_>, whom: &Ignored, out: &mut Effects) {
    let Some(whom) = Arc::make_mut(&mut state.settings.ignored).remove(whom) else {
        return refuse(out, Refusal::NotIgnored);
    };
    state.dirty(scene.rules, scene.now);
    show(out, Event::Talk(Talk::Unignored(whom)));
}

/// What the player is shown of an answer: not what those say whom they ignore.
pub(super) fn without_ignored(state: &PlayState, event: Event) -> Event {
    let mut event = event;
    if let Event::Talk(Talk::History { lines, .. }) = &mut event {
        lines.retain(|(line, _)| !state.settings.ignored.covers(&line.speaker));
    }
    event
}
