//! `[pure]` From a frame to who handles it.

use super::answer::{Ask, TRY_AGAIN};
use super::bucket::Poured;
use super::effect::CloseWith;
use super::hub::{Hub, Turn};
use super::input::SocketId;
use super::socket::State;
use crate::hub::directory::GameId;
use crate::protocol::{Body, Decoded, EventName, Extension, Flag, Request};

impl Hub {
    /// One text frame of a socket.
    pub(super) fn frame(&mut self, socket: SocketId, frame: Decoded, turn: &mut Turn<'_>) {
        let Some(open) = self.sockets.get_mut(&socket) else {
            return;
        };
        let garbage = self.rules.garbage;
        let game = match &open.state {
            State::Refused { .. } => {
                // It is not listened to; who talks on and on meanwhile is let go.
                if open.garbage.pour(garbage, &self.rules, turn.now.at) == Poured::Abuse {
                    self.figures.abused += 1;
                    self.close(socket, CloseWith::REFUSED, turn);
                }
                return;
            }
            State::Inactive => None,
            State::Active(member) => Some(member.game),
        };
        let request = match frame {
            Decoded::NotJson => {
                self.figures.received_odd += 1;
                let poured = open.garbage.pour(garbage, &self.rules, turn.now.at);
                if self.fits_all(poured, None, socket, turn) {
                    self.fail_eventless(socket, "unknown", turn);
                }
                return;
            }
            Decoded::NotAnObject | Decoded::Unknown => None,
            Decoded::Request(request) => Some(request),
        };
        let poured = open.all.pour(self.rules.all, &self.rules, turn.now.at);
        let asked = match (&request, game) {
            (Some(request), Some(game)) => Some(self.ask(socket, game, request, turn)),
            (Some(_), None) | (None, _) => None,
        };
        match &request {
            Some(request) => self.figures.received.add(request.body.event(), 1),
            None => self.figures.received_odd += 1,
        }
        if !self.fits_all(poured, asked.as_ref(), socket, turn) {
            return;
        }
        match (request, asked) {
            (Some(request), Some(ask)) => self.request(&ask, request.body, turn),
            (Some(request), None) => self.stranger(socket, request, turn),
            (None, _) if game.is_some() => self.fail_eventless(socket, "unknown", turn),
            (None, _) => self.fail_eventless(socket, "unauthenticated", turn),
        }
    }

    /// A request of a socket that is not authenticated.
    fn stranger(&mut self, socket: SocketId, request: Request, turn: &mut Turn<'_>) {
        if let Body::Authenticate(login) = request.body {
            self.authenticate(socket, request.reference, login, turn);
        } else {
            self.fail_eventless(socket, "unauthenticated", turn);
        }
    }

    fn ask(&self, socket: SocketId, game: GameId, request: &Request, turn: &Turn<'_>) -> Ask {
        let member = self.sockets.get(&socket).and_then(|open| open.member());
        let until = member.and_then(|member| member.debug_until);
        let debug = until.is_some_and(|until| until > turn.now.at);
        Ask {
            socket,
            game,
            event: request.body.event(),
            answered: request.reference.is_some() || debug,
            reference: request.reference.clone(),
        }
    }

    /// A request of an authenticated socket.
    fn request(&mut self, ask: &Ask, body: Body, turn: &mut Turn<'_>) {
        let Some(member) = self.sockets.get(&ask.socket).and_then(|open| open.member()) else {
            return;
        };
        let needs = needs(ask.event);
        if needs
            .extension
            .is_some_and(|extension| !member.extends(extension))
        {
            self.fail_eventless(ask.socket, "unknown", turn);
            return;
        }
        if let Some(flag) = needs.flag.filter(|flag| !member.has(*flag)) {
            let error = format!("missing support for \"{}\"", flag.as_str());
            self.fail(ask, &error, turn);
            return;
        }
        if needs.reference && ask.real_reference().is_none() {
            if ask.reference.is_some() {
                self.fail(ask, TRY_AGAIN, turn);
            }
            return;
        }
        match body {
            Body::Authenticate(_) => self.fail_eventless(ask.socket, "unknown", turn),
            Body::Heartbeat(players) => self.beat_answered(ask, players),
            Body::Subscribe(named) => self.subscribe(ask, named, turn),
            Body::Unsubscribe(named) => self.unsubscribe(ask, named, turn),
            Body::Send(said) => self.say(ask, said, turn),
            Body::SignIn(named) => self.sign_in(ask, named, turn),
            Body::SignOut(named) => self.sign_out(ask, named, turn),
            Body::PlayersStatus(one) => self.players_status(ask, one, turn),
            Body::Tell(tell) => self.tell(ask, tell, turn),
            Body::GamesStatus(one) => self.games_status(ask, one, turn),
            Body::AchievementsSync => self.achievements_sync(ask, turn),
            Body::AchievementsCreate(fields) => self.achievement_create(ask, fields, turn),
            Body::AchievementsUpdate(fields) => self.achievement_update(ask, fields, turn),
            Body::AchievementsDelete(key) => self.achievement_delete(ask, key, turn),
            Body::History(asked) => self.history(ask, asked, turn),
            Body::TellReceipt(receipt) => self.tell_receipt(ask, receipt, turn),
        }
    }
}

/// What an event asks of who sends it.
#[derive(Debug, Default)]
struct Needs {
    flag: Option<Flag>,
    extension: Option<Extension>,
    reference: bool,
}

fn needs(event: EventName) -> Needs {
    let (flag, extension, reference) = match event {
        EventName::Heartbeat
        | EventName::ChannelsSubscribe
        | EventName::ChannelsUnsubscribe
        | EventName::ChannelsSend => (Some(Flag::Channels), None, false),
        EventName::PlayersSignIn | EventName::PlayersSignOut => (Some(Flag::Players), None, false),
        EventName::PlayersStatus => (Some(Flag::Players), None, true),
        EventName::TellsSend => (Some(Flag::Tells), None, false),
        EventName::GamesStatus => (Some(Flag::Games), None, true),
        EventName::AchievementsSync
        | EventName::AchievementsCreate
        | EventName::AchievementsUpdate
        | EventName::AchievementsDelete => (Some(Flag::Achievements), None, true),
        EventName::ChannelsHistory => (None, Some(Extension::History), true),
        EventName::TellsReceipt => (None, Some(Extension::Receipts), false),
        EventName::Authenticate
        | EventName::Restart
        | EventName::ChannelsBroadcast
        | EventName::TellsReceive
        | EventName::GamesConnect
        | EventName::GamesDisconnect
        | EventName::ChannelsReceipt
        | EventName::PlayersStatusEnd
        | EventName::GamesStatusEnd => (None, None, false),
    };
    Needs {
        flag,
        extension,
        reference,
    }
}
