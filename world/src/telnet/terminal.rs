//! `[pure]` What a client tells about its terminal: the TTYPE dialogue and MTTS.

use super::code::{TTYPE, subnegotiation};
use super::limits::{TERMINAL_ANSWERS_MAX, TERMINAL_NAME_BYTES_MAX};
use crate::text::Depth;

/// First byte of an answer.
const IS: u8 = 0;
/// First byte of a question.
const SEND: u8 = 1;

/// The bits of the MUD Terminal Type Standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mtts(pub u32);

impl Mtts {
    /// ANSI colours.
    pub const ANSI: u32 = 1;
    /// UTF-8.
    pub const UTF8: u32 = 4;
    /// The palette of 256 colours.
    pub const COLORS_256: u32 = 8;
    /// The player hears the screen.
    pub const SCREEN_READER: u32 = 64;
    /// Colours of 24 bits.
    pub const TRUECOLOR: u32 = 256;

    /// Whether a bit is set.
    #[must_use]
    pub fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// What is known of the client. Names are printable ASCII of at most
/// [`TERMINAL_NAME_BYTES_MAX`] bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalInfo {
    /// The first answer: the client's name, or its terminal if it has only one answer.
    pub client: Option<Box<str>>,
    /// The second answer: the terminal's name.
    pub terminal: Option<Box<str>>,
    /// What the client says it can do.
    pub mtts: Option<Mtts>,
    /// Nothing more will come.
    pub settled: bool,
}

impl TerminalInfo {
    /// Colours it can show; `None` when it did not say.
    #[must_use]
    pub fn depth(&self) -> Option<Depth> {
        if let Some(mtts) = self.mtts {
            return Some(if mtts.has(Mtts::TRUECOLOR) {
                Depth::True
            } else if mtts.has(Mtts::COLORS_256) {
                Depth::Ansi256
            } else if mtts.has(Mtts::ANSI) {
                Depth::Ansi16
            } else {
                Depth::None
            });
        }
        self.terminal
            .as_deref()
            .and_then(depth_of_name)
            .or_else(|| self.client.as_deref().and_then(depth_of_name))
    }

    /// Whether the client says that its player hears the screen.
    #[must_use]
    pub fn screen_reader(&self) -> bool {
        self.mtts.is_some_and(|mtts| mtts.has(Mtts::SCREEN_READER))
    }

    /// Whether the client says that it speaks UTF-8.
    #[must_use]
    pub fn utf8(&self) -> bool {
        self.mtts.is_some_and(|mtts| mtts.has(Mtts::UTF8))
    }
}

/// What the name of a terminal tells.
fn depth_of_name(name: &str) -> Option<Depth> {
    let name = name.to_ascii_lowercase();
    if name.ends_with("-truecolor") || name.ends_with("-direct") {
        Some(Depth::True)
    } else if name.ends_with("-256color") {
        Some(Depth::Ansi256)
    } else if name.starts_with("xterm") {
        Some(Depth::Ansi16)
    } else if name.starts_with("vt100") || name.starts_with("ansi") {
        Some(Depth::Ansi8)
    } else if name.starts_with("dumb") {
        Some(Depth::None)
    } else {
        None
    }
}

/// One dialogue: questions until an answer repeats or enough have come. Lives on the heap only
/// while it goes on.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    answers: u8,
    last: String,
    info: TerminalInfo,
}

/// An answer that made no sense.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl Dialogue {
    /// Begins a dialogue with its first question.
    pub(super) fn begin(out: &mut Vec<u8>) -> Self {
        ask(out);
        Self::default()
    }

    /// Takes an answer and asks again if need be. `Some` when there is news.
    pub(super) fn answer(
        &mut self,
        body: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<TerminalInfo>, Malformed> {
        let Some((&IS, name)) = body.split_first() else {
            return Err(Malformed);
        };
        let name = sanitise(name);
        self.answers += 1;
        let repeated = self.answers > 1 && name == self.last;
        if !repeated {
            self.learn(&name);
        }
        self.last = name;
        if repeated || self.answers >= TERMINAL_ANSWERS_MAX {
            self.info.settled = true;
        } else {
            ask(out);
        }
        let news = self.info.settled || !self.last.is_empty();
        Ok(news.then(|| self.info.clone()))
    }

    /// Ends the dialogue with what is known.
    pub(super) fn settle(mut self) -> TerminalInfo {
        self.info.settled = true;
        self.info
    }

    /// Bytes of heap held.
    pub(super) fn heap_bytes(&self) -> usize {
        let names = [&self.info.client, &self.info.terminal];
        let names = names.into_iter().flatten().map(|name| name.len());
        self.last.capacity() + names.sum::<usize>()
    }

    fn learn(&mut self, name: &str) {
        if let Some(number) = strip_prefix_ignoring_case(name, "MTTS ") {
            // A number out of range tells nothing, so it changes nothing.
            if let Ok(bits) = number.trim().parse() {
                self.info.mtts = Some(Mtts(bits));
            }
        } else if name.is_empty() {
        } else if self.info.client.is_none() {
            self.info.client = Some(name.into());
        } else if self.info.terminal.is_none() {
            self.info.terminal = Some(name.into());
        }
    }
}

