//! `[pure]` The bounds of a connection, each with its unit and what happens when it is reached.

use std::time::Duration;

/// Lines that a session has not answered yet. Reached: the socket is not read, TCP holds the client
/// back.
pub const LINES_IN_FLIGHT_MAX: u16 = 64;

/// A socket that is not read is read again when only this many lines are unanswered.
pub const LINES_IN_FLIGHT_RESUME: u16 = 48;

/// Bytes taken from a socket in one turn. More waits in the kernel.
pub const READ_BYTES: usize = 16 * 1_024;

/// Messages of the mailbox handled before what they say is written. More wait for the next turn.
pub const MESSAGES_PER_TURN: usize = 256;

/// Bytes that the buffers of a thread may keep between two turns. Larger ones are freed.
pub const SCRATCH_BYTES_RETAINED: usize = 256 * 1_024;

/// Slots that an emptied list of waiting texts keeps. Larger ones are freed.
pub const WAITING_RETAINED: usize = 4;

/// What a waiting text counts beside its bytes, so that many tiny ones are bounded too, in bytes.
pub const WAITING_OVERHEAD_BYTES: usize = 48;

/// How long a client that has closed its sending side may wait for the answers to what it sent.
/// Then the connection closes.
pub const HALF_CLOSED_MAX: Duration = Duration::from_secs(5);

/// How long the last bytes may take to reach the kernel when a connection closes. Then they are
/// lost.
pub const LAST_WRITE_MAX: Duration = Duration::from_secs(2);

/// How long we wait for the client to close too, so that it reads our last words before it is
/// reset.
pub const LINGER_MAX: Duration = Duration::from_secs(1);

/// Bytes that the kernel keeps for a reader that is behind. More waits here, where it can be
/// dropped; left to itself the kernel would keep megabytes, and the player would read what is long
/// past.
pub const SEND_BUFFER_BYTES: usize = 64 * 1_024;

/// Silence after which the kernel probes a peer.
pub const TCP_KEEPALIVE_IDLE: Duration = Duration::from_secs(60);

/// Time between two probes.
pub const TCP_KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Probes without an answer before the kernel gives up.
pub const TCP_KEEPALIVE_PROBES: u32 = 4;

/// How long bytes may stay unacknowledged before the kernel gives up.
pub const TCP_USER_TIMEOUT: Duration = Duration::from_secs(90);

/// How long an acceptor pauses when the node has no descriptor or memory left for a socket.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Failed accepts are logged at most once in this time.
pub const ACCEPT_LOG_GAP: Duration = Duration::from_secs(1);

const _: () = assert!(LINES_IN_FLIGHT_RESUME < LINES_IN_FLIGHT_MAX);
const _: () = assert!(LINES_IN_FLIGHT_MAX as usize <= crate::limits::LINES_AHEAD_MAX);

/// Congestion control of players' sockets: the one that every kernel has.
pub(super) const CONGESTION_CONTROL: &[u8] = b"reno";
