//! `[pure]` The bounds of the client.

use super::FRAME_IN_BYTES_MAX;

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
