//! `[pure]` The command line as data. What each command does is in its own file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use super::span::parse_span;
use crate::hub::core::BucketRule;
use crate::hub::directory::{Banned, ShortName};
use crate::limits::HISTORY_RING_DEFAULT;
use crate::protocol::ChannelName;

/// What `belay-hub --help` says below its commands.
const AFTER_HELP: &str = "\
A first network:
  belay-hub game add MyGame --out mygame.toml    what MyGame signs in with
  belay-hub serve                                games connect to ws://HOST:4110/socket

All commands work on the data directory, whether a hub is running or not; a running hub sees what
they changed within a second.

Exit status: 64 command line, 65 refused or faulty data, 69 port, directory or database in use,
70 internal, 73 cannot create a file, 74 input or output.";

/// A hub of the Gossip network (also called Grapevine): a meeting place where games share chat
/// channels, player lists and private messages.
#[derive(Debug, Parser)]
#[command(name = "belay-hub", version, after_help = AFTER_HELP)]
pub(super) struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
    /// The directory of the hub's database; made when it is not there.
    #[arg(long, global = true, value_name = "DIR", default_value = "hub-data")]
    pub(super) data: PathBuf,
}

/// The commands of the executable.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the hub until SIGTERM or Ctrl-C.
    Serve(Box<ServeFlags>),
    /// Say which games may connect.
    Game {
        /// What to do.
        #[command(subcommand)]
        action: GameAction,
    },
    /// Keep out games, players and addresses.
    Ban {
        /// What to do.
        #[command(subcommand)]
        action: BanAction,
    },
    /// Describe, hide and pause channels.
    Channel {
        /// What to do.
        #[command(subcommand)]
        action: ChannelAction,
    },
}

/// A list, and in which form.
#[derive(Debug, Args)]
pub(super) struct ListFlags {
    /// As JSON, with all fields; times are Unix milliseconds.
    #[arg(long)]
    pub(super) json: bool,
}

/// `belay-hub game ...`
#[derive(Debug, Subcommand)]
pub(super) enum GameAction {
    /// Register a game and show what it signs in with. The secret is shown this once.
    Add {
        /// The name on the network: at most 15 letters and digits.
        name: ShortName,
        /// What of it is shown.
        #[command(flatten)]
        text: TextFlags,
        /// Where the credentials go.
        #[command(flatten)]
        out: OutFlags,
    },
    /// Change what a game shows of itself; what is not named stays.
    Set {
        /// The game.
        name: String,
        /// What changes.
        #[command(flatten)]
        text: TextFlags,
        /// List it again after --hidden.
        #[arg(long, conflicts_with = "hidden")]
        listed: bool,
        /// Show its players again after --hide-players.
        #[arg(long, conflicts_with = "hide_players")]
        show_players: bool,
    },
    /// List all games.
    List(ListFlags),
    /// Show all that is known of a game, without its secret, which is kept only as a hash.
    Show {
        /// The game.
        name: String,
        /// How.
        #[command(flatten)]
        list: ListFlags,
    },
    /// Keep a game out: its connections are closed, it cannot sign in.
    Disable {
        /// The game.
        name: String,
    },
    /// Let a disabled game in again.
    Enable {
        /// The game.
        name: String,
    },
    /// Give a game a new secret, shown this once. The old one ends, and its connections are
    /// closed.
    Rotate {
        /// The game.
        name: String,
        /// Where the credentials go. A file with this game's credentials is replaced.
        #[command(flatten)]
        out: OutFlags,
    },
    /// Remove a game and its achievements for good.
    Remove {
        /// The game.
        name: String,
    },
}

/// What a game shows of itself.
#[derive(Debug, Args)]
pub(super) struct TextFlags {
    /// Its full name; without it the short one.
    #[arg(long, value_name = "TEXT")]
    pub(super) display_name: Option<String>,
    /// What it is, in a few sentences.
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// Its page, http:// or https://.
    #[arg(long, value_name = "URL")]
    pub(super) homepage: Option<String>,
    /// Where to play it by telnet.
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) telnet: Option<String>,
    /// Where to play it by telnet over TLS.
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) secure_telnet: Option<String>,
    /// Where to play it in a browser.
    #[arg(long, value_name = "URL")]
    pub(super) web: Option<String>,
    /// List it nowhere. It can still chat.
    #[arg(long)]
    pub(super) hidden: bool,
    /// Do not show who plays it. Its players cannot be sent private messages.
    #[arg(long)]
    pub(super) hide_players: bool,
}

impl TextFlags {
    /// Whether none of them is there.
    pub(super) fn is_empty(&self) -> bool {
        let texts = [
            &self.display_name,
            &self.description,
            &self.homepage,
            &self.telnet,
            &self.secure_telnet,
            &self.web,
        ];
        texts.iter().all(|text| text.is_none()) && !self.hidden && !self.hide_players
    }
}

/// Where credentials go.
#[derive(Debug, Args)]
pub(super) struct OutFlags {
    /// Write the credentials to this file, readable by you only, instead of showing them.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// The hub's address as the game will use it, as in wss://hub.example/socket. Without it the
    /// one that the file has; else that of the hub which ran here last (see "serve --url").
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
}

