//! `[pure]` How a socket becomes part of a game, and how it leaves it.

use uuid::Uuid;

use super::agenda::Due;
use super::answer::{TRY_AGAIN, failure};
use super::bucket::Bucket;
use super::ears::Ear;
use super::effect::{CloseWith, Effect, Note};
use super::game::Online;
use super::hub::{Gone, Hub, Turn};
use super::input::{Moment, SocketId};
use super::players::Players;
use super::rules::Replies;
use super::socket::{Member, State};
use crate::hub::directory::{Game, GameId};
use crate::hub::order::StoreOrder;
use crate::limits::{
    DEBUG_FOR, GRACE, NAME_CHARS_MAX, REJECTED_SHOWN_MAX, SOCKETS_PER_GAME_MAX,
    USER_AGENT_CHARS_MAX,
};
use crate::protocol::ChannelName;
use crate::protocol::{
    Authenticate, Event, EventName, Extension, Field, Flag, Flags, Reference, UNICODE, VERSION,
    Welcome, cut_to_chars, strip_controls,
};

/// The id, the secret or a type is wrong, or the game may not be here.
pub(super) const INVALID_CREDENTIALS: &str = "invalid credentials";

impl Hub {
    /// `authenticate` of a socket that has not done so.
    pub(super) fn authenticate(
        &mut self,
        socket: SocketId,
        reference: Option<Reference>,
        login: Option<Box<Authenticate>>,
        turn: &mut Turn<'_>,
    ) {
        let Some(login) = login else {
            if reference.is_some() {
                let event = failure(Some(EventName::Authenticate), reference, TRY_AGAIN);
                self.send(socket, &event, turn);
            }
            return;
        };
        match self.admit(&login, turn.now) {
            Ok(client_id) => self.welcome(socket, client_id, *login, turn),
            Err(error) => self.refuse(socket, error, turn),
        }
    }

