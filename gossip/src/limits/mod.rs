//! `[pure]` The bounds of the network, each with its unit, its reason and what happens when it is
//! reached.

use std::time::Duration;

mod client;

pub use client::*;

// The protocol.

/// Bytes of one frame from the other side. The hub closes with 1009; the client reconnects.
pub const FRAME_IN_BYTES_MAX: usize = 64 * 1024;

/// Bytes of one frame that we send: one known client reads no more. Lists are split or cut.
pub const FRAME_OUT_BYTES_MAX: usize = 16 * 1024;

/// How deep arrays and objects of a frame may be nested. What is deeper is no valid frame.
pub const DEPTH_MAX: usize = 32;

/// Characters of a channel's name on the network. Others are no channel names.
pub const CHANNEL_CHARS: std::ops::RangeInclusive<usize> = 3..=15;

/// Bytes of a message on a channel or of a tell; the rest is cut at a character.
pub const MESSAGE_BYTES_MAX: usize = 4096;

/// Characters of a player's name on the network; the rest is cut.
pub const NAME_CHARS_MAX: usize = 100;

/// Bytes of a reference that is echoed; a frame with a longer one is no valid frame.
pub const REFERENCE_BYTES_MAX: usize = 1024;
const _: () = assert!(REFERENCE_BYTES_MAX + 2 * MESSAGE_BYTES_MAX < FRAME_OUT_BYTES_MAX);

/// Entries of a list in a frame (players, channels, flags); the rest is not read.
pub const LIST_MAX: usize = 2_000;

// The hub's directory: what its operator registers.

/// Characters of a game's short name, the `game` of every frame. Longer: refused.
pub const SHORT_NAME_MAX: usize = 15;

/// Characters of a game's display name. More: refused.
pub const DISPLAY_NAME_MAX: usize = 60;

/// Characters of a description of a game or a channel. More: refused. With the other bounds here
/// it keeps a game's status within one small frame.
pub const DESCRIPTION_MAX: usize = 1_000;

/// Bytes of an address of a page. More: refused.
pub const URL_BYTES_MAX: usize = 300;

/// Bytes of a host name, as in DNS. More: refused.
pub const HOST_BYTES_MAX: usize = 253;

/// Characters of a player's name in a ban. More: refused.
pub const PLAYER_NAME_MAX: usize = 100;

/// Characters of the reason of a ban. More: refused.
pub const REASON_MAX: usize = 200;

/// Games of one hub. More: `game add` refuses, and a directory leaves the rest out.
pub const GAMES_MAX: usize = 10_000;

/// Bans of one hub. More: `ban add` refuses, and a directory leaves the rest out.
pub const BANS_MAX: usize = 10_000;

/// Channels that a hub keeps in its database. A channel beyond works, but is not remembered.
pub const CHANNELS_MAX: usize = 10_000;

/// Points of all achievements of a game. With as many no more can be made, so that this also
/// bounds how many a game has (see [`ACHIEVEMENTS_MAX`]).
pub const ACHIEVEMENT_POINTS_MAX: u32 = 500;

/// Achievements of a game, whatever they are worth. More: refused as "no points left".
pub const ACHIEVEMENTS_MAX: usize = 1_000;

// The hub's store.

/// How long a lock of another process on the database is waited for. Then it counts as failed, and
/// is tried again.
pub const DATABASE_LOCK_WAIT: Duration = Duration::from_secs(3);

/// How often the store writes what it was told, and looks whether somebody else has written.
pub const STORE_POLL: Duration = Duration::from_secs(1);

/// The longest pause between two tries of a database that fails.
pub const STORE_RETRY_MAX: Duration = Duration::from_secs(30);

/// Orders that wait for the store. More: dropped and counted.
pub const STORE_MAILBOX: u32 = 4_096;

/// Changed achievements that are not in the database yet. More: dropped and counted.
pub const PENDING_ACHIEVEMENTS_MAX: usize = 10_000;

/// How long the store may take to write its last orders when the hub stops.
pub const STORE_STOP: Duration = Duration::from_secs(5);

// The credentials file.

/// Bytes of a credentials file. Longer: refused.
pub const CREDENTIALS_BYTES_MAX: usize = 16 * 1024;