/// `belay-hub ban ...`
#[derive(Debug, Subcommand)]
pub(super) enum BanAction {
    /// Ban a game (@Game), a player of a game (Name@Game), a name in all games (Name), or an
    /// address or network (192.0.2.7, 192.0.2.0/24). A second ban of the same replaces the first.
    Add {
        /// Whom.
        #[arg(value_name = "WHO")]
        banned: Banned,
        /// How long, as in 30m, 2h, 7d; without it until it is removed.
        #[arg(long = "for", value_name = "TIME", value_parser = parse_span)]
        lasts: Option<Duration>,
        /// Why, for the list.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// List all bans.
    List(ListFlags),
    /// Lift a ban, written as in the list.
    Remove {
        /// Whom.
        #[arg(value_name = "WHO")]
        banned: Banned,
    },
}

/// `belay-hub channel ...`
#[derive(Debug, Subcommand)]
pub(super) enum ChannelAction {
    /// List all channels that were ever used. A channel is made by its first use, as a hidden one.
    List(ListFlags),
    /// Describe a channel and so list it for all.
    Describe {
        /// The channel: 3 to 15 letters, - or _.
        name: ChannelName,
        /// What it is about; without it only listed.
        text: Option<String>,
    },
    /// List a channel no longer. Who knows its name can use it as before.
    Hide {
        /// The channel.
        name: ChannelName,
    },
    /// Let nothing through on a channel for a while.
    Pause {
        /// The channel.
        name: ChannelName,
        /// How long.
        #[arg(long = "for", value_name = "TIME", value_parser = parse_span, default_value = "30m")]
        lasts: Duration,
    },
    /// End a pause.
    Resume {
        /// The channel.
        name: ChannelName,
    },
}

/// `belay-hub serve`
#[derive(Debug, Args)]
pub(super) struct ServeFlags {
    /// Address and port for games and for the public page; [::]:4110 for all interfaces.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4110")]
    pub(super) listen: SocketAddr,
    /// Address and port of /metrics and /_health, for the operator; keep it private.
    #[arg(long, value_name = "ADDR")]
    pub(super) ops: Option<SocketAddr>,
    /// The certificate chain (PEM) for wss://; without it the hub speaks plain ws://.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(super) tls_cert: Option<PathBuf>,
    /// The private key (PEM) of the certificate.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(super) tls_key: Option<PathBuf>,
    /// Have a game NAME with its credentials in FILE; both are made when they are not there.
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_ensure)]
    pub(super) ensure: Vec<Ensure>,
    /// The hub's address in credentials files; without it made of --listen.
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// How long a restart is announced to take when the hub is stopped.
    #[arg(long, value_name = "TIME", value_parser = parse_span, default_value = "15s")]
    pub(super) downtime: Duration,
    /// How many connections there may be.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(super) connections: usize,
    /// How many connections one address may have. This machine itself has no limit of its own.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(super) per_address: usize,
    /// A limit for this machine itself too.
    #[arg(long, value_name = "N")]
    pub(super) per_loopback: Option<usize>,
    /// How long a connection may say nothing at all before it is closed.
    #[arg(long, value_name = "TIME", value_parser = parse_span, default_value = "60s")]
    pub(super) idle: Duration,
    /// Limit of all frames of a connection: BURST/PER_SECOND.
    #[arg(long, value_name = "N/N", default_value = "100/20", value_parser = parse_rate)]
    pub(super) rate_all: BucketRule,
    /// Limit of messages of a connection to channels: BURST/PER_SECOND.
    #[arg(long, value_name = "N/N", default_value = "10/2", value_parser = parse_rate)]
    pub(super) rate_send: BucketRule,
    /// Limit of subscriptions of a connection, and of their ends: BURST/PER_SECOND.
    #[arg(long, value_name = "N/N", default_value = "5/1", value_parser = parse_rate)]
    pub(super) rate_subscribe: BucketRule,
    /// Messages of each channel kept in memory for games that ask for what they missed.
    #[arg(long, value_name = "N", default_value_t = HISTORY_RING_DEFAULT)]
    pub(super) history: usize,
    /// Answer exactly as the reference hub does, even where that ends known clients.
    #[arg(long)]
    pub(super) reference_replies: bool,
    /// What to log, as in "info" or "belay_gossip=debug,warn".
    #[arg(long, value_name = "FILTER", default_value = "info")]
    pub(super) log: String,
    /// Log one JSON object a line.
    #[arg(long)]
    pub(super) log_json: bool,
}

/// A game that must be there, and the file with its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ensure {
    pub(super) name: ShortName,
    pub(super) file: PathBuf,
}

fn parse_ensure(text: &str) -> Result<Ensure, String> {
    let Some((name, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
        return Err("write NAME=FILE, as in MyGame=mygame.toml".to_owned());
    };
    Ok(Ensure {
        name: ShortName::parse(name).map_err(|fault| fault.to_string())?,
        file: file.into(),
    })
}

fn parse_rate(text: &str) -> Result<BucketRule, String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let rule = text
        .split_once('/')
        .and_then(|(limit, leak)| Some((number(limit)?, number(leak)?)));
    let Some((limit, leak)) = rule else {
        return Err("write BURST/PER_SECOND as two whole numbers, as in 100/20".to_owned());
    };
    Ok(BucketRule::new(f64::from(limit), f64::from(leak)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_rate_is_two_numbers_above_zero() {
        assert_eq!(parse_rate("10/2"), Ok(BucketRule::new(10.0, 2.0)));
        for bad in ["", "10", "0/1", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert!(parse_rate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_must_be_there_names_a_game_and_a_file() {
        let ensure = parse_ensure("MyGame=a=b.toml").expect("is good");
        assert_eq!(
            (ensure.name.as_str(), ensure.file),
            ("MyGame", "a=b.toml".into())
        );
        for bad in ["MyGame", "MyGame=", "=x", "a b=x", "grapevine=x"] {
            assert!(parse_ensure(bad).is_err(), "{bad}");
        }
    }
}