    /// Who logs in, or the protocol's text of what is wrong.
    fn admit(&self, login: &Authenticate, now: Moment) -> Result<Uuid, &'static str> {
        let id = uuid_of(&login.client_id).ok_or(INVALID_CREDENTIALS)?;
        let secret = uuid_of(&login.client_secret).ok_or(INVALID_CREDENTIALS)?;
        let game = self.directory.admit(id, secret, now.unix_ms);
        let game = game.ok_or(INVALID_CREDENTIALS)?;
        if login.user_agent == Field::Wrong || login.version == Field::Wrong {
            return Err(INVALID_CREDENTIALS);
        }
        let supports = match &login.supports {
            Field::Is(supports) => supports.as_slice(),
            Field::Missing | Field::Null => &[],
            Field::Wrong => return Err("includes unknown supports"),
        };
        if supports.is_empty() {
            return Err("missing supports");
        }
        if !supports
            .iter()
            .any(|flag| Flag::of(flag) == Some(Flag::Channels))
        {
            return Err("must support channels");
        }
        if supports.iter().any(|flag| Flag::of(flag).is_none()) {
            return Err("includes unknown supports");
        }
        let online = self.online.get(&game.id);
        if online.is_some_and(|game| game.sockets.len() >= SOCKETS_PER_GAME_MAX) {
            // With the words by which clients know that their credentials are good.
            return Err("rate limit exceeded, too many sockets");
        }
        Ok(id)
    }

    /// Answers a failed authentication, at once or, for who fails often, later.
    fn refuse(&mut self, socket: SocketId, error: &'static str, turn: &mut Turn<'_>) {
        self.figures.auth_failed += 1;
        let Some(open) = self.sockets.get_mut(&socket) else {
            return;
        };
        let now = turn.now.at;
        if !self.throttle.failed(open.address, self.rules.failures, now) {
            self.close_refused(socket, error, turn);
            return;
        }
        self.figures.auth_delayed += 1;
        let at = now + self.rules.refusal_delay;
        open.state = State::Refused { error, at };
        self.agenda.remove(open.beat_due, Due::Beat(socket));
        self.agenda.add(at, Due::Refusal(socket));
    }

    /// Says why, and closes.
    pub(super) fn close_refused(&mut self, socket: SocketId, error: &str, turn: &mut Turn<'_>) {
        if let Some(open) = self.sockets.get(&socket) {
            turn.out.push(Effect::Note(Note::Refused {
                address: open.address,
                error: error.to_owned(),
            }));
        }
        let event = failure(Some(EventName::Authenticate), None, error);
        self.send(socket, &event, turn);
        self.close(socket, CloseWith::REFUSED, turn);
    }

    /// The socket becomes part of its game.
    fn welcome(
        &mut self,
        socket: SocketId,
        client_id: Uuid,
        login: Authenticate,
        turn: &mut Turn<'_>,
    ) {
        let Some(game) = self.directory.game(client_id).cloned() else {
            return;
        };
        let supports = login.supports.value().unwrap_or_default();
        let asked: Flags = supports.iter().filter_map(|flag| Flag::of(flag)).collect();
        let mut players = Players::default();
        players.replace(login.players);
        let member = Member {
            game: game.id,
            asked,
            granted: granted(asked, &game),
            extensions: login.extensions,
            channels: Default::default(),
            players,
            debug_until: login.debug.then(|| turn.now.at + DEBUG_FOR),
            send: Bucket::default(),
            subscribe: Bucket::default(),
            unsubscribe: Bucket::default(),
            status: Bucket::default(),
        };
        let Some(open) = self.sockets.get_mut(&socket) else {
            return;
        };
        open.state = State::Active(Box::new(member));
        open.unanswered = 0;
        let back = self.come(socket, &game, turn);
        let reported = Reported {
            user_agent: login.user_agent.value().map(reported),
            version: login.version.value().map(reported),
        };
        self.report(game.id, reported, turn);
        self.set_ears(socket);
        let rejected = self.begin_channels(socket, &login.channels, turn);
        self.greet(socket, rejected, turn);
        if !back && game.display {
            self.announce(
                EventName::GamesConnect,
                game.id,
                game.short_name.as_str(),
                turn,
            );
        }
    }

    /// The game has one socket more. Says whether it was here, or has been missed by nobody yet.
    fn come(&mut self, socket: SocketId, game: &Game, turn: &mut Turn<'_>) -> bool {
        debug_assert!(self.directory.may_stay(game, turn.now.unix_ms), "let in");
        let gone = self.gone.remove(&game.id);
        if let Some(gone) = &gone {
            self.agenda.remove(gone.told_at, Due::Gone(game.id));
        }
        let here = self.online.contains_key(&game.id);
        if !here {
            let came = Note::Came(game.short_name.clone());
            turn.out.push(Effect::Note(came));
        }
        let online = self
            .online
            .entry(game.id)
            .or_insert_with(|| Online::new(game));
        online.sockets.push(socket);
        online.forget_players();
        here || gone.is_some()
    }

    /// Keeps what the game says it is; what it does not say is as it was.
    fn report(&mut self, game: GameId, reported: Reported, turn: &mut Turn<'_>) {
        if let Some(online) = self.online.get_mut(&game) {
            let Reported {
                user_agent,
                version,
            } = reported;
            online.user_agent = user_agent.or(online.user_agent.take());
            online.version = version.or(online.version.take());
            turn.out.push(seen(online, turn.now));
        }
    }

    /// Subscribes to the first channels; what could not be is given back.
    fn begin_channels(
        &mut self,
        socket: SocketId,
        names: &[String],
        turn: &mut Turn<'_>,
    ) -> Vec<String> {
        let mut rejected = Vec::new();
        for name in names {
            let channel = ChannelName::parse(name).ok();
            if !channel.is_some_and(|channel| self.hear(socket, &channel, turn)) {
                rejected.push(shown(name));
            }
        }
        rejected.truncate(REJECTED_SHOWN_MAX);
        rejected
    }

    fn greet(&mut self, socket: SocketId, rejected: Vec<String>, turn: &mut Turn<'_>) {
        let Some(member) = self.sockets.get(&socket).and_then(|open| open.member()) else {
            return;
        };
        let extensions = member.extensions.iter();
        let extensions = extensions.map(|known| known.as_str().to_owned()).collect();
        let reference = self.rules.replies == Replies::Reference;
        let (told, failed) = if reference {
            (Vec::new(), rejected)
        } else {
            (rejected, Vec::new())
        };
        let welcome = Event::Welcome(Welcome {
            unicode: UNICODE.to_owned(),
            version: VERSION.to_owned(),
            rejected_channels: told,
            extensions,
        });
        self.send(socket, &welcome, turn);
        for name in failed {
            let error = format!("Could not subscribe to '{name}'");
            let event = failure(Some(EventName::ChannelsSubscribe), None, &error);
            self.send(socket, &event, turn);
        }
        self.beat(socket, turn);
    }

    /// Puts a socket in the lists of those that hear of players and games, or takes it out.
    pub(super) fn set_ears(&mut self, socket: SocketId) {
        let Some(member) = self.sockets.get(&socket).and_then(|open| open.member()) else {
            return;
        };
        let ear = Ear {
            socket,
            game: member.game,
            numbered: member.extends(Extension::History),
        };
        let lists = [
            (Flag::Players, &mut self.player_ears),
            (Flag::Games, &mut self.game_ears),
        ];
        for (flag, ears) in lists {
            if member.has(flag) {
                ears.add(ear);
            } else {
                ears.remove(socket);
            }
        }
    }

    /// The game has one socket less.
    pub(super) fn leave(&mut self, socket: SocketId, member: &Member, turn: &mut Turn<'_>) {
        self.player_ears.remove(socket);
        self.game_ears.remove(socket);
        for name in &member.channels {
            self.unhear(socket, member.game, name);
        }
        let Some(online) = self.online.get_mut(&member.game) else {
            return;
        };
        online.sockets.retain(|other| *other != socket);
        online.forget_players();
        if !online.sockets.is_empty() {
            return;
        }
        turn.out.push(seen(online, turn.now));
        let left = Note::Left(online.short_name.clone());
        turn.out.push(Effect::Note(left));
        let told_at = turn.now.at + GRACE;
        let gone = Gone {
            told_at,
            client_id: online.client_id,
            short_name: online.short_name.clone(),
            display: online.display,
        };
        self.gone.insert(member.game, gone);
        self.agenda.add(told_at, Due::Gone(member.game));
        self.online.remove(&member.game);
    }

    /// Tells the other games of one that came or went.
    pub(super) fn announce(
        &mut self,
        event: EventName,
        id: GameId,
        short_name: &str,
        turn: &mut Turn<'_>,
    ) {
        let presence = Event::Presence {
            event,
            reference: self.new_reference(),
            game: short_name.to_owned(),
        };
        self.broadcast(self.game_ears.outside(id), &presence, turn);
    }
}

/// What a client says about itself.
struct Reported {
    user_agent: Option<Box<str>>,
    version: Option<Box<str>>,
}

/// What of the flags a client has: who hides its players gets no tells.
pub(super) fn granted(asked: Flags, game: &Game) -> Flags {
    if game.display_players {
        asked
    } else {
        asked.without(Flag::Tells)
    }
}

/// A UUID in its usual form, in any case.
fn uuid_of(field: &Field<String>) -> Option<Uuid> {
    let text = field.as_ref().filter(|text| text.len() == 36)?;
    Uuid::try_parse(text).ok()
}

fn reported(mut text: String) -> Box<str> {
    strip_controls(&mut text);
    cut_to_chars(&mut text, USER_AGENT_CHARS_MAX);
    text.into()
}

/// A name that is none, as far as it is repeated.
pub(super) fn shown(name: &str) -> String {
    let mut name = name.to_owned();
    cut_to_chars(&mut name, NAME_CHARS_MAX);
    name
}

fn seen(online: &Online, now: Moment) -> Effect {
    Effect::Store(StoreOrder::GameSeen {
        game: online.id,
        seen_unix_ms: now.unix_ms,
        user_agent: online.user_agent.clone(),
        version: online.version.clone(),
    })
}
