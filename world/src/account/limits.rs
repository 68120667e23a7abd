//! `[pure]` The bounds of names, passwords and failed logins.

use std::time::Duration;

/// Fewest letters of a name; fewer cannot be told from an abbreviation.
pub const NAME_LETTERS_MIN: usize = 3;

/// Most letters of a name. More is refused: lists and prompts are laid out for this width.
pub const NAME_LETTERS_MAX: usize = 20;

/// Fewest characters of a password.
pub const PASSWORD_CHARACTERS_MIN: usize = 8;

/// Most characters of a password. More is refused: a stranger must not set the cost of a hash.
pub const PASSWORD_CHARACTERS_MAX: usize = 128;

/// Failed logins that cost nothing: people mistype.
pub const FAILURES_FREE: u32 = 3;

/// The first delay; each further failure doubles it.
pub const DELAY_FIRST: Duration = Duration::from_secs(1);

/// Longest delay of an address that keeps failing.
pub const ADDRESS_DELAY_MAX: Duration = Duration::from_secs(15 * 60);

/// Longest delay of an account. Short, because a stranger can cause it and the owner must still get
/// in: it slows guessing down and locks nobody out.
pub const ACCOUNT_DELAY_MAX: Duration = Duration::from_secs(30);

/// After this time one failure is forgotten.
pub const FAILURE_DECAY: Duration = Duration::from_secs(5 * 60);

/// Failures counted at most, so that even the worst offender is forgiven in bounded time.
pub const FAILURES_COUNTED_MAX: u32 = 24;

/// Addresses and accounts remembered, each. When full, the one whose last failure is oldest goes.
pub const THROTTLE_ENTRIES_MAX: usize = 10_000;

const _: () = assert!(NAME_LETTERS_MIN < NAME_LETTERS_MAX);
const _: () = assert!(PASSWORD_CHARACTERS_MIN < PASSWORD_CHARACTERS_MAX);
const _: () = assert!(FAILURES_FREE < FAILURES_COUNTED_MAX);
const _: () = assert!(ACCOUNT_DELAY_MAX.as_secs() <= ADDRESS_DELAY_MAX.as_secs());
