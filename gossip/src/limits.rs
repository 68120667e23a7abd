//! `[pure]` The bounds of the network, each with its unit, its reason and what happens when it is
//! reached.

use std::time::Duration;

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

// The client: what it takes in.

/// Characters of a name of a player or a game from outside; the rest is cut.
pub const FOREIGN_NAME_CHARS_MAX: usize = 40;

/// Characters of a message from outside; the rest is cut, with an ellipsis.
pub const FOREIGN_MESSAGE_CHARS_MAX: usize = 1_000;

/// Characters of a text of a hub in a reason; the rest is cut.
pub const REASON_CHARS_MAX: usize = 80;

/// Marks on one letter (accents and the like); further ones are left out.
pub const MARKS_IN_A_ROW_MAX: usize = 3;

/// Chatter of all games that is taken: channels, sign-ins, games coming and going. Beyond: dropped
/// and counted.
pub const CHATTER_RATE: Rate = Rate::new(200, 50);

/// Tells of all games that are taken. Beyond: dropped and counted.
pub const TELL_RATE: Rate = Rate::new(100, 20);

/// Chatter of one game that is taken. Beyond: dropped and counted.
pub const GAME_CHATTER_RATE: Rate = Rate::new(60, 20);

/// Games whose chatter is measured one by one; the rest share one measure.
pub const GAMES_MEASURED_MAX: usize = 256;

/// Answers that are taken: acknowledgements, and a frame a game for each status. Beyond: dropped
/// and counted.
pub const ANSWER_RATE: Rate = Rate::new(4_000, 200);

/// Heartbeats, restarts and the like that are taken. Beyond: dropped and counted.
pub const BEAT_RATE: Rate = Rate::new(10, 1);

/// Frames that no event could be seen in, and events that are not known. Beyond: dropped and
/// counted without being read.
pub const NOISE_RATE: Rate = Rate::new(50, 10);

/// Frames a second that are a flood when they come for [`FLOOD_SECONDS`]: the connection is cut.
pub const FLOOD_FRAMES_PER_SECOND: u32 = 2_000;

/// Bytes a second that are a flood when they come for [`FLOOD_SECONDS`]: the connection is cut.
pub const FLOOD_BYTES_PER_SECOND: usize = 1024 * 1024;

/// Seconds in a row.
pub const FLOOD_SECONDS: u32 = 3;

/// Times the frames or bytes of a flood, in one second: the connection is cut at once.
pub const FLOOD_AT_ONCE: u32 = 10;

/// Frames that are read before other processes have their turn.
pub const FRAMES_PER_TURN: u32 = 32;

/// Broadcasts that are remembered so that none is delivered twice; the oldest are forgotten.
pub const SEEN_MAX: usize = 4_096;

/// Messages that are asked for at once of what was missed on a channel.
pub const HISTORY_PAGE: usize = 50;

/// How often is asked in a row; what is beyond is lost and counted.
pub const HISTORY_PAGES_MAX: u32 = 8;

/// Games in the roster. Further ones are not entered, and counted.
pub const ROSTER_GAMES_MAX: usize = 1_000;

/// Players in the roster. Further ones are not entered, and counted.
pub const ROSTER_PLAYERS_MAX: usize = 50_000;

// The client: what it gives out.

/// Orders that wait for the socket. More: refused (the caller is told).
pub const CLIENT_ORDERS_MAX: u32 = 256;

/// Words that wait to be sent. More: the oldest are dropped, and counted.
pub const SAY_QUEUE_MAX: usize = 50;

/// Words that are sent on channels; more wait. A hub allows 10, and 2 a second.
pub const SAY_RATE: Rate = Rate::new(8, 2);

/// Subscriptions and their ends that are sent; more wait. A hub allows 5, and 1 a second.
pub const SUBSCRIBE_RATE: Rate = Rate::new(4, 1);

/// Everything else that is sent: tells are refused beyond, sign-ins left to the next heartbeat,
/// questions put off. A hub allows 100 of all, and 20 a second.
pub const REQUEST_RATE: Rate = Rate::new(60, 10);

/// Questions that wait for their answers. More: refused.
pub const PENDING_MAX: usize = 256;

/// Tells whose receipt is waited for. More: the oldest are forgotten.
pub const RECEIPTS_MAX: usize = 256;

/// Channels that a game hears. More: refused.
pub const CHANNELS_HEARD_MAX: usize = 100;

/// Bytes of a heartbeat; the names beyond are left out. A hub reads 64 KiB.
pub const BEAT_BYTES_MAX: usize = 60 * 1024;
const _: () = assert!(BEAT_BYTES_MAX < FRAME_IN_BYTES_MAX);

/// Frames that wait to be written. More: the hub does not read, and the connection is cut.
pub const FRAMES_WAITING_MAX: usize = 512;

/// Bytes of a file of certificates. Longer: refused.
pub const CA_BYTES_MAX: u64 = 1024 * 1024;

/// How much may come: so many at once, and so many a second in the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// At once.
    pub burst: u32,
    /// A second.
    pub per_second: u32,
}

impl Rate {
    /// A rate.
    pub const fn new(burst: u32, per_second: u32) -> Self {
        Self { burst, per_second }
    }
}

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

/// PINGs and other frames without text of one socket in [`WORDLESS_WITHIN`]; nothing else limits
/// them. More: closed with 1008.
pub const WORDLESS_FRAMES_MAX: u32 = 1_000;

/// See [`WORDLESS_FRAMES_MAX`].
pub const WORDLESS_WITHIN: Duration = Duration::from_secs(10);

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
