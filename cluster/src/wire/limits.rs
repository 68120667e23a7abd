//! `[pure]` The limits of the wires, with what happens when each is reached.

use super::handshake::Versions;
use crate::ids::NodeName;
use crate::limits::{FRAME_BYTES_MAX, NODES_MAX, STATE_BYTES_MAX};
use std::time::Duration;

/// The versions of the protocol that this build speaks.
pub const VERSIONS: Versions = Versions { min: 1, max: 1 };

/// A frame of a handshake, in bytes. A longer one is taken for garbage.
pub const HANDSHAKE_BYTES_MAX: usize = 64 * 1024;

/// Connections that have not shown who they are yet. Further ones are closed at once.
pub const HANDSHAKES_MAX: usize = 128;

/// Within this a connection says which lane it is, in its first byte.
pub const PREFACE_WITHIN: Duration = Duration::from_secs(2);

/// Within this a node that is dialled answers at all. Cut off, it is tried anew, so that it is
/// reached soon after it is reachable.
pub const CONNECT_WITHIN: Duration = Duration::from_millis(1_500);

/// Within this a connection is opened and both ends know each other; else it is closed.
pub const HANDSHAKE_WITHIN: Duration = Duration::from_secs(5);

/// Nodes that ask to join at the same time. Further ones are told to come again.
pub const JOINS_MAX: usize = 8;

/// The address of a node, `HOST:PORT`, in bytes. A node with a longer one does not join.
pub const ADDRESS_BYTES_MAX: usize = 261;

/// Within this a node that asks to join has its answer.
pub const JOIN_WITHIN: Duration = Duration::from_secs(10);

/// What one write takes at most out of a queue: messages.
pub const GATHER_MESSAGES: usize = 64;

/// What one write takes at most out of a queue: bytes, and one message more.
pub const GATHER_BYTES: usize = 32 * 1024;

/// Messages that wait for a control wire. One more closes it.
pub const CONTROL_MESSAGES_MAX: u32 = 4 * 1024;

/// Bytes that wait for a control wire. More close it.
pub const CONTROL_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Messages that wait for a play wire. Further ambient ones are dropped and counted.
pub const PLAY_MESSAGES_MAX: u32 = 16 * 1024;

/// Bytes that wait for a play wire. Further ambient ones are dropped and counted.
pub const PLAY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Further messages that wait for a play wire, for what is owed. One more closes it.
pub const OWED_MESSAGES_MAX: u32 = 16 * 1024;

/// Further bytes that wait for a play wire, for what is owed: a whole state that is handed over,
/// and more. Beyond them it is closed.
pub const OWED_BYTES_MAX: usize = 80 * 1024 * 1024;

/// Bytes that the system keeps for a node that does not read. What is queued there stands between
/// a ping and its pong.
pub const SEND_BYTES: usize = 256 * 1024;

/// Bytes that are read at once.
pub const READ_BYTES: usize = 32 * 1024;

/// How long a wire that is closed in order may take to write what waits.
pub const FAREWELL_WITHIN: Duration = Duration::from_millis(500);

/// How long, and for how many bytes, one that was refused is listened to, so that it reads why.
pub const LINGER: (Duration, usize) = (Duration::from_millis(300), 64 * 1024);

/// Between two pings of a control wire, after the pong.
pub const CONTROL_PING_EVERY: Duration = Duration::from_millis(400);

/// A control wire whose pong takes longer is closed.
pub const CONTROL_PONG_WITHIN: Duration = Duration::from_millis(1_100);

/// Between two pings of a play wire, after the pong.
pub const PLAY_PING_EVERY: Duration = Duration::from_millis(1_000);

/// A play wire whose pong takes longer is closed.
pub const PLAY_PONG_WITHIN: Duration = Duration::from_millis(2_000);

/// The first wait before a node is dialled again, and the longest.
pub const REDIAL: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// The longest wait before a node is knocked at again to which there is no wire.
pub const KNOCK_EVERY: Duration = Duration::from_secs(2);

/// Knocks of one node at the same time. Further ones follow.
pub const KNOCKS_MAX: usize = 8;

/// A wait after the system could not give another socket.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Peers whose last trouble is remembered so that it is logged once. The oldest is forgotten.
pub const TROUBLES_MAX: usize = 256;

/// What is believed of a text that a peer sends, in bytes. The rest is cut.
pub const TEXT_BYTES_MAX: usize = 400;

const _: () = assert!(GATHER_BYTES < FRAME_BYTES_MAX);
const _: () = assert!(OWED_BYTES_MAX > STATE_BYTES_MAX);
const _: () = assert!(HANDSHAKE_BYTES_MAX < FRAME_BYTES_MAX);
// All members fit into one answer, each with two lengths and two numbers.
const _: () =
    assert!(NODES_MAX * (ADDRESS_BYTES_MAX + NodeName::BYTES_MAX + 12) < HANDSHAKE_BYTES_MAX);
