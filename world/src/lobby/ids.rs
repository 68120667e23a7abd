//! `[pure]` Names of things in the lobby as numbers that cannot be mixed up.

use serde::{Deserialize, Serialize};

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);
    )*};
}

numbers! {
    /// A lobby room, for as long as it is open; numbers are not used again while a hall lives.
    HallRoomId(u32);
    /// A place in a room, and in what the room tells: two bytes for whoever sits there. A slot is
    /// used again only after its leaving was told.
    Slot(u16);
    /// A match, never used twice: the epoch of who made it, and a number.
    MatchId(u64);
    /// An invitation, unique for whoever is invited.
    InvitationId(u32);
    /// A client's own number for what it asks; the answer carries it.
    Tag(u32);
    /// The number of a tick of a room. A room that begins anew begins with a higher one.
    Seq(u64);
    /// Seconds since 1970-01-01 UTC.
    UnixSeconds(u64);
}
