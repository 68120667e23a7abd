//! `[pure]` The pending line: what was typed since the last line end.
//!
//! CR ends a line at once and swallows one LF that follows; LF ends one too; NUL is dropped
//! wherever it is. So CR LF, CR NUL, CR and LF all read alike. Escape sequences (cursor keys) and
//! control characters but TAB are dropped. Holds no heap while nothing is pending.

use std::mem;

use super::limits::ESCAPE_BYTES_MAX;

/// What one byte did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// The line goes on.
    Pending,
    /// The line is complete: take it.
    Ended,
}

/// How many bytes a character takes, for erasing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// Always one.
    OneByte,
    /// As many as UTF-8 says.
    Utf8,
}

/// The line that is being typed.
#[derive(Debug, Default)]
pub(super) struct LineEditor {
    bytes: Vec<u8>,
    cut: bool,
    after_return: bool,
    escape: Escape,
}

/// How far we are in an escape sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    /// Not in one.
    #[default]
    Outside,
    /// After ESC.
    Started,
    /// After ESC [ and this many parameter bytes.
    Parameters(u8),
    /// One more byte belongs to it.
    LastByte,
}

impl LineEditor {
    /// Takes one byte of data; keeps at most `bytes_max`.
    pub(super) fn push(&mut self, byte: u8, bytes_max: usize, width: Width) -> Edit {
        if mem::take(&mut self.after_return) && byte == b'\n' {
            return Edit::Pending;
        }
        match byte {
            b'\r' | b'\n' => {
                self.after_return = byte == b'\r';
                self.escape = Escape::Outside;
                return Edit::Ended;
            }
            0x08 | 0x7f => {
                self.escape = Escape::Outside;
                self.erase_character(width);
            }
            0x1b => self.escape = Escape::Started,
            b'\t' | b' '.. if !self.escape_takes(byte) => self.keep(byte, bytes_max),
            _ => {}
        }
        Edit::Pending
    }

    /// The finished line's bytes and whether it was cut; the next line starts empty.
    pub(super) fn take(&mut self) -> (Vec<u8>, bool) {
        (mem::take(&mut self.bytes), mem::take(&mut self.cut))
    }

    /// Removes the last character. A line that was cut stays as it is: its end is not here.
    pub(super) fn erase_character(&mut self, width: Width) {
        if self.cut {
            return;
        }
        let length = match width {
            Width::OneByte => 1,
            Width::Utf8 => last_character_bytes(&self.bytes),
        };
        self.bytes.truncate(self.bytes.len().saturating_sub(length));
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }

    /// Removes the whole pending line.
    pub(super) fn erase_line(&mut self) {
        self.bytes = Vec::new();
        self.cut = false;
        self.escape = Escape::Outside;
    }

    /// Whether something was typed since the last line end.
    pub(super) fn is_pending(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Bytes kept of the pending line.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of heap held.
    pub(super) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn keep(&mut self, byte: u8, bytes_max: usize) {
        if self.bytes.len() < bytes_max && !self.cut {
            self.bytes.push(byte);
        } else {
            self.cut = true;
        }
    }

    /// Whether `byte` belongs to an escape sequence; moves on in it.
    fn escape_takes(&mut self, byte: u8) -> bool {
        let (next, taken) = match (self.escape, byte) {
            (Escape::Outside, _) => return false,
            (Escape::Started, b'[') => (Escape::Parameters(0), true),
            (Escape::Started, b'O') | (Escape::Parameters(0), b'[') => (Escape::LastByte, true),
            (Escape::Started, _) => (Escape::Outside, false),
            (Escape::Parameters(count), b' '..=b'?') if count < ESCAPE_BYTES_MAX => {
                (Escape::Parameters(count + 1), true)
            }
            (Escape::Parameters(_) | Escape::LastByte, b'@'..=b'~') => (Escape::Outside, true),
            (Escape::Parameters(_) | Escape::LastByte, _) => (Escape::Outside, false),
        };
        self.escape = next;
        taken
    }
}

/// Bytes of the last character: a whole one of UTF-8, its beginning if the rest is to come, or a
/// byte that is neither.
fn last_character_bytes(bytes: &[u8]) -> usize {
    let last = |length: usize| {
        bytes
            .len()
            .checked_sub(length)
            .and_then(|at| bytes.get(at..))
    };
    let is_character = |length: &usize| {
        last(*length).is_some_and(|tail| match std::str::from_utf8(tail) {
            Ok(text) => text.chars().count() == 1,
            Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
        })
    };
    (1..=4).find(is_character).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(typed: &[u8], bytes_max: usize) -> Vec<(String, bool)> {
        let mut editor = LineEditor::default();
        let mut found = Vec::new();
        for byte in typed {
            if editor.push(*byte, bytes_max, Width::Utf8) == Edit::Ended {
                let (bytes, cut) = editor.take();
                found.push((String::from_utf8_lossy(&bytes).into_owned(), cut));
            }
        }
        found
    }

    fn check(typed: &[u8], expected: &[&str]) {
        let texts: Vec<_> = lines(typed, 100)
            .into_iter()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, expected, "for {typed:?}");
    }

