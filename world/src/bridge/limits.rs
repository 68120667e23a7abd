//! `[pure]` The bounds of the bridge to other games, each with what happens when it is reached.

use std::time::Duration;

/// An outage that is longer is told to who is on a remote channel. A shorter one nobody notices
/// who does not speak.
pub const OUTAGE_TOLD_AFTER: Duration = Duration::from_secs(3);

/// How long the network must be well after an outage that was told before the next one is told.
pub const OUTAGE_OVER_AFTER: Duration = Duration::from_secs(60);

/// Names of those who were told of an outage. Reached: further ones are not told.
pub const OUTAGE_TOLD_MAX: usize = 100_000;

/// After the network is reached nobody is told who comes and goes there for so long: games tell
/// all that they have.
pub const NOTICES_QUIET: Duration = Duration::from_secs(5);

/// The same for the players of a game after that game came.
pub const NOTICES_GAME_QUIET: Duration = Duration::from_secs(10);

/// Games whose players are not told of just now. Reached: the one whose time ends first counts as
/// over.
pub const NOTICES_QUIET_GAMES_MAX: usize = 1_000;

/// Notices of who comes and goes elsewhere that may come at once. More: gathered into one line.
pub const NOTICES_BURST: u32 = 5;

/// In the long run such a notice comes no oftener than this.
pub const NOTICES_EVERY: Duration = Duration::from_secs(4);

/// Names in one such line. The others are a number.
pub const NOTICES_NAMES_MAX: usize = 3;

/// Names that wait for the next such line. More are counted only.
pub const NOTICES_WAITING_MAX: usize = 100;

/// Names of one game in a list of all. The rest is a number.
pub const WHO_GAME_NAMES_MAX: usize = 20;

/// Names of one game, when only that one was asked for. The rest is a number.
pub const WHO_ONE_GAME_NAMES_MAX: usize = 100;

/// Names of all games in one list. The rest are numbers.
pub const WHO_NAMES_MAX: usize = 100;

/// Games in one list. The rest is a number.
pub const WHO_GAMES_MAX: usize = 30;

/// Names that an answer offers for what can mean several.
pub const CHOICES_MAX: usize = 5;

/// Characters of a name or a game that is typed or shown. More: cut, with an ellipsis.
pub const NAME_CHARS_MAX: usize = 60;

/// Characters of the name in a rule of staff or of the operator. More: refused, nobody is called
/// so.
pub const RULE_NAME_CHARS_MAX: usize = NAME_CHARS_MAX;

/// Characters of the reason of such a rule. More: refused.
pub const RULE_REASON_CHARS_MAX: usize = 1_000;

/// Messages that wait for the bridge. Full: news of who comes and goes are dropped and counted.
pub const MAILBOX: u32 = 1_024;

/// Slots of that mailbox for what must come through: that the network is reached or not.
pub const RESERVED: u32 = 64;

/// How often the credentials file is looked at.
pub const CREDENTIALS_POLL: Duration = Duration::from_secs(2);

/// Players that are told something in one go. Further ones are told a moment later, so that
/// answers find their way in between.
pub const TELL_SLICE: usize = 128;

/// That moment.
pub const TELL_SLICE_GAP: Duration = Duration::from_millis(3);

/// Tells a second of other games that one player is shown. More: not shown, as if nobody were
/// there.
pub const TELLS_PER_S: u16 = 2;

/// Tells of other games that one player is shown at once, after a silence.
pub const TELLS_BURST: u16 = 10;

/// How long an answer to a tell may take. The network's own deadline is shorter, so that its word
/// comes first.
pub const TELL_DEADLINE: Duration = Duration::from_secs(7);

/// Lines that wait while many are told the one before. Reached: a further one is dropped and
/// counted.
pub const TELLS_WAITING_MAX: usize = 16;
