//! `[pure]` What the bridges of nodes say to each other of other games, as it goes over the wire.
//! Variants are appended, never changed or removed.

use crate::bridge::{Remote, Word};
use belay_gossip::client::{ClientStatus, News, RemoteGame, Roster, TellAnswer};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bytes of names in a roster at most; players beyond it are a number only.
const ROSTER_BYTES_MAX: usize = 700 * 1024;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum GamesMessage {
    /// A player of another game came (`true`) or went.
    Signed(bool, RemoteRecord),
    /// A game came (`true`) or went.
    Game(bool, String),
    /// The network is reached, or not.
    Status(StatusRecord),
    /// Who plays elsewhere.
    Roster(Vec<GameRecord>),
    /// Staff wants the connection or does not; the wish of the highest number counts.
    Switch(u64, bool),
    /// The rules have changed; of this game nothing is to be remembered.
    Rules(Option<String>),
    /// A player says this on a channel of the network.
    Say {
        /// The channel.
        channel: String,
        /// The player.
        name: String,
        /// The words.
        message: String,
    },
    /// Try to connect now.
    Retry,
    /// Nobody read what this player told there.
    Unread(String, RemoteRecord),
}

/// A player of another game: name and game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemoteRecord(pub(super) String, pub(super) String);

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GameRecord {
    name: String,
    title: Option<String>,
    homepage: Option<String>,
    address: Option<String>,
    players: Vec<String>,
    count: u64,
}

/// What a client does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum StatusRecord {
    Unconfigured,
    Off,
    Waiting(String, u64),
    Connecting,
    Authenticating,
    Online(u64),
    Rejected(String, u64),
}

/// What became of a tell to another game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerRecord {
    /// It went there.
    Sent,
    /// No game of that name.
    UnknownGame,
    /// The game is not connected.
    GameOffline,
    /// It takes no tells.
    NotSupported,
    /// The player is not there.
    PlayerOffline,
    /// The network does not know the sender.
    SenderOffline,
    /// The network is out of reach.
    Offline,
    /// No answer came.
    TimedOut,
    /// Refused, in the network's words.
    Refused(String),
}

impl From<&Word> for GamesMessage {
    fn from(word: &Word) -> Self {
        match word {
            Word::News(News::SignIn { game, name }) => {
                Self::Signed(true, RemoteRecord(name.clone(), game.clone()))
            }
            Word::News(News::SignOut { game, name }) => {
                Self::Signed(false, RemoteRecord(name.clone(), game.clone()))
            }
            Word::News(News::GameUp(game)) => Self::Game(true, game.clone()),
            Word::News(News::GameDown(game)) => Self::Game(false, game.clone()),
            Word::News(News::Status(status)) | Word::Status(status) => Self::Status(status.into()),
            // What is said on channels and told goes other ways.
            Word::News(
                News::Channel { .. }
                | News::Missed { .. }
                | News::Tell { .. }
                | News::TellReceipt { .. },
            ) => Self::Rules(None),
            Word::Roster(roster) => Self::Roster(games(roster)),
            Word::Switch(number, on) => Self::Switch(*number, *on),
            Word::Rules(game) => Self::Rules(game.as_ref().map(ToString::to_string)),
            Word::Say {
                channel,
                name,
                message,
            } => Self::Say {
                channel: channel.clone(),
                name: name.clone(),
                message: message.clone(),
            },
            Word::Retry => Self::Retry,
            Word::Unread { from, to } => Self::Unread(from.clone(), to.into()),
        }
    }
}

impl From<GamesMessage> for Word {
    fn from(message: GamesMessage) -> Self {
        match message {
            GamesMessage::Signed(true, RemoteRecord(name, game)) => {
                Self::News(News::SignIn { game, name })
            }
            GamesMessage::Signed(false, RemoteRecord(name, game)) => {
                Self::News(News::SignOut { game, name })
            }
            GamesMessage::Game(true, game) => Self::News(News::GameUp(game)),
            GamesMessage::Game(false, game) => Self::News(News::GameDown(game)),
            GamesMessage::Status(status) => Self::Status(status.into()),
            GamesMessage::Roster(games) => {
                let games = games.into_iter().map(RemoteGame::from).collect();
                Self::Roster(Arc::new(Roster::new(games)))
            }
            GamesMessage::Switch(number, on) => Self::Switch(number, on),
            GamesMessage::Rules(game) => Self::Rules(game.map(Into::into)),
            GamesMessage::Say {
                channel,
                name,
                message,
            } => Self::Say {
                channel,
                name,
                message,
            },
            GamesMessage::Retry => Self::Retry,
            GamesMessage::Unread(from, to) => Self::Unread {
                from,
                to: to.into(),
            },
        }
    }
}

