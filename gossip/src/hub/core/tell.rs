//! `[pure]` Tells from a player to a player of another game.

use uuid::Uuid;

use super::answer::{Ask, TRY_AGAIN, reference_of};
use super::hub::{Hub, Turn};
use super::input::{Moment, SocketId};
use super::players::clean_name;
use super::receipts::Expected;
use super::rules::Replies;
use super::talk::time_of;
use crate::hub::directory::GameId;
use crate::limits::SENT_AT_BYTES_MAX;
use crate::protocol::{
    Event, Extension, Field, Flag, Tell, TellReceipt, TellSent, is_utc_time, strip_controls,
};

impl Hub {
    /// `tells/send`: handed to every socket of the game that has the flag.
    ///
    /// A sender whom the operator has banned is refused like one who is offline, which every
    /// client can show.
    pub(super) fn tell(&mut self, ask: &Ask, sent: Option<Box<TellSent>>, turn: &mut Turn<'_>) {
        let Some(sent) = sent else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let outcome = self
            .read_tell(ask, *sent, turn.now)
            .ok_or("invalid payload")
            .and_then(|(to_game, tell)| self.accept_tell(ask, &to_game, tell, turn.now));
        match outcome {
            Ok((id, tell)) => {
                self.ack(ask, turn);
                self.hand_over(ask, id, tell, turn);
            }
            Err(error) => {
                self.figures.tells_refused += 1;
                self.fail(ask, error, turn);
            }
        }
    }

    /// The game that is meant, and the tell; `None` when a field is wrong.
    fn read_tell(&self, ask: &Ask, sent: TellSent, now: Moment) -> Option<(String, Tell)> {
        let strict = self.rules.replies == Replies::Reference;
        if strict && sent.has_others {
            return None;
        }
        let to_game = sent.to_game.value()?;
        let mut message = sent.message.value()?;
        strip_controls(&mut message);
        let sent_at = match sent.sent_at {
            Field::Missing if !strict => time_of(now),
            Field::Missing | Field::Null | Field::Wrong => return None,
            Field::Is(text) if text.len() <= SENT_AT_BYTES_MAX && is_utc_time(&text) => text,
            Field::Is(_) => return None,
        };
        let from_game = self.online.get(&ask.game)?.short_name.as_str().to_owned();
        let tell = Tell {
            from_game,
            from_name: clean_name(sent.from_name.value()?),
            to_name: clean_name(sent.to_name.value()?),
            sent_at,
            message,
        };
        Some((to_game, tell))
    }

    /// The game that gets the tell, or the protocol's text of why none does.
    fn accept_tell(
        &self,
        ask: &Ask,
        to_game: &str,
        tell: Tell,
        now: Moment,
    ) -> Result<(GameId, Tell), &'static str> {
        let own = self.online.get(&ask.game).ok_or("game offline")?;
        let target = self.directory.game_named(to_game).map(|game| game.id);
        let target = target.and_then(|id| self.online.get(&id));
        let target = target.ok_or("game offline")?;
        if !self.flags_of(target).has(Flag::Tells) {
            return Err("not supported");
        }
        let muted = self.is_muted(ask.game, &tell.from_name, now);
        if muted || !self.has_player(own, &tell.from_name) {
            return Err("sending player offline");
        }
        if !self.has_player(target, &tell.to_name) {
            return Err("receiving player offline");
        }
        Ok((target.id, tell))
    }

    fn hand_over(&mut self, ask: &Ask, to: GameId, tell: Tell, turn: &mut Turn<'_>) {
        let uuid = self.new_uuid();
        let Some(online) = self.online.get(&to) else {
            return;
        };
        let hears = |id: &&SocketId| self.has(**id, |member| member.has(Flag::Tells));
        let sockets: Vec<SocketId> = online.sockets.iter().filter(hears).copied().collect();
        let answers = |id: &SocketId| self.has(*id, |member| member.extends(Extension::Receipts));
        let wanted = answers(&ask.socket) && sockets.iter().any(answers);
        if let Some(reference) = ask.real_reference().filter(|_| wanted) {
            let expected = Expected {
                sender: ask.socket,
                reference: reference.clone(),
                by: to,
            };
            self.receipts.expect(uuid, expected, turn.now.at);
        }
        self.figures.tells += 1;
        let event = Event::Tell {
            reference: Some(reference_of(uuid)),
            tell,
        };
        self.broadcast(sockets, &event, turn);
    }

    /// `tells/receipt`: the first that comes for a tell goes to who sent it.
    pub(super) fn tell_receipt(
        &mut self,
        ask: &Ask,
        receipt: Option<TellReceipt>,
        turn: &mut Turn<'_>,
    ) {
        let Some(receipt) = receipt else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        self.ack(ask, turn);
        let tell = receipt.tell.value();
        let tell = tell.and_then(|tell| Uuid::try_parse(&tell).ok());
        let status = receipt.status.value();
        let status = status.filter(|text| matches!(&**text, "shown" | "ignored" | "offline"));
        let (Some(tell), Some(status)) = (tell, status) else {
            return;
        };
        let Some(expected) = self.receipts.take(tell, ask.game) else {
            return;
        };
        if self.has(expected.sender, |member| {
            member.extends(Extension::Receipts)
        }) {
            let event = Event::TellReceipt {
                reference: Some(expected.reference),
                status,
            };
            self.send(expected.sender, &event, turn);
        }
    }

    fn has(&self, socket: SocketId, has: impl FnOnce(&super::socket::Member) -> bool) -> bool {
        let member = self.sockets.get(&socket).and_then(|open| open.member());
        member.is_some_and(has)
    }
}