    #[test]
    fn all_four_line_ends_read_alike() {
        check(b"a\r\nb\r\0c\rd\ne\r\n", &["a", "b", "c", "d", "e"]);
        check(b"abc\r\0def\rghi\n", &["abc", "def", "ghi"]);
        check(b"\r\r", &["", ""]);
        check(b"\r\n\r\n\n", &["", "", ""]);
        check(b"piped\r\0\r\n", &["piped", ""]);
        check(b"a\r\n\0b\n", &["a", "b"]);
        check(b"unfinished", &[]);
    }

    #[test]
    fn controls_and_escape_sequences_are_dropped() {
        check(b"\x03a\x07b\0c\td\r", &["abc\td"]);
        check(b"n\x1b[Aor\x1b[1;5Dth\x1bOP\r", &["north"]);
        check(b"\x1b[[Ax\x1bx\x1b\r", &["xx"]);
        check(b"\x1b[1;\rlook\r", &["", "look"]);
        check(b"\x1b[\xc3\xa9\r", &["é"]);
    }

    #[test]
    fn an_endless_escape_sequence_ends_as_text() {
        let mut typed = b"\x1b[".to_vec();
        typed.extend([b'1'; 40]);
        typed.push(b'\r');
        assert_eq!(lines(&typed, 100), [("1".repeat(8), false)]);
    }

    #[test]
    fn backspace_erases_whole_characters() {
        check(b"ab\x08c\r", &["ac"]);
        check("aé\u{7f}b\r".as_bytes(), &["ab"]);
        check("日\u{8}\u{8}\u{8}b\r".as_bytes(), &["b"]);
        check(b"a\xe6\x97\x08b\r", &["ab"]);
        check(b"\x08\x7f\r", &[""]);
        let mut editor = LineEditor::default();
        for byte in [b'a', 0xc3, 0xa9, 0x08] {
            editor.push(byte, 100, Width::OneByte);
        }
        assert_eq!(editor.take().0, [b'a', 0xc3]);
    }

    #[test]
    fn erasing_everything_frees_the_heap() {
        let mut editor = LineEditor::default();
        editor.push(b'a', 100, Width::Utf8);
        assert!(editor.is_pending() && editor.heap_bytes() > 0);
        editor.erase_character(Width::Utf8);
        assert!(!editor.is_pending());
        assert_eq!(editor.heap_bytes(), 0);
    }

    #[test]
    fn a_long_line_keeps_its_beginning() {
        assert_eq!(
            lines(b"abcdef\x08\x08\rxy\r", 4),
            [("abcd".into(), true), ("xy".into(), false)]
        );
        assert_eq!(lines(b"abcd\r", 4), [("abcd".into(), false)]);
        assert_eq!(lines(b"abc\x08\x08xyz\r", 4), [("axyz".into(), false)]);
    }
}
