//! `[pure]` The login dialogue, from the greeting to a character that may enter. `dialogue`
//! decides; the session's process asks the store and the login pool and hands their answers back
//! in.
//!
//! ```text
//! name -> (unknown) create? -> new password -> repeat -> [hash] -> [account] -> character name
//!      -> (known) password -> [verify] -> [characters] -> which? -> [claim] -> [load]
//!      -> resume TOKEN -> [redeem] -> [claim] -> [load]
//!      -> guest
//! all ways end: in
//! ```

mod dialogue;
mod effect;
#[cfg(test)]
mod tests;

pub(crate) use dialogue::good_password;
pub use dialogue::{LoginRules, LoginState, start, step, typed};
pub use effect::{AccountFound, CharacterFound, Entering, LoginAnswer, LoginEffect, LoginEffects};