/// Bytes of an id or a secret in it. Longer: refused.
pub const SECRET_BYTES_MAX: usize = 200;

// The hub's core.

/// Open sockets of a hub. One more is closed with 1013.
pub const SOCKETS_MAX: usize = 20_000;

/// Authenticated sockets of one game; one known client opens one per channel. One more fails to
/// authenticate.
pub const SOCKETS_PER_GAME_MAX: usize = 64;

/// Channels that one socket hears. A subscription beyond fails.
pub const CHANNELS_PER_SOCKET_MAX: usize = 100;

/// Channels of one game on all of its sockets, over which it makes no new ones: it fails.
pub const CHANNELS_PER_GAME_MAX: usize = 200;

/// Channels in use at once. A channel that nobody hears goes for a new one, else it fails.
pub const CHANNELS_LIVE_MAX: usize = 1_000;

/// Channels that the status of a game names; the rest is left out, so that it fits a frame.
pub const CHANNELS_SHOWN_MAX: usize = 200;

/// Names in a welcome that are no channels; the rest is left out, so that it fits a frame.
pub const REJECTED_SHOWN_MAX: usize = 20;

/// Players of one socket; the rest of a beat is not read, a sign-in beyond is not passed on.
pub const PLAYERS_PER_SOCKET_MAX: usize = 1_000;

/// Players of one game on all of its sockets that are looked at; nobody hears of the rest.
pub const PLAYERS_PER_GAME_MAX: usize = 4_000;

/// Characters of what a game says it runs, and of the version it says it knows; the rest is cut.
pub const USER_AGENT_CHARS_MAX: usize = 100;

/// Bytes of the time in a tell. A longer one is no time.
pub const SENT_AT_BYTES_MAX: usize = 64;

/// Addresses of failed authentications that are remembered. One more is delayed as if it had
/// failed often.
pub const ADDRESSES_MAX: usize = 10_000;

/// Messages of a channel that are kept, when the operator says nothing.
pub const HISTORY_RING_DEFAULT: usize = 100;

/// Messages of a channel that are kept, whatever the operator says. The oldest goes.
pub const HISTORY_RING_MAX: usize = 1_000;

/// Bytes of text of a channel that are kept, so that all channels keep at most 64 MB. The oldest
/// message goes.
pub const HISTORY_BYTES_MAX: usize = 64 * 1024;

/// Tells whose receipt is outstanding. The oldest is forgotten.
pub const TELL_RECEIPTS_MAX: usize = 10_000;

/// How long a receipt may take. Then it is forgotten.
pub const RECEIPT_WITHIN: Duration = Duration::from_secs(60);

/// Refused connections that are logged in [`REFUSALS_PERIOD`]; the rest is a number in the next
/// record.
pub const REFUSALS_LOGGED_MAX: u32 = 20;

/// See [`REFUSALS_LOGGED_MAX`].
pub const REFUSALS_PERIOD: Duration = Duration::from_secs(60);

/// Time between two beats of a socket.
pub const BEAT_EVERY: Duration = Duration::from_secs(15);

/// Beats that may go unanswered. When one more is due the socket is closed with 4001.
pub const BEATS_UNANSWERED_MAX: u32 = 3;

/// How long a game may be gone before others are told.
pub const GRACE: Duration = Duration::from_secs(60);

/// How long a socket that asked for it is answered without references.
pub const DEBUG_FOR: Duration = Duration::from_secs(300);

/// Seconds by which the announced downtime of a restart differs between sockets.
pub const RESTART_JITTER_S: u64 = 5;

/// Achievements in one frame; fewer when they are long.
pub const ACHIEVEMENTS_PER_FRAME: usize = 10;

/// Characters of the title of an achievement. More: refused.
pub const ACHIEVEMENT_TITLE_MAX: usize = 200;

/// Characters of the description of an achievement. More: refused.
pub const ACHIEVEMENT_DESCRIPTION_MAX: usize = 500;

/// Bytes of a payload that is as long as its content is; with a reference it fits a frame.
pub const PAYLOAD_BYTES_MAX: usize = FRAME_OUT_BYTES_MAX - REFERENCE_BYTES_MAX - 256;

// The hub's sockets.

