//! `[pure]` Every bound of the telnet codec, with its unit and what happens when it is reached.

use std::time::Duration;

/// Bytes of a line before login; the rest of the line is dropped and [`super::Line::cut`] is set.
pub const LINE_BYTES_MAX_BEFORE_LOGIN: usize = 1_024;

/// Bytes of a line after login; the rest of the line is dropped and [`super::Line::cut`] is set.
pub const LINE_BYTES_MAX: usize = 4_096;

/// Lines that one call of [`super::Codec::feed`] delivers; it then returns with bytes left over, so
/// that a packet of line ends cannot flood the queue of lines.
pub const LINES_PER_FEED_MAX: usize = 64;

/// Bytes of a window's size; more is a fault, and so is less.
pub const NAWS_BYTES: usize = 4;

/// Bytes of a terminal's name; a longer answer is skipped as a fault.
pub const TERMINAL_NAME_BYTES_MAX: usize = 64;

/// Bytes of a charset subnegotiation; a longer one is skipped as a fault.
pub const CHARSET_BYTES_MAX: usize = 256;

/// Answers to "what terminal are you"; nothing is asked after that many.
pub const TERMINAL_ANSWERS_MAX: u8 = 4;

/// Parameter bytes of an escape sequence among the input; what is longer is taken for text.
pub const ESCAPE_BYTES_MAX: u8 = 32;

/// Faults in one [`BUDGET_WINDOW`]; one more closes the connection.
pub const FAULTS_MAX: u16 = 32;

/// Option requests in one [`BUDGET_WINDOW`]; one more closes the connection.
pub const NEGOTIATIONS_MAX: u16 = 200;

/// How long faults and option requests are counted before the count starts again.
pub const BUDGET_WINDOW: Duration = Duration::from_secs(10);

/// How long a subnegotiation may stay open; the connection closes then.
pub const SUBNEGOTIATION_OPEN_MAX: Duration = Duration::from_secs(10);

/// How long a line may stay unfinished before login; the connection closes then.
pub const PENDING_LINE_MAX_BEFORE_LOGIN: Duration = Duration::from_secs(120);

/// Output is never silent for longer than this; a NOP is sent then.
pub const KEEPALIVE_AFTER: Duration = Duration::from_secs(60);

/// "Are you there" is answered at most once in this time; more are ignored.
pub const ARE_YOU_THERE_GAP: Duration = Duration::from_secs(1);

/// Columns that a window may claim; anything outside is moved to the nearer end.
pub const COLUMNS: std::ops::RangeInclusive<u16> = 20..=500;

/// Rows that a window may claim; anything outside is moved to the nearer end.
pub const ROWS: std::ops::RangeInclusive<u16> = 5..=300;

/// Columns of a window of unknown width.
pub const COLUMNS_UNKNOWN: u16 = 80;

/// Rows of a window of unknown height.
pub const ROWS_UNKNOWN: u16 = 24;

const _: () = assert!(LINE_BYTES_MAX_BEFORE_LOGIN <= LINE_BYTES_MAX);
const _: () = assert!(
    LINE_BYTES_MAX.is_power_of_two(),
    "a doubling buffer ends exactly here"
);
const _: () = assert!(LINE_BYTES_MAX_BEFORE_LOGIN.is_power_of_two());
