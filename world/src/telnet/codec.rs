//! `[pure]` The server's end of one telnet connection: what the owner of the socket calls.
//!
//! How input is read is in `machine`.

use std::time::Instant;

use super::budget::Budget;
use super::charset::CharsetTalk;
use super::code::{CHARSET, ECHO, EOR, EOR_MARK, GO_AHEAD, IAC, NAWS, NOP, SGA, TTYPE};
use super::first::FirstBytes;
use super::input::{CloseReason, Input, Window};
use super::limits;
use super::line::LineEditor;
use super::machine::{State, Turn};
use super::options::{Options, Side};
use super::terminal::Dialogue;
use super::ticks::Tick;
use crate::text::Charset;

/// The server's end of one telnet connection.
///
/// Owns no socket and reads no clock: it is fed bytes and given the time, and appends what is to be
/// sent to buffers of the caller. Idle, it holds no heap.
#[derive(Debug)]
pub struct Codec {
    opened: Instant,
    pub(super) options: Options,
    pub(super) line: LineEditor,
    /// The body of the open subnegotiation.
    pub(super) gathered: Vec<u8>,
    pub(super) dialogue: Option<Box<Dialogue>>,
    pub(super) budget: Budget,
    pub(super) charset: CharsetTalk,
    pub(super) first: FirstBytes,
    pub(super) state: State,
    pub(super) window: Option<Window>,
    last_output: Tick,
    pub(super) last_alive: Option<Tick>,
    pub(super) subnegotiation_since: Tick,
    pub(super) line_since: Tick,
    pub(super) logged_in: bool,
    pub(super) hiding: bool,
    pub(super) deaf: bool,
}

impl Codec {
    /// A codec for a connection that opened at `now`.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            opened: now,
            options: Options::default(),
            line: LineEditor::default(),
            gathered: Vec::new(),
            dialogue: None,
            budget: Budget::default(),
            charset: CharsetTalk::default(),
            first: FirstBytes::default(),
            state: State::default(),
            window: None,
            last_output: Tick::default(),
            last_alive: None,
            subnegotiation_since: Tick::default(),
            line_since: Tick::default(),
            logged_in: false,
            hiding: false,
            deaf: false,
        }
    }

    /// Appends the offers that go before the greeting. SGA is not among them: offered by the server
    /// it makes the ordinary telnet client leave its line mode.
    pub fn opening(&mut self, out: &mut Vec<u8>) {
        self.options.enable(Side::Him, TTYPE, out);
        self.options.enable(Side::Him, NAWS, out);
        self.options.enable(Side::Us, CHARSET, out);
        self.options.enable(Side::Us, EOR, out);
    }

    /// Takes bytes from the client, appends answers to `out` and calls `events` for what it finds.
    ///
    /// Returns how many bytes it took: all of them, unless [`limits::LINES_PER_FEED_MAX`] lines
    /// came out; feed the rest when those were handled. After [`Input::Close`] or
    /// [`Input::NotTelnet`] it takes everything and says nothing.
    ///
    /// # Panics
    ///
    /// Never for any input; only if the codec broke a bound of its own.
    #[must_use = "the bytes that were not taken are to be fed again"]
    pub fn feed(
        &mut self,
        bytes: &[u8],
        now: Instant,
        out: &mut Vec<u8>,
        events: &mut impl FnMut(Input),
    ) -> usize {
        let before = out.len();
        let mut turn = Turn {
            now: Tick::at(self.opened, now),
            out,
            events,
            lines: 0,
        };
        let late = self.overdue(turn.now);
        self.close(late, &mut turn);
        let mut taken = 0;
        for byte in bytes {
            if self.deaf {
                taken = bytes.len();
                break;
            }
            if turn.lines >= limits::LINES_PER_FEED_MAX {
                break;
            }
            taken += 1;
            self.step(*byte, &mut turn);
        }
        if turn.out.len() > before {
            self.last_output = turn.now;
        }
        assert!(
            self.line.len() <= limits::LINE_BYTES_MAX,
            "line over its limit"
        );
        assert!(
            self.gathered.len() <= limits::CHARSET_BYTES_MAX,
            "subnegotiation over its limit"
        );
        taken
    }

    /// From now on lines may be as long as [`limits::LINE_BYTES_MAX`] and may wait unfinished.
    pub fn logged_in(&mut self) {
        self.logged_in = true;
    }

    /// Asks the client to hide what is typed, before a password is asked for.
    pub fn hide_input(&mut self, out: &mut Vec<u8>) {
        self.hiding = true;
        self.options.enable(Side::Us, ECHO, out);
    }

    /// Ends the hiding, after the password came. Appends a line end where the client hid the
    /// player's own.
    pub fn show_input(&mut self, out: &mut Vec<u8>) {
        let was_hidden = self.options.is_on(Side::Us, ECHO);
        self.hiding = false;
        self.options.disable(Side::Us, ECHO, out);
        if was_hidden {
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Appends the mark that tells the client: this was a prompt. Never after ordinary text.
    pub fn prompt_end(&self, out: &mut Vec<u8>) {
        if self.options.is_on(Side::Us, EOR) {
            out.extend_from_slice(&[IAC, EOR_MARK]);
        } else if !self.options.is_on(Side::Us, SGA) {
            out.extend_from_slice(&[IAC, GO_AHEAD]);
        }
    }

    /// The charset to encode output in.
    #[must_use]
    pub fn charset(&self) -> Charset {
        self.charset.chosen()
    }

    /// Notes that bytes were written to the client, which puts the keepalive off.
    pub fn note_output(&mut self, now: Instant) {
        self.last_output = Tick::at(self.opened, now);
    }

    /// To be called from time to time, at [`Codec::next_check`] or later: appends a NOP when output
    /// was silent for [`limits::KEEPALIVE_AFTER`], and tells when the client has let something hang
    /// for too long and must be closed.
    pub fn keepalive(&mut self, now: Instant, out: &mut Vec<u8>) -> Option<CloseReason> {
        let now = Tick::at(self.opened, now);
        let late = self.overdue(now);
        if late.is_some() {
            self.deaf = true;
        } else if now.is_past(self.last_output, limits::KEEPALIVE_AFTER) {
            out.extend_from_slice(&[IAC, NOP]);
            self.last_output = now;
        }
        late
    }

    /// When [`Codec::keepalive`] would next have something to do.
    #[must_use]
    pub fn next_check(&self) -> Instant {
        let keepalive = self
            .last_output
            .deadline(self.opened, limits::KEEPALIVE_AFTER);
        let subnegotiation = self.in_subnegotiation().then(|| {
            let time = limits::SUBNEGOTIATION_OPEN_MAX;
            self.subnegotiation_since.deadline(self.opened, time)
        });
        let line = self.line_can_be_late().then(|| {
            let time = limits::PENDING_LINE_MAX_BEFORE_LOGIN;
            self.line_since.deadline(self.opened, time)
        });
        [subnegotiation, line]
            .into_iter()
            .flatten()
            .fold(keepalive, Instant::min)
    }

    /// Bytes of heap that the codec holds; none while it is idle.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let dialogue = self
            .dialogue
            .as_ref()
            .map_or(0, |dialogue| size_of::<Dialogue>() + dialogue.heap_bytes());
        self.line.heap_bytes() + self.gathered.capacity() + dialogue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_codec_is_tiny() {
        assert!(size_of::<Codec>() <= 208, "{} bytes", size_of::<Codec>());
    }
}
