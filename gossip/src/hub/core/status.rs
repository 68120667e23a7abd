//! `[pure]` Who plays where, and which games there are.
//!
//! What is answered about a game is written once and kept until something of it changes: when
//! a thousand games ask after each other, an answer is only put together around it.

use std::collections::BTreeSet;

use super::answer::{Ask, RATE_LIMITED};
use super::game::Online;
use super::hub::{Hub, Turn};
use super::players::is_same_name;
use super::socket::Member;
use crate::hub::directory::{Connection, GameId};
use crate::limits::{CHANNELS_SHOWN_MAX, PAYLOAD_BYTES_MAX, PLAYERS_PER_GAME_MAX};
use crate::protocol::{self, Event, EventName, Extension, Flags, GameStatus, OneGame};

/// Which of the two questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Players,
    Games,
}

impl Hub {
    /// `players/status`: one frame for each game. A list that does not fit a frame is cut at a
    /// name, since clients take each frame for the whole list; `games/status` has the number.
    pub(super) fn players_status(&mut self, ask: &Ask, one: OneGame, turn: &mut Turn<'_>) {
        self.status(ask, one, Question::Players, turn);
    }

    /// `games/status`: one frame for each game.
    pub(super) fn games_status(&mut self, ask: &Ask, one: OneGame, turn: &mut Turn<'_>) {
        self.status(ask, one, Question::Games, turn);
    }

    fn status(&mut self, ask: &Ask, one: OneGame, question: Question, turn: &mut Turn<'_>) {
        let name = match one {
            OneGame::All => return self.status_of_all(ask, question, turn),
            OneGame::Game(name) => name.value().unwrap_or_default(),
        };
        let game = self.directory.game_named(&name).map(|game| game.id);
        let game = game.filter(|id| {
            let online = self.online.get(id);
            online.is_some_and(|online| online.short_name.as_str() == name)
        });
        match game {
            Some(id) => self.status_of(ask, id, question, turn),
            None => self.fail(ask, "unknown game", turn),
        }
    }

    fn status_of_all(&mut self, ask: &Ask, question: Question, turn: &mut Turn<'_>) {
        if !self.may_ask_much(ask, turn) {
            return;
        }
        let shown = |game: &&Online| game.display && game.id != ask.game;
        let games: Vec<GameId> = self
            .online
            .values()
            .filter(shown)
            .map(|game| game.id)
            .collect();
        for id in &games {
            self.status_of(ask, *id, question, turn);
        }
        let member = self.sockets.get(&ask.socket).and_then(|open| open.member());
        if member.is_some_and(|member| member.extends(Extension::Marks)) {
            let end = Event::StatusEnd {
                event: match question {
                    Question::Players => EventName::PlayersStatusEnd,
                    Question::Games => EventName::GamesStatusEnd,
                },
                reference: ask.reference.clone(),
                games: games.len(),
            };
            self.send(ask.socket, &end, turn);
        }
    }

    /// Whether a question with a long answer goes on; one too many is refused.
    pub(super) fn may_ask_much(&mut self, ask: &Ask, turn: &mut Turn<'_>) -> bool {
        let rule = self.rules.status;
        let member = self
            .sockets
            .get_mut(&ask.socket)
            .and_then(|open| open.member_mut());
        let may = member.is_some_and(|member| member.status.takes(rule, turn.now.at));
        if !may {
            self.figures.rate_limited += 1;
            self.fail(ask, RATE_LIMITED, turn);
        }
        may
    }

