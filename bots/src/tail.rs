//! `[pure]` Cuts cleaned text into lines and prompts, across packets.

use crate::limits::LINE_BYTES_MAX;
use crate::telnet::MARK;

/// One piece of what the node said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard<'a> {
    /// A whole line without its end.
    Line(&'a [u8]),
    /// The text before a prompt mark, since the last line end; may be empty.
    Prompt(&'a [u8]),
}

/// The unfinished line of one connection; owns no memory while there is none.
#[derive(Debug, Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    /// Takes cleaned text and tells its lines and prompts, in order.
    pub(crate) fn feed(&mut self, mut text: &[u8], mut on: impl FnMut(Heard<'_>)) {
        while let Some(end) = text.iter().position(|byte| matches!(*byte, b'\n' | MARK)) {
            let (piece, rest) = text.split_at(end);
            let is_line = rest.first() == Some(&b'\n');
            text = rest.get(1..).unwrap_or_default();
            if self.0.is_empty() {
                on(heard(piece, is_line));
            } else {
                self.keep(piece);
                on(heard(&self.0, is_line));
                self.0 = Vec::new();
            }
        }
        if !text.is_empty() {
            self.keep(text);
        }
    }

    /// Takes text that nobody wants to see: only the unfinished line is kept.
    pub(crate) fn skip(&mut self, text: &[u8]) {
        let ends = |byte: &u8| matches!(*byte, b'\n' | MARK);
        match text.iter().rposition(ends) {
            Some(end) => {
                self.0 = Vec::new();
                self.keep(text.get(end + 1..).unwrap_or_default());
            }
            None => self.keep(text),
        }
    }

    /// Appends to the unfinished line up to its limit; what is over is cut.
    fn keep(&mut self, text: &[u8]) {
        let room = LINE_BYTES_MAX.saturating_sub(self.0.len()).min(text.len());
        self.0
            .extend_from_slice(text.get(..room).unwrap_or_default());
    }
}

fn heard(piece: &[u8], is_line: bool) -> Heard<'_> {
    let piece = piece.strip_suffix(b"\r").unwrap_or(piece);
    if is_line {
        Heard::Line(piece)
    } else {
        Heard::Prompt(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(parts: &[&[u8]]) -> Vec<String> {
        let (mut tail, mut all) = (Tail::default(), Vec::new());
        for part in parts {
            tail.feed(part, |heard| {
                all.push(match heard {
                    Heard::Line(text) => format!("line {}", String::from_utf8_lossy(text)),
                    Heard::Prompt(text) => format!("prompt {}", String::from_utf8_lossy(text)),
                });
            });
        }
        all
    }

    #[test]
    fn lines_and_prompts_are_the_same_however_they_are_split() {
        let text = b"Hall\r\nA big hall.\r\n\r\n> \x04Ann leaves.\r\n> \x04";
        let whole = pieces(&[text]);
        let expected = [
            "line Hall",
            "line A big hall.",
            "line ",
            "prompt > ",
            "line Ann leaves.",
            "prompt > ",
        ];
        assert_eq!(whole, expected);
        for split in 0..text.len() {
            assert_eq!(
                pieces(&[&text[..split], &text[split..]]),
                whole,
                "split at {split}"
            );
        }
    }

    #[test]
    fn an_endless_line_is_cut() {
        let mut tail = Tail::default();
        for _ in 0..100 {
            tail.feed(&[b'x'; 1000], |_| panic!("no end yet"));
        }
        assert_eq!(tail.0.len(), LINE_BYTES_MAX);
        let mut seen = 0;
        tail.feed(b"y\nz\n", |_| seen += 1);
        assert_eq!(seen, 2);
        assert_eq!(tail.0.capacity(), 0);
    }

    #[test]
    fn skipping_keeps_only_the_unfinished_line() {
        let mut tail = Tail::default();
        tail.skip(b"one\r\ntwo\r\nYou s");
        tail.skip(b"ay, ");
        let mut lines = Vec::new();
        tail.feed(b"\"x\"\r\n", |heard| {
            if let Heard::Line(line) = heard {
                lines.push(line.to_vec());
            }
        });
        assert_eq!(lines, [b"You say, \"x\"".to_vec()]);
    }
}
