//! `[pure]` Bans: of a game, of a player of a game, of a name in all games, of an address or a
//! network. Each may end by itself.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use super::fault::Fault;
use super::game::{TextKind, clean_text, is_unseen};
use super::name::ShortName;
use crate::limits::PLAYER_NAME_MAX;

/// A ban's number in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BanId(pub i64);

/// A ban.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// Its number.
    pub id: BanId,
    /// Whom it keeps out.
    pub banned: Banned,
    /// When it ends, in Unix milliseconds; `None` = only by an operator.
    pub until_unix_ms: Option<i64>,
    /// Why, for the operators.
    pub reason: Box<str>,
}

impl Ban {
    /// A reason that fits.
    ///
    /// # Errors
    /// [`Fault::Reason`].
    pub fn checked_reason(text: &str) -> Result<Box<str>, Fault> {
        clean_text(text, TextKind::Reason)
    }
}

/// Whom a ban keeps out. As text: `@Game`, `Name@Game`, `Name`, `192.0.2.7`, `192.0.2.0/24`.
/// Names are compared ignoring case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Banned {
    /// A game: it cannot sign in.
    Game(ShortName),
    /// A player of one game: what they say is not passed on.
    Player {
        /// The player's name.
        name: Box<str>,
        /// The game.
        game: ShortName,
    },
    /// Every player of this name.
    Name(Box<str>),
    /// Every connection from here.
    Network(Network),
}

impl FromStr for Banned {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        if let Some(network) = Network::parse(text) {
            return network.map(Self::Network);
        }
        match text.rsplit_once('@') {
            Some(("", game)) => Ok(Self::Game(ShortName::parse(game)?)),
            Some((name, game)) => Ok(Self::Player {
                name: player_name(name)?,
                game: ShortName::parse(game)?,
            }),
            None if is_like_an_address(text) => Err(Fault::Ban),
            None => Ok(Self::Name(player_name(text)?)),
        }
    }
}

impl fmt::Display for Banned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(game) => write!(f, "@{game}"),
            Self::Player { name, game } => write!(f, "{name}@{game}"),
            Self::Name(name) => f.write_str(name),
            Self::Network(network) => network.fmt(f),
        }
    }
}

/// Whether somebody meant an address and mistyped it. A ban of such a name would keep out nobody.
fn is_like_an_address(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':' | b'*');
    text.contains(['.', ':'])
        && text.bytes().all(is_part)
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn player_name(text: &str) -> Result<Box<str>, Fault> {
    let text = text.trim();
    let bad = |character: char| character.is_control() || character == '@' || character == '/';
    if text.is_empty() || text.chars().count() > PLAYER_NAME_MAX || text.chars().any(bad) {
        return Err(Fault::PlayerName);
    }
    Ok(text.into())
}

/// An address, or all addresses with the same first bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// The address with its last bits cleared, as IPv6 (an IPv4 one mapped).
    bits: u128,
    /// How many first bits count, of 128.
    prefix: u8,
}

/// Bits in front of an IPv4 address in its mapped form.
const MAPPED_BITS: u8 = 96;

impl Network {
    /// `None` when the text does not look like an address at all.
    fn parse(text: &str) -> Option<Result<Self, Fault>> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let Ok(address) = address.parse::<IpAddr>() else {
            return prefix.map(|_| Err(Fault::Ban));
        };
        let (width, before) = match address {
            IpAddr::V4(_) => (32, MAPPED_BITS),
            IpAddr::V6(_) => (128, 0),
        };
        let prefix = match prefix.map(str::parse::<u8>) {
            None => width,
            Some(Ok(prefix)) if prefix <= width => prefix,
            Some(_) => return Some(Err(Fault::Ban)),
        };
        let prefix = prefix + before;
        let bits = mapped(address) & mask(prefix);
        Some(Ok(Self { bits, prefix }))
    }

    /// Whether an address is in it.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        mapped(address) & mask(self.prefix) == self.bits
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Ipv6Addr::from_bits(self.bits);
        let (address, width, prefix) = match address.to_ipv4_mapped() {
            Some(address) if self.prefix >= MAPPED_BITS => {
                (IpAddr::V4(address), 32, self.prefix - MAPPED_BITS)
            }
            Some(_) | None => (IpAddr::V6(address), 128, self.prefix),
        };
        if prefix == width {
            return write!(f, "{address}");
        }
        write!(f, "{address}/{prefix}")
    }
}

fn mapped(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn mask(prefix: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0)
}

/// When a ban ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Until {
    /// In Unix milliseconds.
    Time(i64),
    Ever,
}

impl Until {
    fn holds(self, now_unix_ms: i64) -> bool {
        match self {
            Self::Time(until) => until > now_unix_ms,
            Self::Ever => true,
        }
    }
}

/// Bans by what is looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bans {
    games: BTreeMap<Box<str>, Until>,
    /// Folded game, then folded name.
    players: BTreeMap<Box<str>, BTreeMap<Box<str>, Until>>,
    names: BTreeMap<Box<str>, Until>,
    networks: Vec<(Network, Until)>,
    len: usize,
}

impl Bans {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn add(&mut self, ban: Ban) {
        let until = ban.until_unix_ms.map_or(Until::Ever, Until::Time);
        let slot = match ban.banned {
            Banned::Network(network) => {
                self.networks.push((network, until));
                self.len += 1;
                return;
            }
            Banned::Game(game) => self.games.entry(game.folded()),
            Banned::Player { name, game } => {
                let players = self.players.entry(game.folded()).or_default();
                players.entry(folded(&name))
            }
            Banned::Name(name) => self.names.entry(folded(&name)),
        };
        let kept = slot.or_insert(until);
        *kept = until.max(*kept);
        self.len += 1;
    }

    pub(super) fn game(&self, game: &ShortName, now_unix_ms: i64) -> bool {
        !self.games.is_empty() && holds(self.games.get(&game.folded()), now_unix_ms)
    }

    pub(super) fn player(&self, name: &str, game: &ShortName, now_unix_ms: i64) -> bool {
        if self.names.is_empty() && self.players.is_empty() {
            return false;
        }
        let name = folded(name);
        let here = self.players.get(&game.folded());
        holds(self.names.get(&name), now_unix_ms)
            || holds(here.and_then(|names| names.get(&name)), now_unix_ms)
    }

    pub(super) fn address(&self, address: IpAddr, now_unix_ms: i64) -> bool {
        let holds = |(network, until): &(Network, Until)| {
            until.holds(now_unix_ms) && network.contains(address)
        };
        self.networks.iter().any(holds)
    }
}

fn holds(until: Option<&Until>, now_unix_ms: i64) -> bool {
    until.is_some_and(|until| until.holds(now_unix_ms))
}

/// A name without its case, and without what cannot be seen in it.
fn folded(name: &str) -> Box<str> {
    let seen = name.chars().filter(|character| !is_unseen(*character));
    let folded: String = seen.flat_map(char::to_lowercase).collect();
    folded.trim().into()
}
