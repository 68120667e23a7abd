//! `[pure]` Players who come and go, one at a time.

use super::answer::{Ask, TRY_AGAIN};
use super::hub::{Hub, Turn};
use super::players::clean_name;
use super::rules::Replies;
use crate::protocol::{Event, Named};

impl Hub {
    /// `players/sign-in`: others are told of a name that is new on this socket.
    pub(super) fn sign_in(&mut self, ask: &Ask, named: Option<Named>, turn: &mut Turn<'_>) {
        let Some(name) = named.and_then(|named| named.0.value()).map(clean_name) else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        if name.is_empty() {
            return self.fail(ask, "Name cannot be empty", turn);
        }
        let member = self
            .sockets
            .get_mut(&ask.socket)
            .and_then(|open| open.member_mut());
        let new = member.is_some_and(|member| member.players.sign_in(&name));
        self.ack(ask, turn);
        if new {
            self.tell_of_sign(ask, name, turn);
        }
    }

    /// `players/sign-out`: others are told of a name that was on the list of this socket.
    pub(super) fn sign_out(&mut self, ask: &Ask, named: Option<Named>, turn: &mut Turn<'_>) {
        let Some(name) = named.and_then(|named| named.0.value()).map(clean_name) else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let member = self
            .sockets
            .get_mut(&ask.socket)
            .and_then(|open| open.member_mut());
        let was_here = member.is_some_and(|member| member.players.sign_out(&name));
        if was_here || self.rules.replies == Replies::Safe {
            self.ack(ask, turn);
        }
        if was_here {
            self.tell_of_sign(ask, name, turn);
        }
    }

    fn tell_of_sign(&mut self, ask: &Ask, name: String, turn: &mut Turn<'_>) {
        let Some(game) = self.online.get_mut(&ask.game) else {
            return;
        };
        game.forget_players();
        if !game.shows_players() {
            return;
        }
        let game = game.short_name.as_str().to_owned();
        let sign = Event::Sign {
            event: ask.event,
            reference: self.new_reference(),
            game,
            name,
        };
        self.broadcast(self.player_ears.outside(ask.game), &sign, turn);
    }
}
