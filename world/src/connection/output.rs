//! `[pure]` What is on its way to a player: when it is written, what is dropped for a slow reader,
//! and where the prompt stands. Nothing here knows sockets or events; text comes rendered.
//!
//! ```text
//!            own text ─────────────┐ at once, with all that waits before it
//!   ambient ──► waiting ──gap──► text of this turn ──frame──► socket
//!                  ▲                                            │ not taken
//!                  └── while anything is unsent, all text waits ◄── unsent
//! ```

use super::framing::Framing;
use super::limits::{WAITING_OVERHEAD_BYTES, WAITING_RETAINED};
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The output of one connection.
#[derive(Debug)]
pub(super) struct Output {
    waiting: VecDeque<Piece>,
    waiting_bytes: usize,
    /// Framed bytes that the socket did not take; `unsent_from` of them went out since.
    unsent: Vec<u8>,
    unsent_from: usize,
    last_write: Instant,
    /// Something owed waits: write at once.
    urgent: bool,
    /// Ambient text was dropped and the player was not told yet.
    lost: bool,
    /// The player is in, so ambient text is followed by the prompt.
    in_play: bool,
    /// The prompt is to follow what is written next.
    prompt_due: bool,
    /// The last thing on the screen is a prompt; text must begin on a line of its own.
    at_prompt: bool,
}

#[derive(Debug)]
struct Piece {
    bytes: Bytes,
    ambient: bool,
}

/// The bounds that output is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// See [`super::settings::ConnectionSettings::output_gap`].
    pub(super) gap: Duration,
    /// See [`super::settings::ConnectionSettings::backlog_bytes`].
    pub(super) backlog_bytes: usize,
}

