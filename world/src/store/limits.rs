//! `[pure]` The bounds of storage.

use std::time::Duration;

/// Writes waiting for the writer. Beyond, a write is refused as busy. Roomy enough for every player
/// of a full node to be saved at once while the node stops.
pub const WRITE_QUEUE_MAX: u32 = 16_384;

/// Writes of one group commit. A bigger group waits for the next commit, so that the first answer
/// of a group does not wait for a long tail: at about 20 µs a write this is 5 ms.
pub const GROUP_WRITES_MAX: usize = 256;

/// Writes parked while the database fails. Beyond, a write is refused as busy.
pub const PARKED_WRITES_MAX: usize = 16_384;

/// First pause before a failed group is tried again; each failure doubles it.
pub const RETRY_FIRST: Duration = Duration::from_millis(50);

/// Longest pause between two tries.
pub const RETRY_MAX: Duration = Duration::from_secs(5);

/// Readers, each with a connection and a thread of its own.
pub const READERS: u16 = 2;

/// Reads waiting for one reader. Beyond, a read is refused as busy.
pub const READ_QUEUE_MAX: u32 = 2_048;

/// Backups waiting while one runs. Beyond, a backup is refused as busy.
pub const BACKUP_QUEUE_MAX: u32 = 1;

/// How long the database waits for a lock that another process or node holds, before the group is
/// parked.
pub const LOCK_WAIT: Duration = Duration::from_secs(2);

/// How long it may take to connect to a database server.
pub const CONNECT_WAIT: Duration = Duration::from_secs(5);

/// How long a database server may take for one statement before its connection is given up: the
/// writes park then, and a read answers an error. The server ends what a node left behind after as
/// long.
pub const SERVER_WAIT: Duration = Duration::from_secs(15);

/// How often a cluster is entered at most while others are being founded on the same database.
pub const FOUNDING_TRIES_MAX: u32 = 5;

/// Numbers of sessions that one epoch of an owner of accounts has room for.
pub const NUMBERS_PER_EPOCH: u64 = 1 << 24;

/// How long a connection may take to say goodbye before it is cut.
pub const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// How long a node that starts waits for another one that changes the schema.
pub const MIGRATION_WAIT: Duration = Duration::from_secs(120);

/// The oldest PostgreSQL that can be used: the first one that tells what became of a transaction
/// by a number that is never used twice.
pub const POSTGRES_VERSION_MIN: i32 = 13;

/// How often a group is tried at once when another node's transaction was in its way; then it is
/// parked.
pub const CONFLICT_TRIES_MAX: u32 = 3;

/// How long the writer may take to commit what is left when the node stops.
pub const WRITER_STOP_MAX: Duration = Duration::from_secs(5);

/// Messages that the writer still takes when it stops. Beyond, they are answered as lost: who goes
/// on writing to a store that stops must not keep it from stopping.
pub const STOP_MESSAGES_MAX: u32 = 2 * WRITE_QUEUE_MAX;

/// Crashes of the store's processes within [`CRASH_WINDOW`] that are borne; one more and the node
/// restarts the whole store. High, because each crash loses its own message only.
pub const CRASHES_MAX: u32 = 50;

/// See [`CRASHES_MAX`].
pub const CRASH_WINDOW: Duration = Duration::from_secs(10);

/// How long a reader may take to end its read when the node stops.
pub const READER_STOP_MAX: Duration = Duration::from_secs(2);

/// Characters of one account. Beyond, a new one is refused.
pub const CHARACTERS_PER_ACCOUNT_MAX: i64 = 8;

/// Items read at once: everything on the floors of the world, or with one character. Beyond, the
/// read fails and an operator must clean up.
pub const ITEMS_READ_MAX: usize = 1_000_000;

/// How deep containers may stand in each other. A transfer that would go deeper has no place.
pub const CONTAINER_DEPTH_MAX: i64 = 8;

/// Bans read at once; the newest ones count.
pub const BANS_READ_MAX: i64 = 10_000;

/// Rules about the network of games. Beyond, a new one is refused.
pub const NETWORK_RULES_MAX: i64 = 10_000;

/// Staff actions read at once; the newest ones come.
pub const STAFF_ACTIONS_READ_MAX: i64 = 200;

/// What the file must be able to grow by for the node to start: less is a full disk already.
pub const START_PROBE_BYTES: i64 = 64 * 1024;

const _: () = assert!(GROUP_WRITES_MAX <= PARKED_WRITES_MAX);
const _: () = assert!(RETRY_FIRST.as_millis() < RETRY_MAX.as_millis());
