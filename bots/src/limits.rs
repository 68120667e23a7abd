//! `[pure]` Bounds of the bots, each with its unit and what happens when it is reached.

use std::time::Duration;

/// An unfinished line longer than this is cut: the rest of it is not looked at.
pub(crate) const LINE_BYTES_MAX: usize = 4 * 1024;

/// Bytes taken from a socket at once; one buffer a worker thread, shared by all its bots.
pub(crate) const READ_BYTES: usize = 16 * 1024;

/// Transcript of a scriptable bot; the oldest half goes when it is full.
pub(crate) const TRANSCRIPT_BYTES_MAX: usize = 1024 * 1024;

/// Unread text of a scriptable bot; the oldest half goes when it is full.
pub(crate) const UNREAD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What of the transcript an error shows: the last bytes.
pub(crate) const ERROR_TRANSCRIPT_BYTES: usize = 4 * 1024;

/// How long a scriptable bot waits for a text unless told otherwise.
pub(crate) const EXPECT_DEADLINE: Duration = Duration::from_secs(10);

/// Connecting and the WebSocket handshake: given up after this.
pub(crate) const CONNECT_DEADLINE: Duration = Duration::from_secs(15);

/// A node that says nothing for so long during a login has lost this client; the attempt is given
/// up. Not while a password is hashed: then only the bot's whole login deadline counts.
pub(crate) const SILENCE_DEADLINE: Duration = Duration::from_secs(15);

/// Without a greeting for so long a telnet bot sends IAC NOP, once. When a burst overflows the
/// listener's queue, the kernel answers with SYN cookies and may drop the client's last ACK: the
/// connection then exists for the client only, until the client sends something.
pub(crate) const NUDGE_AFTER: Duration = Duration::from_millis(500);

/// A command without its answer after this is `unanswered`, and counts with this latency.
pub(crate) const ANSWER_DEADLINE: Duration = Duration::from_secs(10);

/// All bots' tasks must be gone this long after the closing began.
pub(crate) const CLOSING_DEADLINE: Duration = Duration::from_secs(10);

/// One answer on the node's control socket.
pub(crate) const CONTROL_DEADLINE: Duration = Duration::from_secs(5);

/// One answer line on the control socket; a longer one counts as a failure.
pub(crate) const CONTROL_ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// Attempts of one bot to log in; then it is given up.
pub(crate) const LOGIN_ATTEMPTS_MAX: u32 = 10;

/// First wait before another attempt (with jitter; doubles each time).
pub(crate) const RETRY_WAIT_FIRST: Duration = Duration::from_millis(500);

/// Longest wait before another attempt.
pub(crate) const RETRY_WAIT_MAX: Duration = Duration::from_secs(8);

/// Different causes kept in one table; what is new beyond them counts as "other".
pub(crate) const CAUSES_MAX: usize = 24;

/// So many bots listen for other bots' words; enough for a percentile, cheap in a crowd.
pub(crate) const LISTENERS_MAX: u32 = 256;

/// Letters of a bot's number in its name: 26^4 names a prefix.
pub(crate) const NAME_NUMBER_LETTERS: usize = 4;

/// Names a prefix has room for.
pub(crate) const NAMES_PER_PREFIX: u32 = 26_u32.pow(4);

/// Longest name the node takes.
pub(crate) const NAME_LETTERS_MAX: usize = 20;

/// Most bots of one process; a socket needs a descriptor, and the usual limit is 20,000.
pub(crate) const BOTS_MAX: u32 = 60_000;

/// How often the driver of a crowd starts the bots that are due.
pub(crate) const RAMP_TICK: Duration = Duration::from_millis(5);

/// How often the driver looks at its counters after the ramp; each look wakes a thread.
pub(crate) const DRIVER_TICK: Duration = Duration::from_millis(50);

/// Most worker threads: the machine is shared with the node that is measured.
pub(crate) const WORKERS_MAX: usize = 8;

/// WebSocket read buffer of one bot.
pub(crate) const WEB_SOCKET_BUFFER_BYTES: usize = 1024;