/// The games, with as many players as have room.
fn games(roster: &Roster) -> Vec<GameRecord> {
    let mut room = ROSTER_BYTES_MAX;
    let mut fits = |name: &&String| {
        let bytes = name.len() + 2;
        let fits = bytes <= room;
        room = room.saturating_sub(bytes);
        fits
    };
    let mut records = Vec::with_capacity(roster.games().len());
    for game in roster.games() {
        records.push(GameRecord {
            name: game.name.clone(),
            title: game.display_name.clone(),
            homepage: game.homepage.clone(),
            address: game.address.clone(),
            players: game
                .players
                .iter()
                .filter(|name| fits(name))
                .cloned()
                .collect(),
            count: game.count,
        });
    }
    records
}

impl From<GameRecord> for RemoteGame {
    fn from(record: GameRecord) -> Self {
        Self {
            name: record.name,
            display_name: record.title,
            homepage: record.homepage,
            address: record.address,
            players: record.players,
            count: record.count,
        }
    }
}

impl From<&Remote> for RemoteRecord {
    fn from(remote: &Remote) -> Self {
        Self(remote.name.to_string(), remote.game.to_string())
    }
}

impl From<RemoteRecord> for Remote {
    fn from(RemoteRecord(name, game): RemoteRecord) -> Self {
        Self {
            name: name.into(),
            game: game.into(),
        }
    }
}

impl From<&ClientStatus> for StatusRecord {
    fn from(status: &ClientStatus) -> Self {
        match status {
            ClientStatus::Unconfigured => Self::Unconfigured,
            ClientStatus::Off => Self::Off,
            ClientStatus::Waiting {
                reason,
                next_try_ms,
            } => Self::Waiting(reason.clone(), *next_try_ms),
            ClientStatus::Connecting => Self::Connecting,
            ClientStatus::Authenticating => Self::Authenticating,
            ClientStatus::Online { for_ms } => Self::Online(*for_ms),
            ClientStatus::Rejected {
                reason,
                next_try_ms,
            } => Self::Rejected(reason.clone(), *next_try_ms),
        }
    }
}

impl From<StatusRecord> for ClientStatus {
    fn from(record: StatusRecord) -> Self {
        match record {
            StatusRecord::Unconfigured => Self::Unconfigured,
            StatusRecord::Off => Self::Off,
            StatusRecord::Waiting(reason, next_try_ms) => Self::Waiting {
                reason,
                next_try_ms,
            },
            StatusRecord::Connecting => Self::Connecting,
            StatusRecord::Authenticating => Self::Authenticating,
            StatusRecord::Online(for_ms) => Self::Online { for_ms },
            StatusRecord::Rejected(reason, next_try_ms) => Self::Rejected {
                reason,
                next_try_ms,
            },
        }
    }
}

impl From<TellAnswer> for AnswerRecord {
    fn from(answer: TellAnswer) -> Self {
        match answer {
            TellAnswer::Sent => Self::Sent,
            TellAnswer::UnknownGame => Self::UnknownGame,
            TellAnswer::GameOffline => Self::GameOffline,
            TellAnswer::NotSupported => Self::NotSupported,
            TellAnswer::PlayerOffline => Self::PlayerOffline,
            TellAnswer::SenderOffline => Self::SenderOffline,
            TellAnswer::Offline => Self::Offline,
            TellAnswer::TimedOut => Self::TimedOut,
            TellAnswer::Refused(reason) => Self::Refused(reason),
        }
    }
}

