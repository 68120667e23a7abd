//! `[pure]` The bytes that telnet gives a meaning to.

/// End of a record; the mark after a prompt once EOR is agreed.
pub(super) const EOR_MARK: u8 = 0xef;
/// End of a subnegotiation.
pub(super) const SE: u8 = 0xf0;
/// Nothing at all.
pub(super) const NOP: u8 = 0xf1;
/// Interrupt what is going on.
pub(super) const INTERRUPT: u8 = 0xf4;
/// Are you there?
pub(super) const ARE_YOU_THERE: u8 = 0xf6;
/// Erase the last character of the pending line.
pub(super) const ERASE_CHARACTER: u8 = 0xf7;
/// Erase the pending line.
pub(super) const ERASE_LINE: u8 = 0xf8;
/// Go ahead; the mark after a prompt while neither EOR nor SGA is agreed.
pub(super) const GO_AHEAD: u8 = 0xf9;
/// Start of a subnegotiation.
pub(super) const SB: u8 = 0xfa;
/// The sender performs an option, or wishes to.
pub(super) const WILL: u8 = 0xfb;
/// The sender does not perform an option.
pub(super) const WONT: u8 = 0xfc;
/// The receiver may perform an option, or is asked to.
pub(super) const DO: u8 = 0xfd;
/// The receiver must not perform an option.
pub(super) const DONT: u8 = 0xfe;
/// The byte that makes the next one a command; doubled, it is data.
pub(super) const IAC: u8 = 0xff;
/// The lowest byte that is a command after IAC (end of file).
pub(super) const COMMAND_MIN: u8 = 0xec;

/// Option: eight-bit data.
pub(super) const BINARY: u8 = 0;
/// Option: the server shows what is typed, or hides it.
pub(super) const ECHO: u8 = 1;
/// Option: no go-ahead marks.
pub(super) const SGA: u8 = 3;
/// Option: a mark in the stream, answered each time; an interrupting client waits for it.
pub(super) const TIMING_MARK: u8 = 6;
/// Option: the client names its terminal.
pub(super) const TTYPE: u8 = 24;
/// Option: the server marks the end of a prompt.
pub(super) const EOR: u8 = 25;
/// Option: the client tells its window's size.
pub(super) const NAWS: u8 = 31;
/// Option: both agree on a charset.
pub(super) const CHARSET: u8 = 42;

/// Appends a subnegotiation; the caller doubles FF in `body` where it can occur.
pub(super) fn subnegotiation(option: u8, body: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[IAC, SB, option]);
    out.extend_from_slice(body);
    out.extend_from_slice(&[IAC, SE]);
}
