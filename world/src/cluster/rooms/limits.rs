//! `[pure]` The bounds of rooms across nodes.

use crate::limits;
use std::time::Duration;

/// How long a letter waits for a zone that is moving or has no owner. Then its player is told that
/// the place is out of reach; a little before the session itself would give up.
pub const HOLD_MAX: Duration = Duration::from_millis(4_700);

const _: () = assert!(HOLD_MAX.as_millis() < limits::ASK_DEADLINE.as_millis());

/// Who has waited so long is told that they wait; most moves of a zone take less.
pub const TOLD_AFTER: Duration = Duration::from_secs(1);

const _: () = assert!(TOLD_AFTER.as_millis() < HOLD_MAX.as_millis());

/// Bytes of letters that wait for one zone. More: their players are told "too crowded".
pub const HOLD_BYTES_MAX: usize = 256 * 1024;

/// Casts that wait for one zone. More: dropped, and all of this node enter the zone's rooms anew.
pub const HOLD_CASTS_MAX: usize = 4_096;

/// What one letter counts for besides its text, in bytes.
pub const LETTER_BYTES: usize = 64;

/// How long the owner before may take to say that it has answered everything. Then what it was
/// asked and did not answer is lost.
pub const SETTLE_MAX: Duration = Duration::from_secs(5);

/// Things of a zone that were handed to other nodes which have not said yet that they have them.
/// More: not waited for; one that is lost then lies on its floor when the zone begins next.
pub const HANDED_MAX: usize = 4_096;

/// Things of a zone elsewhere of which a node remembers that it has them, should it be asked. The
/// oldest is forgotten; a player has four asks at most, and a wire is cut seldom.
pub const TAKEN_MAX: usize = 4_096;

/// News of rooms of a zone elsewhere that wait for this node's sessions there, while a crowd is
/// told of those before. More: all is told at once.
pub const TELLINGS_MAX: usize = 64;

/// How often a node looks for letters that have waited too long.
pub const GATE_EVERY: Duration = Duration::from_millis(100);

/// How often a zone shows that it works.
pub const BEAT_EVERY: Duration = Duration::from_millis(500);

/// How long the rooms of a zone may take to hold still. Then it is not moved.
pub const STILL_MAX: Duration = Duration::from_secs(2);

/// Orders of the cluster that wait for one zone. More: refused, and asked for again.
pub const KEEPER_MAILBOX: u32 = 64;

/// What a zone weighs besides its players and what they do.
pub const ZONE_WEIGHT: u32 = 1;

/// So many messages a second weigh as much as a player.
pub const MESSAGES_PER_WEIGHT: u64 = 20;