impl Output {
    /// Nothing on the screen, nothing on the way.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            unsent: Vec::new(),
            unsent_from: 0,
            last_write: now,
            urgent: false,
            lost: false,
            in_play: false,
            prompt_due: false,
            at_prompt: false,
        }
    }

    /// The player is in.
    pub(super) fn enter_play(&mut self) {
        self.in_play = true;
    }

    /// Only last words follow: no prompt any more.
    pub(super) fn end_play(&mut self) {
        self.in_play = false;
        self.prompt_due = false;
    }

    /// The player pressed Enter, so the cursor is at the start of a line.
    pub(super) fn line_typed(&mut self) {
        self.at_prompt = false;
    }

    /// Whether the socket has not taken all it was given.
    pub(super) fn is_blocked(&self) -> bool {
        self.unsent_from < self.unsent.len()
    }

    /// Takes owed text. `render` appends it; what does not end its line is a prompt. Gives the
    /// number of bytes.
    pub(super) fn own(
        &mut self,
        text: &mut Vec<u8>,
        framing: &Framing,
        bounds: Bounds,
        render: impl FnOnce(&mut Vec<u8>),
    ) -> usize {
        self.urgent = true;
        if self.is_blocked() {
            let mut bytes = Vec::new();
            render(&mut bytes);
            let count = bytes.len();
            self.push(Piece {
                bytes: bytes.into(),
                ambient: false,
            });
            if self.backlog_bytes() > bounds.backlog_bytes {
                self.drop_ambient();
            }
            return count;
        }
        self.pour(text, framing);
        let start = self.begin_text(text);
        render(text);
        self.end_text(text, start, framing)
    }

    /// The play prompt follows what is written next.
    pub(super) fn want_prompt(&mut self) {
        self.in_play = true;
        self.urgent = true;
        self.prompt_due = true;
    }

    /// Takes ambient text; false when it was dropped because too much waits.
    pub(super) fn ambient(&mut self, bytes: Bytes, bounds: Bounds) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let size = bytes.len() + WAITING_OVERHEAD_BYTES;
        if self.backlog_bytes() + size > bounds.backlog_bytes {
            self.lost = true;
            return false;
        }
        self.push(Piece {
            bytes,
            ambient: true,
        });
        true
    }

    /// When waiting text is to be written; `None` when nothing waits, or when it waits for the
    /// socket.
    pub(super) fn due(&self, bounds: Bounds) -> Option<Instant> {
        let waits = !self.waiting.is_empty() && !self.is_blocked();
        waits.then(|| self.last_write + bounds.gap)
    }

    /// Whether a flush at `now` would write text.
    pub(super) fn is_due(&self, now: Instant, bounds: Bounds) -> bool {
        !self.is_blocked() && (self.urgent || self.due(bounds).is_some_and(|due| due <= now))
    }

    /// Whether the player is to be told, in the text of this flush, that some was dropped.
    pub(super) fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.lost)
    }

    /// Completes the text of a flush: all that waits, and the prompt where one is due. `answered`:
    /// no answer is outstanding that would bring the prompt itself.
    pub(super) fn complete(
        &mut self,
        text: &mut Vec<u8>,
        framing: &Framing,
        answered: bool,
        prompt: impl FnOnce(&mut Vec<u8>),
    ) {
        assert!(
            !self.is_blocked(),
            "text is completed only for a socket that takes it"
        );
        self.pour(text, framing);
        if !text.is_empty() && self.in_play && answered {
            self.prompt_due = true;
        }
        self.urgent = false;
        if std::mem::take(&mut self.prompt_due) && !self.at_prompt {
            prompt(text);
            framing.prompt_end(text);
            self.at_prompt = true;
        }
    }

    /// All that waits goes into the text of this turn.
    fn pour(&mut self, text: &mut Vec<u8>, framing: &Framing) {
        while let Some(piece) = self.waiting.pop_front() {
            let start = self.begin_text(text);
            text.extend_from_slice(&piece.bytes);
            self.end_text(text, start, framing);
        }
        self.waiting_bytes = 0;
        if self.waiting.capacity() > WAITING_RETAINED {
            self.waiting = VecDeque::new();
        }
    }

    /// Text begins on a line of its own. Gives where it begins.
    fn begin_text(&mut self, text: &mut Vec<u8>) -> usize {
        if self.at_prompt {
            text.extend_from_slice(b"\r\n");
        }
        text.len()
    }

    fn end_text(&mut self, text: &mut Vec<u8>, start: usize, framing: &Framing) -> usize {
        let count = text.len() - start;
        if count == 0 {
            if self.at_prompt {
                text.truncate(start - 2);
            }
            return 0;
        }
        self.at_prompt = text.last() != Some(&b'\n');
        if self.at_prompt {
            framing.prompt_end(text);
        }
        count
    }

    fn push(&mut self, piece: Piece) {
        self.waiting_bytes += piece.bytes.len() + WAITING_OVERHEAD_BYTES;
        self.waiting.push_back(piece);
    }

    fn drop_ambient(&mut self) {
        let before = self.waiting.len();
        self.waiting.retain(|piece| !piece.ambient);
        if self.waiting.len() < before {
            self.lost = true;
            self.waiting_bytes = self
                .waiting
                .iter()
                .map(|piece| piece.bytes.len() + WAITING_OVERHEAD_BYTES)
                .sum();
        }
    }

    fn backlog_bytes(&self) -> usize {
        self.unsent.len() - self.unsent_from + self.waiting_bytes
    }

    /// Whether so much waits, ambient text aside, that the connection is to be cut.
    pub(super) fn is_beyond(&self, bounds: Bounds) -> bool {
        self.backlog_bytes() > 2 * bounds.backlog_bytes
    }

    /// The bytes that the socket is to take next.
    pub(super) fn unsent(&self) -> &[u8] {
        self.unsent.get(self.unsent_from..).unwrap_or_default()
    }

    /// The socket took so many of the unsent bytes.
    pub(super) fn sent(&mut self, count: usize, now: Instant) {
        self.last_write = now;
        self.unsent_from += count;
        assert!(
            self.unsent_from <= self.unsent.len(),
            "no more is sent than there was"
        );
        if !self.is_blocked() {
            self.unsent = Vec::new();
            self.unsent_from = 0;
        }
    }

    /// The socket took the first `count` of `wire`; the rest waits.
    pub(super) fn wrote(&mut self, wire: &[u8], count: usize, now: Instant) {
        self.last_write = now;
        self.keep(wire.get(count..).unwrap_or_default());
    }

    /// Framed bytes that go out after the unsent ones.
    pub(super) fn keep(&mut self, framed: &[u8]) {
        if self.unsent_from > self.unsent.len() / 2 {
            self.unsent.drain(..self.unsent_from);
            self.unsent_from = 0;
        }
        self.unsent.extend_from_slice(framed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        gap: Duration::from_millis(30),
        backlog_bytes: 1_000,
    };

    /// An output whose flushes are written into a string, with the marks of telnet as `|`.
    struct Rig {
        output: Output,
        framing: Framing,
        start: Instant,
        text: Vec<u8>,
    }

    impl Rig {
        fn new() -> Self {
            let start = Instant::now();
            let framing = Framing::telnet(start.into_std());
            Self {
                output: Output::new(start),
                framing,
                start,
                text: Vec::new(),
            }
        }

        fn own(&mut self, line: &str) {
            let Self {
                output,
                framing,
                text,
                ..
            } = self;
            output.own(text, framing, BOUNDS, |out| {
                out.extend_from_slice(line.as_bytes())
            });
        }

        fn ambient(&mut self, line: &str) -> bool {
            self.output
                .ambient(Bytes::copy_from_slice(line.as_bytes()), BOUNDS)
        }

        /// What a flush after so many milliseconds writes.
        fn flush(&mut self, after_ms: u64, answered: bool) -> String {
            let now = self.start + Duration::from_millis(after_ms);
            if self.output.is_due(now, BOUNDS) {
                let prompt = |out: &mut Vec<u8>| out.extend_from_slice(b"> ");
                self.output
                    .complete(&mut self.text, &self.framing, answered, prompt);
                let written = self.text.clone();
                self.output.wrote(&written, written.len(), now);
            }
            let text: Vec<u8> = std::mem::take(&mut self.text)
                .into_iter()
                .filter(|byte| *byte != 0xff)
                .map(|byte| if byte == 0xf9 { b'|' } else { byte })
                .collect();
            String::from_utf8(text).unwrap()
        }
    }

    #[test]
    fn ambient_waits_for_the_gap_and_own_text_takes_it_along() {
        let mut rig = Rig::new();
        rig.output.enter_play();
        assert!(rig.ambient("a\r\n"));
        assert_eq!(rig.flush(29, true), "");
        assert_eq!(rig.flush(30, true), "a\r\n> |");
        assert!(rig.ambient("b\r\n"));
        assert_eq!(rig.flush(59, true), "");
        rig.own("mine\r\n");
        rig.output.want_prompt();
        assert_eq!(rig.flush(59, true), "\r\nb\r\nmine\r\n> |");
    }

    #[test]
    fn text_after_a_typed_line_needs_no_fresh_line_and_no_second_prompt() {
        let mut rig = Rig::new();
        rig.own("x\r\n");
        rig.output.want_prompt();
        assert_eq!(rig.flush(0, true), "x\r\n> |");
        rig.output.line_typed();
        assert!(rig.ambient("a\r\n"));
        assert_eq!(rig.flush(100, false), "a\r\n");
        rig.output.want_prompt();
        assert_eq!(rig.flush(100, true), "> |");
    }

    #[test]
    fn login_prompts_end_with_the_mark() {
        let mut rig = Rig::new();
        rig.own("Welcome\r\n");
        rig.own("Name: ");
        assert_eq!(rig.flush(0, true), "Welcome\r\nName: |");
        rig.own("Too slow.\r\n");
        assert_eq!(rig.flush(0, true), "\r\nToo slow.\r\n");
    }

    #[test]
    fn nothing_to_say_shows_only_the_prompt() {
        let mut rig = Rig::new();
        rig.own("");
        rig.output.want_prompt();
        assert_eq!(rig.flush(0, true), "> |");
        rig.own("");
        assert_eq!(rig.flush(0, true), "");
    }

    #[test]
    fn a_slow_reader_loses_ambient_text_first_and_is_told() {
        let mut rig = Rig::new();
        rig.output.keep(&[b'u'; 700]);
        assert!(rig.ambient(&"a".repeat(200)));
        assert!(!rig.ambient(&"a".repeat(200)));
        assert!(rig.output.take_lost() && !rig.output.take_lost());
        rig.own(&"o".repeat(200));
        assert!(
            rig.output.take_lost(),
            "the waiting ambient text went for the owed one"
        );
        assert!(!rig.output.is_beyond(BOUNDS));
        rig.own(&"o".repeat(1_100));
        assert!(rig.output.is_beyond(BOUNDS));
        assert_eq!(rig.flush(1_000, true), "", "blocked");
        rig.output.sent(700, rig.start);
        assert!(rig.flush(1_000, true).starts_with("ooo"));
    }

    #[test]
    fn a_part_that_was_not_taken_goes_first() {
        let mut rig = Rig::new();
        rig.output.wrote(b"abcdef", 2, rig.start);
        assert!(rig.output.is_blocked());
        rig.output.keep(b"gh");
        rig.output.sent(1, rig.start);
        assert_eq!(rig.output.unsent(), b"defgh");
        rig.output.sent(5, rig.start);
        assert!(!rig.output.is_blocked());
    }
}
