//! `[edge]` Pretended games and hubs of the Gossip network, which measure real ones.
//!
//! ```text
//! load   many pretended games ──→ a real hub:   is each message heard once, in order, how soon?
//! flood  a pretended hub      ──→ a real node:  what do its players notice?
//! chop   a real hub, killed again and again, between a pretended game that talks and a guest on
//!        a real node who listens: what is doubled or missed, how soon is it back?
//! ```
//! Only the types of the protocol are shared with the real ones.
#![expect(
    clippy::disallowed_methods,
    reason = "an outside game or hub does not use the runtime"
)]

mod chop;
mod credentials;
mod endpoint;
mod flood;
mod frame;
mod game;
mod load;
mod seen;
mod token;
mod wire;

pub use chop::{ChopError, ChopFlags, ChopOptions, ChopReport, run_chop};
pub use credentials::{Credentials, CredentialsError};
pub use endpoint::Endpoint;
pub use flood::{FloodError, FloodFlags, FloodOptions, FloodReport, run_flood};
pub use load::{HubFigures, LoadError, LoadFlags, LoadOptions, LoadReport, run_load};
