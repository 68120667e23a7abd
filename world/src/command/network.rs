//! `[pure]` Other games: who and what is there, and what staff does about them.

use super::order::{Command, Unclear};
use super::speech::{optional, person};
use super::words::{self, Words};
use crate::event::Text;

/// What is wanted of the network of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkCommand {
    /// `games`, `games al`.
    Games(Option<Text>),
    /// `notices`, `notices off`.
    Notices(Option<bool>),
    /// Staff: `bridge ...`.
    Bridge(BridgeOrder),
}

/// What staff wants of the bridge to other games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BridgeOrder {
    /// How it is.
    Status,
    /// Connect.
    On,
    /// Do not connect.
    Off,
    /// Try to connect now.
    Retry,
    /// Read the credentials file now.
    Reload,
    /// Which players are muted and which games are blocked.
    List,
    /// A player here may not speak to other games.
    Mute {
        /// Who.
        who: Text,
        /// Why.
        reason: Text,
    },
    /// The player may speak there again.
    Unmute(Text),
    /// Nothing of this game is read here.
    Block {
        /// Which game.
        game: Text,
        /// Why.
        reason: Text,
    },
    /// It is read again.
    Unblock(Text),
}

const HERE: &str = "the name of a player here, or bridge block for a whole other game";

const GAME: &str = "the name of a game, without that of a player";

const ORDERS: &str = "status, list, on, off, retry, reload, mute NAME, unmute NAME, block GAME \
     or unblock GAME";

/// `games`, `games al`.
pub(super) fn games(rest: &str) -> Command {
    let word = Words::new(rest).next();
    let prefix = word.map(|word| words::echo(word.raw).to_lowercase().into());
    Command::Network(NetworkCommand::Games(prefix))
}

/// `notices`, `notices off`.
pub(super) fn notices(rest: &str) -> Result<Command, Unclear> {
    let choice = match Words::new(rest).next() {
        None => None,
        Some(word) if word.is("on") => Some(true),
        Some(word) if word.is("off") => Some(false),
        Some(_) => return Err(Unclear::bad(rest, "on or off")),
    };
    Ok(Command::Network(NetworkCommand::Notices(choice)))
}

/// `bridge`, `bridge off`, `bridge mute ann spamming`.
pub(super) fn bridge(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    let order = match words.next() {
        None => BridgeOrder::Status,
        Some(word) => {
            let known = word.raw.to_ascii_lowercase();
            match known.as_str() {
                "status" => BridgeOrder::Status,
                "list" => BridgeOrder::List,
                "on" => BridgeOrder::On,
                "off" => BridgeOrder::Off,
                "retry" => BridgeOrder::Retry,
                "reload" => BridgeOrder::Reload,
                "mute" => {
                    let who = person(&mut words, "Mute whom?")?;
                    if who.contains('@') {
                        return Err(Unclear::bad(&who, HERE));
                    }
                    let reason = optional(words.rest())?;
                    BridgeOrder::Mute { who, reason }
                }
                "unmute" => BridgeOrder::Unmute(person(&mut words, "Unmute whom?")?),
                "block" => {
                    let game = game(&mut words, "Block which game?")?;
                    let reason = optional(words.rest())?;
                    BridgeOrder::Block { game, reason }
                }
                "unblock" => BridgeOrder::Unblock(game(&mut words, "Unblock which game?")?),
                _ => return Err(Unclear::bad(rest, ORDERS)),
            }
        }
    };
    Ok(Command::Network(NetworkCommand::Bridge(order)))
}

/// A game, also as `@Othergame`.
fn game(words: &mut Words<'_>, missing: &str) -> Result<Text, Unclear> {
    let typed = person(words, missing)?;
    match typed.trim_start_matches('@') {
        "" => Err(Unclear::missing(missing)),
        game if game.contains('@') => Err(Unclear::bad(game, GAME)),
        game => Ok(game.into()),
    }
}