    fn status_of(&mut self, ask: &Ask, id: GameId, question: Question, turn: &mut Turn<'_>) {
        let Some(online) = self.online.get(&id) else {
            return;
        };
        let (kept, status) = match question {
            Question::Players => (&online.players_payload, ""),
            Question::Games => (&online.status_payload, r#""status":"success","#),
        };
        let reference = ask
            .reference
            .as_ref()
            .map_or("null", |reference| reference.as_json());
        let event = ask.event.as_str();
        let write = |payload: &str| {
            let before = format!(r#"{{"event":"{event}","ref":{reference},{status}"payload":"#);
            let mut text = String::with_capacity(before.len() + payload.len() + 1);
            text.push_str(&before);
            text.push_str(payload);
            text.push('}');
            text
        };
        let text = match kept {
            Some(payload) => write(payload),
            None => {
                let payload: Box<str> = match question {
                    Question::Players => self.players_payload(online).into(),
                    Question::Games => self.status_payload(online).into(),
                };
                let text = write(&payload);
                if let Some(online) = self.online.get_mut(&id) {
                    match question {
                        Question::Players => online.players_payload = Some(payload),
                        Question::Games => online.status_payload = Some(payload),
                    }
                }
                text
            }
        };
        debug_assert!(text.len() < crate::limits::FRAME_OUT_BYTES_MAX, "too long");
        self.send_text(ask.socket, Some(ask.event), text.into(), turn);
    }

    fn players_payload(&self, online: &Online) -> String {
        let mut payload = format!(r#"{{"game":"{}","players":["#, online.short_name);
        let names = if online.display_players {
            self.players_of(online)
        } else {
            Vec::new()
        };
        let mut before = "";
        for name in names {
            // A string always has a JSON form.
            let name = serde_json::to_string(name).unwrap_or_default();
            if payload.len() + name.len() + 3 > PAYLOAD_BYTES_MAX {
                break;
            }
            payload.push_str(before);
            payload.push_str(&name);
            before = ",";
        }
        payload.push_str("]}");
        payload
    }

    fn status_payload(&self, online: &Online) -> String {
        let Some(game) = self.directory.game(online.client_id) else {
            return String::from("{}");
        };
        let text = &game.text;
        let supports = self.flags_of(online).iter();
        let status = GameStatus {
            game: online.short_name.as_str().to_owned(),
            display_name: text.display_name.to_string(),
            description: text.description.as_ref().map(|text| text.to_string()),
            homepage_url: text.homepage.as_ref().map(|text| text.to_string()),
            user_agent: online.user_agent.as_ref().map(|text| text.to_string()),
            user_agent_url: None,
            connections: text.connections.iter().map(connection).collect(),
            supports: supports.map(|flag| flag.as_str().to_owned()).collect(),
            channels: self.channels_of(online),
            players: self.players_of(online).len() as u64,
        };
        serde_json::to_string(&status).unwrap_or_default()
    }

    /// The flags of all sockets of a game.
    pub(super) fn flags_of(&self, online: &Online) -> Flags {
        let members = self.members_of(online);
        members.fold(Flags::NONE, |flags, member| flags.union(member.granted))
    }

    /// The channels that any socket of a game hears, as far as they are shown to others.
    fn channels_of(&self, online: &Online) -> Vec<String> {
        let members = self.members_of(online);
        let channels: BTreeSet<_> = members.flat_map(|member| &member.channels).collect();
        let names = channels.into_iter().map(|name| name.as_str());
        let listed = names.filter(|name| self.directory.is_listed(name));
        listed.take(CHANNELS_SHOWN_MAX).map(str::to_owned).collect()
    }

    /// The players of all sockets of a game, each name once.
    pub(super) fn players_of(&self, online: &Online) -> Vec<&str> {
        let names = self.names_of(online);
        if online.sockets.len() == 1 {
            return names.collect();
        }
        let mut seen = BTreeSet::new();
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// Whether a game has a player of this name, in any case, whom others may know of.
    pub(super) fn has_player(&self, online: &Online, name: &str) -> bool {
        let mut names = self.names_of(online);
        online.display_players && names.any(|other| is_same_name(other, name))
    }

    /// The players of all sockets of a game, up to a bound: how long it takes to go through them
    /// is not the game's to say.
    fn names_of(&self, online: &Online) -> impl Iterator<Item = &str> {
        let members = self.members_of(online);
        let names = members.flat_map(|member| member.players.iter());
        names.take(PLAYERS_PER_GAME_MAX)
    }

    fn members_of(&self, online: &Online) -> impl Iterator<Item = &Member> {
        let sockets = online.sockets.iter();
        sockets.filter_map(|id| self.sockets.get(id)?.member())
    }
}

fn connection(connection: &Connection) -> protocol::Connection {
    match connection {
        Connection::Telnet { host, port } => protocol::Connection::Telnet {
            host: host.to_string(),
            port: *port,
        },
        Connection::SecureTelnet { host, port } => protocol::Connection::SecureTelnet {
            host: host.to_string(),
            port: *port,
        },
        Connection::Web { url } => protocol::Connection::Web {
            url: url.to_string(),
        },
    }
}