fn ask(out: &mut Vec<u8>) {
    subnegotiation(TTYPE, &[SEND], out);
}

fn sanitise(name: &[u8]) -> String {
    name.iter()
        .filter(|byte| matches!(byte, b' '..=b'~'))
        .take(TERMINAL_NAME_BYTES_MAX)
        .map(|byte| char::from(*byte))
        .collect()
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a client with these answers; the last one repeats for ever. Gives the last news and
    /// the number of questions.
    fn play(answers: &[&str]) -> (TerminalInfo, usize) {
        let mut out = Vec::new();
        let mut dialogue = Dialogue::begin(&mut out);
        let mut known = TerminalInfo::default();
        for at in 0..10 {
            let name = answers.get(at).or(answers.last()).unwrap();
            let body = [&[IS], name.as_bytes()].concat();
            if let Some(info) = dialogue.answer(&body, &mut out).unwrap() {
                known = info;
            }
            if known.settled {
                break;
            }
        }
        (known, out.len() / 6)
    }

    #[test]
    fn tintin_gives_name_terminal_and_bits() {
        let (info, questions) = play(&["TINTIN++", "xterm-256color", "MTTS 271"]);
        assert_eq!(info.client.as_deref(), Some("TINTIN++"));
        assert_eq!(info.terminal.as_deref(), Some("xterm-256color"));
        assert_eq!(info.mtts, Some(Mtts(271)));
        assert!(info.settled && info.utf8() && !info.screen_reader());
        assert_eq!(info.depth(), Some(Depth::True));
        assert_eq!(questions, 4);
    }

    #[test]
    fn a_client_that_repeats_for_ever_is_asked_twice() {
        let (info, questions) = play(&["XTERM-256COLOR"]);
        assert_eq!(info.client.as_deref(), Some("XTERM-256COLOR"));
        assert_eq!(info.depth(), Some(Depth::Ansi256));
        assert!(info.settled);
        assert_eq!(questions, 2);
    }

    #[test]
    fn a_client_with_ever_new_names_is_asked_four_times() {
        let (info, questions) = play(&["a", "b", "c", "d", "e", "f"]);
        assert!(info.settled);
        assert_eq!(questions, 4);
    }

    #[test]
    fn depth_comes_from_the_bits_or_the_name() {
        for (answers, expected) in [
            (
                &["MUDLET", "ANSI-TRUECOLOR", "MTTS 2349"][..],
                Some(Depth::True),
            ),
            (&["X", "xterm", "MTTS 9"], Some(Depth::Ansi256)),
            (&["X", "xterm", "MTTS 1"], Some(Depth::Ansi16)),
            (&["X", "xterm-256color", "MTTS 64"], Some(Depth::None)),
            (&["X", "ANSI-TRUECOLOR"], Some(Depth::True)),
            (&["xterm"], Some(Depth::Ansi16)),
            (&["VT100"], Some(Depth::Ansi8)),
            (&["dumb"], Some(Depth::None)),
            (&["whatever"], None),
            (&[""], None),
        ] {
            assert_eq!(play(answers).0.depth(), expected, "for {answers:?}");
        }
        assert!(play(&["X", "Y", "MTTS 64"]).0.screen_reader());
    }

    #[test]
    fn hostile_answers_do_no_harm() {
        let (info, _) = play(&["X", "MTTS 99999999999999999999"]);
        assert_eq!(info.mtts, None);
        let (info, _) = play(&["a\x1b[31m\u{7f}é", &"y".repeat(200)]);
        assert_eq!(info.client.as_deref(), Some("a[31m"));
        assert_eq!(
            info.terminal.as_deref().map(str::len),
            Some(TERMINAL_NAME_BYTES_MAX)
        );
        let mut dialogue = Dialogue::default();
        assert_eq!(dialogue.answer(b"", &mut Vec::new()), Err(Malformed));
        assert_eq!(dialogue.answer(b"\x01x", &mut Vec::new()), Err(Malformed));
    }
}
