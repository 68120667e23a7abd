//! `[pure]` The bounds of the content. What is beyond one is a fault with its place: nothing is cut
//! or left out silently, except faults themselves, whose number is told.

/// Bytes of one area file. A generated zone of 2,000 rooms has about 1 MiB.
pub const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Area files of a directory, `world.toml` included.
pub const FILES_MAX: usize = 1_024;

/// Bytes of all files together: they are in memory twice while they are checked.
pub const CONTENT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Rooms of a world.
pub const ROOMS_MAX: usize = 100_000;

/// Item prototypes of a world.
pub const ITEMS_MAX: usize = 20_000;

/// Mobs of a world: each one is a process.
pub const MOBS_MAX: usize = 20_000;

/// Bytes of a key of a zone, room, item or mob.
pub const KEY_BYTES_MAX: usize = 32;

/// Bytes of a reference: "zone/room".
pub const REFERENCE_BYTES_MAX: usize = 2 * KEY_BYTES_MAX + 1;

/// Bytes of a name: it stands in one line of a listing.
pub const NAME_BYTES_MAX: usize = 60;

/// Bytes of a description: a screen of 80 by 24 holds 1,920 characters.
pub const DESCRIPTION_BYTES_MAX: usize = 1_800;

/// Bytes of the line with which an item lies in a room.
pub const LONG_BYTES_MAX: usize = 160;

/// Bytes of the greeting before login.
pub const GREETING_BYTES_MAX: usize = 1_800;

/// Bytes of one line that a mob says.
pub const SAY_BYTES_MAX: usize = 300;

/// Lines that a mob knows.
pub const SAYS_MAX: usize = 40;

/// Bytes of a keyword: a player types it.
pub const KEYWORD_BYTES_MAX: usize = 24;

/// Keywords of one thing, item or mob.
pub const KEYWORDS_MAX: usize = 12;

/// Things to look at in a room.
pub const THINGS_MAX: usize = 32;

/// Kinds of items that a room resets.
pub const RESETS_MAX: usize = 32;

/// Pieces of one item that a room resets.
pub const RESET_COUNT_MAX: u16 = 20;

/// Rooms in the list of start rooms or of recall rooms.
pub const ROOM_LIST_MAX: usize = 1_024;

/// Channels of a world: each one is a process, and a line in a list.
pub const CHANNELS_MAX: usize = 32;

/// Bytes of the name of a channel, here and on the network, at least: a word, not a slip.
pub const CHANNEL_NAME_BYTES_MIN: usize = 3;

/// Bytes of the name of a channel, here and on the network: it begins each line.
pub const CHANNEL_NAME_BYTES_MAX: usize = 15;

/// Bytes of what a channel is about: it stands in one line of a listing.
pub const ABOUT_BYTES_MAX: usize = 160;

/// The shortest time between two deeds of a mob, in seconds: a thousand mobs must not be a load.
pub const MOB_PACE_S_MIN: u32 = 2;

/// The longest time between two deeds of a mob, in seconds: one day.
pub const MOB_PACE_S_MAX: u32 = 86_400;

/// Faults that are kept with their places; the rest is counted.
pub const FAULTS_MAX: usize = 500;

/// Faults that get a "did you mean": each one is compared with every key of the world.
pub const SUGGESTIONS_MAX: u32 = 50;

const _: () = assert!(CHANNELS_MAX <= 32, "a player's channels are a bit each");
const _: () = assert!(FILE_BYTES_MAX < CONTENT_BYTES_MAX);
const _: () = assert!(
    CONTENT_BYTES_MAX < u32::MAX as u64,
    "offsets in a file are u32"
);
const _: () = assert!(ROOMS_MAX < u32::MAX as usize, "a room's id is u32");
const _: () = assert!(
    FILES_MAX < u16::MAX as usize,
    "a zone is a file, its id is u16"
);