/// Largest WebSocket message a bot takes; a bigger one is a protocol error.
pub(crate) const WEB_SOCKET_MESSAGE_BYTES_MAX: usize = 256 * 1024;

// The bots of trials.

/// One attempt to come back into the world; then the next node is tried.
pub(crate) const ATTEMPT_DEADLINE: Duration = Duration::from_secs(10);

/// Shortest wait before an attempt to come back.
pub(crate) const RETURN_WAIT_LEAST: Duration = Duration::from_millis(20);

/// Longest wait before the first attempt to come back; doubles with each.
pub(crate) const RETURN_WAIT_FIRST: Duration = Duration::from_millis(400);

/// Longest wait before any attempt to come back.
pub(crate) const RETURN_WAIT_MAX: Duration = Duration::from_secs(3);

/// All bots that are sent home go within this, each at another moment.
pub(crate) const HOME_WITHIN: Duration = Duration::from_secs(4);

/// A command that was refused through no fault of its own is typed again after this.
pub(crate) const REFUSED_WAIT: Duration = Duration::from_millis(250);

/// Bots of a trial that come in a second.
pub(crate) const TRIAL_RAMP_PER_S: f64 = 150.0;

/// Answers of probes that are kept; the scenario takes them out, and more are dropped.
pub(crate) const BEATS_MAX: usize = 200_000;

// The bots of the Gossip network.

/// Longest frame taken from a hub; a longer one ends the connection as broken. Hubs send 16 KiB.
pub(crate) const HUB_FRAME_BYTES_MAX: usize = 64 * 1024;

/// Bytes taken from a hub at once; one buffer a worker thread, shared by all its games.
pub(crate) const HUB_READ_BYTES: usize = 256 * 1024;

/// The hub's answer to the handshake; a longer one is none.
pub(crate) const HUB_HANDSHAKE_BYTES_MAX: usize = 8 * 1024;

/// Bytes that wait for a hub that does not read; more ends the connection.
pub(crate) const HUB_UNSENT_BYTES_MAX: usize = 64 * 1024;

/// Letters of a hub's error text that are shown and counted; the rest is cut.
pub(crate) const ERROR_TEXT_LETTERS_MAX: usize = 60;

/// Most games of one process; more is refused.
pub(crate) const GAMES_MAX: usize = 10_000;

/// Entries of a folder of credentials that are looked at; more are passed over.
pub(crate) const FOLDER_ENTRIES_MAX: usize = 100_000;

/// Senders unless told otherwise, or all games if there are fewer.
pub(crate) const SENDERS: usize = 100;

/// Most pairs of a game and a sender, each of which is kept account of (32 bytes); more is refused.
pub(crate) const PAIRS_MAX: usize = 4_000_000;

/// How often messages go out when many are due a second.
pub(crate) const SEND_TICK: Duration = Duration::from_millis(2);

/// How long the last messages may take to arrive unless told otherwise; what is not there then is
/// missed.
pub(crate) const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// Attempts of a pretended game to get in; then it is given up.
pub(crate) const ENTER_ATTEMPTS_MAX: u32 = 5;

/// How often a flood goes out.
pub(crate) const FLOOD_TICK: Duration = Duration::from_millis(2);

/// Messages of one tick of a flood; what is due beyond, after a time without reading, is dropped.
pub(crate) const FLOOD_BURST_MAX: u64 = 2_000;

/// Games that a flooding hub serves at once; more wait for a place.
pub(crate) const FLOODED_MAX: usize = 100;

/// Between two beats of a flooding hub, as in the protocol.
pub(crate) const BEAT_PERIOD: Duration = Duration::from_secs(15);

/// How long the talker waits before it tries a hub that is away again.
pub(crate) const TALKER_RETRY_WAIT: Duration = Duration::from_millis(10);

/// Messages of the talker that are kept account of; at the last one it falls silent.
pub(crate) const TALKS_MAX: usize = 1_000_000;

const _: () = assert!(HUB_FRAME_BYTES_MAX + 16 < HUB_READ_BYTES);
const _: () = assert!(NAME_NUMBER_LETTERS < NAME_LETTERS_MAX);
const _: () = assert!(READ_BYTES >= 1024);
