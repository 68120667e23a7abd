//! `[pure]` What one scriptable bot typed (`>`) and saw (`<`), line by line; bounded.

use crate::limits::{ERROR_TRANSCRIPT_BYTES, TRANSCRIPT_BYTES_MAX};
use crate::telnet::MARK;

/// What was typed and seen, as text.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    text: String,
    in_line: bool,
}

impl Transcript {
    /// All of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Its last part, for an error.
    pub(crate) fn end(&self) -> &str {
        let mut start = self.text.len().saturating_sub(ERROR_TRANSCRIPT_BYTES);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        self.text.get(start..).unwrap_or_default()
    }

    /// A line that was typed.
    pub(crate) fn typed(&mut self, line: &str) {
        self.whole("> ", line);
    }

    /// Something that happened to the connection.
    pub(crate) fn note(&mut self, text: &str) {
        self.whole("* ", text);
    }

    /// Cleaned text from the node; a prompt mark ends a line.
    pub(crate) fn seen(&mut self, text: &[u8]) {
        for letter in String::from_utf8_lossy(text)
            .chars()
            .filter(|letter| *letter != '\r')
        {
            if letter == '\n' || letter == char::from(MARK) {
                if letter == '\n' && !self.in_line {
                    self.text.push_str("<\n");
                }
                self.end_line();
                continue;
            }
            if !self.in_line {
                self.text.push_str("< ");
                self.in_line = true;
            }
            self.text.push(letter);
        }
        self.shorten();
    }

    fn whole(&mut self, sign: &str, line: &str) {
        self.end_line();
        self.text.push_str(sign);
        self.text.push_str(line);
        self.text.push('\n');
        self.shorten();
    }

    fn end_line(&mut self) {
        if self.in_line {
            self.text.push('\n');
            self.in_line = false;
        }
    }

    /// Drops the oldest half when full.
    fn shorten(&mut self) {
        if self.text.len() > TRANSCRIPT_BYTES_MAX {
            let mut bytes = std::mem::take(&mut self.text).into_bytes();
            forget_half(&mut bytes, TRANSCRIPT_BYTES_MAX);
            self.text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
}

/// Drops the oldest half of what is longer than the limit.
pub(crate) fn forget_half(bytes: &mut Vec<u8>, limit: usize) {
    if bytes.len() > limit {
        bytes.drain(..bytes.len() - limit / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_prompts_and_typing_stand_in_their_own_lines() {
        let mut transcript = Transcript::default();
        transcript.seen(b"Hall\r\n\r\nNa");
        transcript.seen(b"me: \x04");
        transcript.typed("Ann");
        transcript.seen(b"> ");
        transcript.note("the end");
        assert_eq!(
            transcript.text(),
            "< Hall\n<\n< Name: \n> Ann\n< > \n* the end\n"
        );
    }

    #[test]
    fn the_oldest_half_goes_when_it_is_full() {
        let mut transcript = Transcript::default();
        let line = "\u{e9}".repeat(500);
        for _ in 0..2000 {
            transcript.typed(&line);
        }
        assert!(transcript.text().len() <= TRANSCRIPT_BYTES_MAX);
        assert!(transcript.end().len() <= ERROR_TRANSCRIPT_BYTES);
        assert!(transcript.end().ends_with("\u{e9}\n"));
    }
}
