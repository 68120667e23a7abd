//! `[pure]` Bounds of what one command line may hold. What goes over is refused with a line that
//! names the bound.

/// Characters of one say, emote, tell, reply, away message or reason. More would fill a screen.
pub const CHAT_CHARS_MAX: usize = 1_000;

/// Words that may name one thing. No thing of the content has a name that long.
pub const NOUN_WORDS_MAX: usize = 8;

/// Characters that may name one thing or person.
pub const NOUN_CHARS_MAX: usize = 60;

/// Characters of an unreadable word that are shown again in the answer; the rest is cut off.
pub(super) const ECHO_CHARS_MAX: usize = 30;

/// Near words offered for one that is not known; more is a list that nobody reads.
pub(super) const NEAR_MAX: usize = 3;

/// The longest ban that is not for ever: ten years, in seconds.
pub const BAN_SECONDS_MAX: u64 = 10 * 365 * 24 * 60 * 60;

const _: () = assert!(ECHO_CHARS_MAX < NOUN_CHARS_MAX);
