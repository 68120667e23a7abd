//! `[pure]` What can be asked on the control socket, and how it is answered.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ops::limits::{CONTROL_ANSWER, CONTROL_BACKUP, CONTROL_ORDER, CONTROL_TRACE};

/// One request line: `{"command":"crash-room","room":"town/square"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlRequest {
    /// Is the node up, since when, how many players: as `data`.
    Status,
    /// The supervision tree: for people as `text`, in full as `data`.
    Tree {
        /// Only what is at and below this process: a name, or a number.
        #[serde(default)]
        process: Option<String>,
        /// Only the first by this figure, as a list.
        #[serde(default)]
        order: Option<TreeOrder>,
    },
    /// Where the time of the node's threads goes.
    Profile {
        /// In the text: each thread for itself as well. The data always has them.
        #[serde(default)]
        threads: bool,
        /// In the last whole interval, instead of the current one until now.
        #[serde(default)]
        last: bool,
    },
    /// What a process is handed next: kinds and times, nothing of what is in the messages.
    Trace {
        /// Its name, or its number.
        process: String,
        /// So many messages.
        count: u32,
        /// Not longer than this, in milliseconds.
        lasts_ms: u64,
    },
    /// Make an account staff.
    StaffAdd {
        /// The account's name.
        name: String,
    },
    /// Make staff an ordinary account again.
    StaffRemove {
        /// The account's name.
        name: String,
    },
    /// All staff.
    StaffList,
    /// Write a consistent copy of the database.
    Backup {
        /// An absolute path that does not exist.
        file: PathBuf,
    },
    /// Shut out an account, a character or an address.
    BanAdd {
        /// What `value` names.
        kind: BanKind,
        /// A name, an address or a network.
        value: String,
        /// For how long, in seconds; for ever without.
        #[serde(default)]
        lasts_s: Option<u64>,
        /// Why; the banned are told; may be empty.
        #[serde(default)]
        reason: String,
    },
    /// Let them in again.
    BanRemove {
        /// What `value` names.
        kind: BanKind,
        /// A name, an address or a network.
        value: String,
    },
    /// All bans.
    BanList,
    /// Look after the bridge to other games.
    Gossip {
        /// What to do.
        order: GossipOrder,
        /// Which player or game, where there is one.
        #[serde(default)]
        name: String,
        /// Why; may be empty.
        #[serde(default)]
        reason: String,
    },
    /// Look at the cluster, or after it.
    Cluster {
        /// What to do.
        order: ClusterOrder,
    },
    /// Make a room panic, to see that nobody else notices.
    CrashRoom {
        /// The key of the room; without it, one is drawn.
        #[serde(default)]
        room: Option<String>,
    },
    /// Make a room keep its thread without awaiting, to see that the watchdog names it.
    StallRoom {
        /// The key of the room.
        room: String,
        /// For how long, in milliseconds.
        lasts_ms: u64,
    },
    /// Make the session of a player panic.
    CrashSession {
        /// The name of the character.
        name: String,
    },
    /// Drain and stop, as on SIGTERM.
    Shutdown,
}

impl ControlRequest {
    /// How long the node may take to answer.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        if let ControlRequest::Trace { lasts_ms, .. } = self {
            return CONTROL_TRACE.min(Duration::from_millis(*lasts_ms)) + CONTROL_ANSWER;
        }
        if matches!(self, ControlRequest::Cluster { .. }) {
            return CONTROL_ORDER;
        }
        if matches!(self, ControlRequest::Backup { .. }) {
            CONTROL_BACKUP
        } else {
            CONTROL_ANSWER
        }
    }

    /// Whether it only waits for what others do, so that a stop of the node does not wait for it.
    #[must_use]
    pub fn only_watches(&self) -> bool {
        matches!(self, ControlRequest::Trace { .. })
    }
}

impl ControlRequest {
    /// Whether it asks for no more than figures: programs do, every second.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        let ControlRequest::Cluster { order } = self else {
            return matches!(self, ControlRequest::Status);
        };
        matches!(order, ClusterOrder::Status { .. })
    }
}