impl From<AnswerRecord> for TellAnswer {
    fn from(record: AnswerRecord) -> Self {
        match record {
            AnswerRecord::Sent => Self::Sent,
            AnswerRecord::UnknownGame => Self::UnknownGame,
            AnswerRecord::GameOffline => Self::GameOffline,
            AnswerRecord::NotSupported => Self::NotSupported,
            AnswerRecord::PlayerOffline => Self::PlayerOffline,
            AnswerRecord::SenderOffline => Self::SenderOffline,
            AnswerRecord::Offline => Self::Offline,
            AnswerRecord::TimedOut => Self::TimedOut,
            AnswerRecord::Refused(reason) => Self::Refused(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::PeopleMessage;
    use super::*;

    fn check(word: Word, expected: &[u8]) {
        let message = PeopleMessage::Games(GamesMessage::from(&word));
        assert_eq!(message.encode(), expected, "{word:?}");
        let Ok(PeopleMessage::Games(back)) = PeopleMessage::decode(expected) else {
            panic!("{word:?}");
        };
        assert_eq!(Word::from(back), word);
    }

    #[test]
    fn the_bytes_of_words_stay_as_they_are_and_each_comes_back() {
        let text = |text: &str| text.to_owned();
        let (game, name) = (text("G"), text("Bo"));
        let news = News::SignIn {
            game: game.clone(),
            name: name.clone(),
        };
        check(Word::News(news), b"\x0b\x00\x01\x02Bo\x01G");
        let news = News::SignOut { game, name };
        check(Word::News(news), b"\x0b\x00\x00\x02Bo\x01G");
        check(Word::News(News::GameUp(text("G"))), b"\x0b\x01\x01\x01G");
        check(Word::News(News::GameDown(text("G"))), b"\x0b\x01\x00\x01G");
        let game = RemoteGame {
            name: text("G"),
            players: vec![text("Bo")],
            count: 2,
            ..RemoteGame::default()
        };
        let roster = Arc::new(Roster::new(vec![game]));
        let bytes = b"\x0b\x03\x01\x01G\x00\x00\x00\x01\x02Bo\x02";
        check(Word::Roster(roster), bytes);
        check(Word::Switch(3, true), b"\x0b\x04\x03\x01");
        check(Word::Rules(Some("G".into())), b"\x0b\x05\x01\x01G");
        let say = Word::Say {
            channel: text("gossip"),
            name: text("Ann"),
            message: text("hi"),
        };
        check(say, b"\x0b\x06\x06gossip\x03Ann\x02hi");
        check(Word::Retry, b"\x0b\x07");
        let unread = Word::Unread {
            from: text("Ann"),
            to: Remote::parse("Bo@G").unwrap(),
        };
        check(unread, b"\x0b\x08\x03Ann\x02Bo\x01G");
    }

    #[test]
    fn each_status_and_each_answer_comes_back() {
        let reason = || "gone".to_owned();
        let next_try_ms = 5;
        let all = [
            ClientStatus::Unconfigured,
            ClientStatus::Off,
            ClientStatus::Waiting {
                reason: reason(),
                next_try_ms,
            },
            ClientStatus::Connecting,
            ClientStatus::Authenticating,
            ClientStatus::Online { for_ms: 7 },
            ClientStatus::Rejected {
                reason: reason(),
                next_try_ms,
            },
        ];
        for (number, status) in all.into_iter().enumerate() {
            let message = PeopleMessage::Games(GamesMessage::from(&Word::Status(status.clone())));
            assert_eq!(usize::from(message.encode()[2]), number);
            assert_eq!(ClientStatus::from(StatusRecord::from(&status)), status);
        }
        let all = [
            TellAnswer::Sent,
            TellAnswer::UnknownGame,
            TellAnswer::GameOffline,
            TellAnswer::NotSupported,
            TellAnswer::PlayerOffline,
            TellAnswer::SenderOffline,
            TellAnswer::Offline,
            TellAnswer::TimedOut,
            TellAnswer::Refused(reason()),
        ];
        for (number, answer) in all.into_iter().enumerate() {
            let record = AnswerRecord::from(answer.clone());
            assert_eq!(
                usize::from(postcard::to_stdvec(&record).unwrap()[0]),
                number
            );
            assert_eq!(TellAnswer::from(record), answer);
        }
    }

    #[test]
    fn a_roster_that_is_too_long_for_a_frame_leaves_players_out() {
        let players = (0..40_000).map(|number| format!("player-number-{number:06}"));
        let game = RemoteGame {
            name: "G".to_owned(),
            players: players.collect(),
            count: 40_000,
            ..RemoteGame::default()
        };
        let roster = Arc::new(Roster::new(vec![game]));
        let message = PeopleMessage::Games(GamesMessage::from(&Word::Roster(roster)));
        assert!(message.encode().len() < belay_cluster::limits::FRAME_BYTES_MAX);
    }
}
