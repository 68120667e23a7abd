//! `[pure]` Bounds of the lobby; each says what happens when it is reached.

use std::time::Duration;

/// Between two ticks of a room: what happened meanwhile is told together.
pub const TICK: Duration = Duration::from_millis(50);

/// Seats of a room that nobody asked another number for.
pub const ROOM_SEATS: u16 = 100;

/// Seats of a room at most; a wish for more is refused.
pub const ROOM_SEATS_MAX: u16 = 5_000;

/// Rooms of a hall at most; who wants to make another is refused as `full`.
pub const ROOMS_MAX: u32 = 2_000;

/// Rooms that one player may own at a time; another is refused.
pub const ROOMS_OWNED_MAX: usize = 3;

/// Who comes into a room in one tick at most; the others wait for the next, and are told how many
/// are before them when that takes longer than [`WAIT_TOLD`].
pub const JOINS_PER_TICK: usize = 50;

/// Who waits to come into one room at most; more are sent to another, or refused as `busy`.
pub const JOINS_WAITING_MAX: usize = 10_000;

/// Who waits longer than this is told how many are before them, again and again.
pub const WAIT_TOLD: Duration = Duration::from_secs(1);

/// A seat that is reserved, and not taken, is free again after this.
pub const RESERVED: Duration = Duration::from_secs(10);

/// A seat whose player lost the connection is kept for this.
pub const SEAT_KEPT: Duration = Duration::from_secs(60);

/// Nothing came from a player for this long: they are idle.
pub const IDLE_AFTER: Duration = Duration::from_secs(300);

/// Lines of chat that a room remembers for who comes; the oldest goes first.
pub const HISTORY_LINES: usize = 50;

/// Lines of chat of a room in one tick at most; who says more is refused as `busy`.
pub const CHAT_PER_TICK: usize = 500;

/// Characters of a line of chat; a longer one is split by who sends it, or refused as `text`.
pub const CHAT_CHARS: usize = 500;

/// Characters of the words of who is away.
pub const AWAY_CHARS: usize = 60;

/// Characters of the name of a room.
pub const ROOM_NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=40;

/// Names that are muted in one room, and names that are banned from it, at most; another is refused
/// as `full` while all of them hold.
pub const VERDICTS_MAX: usize = 500;

/// Names that a room remembers as invited, or as having been in; the one admitted first goes first.
pub const ADMITTED_MAX: usize = 1_000;

/// A socket whose mailbox was full is tried again after this.
pub const STALE_RETRY: Duration = Duration::from_millis(500);

/// Between two tellings of what changed in the list of rooms.
pub const LIST_TICK: Duration = Duration::from_millis(200);

/// Messages that wait for a room; more asks are refused as `busy`.
pub const ROOM_MAILBOX: u32 = 8_192;

/// Of these, those that a room is owed beyond: leaving and losing, once for each member.
pub const ROOM_RESERVED: u32 = 8_192;

/// Messages that wait for the hall; more asks are refused as `busy`.
pub const HALL_MAILBOX: u32 = 16_384;

/// Of these, what rooms and guests that end owe to the hall.
pub const HALL_RESERVED: u32 = 16_384;

/// Players of one page of a list.
pub const PAGE_PLAYERS: usize = 500;

/// Rooms of the list that one client is kept up to date with.
pub const ROOMS_TOLD_MAX: u16 = 200;

/// Ticks that a room keeps for who resumes; who missed more gets a snapshot.
pub const TICKS_KEPT: usize = 400;

/// Bytes of the ticks that a room keeps, in one encoding; the oldest go first.
pub const TICKS_KEPT_BYTES: usize = 256 * 1024;

/// Bytes that wait for a socket at most. A socket that has so much before it gets no more
/// differences: it is stale, and gets one snapshot when it has drained.
pub const BACKLOG_BYTES: usize = 64 * 1024;

/// A socket that is stale for so long is cut off.
pub const STALE_MAX: Duration = Duration::from_secs(30);

/// Bytes of one message of a client; a longer one closes the connection.
pub const CLIENT_BYTES_MAX: usize = 4 * 1024;

/// Messages of a client in one frame; with more of them none is read.
pub const CLIENT_MESSAGES_MAX: usize = 32;

/// After so many seconds without a byte the node pings; after twice that it closes.
pub const PING_EVERY: Duration = Duration::from_secs(15);

/// A client that has not logged in by then is closed; the time in the login queue does not count.
pub const LOGIN_MAX: Duration = Duration::from_secs(30);

/// An invitation that is not answered is over after this.
pub const INVITATION_LASTS: Duration = Duration::from_secs(60);

/// Invitations of one player that wait for an answer; another is refused as `busy`.
pub const INVITATIONS_OUT_MAX: usize = 5;

/// Invitations to one player that wait for an answer; another is refused as `busy`.
pub const INVITATIONS_IN_MAX: usize = 20;

/// Who watches one match at most; another is refused as `full`.
pub const SPECTATORS_MAX: usize = 200;

/// Players whom one ignores at most; another is refused as `full`.
pub const IGNORED_MAX: usize = 100;

/// Messages of a kind that a client may send: so many at once, and so many a second from then on.
/// More are refused as `slow`.
pub mod rates {
    /// Chat and private words.
    pub const CHAT: (u32, f64) = (5, 1.0);
    /// Away and back.
    pub const STATUS: (u32, f64) = (5, 0.5);
    /// Into rooms, making and changing them, parts of the list.
    pub const ROOMS: (u32, f64) = (10, 1.0);
    /// Invitations, answers and queues.
    pub const INVITE: (u32, f64) = (10, 1.0);
    /// Acts in matches.
    pub const ACT: (u32, f64) = (40, 20.0);
    /// All else.
    pub const OTHER: (u32, f64) = (10, 2.0);
}
