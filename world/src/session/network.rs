//! `[pure]` A player speaks to players of other games, and chooses what to be told of them.

use super::answer::Scene;
use super::effect::{Effect, Effects, NetworkOrder};
use super::state::{Pending, PlayState};
use crate::bridge::Shown;
use crate::bridge::limits::TELL_DEADLINE;
use crate::command::NetworkCommand;
use crate::event::{Event, Text};
use crate::ops::metrics::VerbClass;
use std::time::Instant;

/// The player comes into the game: told of other games or not, as they chose.
pub(super) fn begin(state: &mut PlayState, _: Scene<'_>, out: &mut Effects) {
    let choice = state.settings.notices;
    out.push(Effect::Network(NetworkOrder::Notices(choice)));
}

/// Whether this names somebody in another game. No player here has such a name.
pub(super) fn is_elsewhere(name: &str) -> bool {
    name.contains('@')
}

/// `tell bo@othergame hello`, and `reply` to one of another game.
pub(super) fn tell(
    state: &mut PlayState,
    (to, whole): (Text, bool),
    text: Text,
    now: Instant,
    out: &mut Effects,
) {
    let line = state.wait_for(Pending::Show(VerbClass::Speech), now);
    if let Some(ask) = state.asks.last_mut() {
        ask.deadline = now + TELL_DEADLINE;
    }
    out.push(Effect::Network(NetworkOrder::Tell {
        line,
        to,
        whole,
        text,
    }));
}

/// `games`, `notices`, `bridge`.
pub(super) fn obey(
    state: &mut PlayState,
    scene: Scene<'_>,
    command: NetworkCommand,
    out: &mut Effects,
) {
    let order = match command {
        NetworkCommand::Games(prefix) => NetworkOrder::Games(prefix),
        NetworkCommand::Notices(None) => NetworkOrder::ShowNotices(state.settings.notices),
        NetworkCommand::Notices(choice) => {
            state.settings.notices = choice;
            state.dirty(scene.rules, scene.now);
            out.push(Effect::Network(NetworkOrder::Notices(choice)));
            NetworkOrder::ShowNotices(choice)
        }
        NetworkCommand::Bridge(order) => {
            let line = state.wait_for(Pending::Show(VerbClass::Staff), scene.now);
            NetworkOrder::Bridge(line, order)
        }
    };
    out.push(Effect::Network(order));
}

/// An answer came: whom the player told something in another game, a reply goes to.
pub(super) fn answered(state: &mut PlayState, event: &Event) {
    if let Event::Bridge(Shown::Told { to, .. }) = event {
        state.reply_to = Some(to.to_string().into());
    }
}
