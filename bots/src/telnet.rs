//! `[pure]` The bots' telnet reader: takes commands, option answers and colours out, in place.
//!
//! ```text
//! Text ─IAC→ Command ─WILL/WONT/DO/DONT→ Option → Text
//!                    ─SB→ Sub ⇄ SubCommand ─SE→ Text
//! Text ─ESC→ Escape ─[→ Sequence ─final→ Text
//! ```
//! What stays is the server's text; GA and EOR become [`MARK`], one byte that the text itself can
//! not hold. Every option is refused once, whatever it is. Nothing here knows about sockets.

/// Stands for GA or EOR in the cleaned text: here a prompt ends. The byte is taken out of texts.
pub(crate) const MARK: u8 = 0x04;

/// A command that does nothing, for a connection that must show a sign of life.
pub(crate) const NOP: [u8; 2] = [IAC, 241];

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const GA: u8 = 249;
const SE: u8 = 240;
const EOR: u8 = 239;
const ESC: u8 = 27;

/// Where in a telnet or colour sequence the last packet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    Command,
    Option(u8),
    Sub,
    SubCommand,
    Escape,
    Sequence,
}

/// The reader of one connection. It keeps where it is and which options it has refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Telnet {
    state: State,
    refused_will: [u64; 4],
    refused_do: [u64; 4],
}

impl Telnet {
    /// Cleans the bytes in place; the text is `bytes[..n]` for the returned `n`.
    ///
    /// Answers that are due to the server are appended to `replies`.
    pub(crate) fn feed(&mut self, bytes: &mut [u8], replies: &mut Vec<u8>) -> usize {
        let (mut from, mut to) = (0, 0);
        while from < bytes.len() {
            if self.state == State::Text {
                let rest = bytes.get(from..).unwrap_or_default();
                let run = plain_run(rest);
                if run > 0 {
                    bytes.copy_within(from..from + run, to);
                    from += run;
                    to += run;
                    continue;
                }
            }
            let byte = bytes.get(from).copied().unwrap_or_default();
            from += 1;
            let kept = self.step(byte, replies);
            if let (Some(kept), Some(place)) = (kept, bytes.get_mut(to)) {
                *place = kept;
                to += 1;
            }
        }
        to
    }

    /// One byte that is not plain text, or is inside a sequence; the byte to keep, if any.
    fn step(&mut self, byte: u8, replies: &mut Vec<u8>) -> Option<u8> {
        let (next, kept) = match (self.state, byte) {
            (State::Text, IAC) => (State::Command, None),
            (State::Text, ESC) => (State::Escape, None),
            (State::Text, _) => (State::Text, None),
            (State::Command, IAC) => (State::Text, Some(IAC)),
            (State::Command, GA | EOR) => (State::Text, Some(MARK)),
            (State::Command, SB) => (State::Sub, None),
            (State::Command, WILL | WONT | DO | DONT) => (State::Option(byte), None),
            (State::Command, _) => (State::Text, None),
            (State::Option(verb), option) => {
                self.refuse(verb, option, replies);
                (State::Text, None)
            }
            (State::Sub, IAC) => (State::SubCommand, None),
            (State::Sub, _) => (State::Sub, None),
            (State::SubCommand, SE) => (State::Text, None),
            (State::SubCommand, _) => (State::Sub, None),
            (State::Escape, b'[') => (State::Sequence, None),
            (State::Escape, IAC) | (State::Sequence, IAC) => (State::Command, None),
            (State::Escape, _) => (State::Text, None),
            (State::Sequence, 0x20..=0x3F) => (State::Sequence, None),
            (State::Sequence, _) => (State::Text, None),
        };
        self.state = next;
        kept
    }

    /// Refuses an offer or a request, once for each option.
    fn refuse(&mut self, verb: u8, option: u8, replies: &mut Vec<u8>) {
        let (answer, refused) = match verb {
            WILL => (DONT, &mut self.refused_will),
            DO => (WONT, &mut self.refused_do),
            _ => return,
        };
        let bit = 1 << (option % 64);
        if let Some(word) = refused.get_mut(usize::from(option / 64))
            && *word & bit == 0
        {
            *word |= bit;
            replies.extend_from_slice(&[IAC, answer, option]);
        }
    }
}

/// How many bytes from the start are plain text. Blocks of 16 keep the check in vector registers.
fn plain_run(bytes: &[u8]) -> usize {
    let special = |byte: &u8| matches!(*byte, IAC | ESC | MARK | 0);
    let (blocks, _) = bytes.as_chunks::<16>();
    let clean = blocks.iter().take_while(|block| {
        block
            .iter()
            .fold(0_u8, |found, byte| found | u8::from(special(byte)))
            == 0
    });
    let start = clean.count() * 16;
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the input in two packets, split at every place; all splits must agree.
    fn check(input: &[u8], text: &[u8], answers: &[u8]) {
        for split in 0..=input.len() {
            let (mut reader, mut replies, mut out) = (Telnet::default(), Vec::new(), Vec::new());
            for part in [&input[..split], &input[split..]] {
                let mut part = part.to_vec();
                let len = reader.feed(&mut part, &mut replies);
                out.extend_from_slice(&part[..len]);
            }
            assert_eq!(out, text, "text, split at {split}");
            assert_eq!(replies, answers, "answers, split at {split}");
        }
    }

    #[test]
    fn keeps_text_and_marks_prompts() {
        check(
            b"Name: \xFF\xF9more\r\n> \xFF\xEF",
            b"Name: \x04more\r\n> \x04",
            b"",
        );
        check(b"a\xFF\xFFb", b"a\xFFb", b"");
        check(b"nul\0 and mark\x04 go", b"nul and mark go", b"");
    }

    #[test]
    fn refuses_each_option_once() {
        check(
            b"\xFF\xFB\x01hi\xFF\xFD\x18\xFF\xFC\x01\xFF\xFB\x01\xFF\xFD\x01",
            b"hi",
            b"\xFF\xFE\x01\xFF\xFC\x18\xFF\xFC\x01",
        );
    }

    #[test]
    fn drops_subnegotiation_and_colours() {
        check(b"a\xFF\xFA\x18\x01\xFF\xFFx\xFF\xF0b", b"ab", b"");
        check(b"\x1B[1;38;5;200mred\x1B[0m\x1B7!", b"red!", b"");
        check(b"\x1B[3\xFF\xF9x", b"\x04x", b"");
    }

    #[test]
    fn long_runs_are_kept_whole() {
        let long: Vec<u8> = (0..200).map(|i| b'a' + i % 26).collect();
        let mut input = long.clone();
        input.splice(100..100, *b"\xFF\xF9");
        let mut expected = long;
        expected.insert(100, MARK);
        check(&input, &expected, b"");
    }
}
