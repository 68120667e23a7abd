//! `[pure]` What `games/status` tells of a game.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::field::{Field, string, strings_among};

/// A way to connect to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// `telnet`
    Telnet {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// `secure telnet`
    SecureTelnet {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// `web`
    Web {
        /// The address of the page.
        url: String,
    },
}

impl Connection {
    /// The type as it stands on the wire.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Telnet { .. } => "telnet",
            Self::SecureTelnet { .. } => "secure telnet",
            Self::Web { .. } => "web",
        }
    }

    fn of(value: &Value) -> Option<Self> {
        let text = |key| value.get(key)?.as_str().map(str::to_owned);
        let port = || u16::try_from(value.get("port")?.as_u64()?).ok();
        match value.get("type")?.as_str()? {
            "telnet" => Some(Self::Telnet {
                host: text("host")?,
                port: port()?,
            }),
            "secure telnet" => Some(Self::SecureTelnet {
                host: text("host")?,
                port: port()?,
            }),
            "web" => Some(Self::Web { url: text("url")? }),
            _ => None,
        }
    }
}

impl Serialize for Connection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind())?;
        match self {
            Self::Telnet { host, port } | Self::SecureTelnet { host, port } => {
                map.serialize_entry("host", host)?;
                map.serialize_entry("port", port)?;
            }
            Self::Web { url } => map.serialize_entry("url", url)?,
        }
        map.end()
    }
}

/// A game that is connected.
///
/// Two of its keys have two spellings, one in the published documents and one in the code of the
/// first hub: both are written, and either is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStatus {
    /// Its short name, by which it is meant everywhere.
    pub game: String,
    /// Its whole name.
    pub display_name: String,
    /// What it is.
    pub description: Option<String>,
    /// Its page.
    pub homepage_url: Option<String>,
    /// What it runs.
    pub user_agent: Option<String>,
    /// The page of what it runs; `user_agent_url` and `user_agent_repo_url`.
    pub user_agent_url: Option<String>,
    /// How to connect to it.
    pub connections: Vec<Connection>,
    /// Its flags.
    pub supports: Vec<String>,
    /// The public channels that it hears.
    pub channels: Vec<String>,
    /// How many play; `player_online_count` and `players_online_count`.
    pub players: u64,
}

impl GameStatus {
    /// Reads a payload; `None` without a name of the game.
    pub(super) fn of(mut payload: Map<String, Value>) -> Option<Self> {
        let count = ["player_online_count", "players_online_count"];
        let count = count.iter().find_map(|key| payload.get(*key)?.as_u64());
        let connections = payload.get("connections").and_then(Value::as_array);
        let connections = connections.map_or(Vec::new(), |list| {
            list.iter().filter_map(Connection::of).collect()
        });
        let mut text = |key| Field::take(&mut payload, key, string).value();
        let game = text("game").filter(|game| !game.is_empty())?;
        Some(Self {
            display_name: text("display_name").unwrap_or_else(|| game.clone()),
            game,
            description: text("description"),
            homepage_url: text("homepage_url"),
            user_agent: text("user_agent"),
            user_agent_url: text("user_agent_url").or_else(|| text("user_agent_repo_url")),
            connections,
            supports: list(&mut payload, "supports"),
            channels: list(&mut payload, "channels"),
            players: count.unwrap_or(0),
        })
    }
}

fn list(payload: &mut Map<String, Value>, key: &str) -> Vec<String> {
    let list = Field::take(payload, key, strings_among);
    list.value().unwrap_or_default()
}

impl Serialize for GameStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("game", &self.game)?;
        map.serialize_entry("display_name", &self.display_name)?;
        let texts = [
            ("description", &self.description),
            ("homepage_url", &self.homepage_url),
            ("user_agent", &self.user_agent),
            ("user_agent_url", &self.user_agent_url),
            ("user_agent_repo_url", &self.user_agent_url),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                map.serialize_entry(key, text)?;
            }
        }
        if !self.connections.is_empty() {
            map.serialize_entry("connections", &self.connections)?;
        }
        map.serialize_entry("supports", &self.supports)?;
        map.serialize_entry("channels", &self.channels)?;
        map.serialize_entry("player_online_count", &self.players)?;
        map.serialize_entry("players_online_count", &self.players)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for GameStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let payload = Map::deserialize(deserializer)?;
        Self::of(payload).ok_or_else(|| serde::de::Error::custom("a game without a name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_spelling_is_read_and_both_are_written() {
        let read = |text: &str| serde_json::from_str::<GameStatus>(text).unwrap();
        let by_code = read(r#"{"game":"G","user_agent_url":"u","player_online_count":2}"#);
        let by_docs = read(r#"{"game":"G","user_agent_repo_url":"u","players_online_count":2}"#);
        assert_eq!(by_code, by_docs);
        assert_eq!((by_code.players, &*by_code.display_name), (2, "G"));
        let text = serde_json::to_string(&by_code).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"game":"G","display_name":"G","user_agent_url":"u","#,
                r#""user_agent_repo_url":"u","supports":[],"channels":[],"#,
                r#""player_online_count":2,"players_online_count":2}"#,
            )
        );
    }

    #[test]
    fn connections_come_back_and_odd_ones_are_passed_over() {
        let status = GameStatus {
            game: "G".to_owned(),
            display_name: "The G".to_owned(),
            connections: vec![
                Connection::Telnet {
                    host: "h".to_owned(),
                    port: 23,
                },
                Connection::SecureTelnet {
                    host: "h".to_owned(),
                    port: 992,
                },
                Connection::Web {
                    url: "https://h/".to_owned(),
                },
            ],
            ..GameStatus::default()
        };
        let mut value = serde_json::to_value(&status).unwrap();
        assert_eq!(
            serde_json::from_value::<GameStatus>(value.clone()).unwrap(),
            status
        );
        let odd = serde_json::json!({"type":"telnet","host":"h","port":70000});
        value["connections"].as_array_mut().unwrap().push(odd);
        assert_eq!(serde_json::from_value::<GameStatus>(value).unwrap(), status);
        assert!(serde_json::from_str::<GameStatus>(r#"{"game":""}"#).is_err());
    }
}
