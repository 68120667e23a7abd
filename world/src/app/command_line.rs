//! `[pure]` The command line as data. What each command does is in `app::run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use super::cluster::line::ClusterAction;
use super::config::{RawConfig, parse_duration};
use crate::ops::control::{BanKind, TreeOrder};

/// What `belay --help` says below its commands.
const AFTER_HELP: &str = "\
Without a command belay serves: data in ./belay-data, telnet on 127.0.0.1:4000, HTTP and
WebSocket on 127.0.0.1:4080, operations on 127.0.0.1:4081. \"belay config\" lists all settings.

Exit status: 64 configuration, 65 faulty content or refused request, 69 port or data in use or
no node running, 70 internal, 73 cannot create a file, 74 input or output.";

/// A multi-user world that keeps running: telnet and WebSocket, every part supervised.
#[derive(Debug, Parser)]
#[command(name = "belay", version, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct CommandLine {
    /// What to do; without one, serve.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Settings, when there is no command.
    #[command(flatten)]
    pub(super) settings: SettingFlags,
}

/// The commands of the executable.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start a node and serve until SIGTERM or Ctrl-C.
    Serve(SettingFlags),
    /// Print the effective configuration as TOML, with each default explained.
    Config(SettingFlags),
    /// Check a content directory: every fault with file, line and column.
    Check {
        /// The directory of the areas.
        dir: PathBuf,
    },
    /// Make content.
    Content {
        /// What to do.
        #[command(subcommand)]
        action: ContentAction,
    },
    /// Show the processes of the running node.
    ///
    /// A process a line, indented below its supervisor: name, number and state; how many messages
    /// are queued, and the most that ever were; how many it has handled, and the kind of the last;
    /// how long it has run, and for how long its code kept a thread busy; restarts and the last
    /// crash.
    Tree {
        /// Only this process and what is below it: a name as shown here, or a number.
        #[arg(value_name = "PROCESS")]
        process: Option<String>,
        /// Instead of a tree, list the 20 processes that have most of this, supervisors left out.
        #[arg(long, value_enum, value_name = "FIGURE")]
        sort: Option<TreeOrder>,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
        /// As JSON, with all figures.
        #[arg(long)]
        json: bool,
    },
    /// Show where the time of the running node goes.
    ///
    /// For the current interval of a minute until now: the time in each kind of process (its name
    /// up to the colon) and in what that does. "total" includes what is within, "self" does not.
    /// "kill -USR1" writes the same into the log of the node.
    Profile {
        /// The last whole minute instead.
        #[arg(long)]
        last: bool,
        /// Each thread for itself as well.
        #[arg(long)]
        threads: bool,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
        /// As JSON, always with all threads.
        #[arg(long)]
        json: bool,
    },
    /// Show what a process of the running node is handed next.
    ///
    /// A message a line: when it came, its kind, and how long the process was busy with it. Nothing
    /// of what is in the message. Ends after --count messages or --for, whichever is first.
    Trace {
        /// The process: a name as "belay tree" shows it, or a number.
        #[arg(value_name = "PROCESS")]
        process: String,
        /// So many messages, at most 10000.
        #[arg(long, value_name = "N", default_value_t = 20)]
        count: u32,
        /// Not longer than this, at most 5m.
        #[arg(long = "for", value_name = "TIME", default_value = "10s")]
        #[arg(value_parser = parse_duration)]
        lasts: Duration,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Give or take the rights of staff.
    Staff {
        /// What to do.
        #[command(subcommand)]
        action: StaffAction,
    },
    /// Copy the database of the running node, consistently.
    Backup {
        /// The file to write; it must not exist.
        file: PathBuf,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// Look after the bridge to other games.
    ///
    /// A game joins a Gossip network with "belay serve --gossip FILE"; who runs the hub makes the
    /// file. It is read again by itself when it changes.
    Gossip {
        /// What to do.
        #[command(subcommand)]
        action: GossipAction,
    },
    /// Found, see and order a cluster of nodes.
    Cluster {
        /// What to do.
        #[command(subcommand)]
        action: ClusterAction,
    },
    /// Shut out accounts and addresses.
    Ban {
        /// What to do.
        #[command(subcommand)]
        action: BanAction,
    },
}

/// `belay content ...`
#[derive(Debug, Subcommand)]
pub(super) enum ContentAction {
    /// Write a torus world for load tests: four exits a room.
    Generate {
        /// How many rooms: rows times columns.
        #[arg(long, value_name = "N")]
        rooms: u32,
        /// How many zones.
        #[arg(long, value_name = "Z")]
        zones: u32,
        /// The directory to write; it must hold no areas yet.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// `belay staff ...`
#[derive(Debug, Subcommand)]
pub(super) enum StaffAction {
    /// Make an account staff.
    Add {
        /// The name of the account.
        name: String,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// Make staff an ordinary account again.
    Remove {
        /// The name of the account.
        name: String,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// List all staff.
    List {
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
}

/// `belay gossip ...`
#[derive(Debug, Subcommand)]
pub(super) enum GossipAction {
    /// Show whether the network is reached, and if not why and when it is tried again.
    Status {
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
        /// As JSON, with all figures, mutes and blocks.
        #[arg(long)]
        json: bool,
    },
    /// Connect again after "belay gossip off".
    On(NodeFlags),
    /// Leave the network until "belay gossip on", or until the node is started again.
    Off(NodeFlags),
    /// Try to connect now.
    Retry(NodeFlags),
    /// Read the credentials file now.
    Reload(NodeFlags),
    /// Let a player speak to other games no more.
    Mute(GossipRule),
    /// Let a player speak to other games again.
    Unmute(GossipSubject),
    /// Read nothing of another game any more.
    Block(GossipRule),
    /// Read another game again.
    Unblock(GossipSubject),
}

/// A player or a game, and why.
#[derive(Debug, Clone, Args)]
pub(super) struct GossipRule {
    /// Which one.
    #[command(flatten)]
    pub(super) subject: GossipSubject,
    /// Why; a muted player is told.
    #[arg(long, default_value = "")]
    pub(super) reason: String,
}

/// A player or a game.
#[derive(Debug, Clone, Args)]
pub(super) struct GossipSubject {
    /// The player here who is muted, or the other game that is blocked.
    pub(super) name: String,
    /// Which node.
    #[command(flatten)]
    pub(super) node: NodeFlags,
}

/// `belay ban ...`
#[derive(Debug, Subcommand)]
pub(super) enum BanAction {
    /// Shut out an account, a character or an address.
    Add {
        /// Whom.
        #[command(flatten)]
        subject: BanSubject,
        /// For how long, such as 7d or 12h; for ever without.
        #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
        lasts: Option<Duration>,
        /// Why; the banned are told.
        #[arg(long, default_value = "")]
        reason: String,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// Let them in again.
    Remove {
        /// Whom.
        #[command(flatten)]
        subject: BanSubject,
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// List all bans.
    List {
        /// Which node.
        #[command(flatten)]
        node: NodeFlags,
    },
}

/// Whom a ban is about.
#[derive(Debug, Clone, Args)]
pub(super) struct BanSubject {
    /// What is named.
    #[arg(value_enum)]
    pub(super) kind: BanKind,
    /// A name; an address such as 192.0.2.7, or a network such as 192.0.2.0/24.
    pub(super) value: String,
}

/// The flags that say which running node is meant.
#[derive(Debug, Clone, Args)]
pub(super) struct NodeFlags {
    /// Data directory of the node.
    #[arg(long, value_name = "DIR", default_value = "./belay-data")]
    pub(super) data: PathBuf,
}

/// The flags that set something. Values are text here: the configuration checks them, so that
/// all that is wrong comes in one report.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SettingFlags {
    /// Read settings from this TOML file ("belay config" prints one).
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Data directory [default: ./belay-data].
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<String>,
    /// Directory of the areas [default: world/content if it is there, else the built-in world].
    #[arg(long, value_name = "DIR")]
    pub(super) content: Option<String>,
    /// Address for telnet players [default: 127.0.0.1:4000].
    #[arg(long, value_name = "ADDR")]
    pub(super) telnet: Option<String>,
    /// Address for browsers and WebSocket clients [default: 127.0.0.1:4080].
    #[arg(long, value_name = "ADDR")]
    pub(super) http: Option<String>,
    /// Address for metrics and health [default: 127.0.0.1:4081].
    #[arg(long, value_name = "ADDR")]
    pub(super) ops: Option<String>,
    /// Credentials file of the game on a Gossip network.
    #[arg(long, value_name = "FILE")]
    pub(super) gossip: Option<String>,
    /// What this node is called in its cluster.
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,
    /// Address for other nodes of the cluster.
    #[arg(long, value_name = "ADDR")]
    pub(super) cluster: Option<String>,
    /// Where a node of the cluster to join is reached. May be repeated.
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) join: Vec<String>,
    /// Set any setting, for example --set save.every=10s. May be repeated; the last one holds.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

impl SettingFlags {
    /// Adds the flags to `raw`: those of their own first, then each `--set` in order.
    pub(super) fn add_to(&self, raw: &mut RawConfig) {
        let join = (!self.join.is_empty()).then(|| self.join.join(","));
        let flags = [
            ("--data", &self.data),
            ("--content", &self.content),
            ("--telnet", &self.telnet),
            ("--http", &self.http),
            ("--ops", &self.ops),
            ("--gossip", &self.gossip),
            ("--node", &self.node),
            ("--cluster", &self.cluster),
            ("--join", &join),
        ];
        for (flag, value) in flags {
            if let Some(value) = value {
                raw.add_flag(flag, value);
            }
        }
        self.set.iter().for_each(|text| raw.add_set(text));
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::app::config::SETTINGS;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default_and_takes_the_same_flags() {
        let bare = CommandLine::try_parse_from(["belay", "--telnet", "127.0.0.1:1"]).expect("ok");
        assert!(bare.command.is_none());
        assert_eq!(bare.settings.telnet.as_deref(), Some("127.0.0.1:1"));
        let both = CommandLine::try_parse_from(["belay", "--telnet", "127.0.0.1:1", "config"]);
        assert!(both.is_err(), "flags belong behind the command");
    }

    #[test]
    fn every_flag_of_the_table_reaches_its_setting() {
        let flags: Vec<_> = SETTINGS.iter().filter_map(|setting| setting.flag).collect();
        assert_eq!(flags.len(), 9);
        for flag in flags {
            let line = CommandLine::try_parse_from(["belay", flag, "marker"]).expect(flag);
            let mut raw = RawConfig::default();
            line.settings.add_to(&mut raw);
            let setting = SETTINGS
                .iter()
                .find(|setting| setting.flag == Some(flag))
                .expect(flag);
            let (_, origin) = raw.value(setting);
            assert_eq!(origin.to_string(), flag);
        }
    }
}
