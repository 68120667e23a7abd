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
