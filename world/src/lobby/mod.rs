//! `[pure]` The lobby: the second way into Belay beside the MUD. Thousands meet in rooms, talk,
//! invite each other and play matches.
//!
//! ```text
//! client ═ws═► socket (process) ─client messages─► guest (process: one player's lobby)
//!    ▲            ▲   ▲                              │ asks           │ asks
//!    │            │   └── owed answers ──────────────┤                 ▼
//!    │            │                                  ▼              match (process, supervised)
//!    │            └── ticks, lists (encoded once) ─ room (process) ◄─ result, once per match ─┘
//!    └── one write a tick                            │ how many sit in it
//!                                                    ▼
//! ```
//! * A room alone decides who sits in it: seats and reservations are one count in its state. The
//!   hall only knows what rooms told it, and sends who finds a room full on to another.
//! * What a room has to say is gathered for a tick and encoded once for each encoding; the same
//!   bytes go to every socket. A socket that does not keep up gets no queue of differences: it is
//!   marked stale and gets one snapshot when it has drained.
//! * A match belongs to nobody but itself: its end, however it comes, is one result with one id.
//! * `protocol` is what clients speak; `world/lobby-protocol.md` describes it for strangers.
//!
//! Nothing here knows of rooms of the MUD, of telnet, or of where in a cluster anything lives.

pub mod card;
pub mod hall;
pub mod ids;
pub mod limits;
pub mod protocol;
pub mod ring;
pub mod room;
pub mod shared;
