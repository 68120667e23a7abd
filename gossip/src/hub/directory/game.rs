//! `[pure]` A game as it is registered: who it is, how to get in, and what it shows of itself.

use std::fmt;

use uuid::Uuid;

use super::fault::Fault;
use super::name::ShortName;
use super::secret::SecretHash;
use crate::limits::{DESCRIPTION_MAX, DISPLAY_NAME_MAX, HOST_BYTES_MAX, REASON_MAX, URL_BYTES_MAX};

/// A game's number in the database. It stays, whatever else of the game changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

/// A registered game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Its number.
    pub id: GameId,
    /// What it signs in with.
    pub client_id: Uuid,
    /// The hash of its secret. A different one means that the secret was replaced.
    pub secret: SecretHash,
    /// Its name on the wire.
    pub short_name: ShortName,
    /// Listed at all.
    pub display: bool,
    /// Its players are shown, and can be told something.
    pub display_players: bool,
    /// Switched off by the operator.
    pub disabled: bool,
    /// What it says about itself.
    pub text: GameText,
    /// Its achievements as they were kept. The core takes them with the first directory that has
    /// the game; from then on its own are newer.
    pub achievements: Vec<Achievement>,
}

/// What a game says about itself, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameText {
    /// Its full name.
    pub display_name: Box<str>,
    /// What it is.
    pub description: Option<Box<str>>,
    /// Its page, `http` or `https`.
    pub homepage: Option<Box<str>>,
    /// How to play it, at most one of each type.
    pub connections: Vec<Connection>,
}

/// A way to play a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// Plain telnet.
    Telnet {
        /// Where.
        host: Box<str>,
        /// Which port, neither 80 nor 443.
        port: u16,
    },
    /// Telnet over TLS.
    SecureTelnet {
        /// Where.
        host: Box<str>,
        /// Which port, neither 80 nor 443.
        port: u16,
    },
    /// A page to play on.
    Web {
        /// Its address, `http` or `https`.
        url: Box<str>,
    },
}

/// An achievement of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Achievement {
    /// Made by the hub.
    pub key: Uuid,
    /// Never empty.
    pub title: Box<str>,
    /// What it is for.
    pub description: Option<Box<str>>,
    /// 0 to 100.
    pub points: u8,
    /// Shown to players.
    pub display: bool,
    /// Reached step by step.
    pub partial_progress: bool,
    /// How many steps; there when it is reached step by step.
    pub total_progress: Option<u32>,
}

/// Which bound a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    DisplayName,
    Description,
    Reason,
}

impl GameText {
    /// A game of which only the name is known.
    ///
    /// # Errors
    /// [`Fault::DisplayName`].
    pub fn named(display_name: &str) -> Result<Self, Fault> {
        Ok(Self {
            display_name: clean_text(display_name, TextKind::DisplayName)?,
            description: None,
            homepage: None,
            connections: Vec::new(),
        })
    }

    /// Sets the description; an empty one removes it.
    ///
    /// # Errors
    /// [`Fault::Description`].
    pub fn describe(&mut self, description: &str) -> Result<(), Fault> {
        let text = clean_text(description, TextKind::Description)?;
        self.description = (!text.is_empty()).then_some(text);
        Ok(())
    }

    /// Sets the homepage; an empty one removes it.
    ///
    /// # Errors
    /// [`Fault::Url`].
    pub fn link(&mut self, homepage: &str) -> Result<(), Fault> {
        self.homepage = match homepage {
            "" => None,
            url => Some(page_url(url)?),
        };
        Ok(())
    }

    /// Adds a way to play.
    ///
    /// # Errors
    /// [`Fault::ConnectionTwice`] when the game has one of its type.
    pub fn connect(&mut self, connection: Connection) -> Result<(), Fault> {
        let kind = connection.kind();
        if self.connections.iter().any(|other| other.kind() == kind) {
            return Err(Fault::ConnectionTwice);
        }
        self.connections.push(connection);
        Ok(())
    }
}

impl Connection {
    /// Plain telnet at `HOST:PORT`.
    ///
    /// # Errors
    /// [`Fault::HostPort`], [`Fault::WebPort`].
    pub fn telnet(address: &str) -> Result<Self, Fault> {
        let (host, port) = host_port(address)?;
        Ok(Self::Telnet { host, port })
    }

    /// Telnet over TLS at `HOST:PORT`.
    ///
    /// # Errors
    /// [`Fault::HostPort`], [`Fault::WebPort`].
    pub fn secure_telnet(address: &str) -> Result<Self, Fault> {
        let (host, port) = host_port(address)?;
        Ok(Self::SecureTelnet { host, port })
    }

    /// A page to play on.
    ///
    /// # Errors
    /// [`Fault::Url`].
    pub fn web(url: &str) -> Result<Self, Fault> {
        Ok(Self::Web {
            url: page_url(url)?,
        })
    }

    /// The `type` on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Telnet { .. } => "telnet",
            Self::SecureTelnet { .. } => "secure telnet",
            Self::Web { .. } => "web",
        }
    }

    /// `HOST:PORT`, or the address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        match self {
            Self::Telnet { host, port } | Self::SecureTelnet { host, port } => {
                format!("{host}:{port}")
            }
            Self::Web { url } => url.to_string(),
        }
    }
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.address())
    }
}

/// A text without control characters, within its bound.
pub(super) fn clean_text(text: &str, kind: TextKind) -> Result<Box<str>, Fault> {
    let text = text.trim();
    let (characters_min, characters_max, fault) = match kind {
        TextKind::DisplayName => (1, DISPLAY_NAME_MAX, Fault::DisplayName),
        TextKind::Description => (0, DESCRIPTION_MAX, Fault::Description),
        TextKind::Reason => (0, REASON_MAX, Fault::Reason),
    };
    let characters = text.chars().count();
    if characters < characters_min || characters > characters_max || text.chars().any(is_unseen) {
        return Err(fault);
    }
    Ok(text.into())
}

/// Control characters, and those that reorder or hide the text around them.
pub(in crate::hub) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

/// An address that a page may link to.
fn page_url(text: &str) -> Result<Box<str>, Fault> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .ok_or(Fault::Url)?;
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\');
    let host = rest.bytes().next().is_some_and(|byte| byte != b'/');
    if !host || text.len() > URL_BYTES_MAX || !text.bytes().all(plain) {
        return Err(Fault::Url);
    }
    Ok(text.into())
}

fn host_port(text: &str) -> Result<(Box<str>, u16), Fault> {
    let (host, port) = text.rsplit_once(':').ok_or(Fault::HostPort)?;
    let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok());
    let named = !host.is_empty() && host.len() <= HOST_BYTES_MAX && host.bytes().all(name);
    let port: u16 = port.parse().map_err(|_ignored| Fault::HostPort)?;
    if port == 0 || !(named || bracketed) {
        return Err(Fault::HostPort);
    }
    if matches!(port, 80 | 443) {
        return Err(Fault::WebPort);
    }
    Ok((host.into(), port))
}