/// What is wanted of the bridge to other games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GossipOrder {
    /// How it is, and all rules: as `data`.
    Status,
    /// Connect.
    On,
    /// Leave the network.
    Off,
    /// Try to connect now.
    Retry,
    /// Read the credentials file now.
    Reload,
    /// A player may not speak to other games.
    Mute,
    /// The player may again.
    Unmute,
    /// Nothing of a game is read here.
    Block,
    /// It is read again.
    Unblock,
}

/// What is wanted of the cluster: `{"move":{"shard":"zone:harbour","node":"n2"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClusterOrder {
    /// How it is: as text, and as `data`.
    Status {
        /// In the text one thing a line, instead of columns.
        #[serde(default)]
        lines: bool,
    },
    /// Empty a node.
    Drain {
        /// Its name.
        node: String,
    },
    /// Let a node own shards again.
    Undrain {
        /// Its name.
        node: String,
    },
    /// Move a shard.
    Move {
        /// Its name; of a zone, its key will do.
        shard: String,
        /// The name of the node that is to have it.
        node: String,
    },
    /// Even the load out now.
    Rebalance,
    /// Remove a node for good.
    Forget {
        /// Its name.
        node: String,
    },
    /// Remove a shard that no content has any more.
    Retire {
        /// Its name; of a zone, its key will do.
        shard: String,
    },
}

/// What processes are listed by, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum TreeOrder {
    /// The time that their code ran.
    Busy,
    /// The most messages that were ever queued.
    Queue,
    /// Restarts.
    Restarts,
}

/// What a ban names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BanKind {
    /// An account with all its characters.
    Account,
    /// One character.
    Character,
    /// An address, or a network of them.
    Address,
}

/// One answer line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum ControlAnswer {
    /// It was done.
    Done {
        /// For people; may have several lines.
        text: String,
        /// For programs.
        #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
        data: serde_json::Value,
    },
    /// The request is wrong, or asks for what cannot be (**refused**).
    Refused {
        /// What is wrong with it.
        #[serde(rename = "error")]
        reason: String,
    },
    /// The node has no room for it at the moment (**busy**).
    Busy {
        /// What is full.
        #[serde(rename = "error")]
        reason: String,
    },
    /// The node tried and failed (**bug**, or the database).
    Failed {
        /// What happened.
        #[serde(rename = "error")]
        reason: String,
    },
}

impl ControlAnswer {
    /// Done, with a text for people only.
    pub fn done(text: impl Into<String>) -> Self {
        ControlAnswer::Done {
            text: text.into(),
            data: serde_json::Value::Null,
        }
    }

    /// The request is wrong.
    pub fn refused(reason: impl Into<String>) -> Self {
        ControlAnswer::Refused {
            reason: reason.into(),
        }
    }

    /// The node has no room for it.
    pub fn busy(reason: impl Into<String>) -> Self {
        ControlAnswer::Busy {
            reason: reason.into(),
        }
    }

