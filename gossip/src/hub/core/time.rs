//! `[pure]` What happens because time goes by: beats, late refusals, games that stay away.

use super::agenda::Due;
use super::answer::Ask;
use super::effect::{CloseWith, Frame};
use super::hub::{Hub, Turn};
use super::input::SocketId;
use super::socket::State;
use crate::limits::{BEAT_EVERY, BEATS_UNANSWERED_MAX};
use crate::protocol::EventName;

/// [`Event::Beat`](crate::protocol::Event::Beat) as it is sent.
const BEAT: &str = r#"{"event":"heartbeat"}"#;

impl Hub {
    /// Does all that is due.
    pub(super) fn tick(&mut self, turn: &mut Turn<'_>) {
        while let Some((_, due)) = self.agenda.pop_due(turn.now.at) {
            match due {
                Due::Beat(socket) => self.beat_due(socket, turn),
                Due::Refusal(socket) => self.refusal_due(socket, turn),
                Due::Gone(id) => {
                    let gone = self.gone.remove(&id);
                    if let Some(gone) = gone.filter(|gone| gone.display) {
                        let name = gone.short_name.as_str();
                        self.announce(EventName::GamesDisconnect, id, name, turn);
                    }
                }
            }
        }
        self.throttle.sweep(self.rules.failures, turn.now.at);
        self.receipts.forget_old(turn.now.at);
    }

    /// The timer of a socket, which runs since it opened. One that was late does not make the
    /// next beats come faster.
    fn beat_due(&mut self, socket: SocketId, turn: &mut Turn<'_>) {
        let Some(open) = self.sockets.get_mut(&socket) else {
            return;
        };
        let next = open.beat_due + BEAT_EVERY;
        open.beat_due = if next > turn.now.at {
            next
        } else {
            turn.now.at + BEAT_EVERY
        };
        self.agenda.add(open.beat_due, Due::Beat(socket));
        if open.unanswered >= BEATS_UNANSWERED_MAX {
            self.figures.silent += 1;
            self.close(socket, CloseWith::SILENT, turn);
        } else if open.member().is_some() {
            self.beat(socket, turn);
        } else {
            open.unanswered += 1;
        }
    }

    /// Asks an authenticated socket who plays.
    pub(super) fn beat(&mut self, socket: SocketId, turn: &mut Turn<'_>) {
        if let Some(open) = self.sockets.get_mut(&socket) {
            debug_assert!(open.member().is_some(), "a beat to a stranger");
            open.unanswered += 1;
            let event = Some(EventName::Heartbeat);
            self.send_text(socket, event, Frame::from_static(BEAT), turn);
        }
    }

    /// `heartbeat`: the list of players is new. There is never an answer.
    pub(super) fn beat_answered(&mut self, ask: &Ask, players: Vec<String>) {
        let Some(open) = self.sockets.get_mut(&ask.socket) else {
            return;
        };
        open.unanswered = 0;
        let changed = open
            .member_mut()
            .is_some_and(|member| member.players.replace(players));
        if changed && let Some(game) = self.online.get_mut(&ask.game) {
            game.forget_players();
        }
    }

    fn refusal_due(&mut self, socket: SocketId, turn: &mut Turn<'_>) {
        let Some(open) = self.sockets.get_mut(&socket) else {
            return;
        };
        if let State::Refused { error, .. } = open.state {
            // The agenda has neither a refusal nor a beat of it any more.
            open.state = State::Inactive;
            self.agenda.add(open.beat_due, Due::Beat(socket));
            self.close_refused(socket, error, turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Event;

    #[test]
    fn the_beat_is_what_the_protocol_writes() {
        assert_eq!(BEAT, Event::Beat.encode());
    }
}