/// How long a TLS handshake, and then a request, may take. Reached: the connection is closed.
pub const GREETING: Duration = Duration::from_secs(10);

/// Bytes of the head of a request. More: answered with 431.
pub const REQUEST_HEAD_BYTES_MAX: usize = 16 * 1024;

/// PINGs, other frames without text, and texts that are no JSON, of one socket in
/// [`UNLIMITED_WITHIN`]; nothing else limits them. More: closed with 1008.
pub const UNLIMITED_FRAMES_MAX: u32 = 1_000;

/// See [`UNLIMITED_FRAMES_MAX`].
pub const UNLIMITED_WITHIN: Duration = Duration::from_secs(10);

/// Frames that wait to be written to one socket. More: the socket is cut, as its game does not
/// read.
pub const SOCKET_QUEUE_FRAMES: u32 = 8_192;

/// Bytes of the frames that wait to be written to one socket; shared ones count in full. More: the
/// socket is cut.
pub const SOCKET_QUEUE_BYTES: usize = 4 * 1024 * 1024;

/// Slots of a socket's queue beyond, for its close.
pub const SOCKET_QUEUE_RESERVED: u32 = 2;

/// How long frames are gathered into one write after a write. A frame to a socket that was quiet
/// for so long is written at once.
pub const GATHER: Duration = Duration::from_millis(10);

/// Frames written to one socket before it looks for what came in.
pub const FRAMES_PER_WRITE: usize = 256;

/// Frames, and then kilobytes, that are read after our close until the game closes as well. More:
/// the connection is reset.
pub const READS_AFTER_CLOSE_MAX: u32 = 1_024;

/// Bytes of a socket's buffer for reading.
pub const READ_BUFFER_BYTES: usize = 4 * 1024;

/// Bytes that are gathered for one write; more are written in pieces.
pub const WRITE_BUFFER_BYTES: usize = 16 * 1024;

/// How long one write to a socket may take. Reached: the socket is cut, as its game does not read.
pub const WRITE_STALL_MAX: Duration = Duration::from_secs(30);

/// How long a closed socket waits for the other side's close, so that the last frames arrive.
pub const CLOSE_LINGER: Duration = Duration::from_secs(2);

/// How long one socket may take to say goodbye when the hub stops. Then it is dropped.
pub const SOCKET_STOP: Duration = Duration::from_secs(3);

/// Messages in the core's mailbox. Full: sockets stop reading until there is room.
pub const CORE_MAILBOX: u32 = 16_384;

/// Slots of the core's mailbox beyond, for ends of sockets and words of the operator.
pub const CORE_RESERVED: u32 = 4_096;

/// Crashes of the core in a row, without one input handled in between. Reached: its state is taken
/// for spoiled; all sockets are cut, and it begins anew.
pub const CORE_CRASHES_MAX: u32 = 3;

/// The longest time between two looks at the clock of the core.
pub const CORE_TICK: Duration = Duration::from_secs(1);

/// Connections that the kernel keeps for us until they are accepted.
pub const LISTEN_BACKLOG: i32 = 1_024;

/// How long accepting pauses when it fails, as without file descriptors.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Connections to the operator's listener. More wait in the kernel.
pub const OPS_CONNECTIONS_MAX: usize = 32;

/// How long after the word of a restart the sockets are closed, so that it arrives.
pub const RESTART_NOTICE: Duration = Duration::from_secs(1);

/// How long a hub may take to stop, the word of a restart not counted. Then it ends anyway.
pub const HUB_STOP: Duration = Duration::from_secs(10);

/// Games on the public page. More: "And N more games."
pub const PAGE_GAMES_MAX: usize = 500;

/// Bytes of the public page after which no further game is shown.
pub const PAGE_BYTES_MAX: usize = 512 * 1024;

/// Players of one game on the public page. More: "And N more players."
pub const PAGE_PLAYERS_MAX: usize = 200;

/// Channels on the public page. More: "And N more channels."
pub const PAGE_CHANNELS_MAX: usize = 200;

/// How old what the public page shows may be, so that its visitors do not keep the core busy.
pub const PAGE_AGE_MAX: Duration = Duration::from_secs(2);

/// How long the page waits for the core. Then it shows what it showed last.
pub const PAGE_WAIT: Duration = Duration::from_secs(1);