    /// The node tried and failed.
    pub fn failed(reason: impl Into<String>) -> Self {
        ControlAnswer::Failed {
            reason: reason.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<ControlRequest>) {
        assert_eq!(serde_json::from_str(line).ok(), expected, "{line}");
    }

    #[test]
    fn requests_are_tagged_in_kebab_case() {
        let tree = |process: Option<&str>, order| {
            let process = process.map(str::to_owned);
            Some(ControlRequest::Tree { process, order })
        };
        check(r#"{"command":"tree"}"#, tree(None, None));
        check(
            r#"{"command":"tree","process":"world","order":"busy"}"#,
            tree(Some("world"), Some(TreeOrder::Busy)),
        );
        check(r#"{"command":"tree","order":"beauty"}"#, None);
        check(
            r#"{"command":"profile","threads":true}"#,
            Some(ControlRequest::Profile {
                threads: true,
                last: false,
            }),
        );
        check(r#"{"command":"trace","process":"world"}"#, None);
        check(
            r#"{"command":"crash-room"}"#,
            Some(ControlRequest::CrashRoom { room: None }),
        );
        let room = Some("town/square".to_owned());
        check(
            r#"{"command":"crash-room","room":"town/square"}"#,
            Some(ControlRequest::CrashRoom { room }),
        );
        check(
            r#"{"command":"ban-add","kind":"address","value":"10.0.0.1"}"#,
            Some(ControlRequest::BanAdd {
                kind: BanKind::Address,
                value: "10.0.0.1".to_owned(),
                lasts_s: None,
                reason: String::new(),
            }),
        );
        check(
            r#"{"command":"gossip","order":"mute","name":"Ann"}"#,
            Some(ControlRequest::Gossip {
                order: GossipOrder::Mute,
                name: "Ann".to_owned(),
                reason: String::new(),
            }),
        );
        check(r#"{"command":"gossip","order":"sing"}"#, None);
        let cluster = |order| Some(ControlRequest::Cluster { order });
        check(
            r#"{"command":"cluster","order":{"status":{}}}"#,
            cluster(ClusterOrder::Status { lines: false }),
        );
        check(
            r#"{"command":"cluster","order":{"move":{"shard":"zone:a","node":"n2"}}}"#,
            cluster(ClusterOrder::Move {
                shard: "zone:a".to_owned(),
                node: "n2".to_owned(),
            }),
        );
        check(
            r#"{"command":"cluster","order":"rebalance"}"#,
            cluster(ClusterOrder::Rebalance),
        );
        check(r#"{"command":"cluster","order":{"drain":{}}}"#, None);
        check(r#"{"command":"cluster","order":"sing"}"#, None);
        check(r#"{"command":"nothing"}"#, None);
        check(r#"{"command":"staff-add"}"#, None);
        check(r#"{"command":"staff-add","name":"Ann","nmae":"x"}"#, None);
        check("[]", None);
    }

    #[test]
    fn a_retirement_names_a_shard() {
        let text = r#"{"command":"cluster","order":{"retire":{"shard":"zone:a"}}}"#;
        let shard = "zone:a".to_owned();
        let order = ClusterOrder::Retire { shard };
        let read = serde_json::from_str::<ControlRequest>(text).ok();
        assert_eq!(read, Some(ControlRequest::Cluster { order }));
    }

    #[test]
    fn a_trace_has_its_own_time_and_no_more_than_a_trace_may_have() {
        let deadline = |lasts_ms| {
            let process = "world".to_owned();
            let count = 1;
            let trace = ControlRequest::Trace {
                process,
                count,
                lasts_ms,
            };
            assert!(trace.only_watches());
            trace.deadline()
        };
        assert_eq!(deadline(500), CONTROL_ANSWER + Duration::from_millis(500));
        assert_eq!(deadline(u64::MAX), CONTROL_ANSWER + CONTROL_TRACE);
        assert!(!ControlRequest::Shutdown.only_watches());
        assert!(ControlRequest::Status.only_looks());
        let order = ClusterOrder::Status { lines: true };
        assert!(ControlRequest::Cluster { order }.only_looks());
        let order = ClusterOrder::Rebalance;
        assert!(
            !ControlRequest::Cluster {
                order: order.clone()
            }
            .only_looks()
        );
        assert_eq!(ControlRequest::Cluster { order }.deadline(), CONTROL_ORDER);
    }

    #[test]
    fn answers_read_back() {
        let full = ControlAnswer::Done {
            text: "ok".to_owned(),
            data: serde_json::json!([1]),
        };
        let answers = [
            full,
            ControlAnswer::done("two\nlines"),
            ControlAnswer::refused("no such room"),
            ControlAnswer::busy("too many connections"),
            ControlAnswer::failed("disk full"),
        ];
        for answer in answers {
            let line = serde_json::to_string(&answer).expect("writes");
            assert!(!line.contains('\n'), "one line: {line}");
            let done = matches!(answer, ControlAnswer::Done { .. });
            assert_eq!(
                line.contains("\"error\":\""),
                !done,
                "what clients look for: {line}"
            );
            assert_eq!(
                serde_json::from_str::<ControlAnswer>(&line).expect("reads"),
                answer
            );
        }
    }
}
