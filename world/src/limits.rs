//! `[pure]` The bounds of the world, each with its unit, its reason and what happens when it is
//! reached.

use std::time::Duration;

/// Messages in a room's mailbox. Full: the player is told "too crowded".
pub const ROOM_MAILBOX: u32 = 1_024;

/// Ambient messages in a session's mailbox. Full: dropped, with one mark "you lose track".
pub const SESSION_MAILBOX: u32 = 256;

/// Slots of a session's mailbox that only owed messages may take: the answers to all asks that may
/// be outstanding, the lines that a connection may have sent ahead, and as many system messages.
pub const SESSION_RESERVED: u32 = 4 + 64 + 12;

/// Messages in a connection's mailbox. Full: ambient ones are dropped.
pub const CONNECTION_MAILBOX: u32 = 256;

/// Slots of a connection's mailbox for owed messages only.
pub const CONNECTION_RESERVED: u32 = 128;

/// Messages in a mob's mailbox. Full: the mob does not notice.
pub const MOB_MAILBOX: u32 = 32;

/// Asks that one session may have outstanding. Reached: further input waits.
pub const ASKS_MAX: usize = 4;

/// Lines that a session keeps for later. Reached: the socket is not read.
pub const LINES_AHEAD_MAX: usize = 64;

/// How long a session waits for the answer to an ask. Then the player is told.
pub const ASK_DEADLINE: Duration = Duration::from_secs(5);

/// Movers that a room remembers after they left, to refuse an older number. The oldest is
/// forgotten.
pub const ROOM_DEPARTED_MAX: usize = 64;

/// Events that a crowded room gathers for one tick. Further ones are dropped and counted.
pub const ROOM_GATHERED_MAX: usize = 1_024;

/// Things that one player can carry. More: "your hands are full".
pub const INVENTORY_MAX: usize = 50;

/// Names in one answer to `who`. The rest is a number.
pub const WHO_MAX: usize = 100;

/// Texts kept for a player whose connection broke. More: the oldest are dropped and counted.
pub const MISSED_MAX: usize = 64;

/// How often a session that is adrift looks for an open room.
pub const ADRIFT_RETRY: Duration = Duration::from_secs(2);

/// How often a session that comes into the game looks whether its room is in reach again.
pub const PLACE_LOOK_EVERY: Duration = Duration::from_millis(100);

/// A session that has waited so long for its room is told so; most moves of a zone take less.
pub const PLACE_TOLD_AFTER: Duration = Duration::from_millis(500);

/// How long a session waits for its room. Then it is told so, and comes in elsewhere.
pub const PLACE_WAIT_MAX: Duration = Duration::from_secs(30);

const _: () = assert!(SESSION_RESERVED as usize >= ASKS_MAX + LINES_AHEAD_MAX);

/// Slots of a room's mailbox for what must not be refused: departures, things, ticks. Full: the
/// room has as many departures waiting as messages, and the departed are forgotten when it closes.
pub const ROOM_RESERVED: u32 = 4_096;

/// Messages in a channel's mailbox. Full: the speaker is told that too much is said there.
pub const CHANNEL_MAILBOX: u32 = 1_024;

/// Slots of a channel's mailbox for what staff does about it. Full: it is not done, and counted.
pub const CHANNEL_RESERVED: u32 = 64;

/// Lines of players of a node that wait for a channel whose order nobody makes just now. More: the
/// speaker is told that the channel cannot be reached.
pub const CHANNEL_HELD_MAX: usize = 64;

/// How long such a line waits. Then its speaker is told so; a little before the session itself
/// would give up.
pub const CHANNEL_HELD_FOR: Duration = Duration::from_millis(4_500);

const _: () = assert!(CHANNEL_HELD_FOR.as_millis() < ASK_DEADLINE.as_millis());

/// How often a channel with such lines looks whether they can be said.
pub const CHANNEL_LOOK_EVERY: Duration = Duration::from_millis(50);

/// Lines that a channel remembers. The oldest is forgotten.
pub const CHANNEL_HISTORY_MAX: usize = 20;

/// Lines of a channel that wait while many are told the lines before them. Full: the speaker is
/// told that too much is said there. As many are told in one go as in a crowd ([`CROWD_SLICE`]), so
/// 15,000 are told three lines a second and 1,000 forty: more could not be read, and would stand in
/// the way of everybody's answers.
pub const CHANNEL_WAITING_MAX: usize = 20;

/// Those of them that may be of other games. Full: dropped and counted; the others are for players
/// here, so that a flood from elsewhere does not make them silent.
pub const CHANNEL_WAITING_FOREIGN_MAX: usize = 15;

const _: () = assert!(CHANNEL_WAITING_FOREIGN_MAX < CHANNEL_WAITING_MAX);

/// Lines a second that one player may say on channels. More: not said, and the player is told.
pub const TALK_PER_S: u16 = 1;

/// Lines that one player may say on channels at once, after a silence.
pub const TALK_BURST: u16 = 8;

/// Channels of which a character keeps whether its player wants to be on them, those included that
/// the content has no more. Reached: the choice holds until the player leaves.
pub const CHANNEL_CHOICES_MAX: usize = 64;

/// Entries of a player's ignore list. More: refused.
pub const IGNORED_MAX: usize = 100;

/// Characters of a name in an ignore list. More: refused, nobody has such a name.
pub const IGNORED_CHARACTERS_MAX: usize = 60;

/// Slots of a mob's mailbox for answers.
pub const MOB_RESERVED: u32 = 8;

/// Characters of one account.
pub const CHARACTERS_MAX: usize = 8;

/// Players of a crowd that are told of a tick in one go. Further ones are told a moment later, so
/// that answers find their way in between.
pub const CROWD_SLICE: usize = 128;

/// That moment.
pub const CROWD_SLICE_GAP: Duration = Duration::from_millis(3);

/// How long a session that is to end waits for things on their way. Then it ends without; where
/// each belongs is on record, and shows at the next start or login.
pub const ENDING_MAX: Duration = Duration::from_secs(10);

/// How long a session that ends waits for its last save. Then it ends without; the save stays
/// posted.
pub const LAST_SAVE_DEADLINE: Duration = Duration::from_secs(10);
