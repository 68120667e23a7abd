//! `[pure]` The one thing in which telnet and WebSocket differ: how text lies in the bytes of a
//! stream.

use crate::telnet::{self, Codec};
use crate::text::{Charset, Depth};
use crate::web::framing::WebFraming;
use std::time::Instant;

/// How the bytes of a connection are made up. Fed bytes and given the time, it knows no socket.
#[derive(Debug)]
pub(crate) enum Framing {
    /// A telnet stream.
    Telnet(Codec),
    /// Frames of a WebSocket.
    Web(Box<WebFraming>),
}

/// What was found in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A line, without control characters.
    Line {
        /// The text. It may be a password.
        text: String,
        /// It was cut to this many bytes.
        cut: Option<u32>,
        /// The client hid it, its end too: the cursor stands behind the prompt still.
        hidden: bool,
    },
    /// Forget what is typed ahead.
    Interrupt,
    /// Show a sign of life.
    AreYouThere,
    /// The client shows what it was asked to hide.
    EchoRefused,
    /// What the client says of its terminal.
    Terminal {
        /// Colours, where it says so.
        depth: Option<Depth>,
        /// The player hears the screen.
        screen_reader: bool,
    },
    /// Output is to be encoded so.
    Charset(Charset),
    /// The peer ended the connection as its protocol has it.
    Gone,
    /// The connection is to be closed.
    Broken(Broken),
}

/// A protocol that was broken, or is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// How the close frame calls it.
    pub(crate) code: CloseCode,
    /// A constant phrase for the log.
    pub(crate) reason: &'static str,
    /// What the peer still gets.
    pub(crate) answer: &'static [u8],
}

/// Why we close, as a WebSocket says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseCode {
    /// 1000: the player left.
    Normal,
    /// 1001: the node stops.
    GoingAway,
    /// 1002: the protocol was broken.
    Protocol,
    /// 1007: a text frame was not UTF-8.
    BadText,
    /// 1008: thrown out.
    Policy,
    /// 1009: a message was too big.
    TooBig,
}

impl Framing {
    /// Telnet, from now on.
    pub(crate) fn telnet(now: Instant) -> Self {
        Self::Telnet(Codec::new(now))
    }

    /// What is sent before anything else.
    pub(super) fn opening(&mut self, out: &mut Vec<u8>) {
        match self {
            Self::Telnet(codec) => codec.opening(out),
            Self::Web(_) => {}
        }
    }

    /// Takes bytes until they hold `lines_max` lines; gives how many it took. What it found goes to
    /// `heard`, answers of the protocol to `out`.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        lines_max: u16,
        now: Instant,
        (heard, out): (&mut Vec<Heard>, &mut Vec<u8>),
    ) -> usize {
        match self {
            Self::Telnet(codec) => {
                let bytes = up_to_lines(bytes, lines_max);
                codec.feed(bytes, now, out, &mut |input| heard.extend(translate(input)))
            }
            Self::Web(web) => web.feed(bytes, lines_max, now, (heard, out)),
        }
    }

    /// Whether it holds lines that it took but did not give yet.
    pub(super) fn has_more(&self) -> bool {
        match self {
            Self::Telnet(_) => false,
            Self::Web(web) => web.has_more(),
        }
    }

    /// Puts text of a flush into the stream.
    pub(super) fn frame(&self, text: &[u8], wire: &mut Vec<u8>) {
        match self {
            Self::Telnet(_) => wire.extend_from_slice(text),
            Self::Web(web) => web.frame(text, wire),
        }
    }

    /// Marks the end of a prompt, in the text.
    pub(super) fn prompt_end(&self, text: &mut Vec<u8>) {
        match self {
            Self::Telnet(codec) => codec.prompt_end(text),
            // The end of a frame says it.
            Self::Web(_) => {}
        }
    }

    /// Hides what is typed, or shows it again; then with a line end for the Enter that was hidden
    /// too. A WebSocket page has its own input line, and nothing to hide it with is agreed here.
    pub(super) fn hide(&mut self, hide: bool, out: &mut Vec<u8>) {
        match self {
            Self::Telnet(codec) if hide => codec.hide_input(out),
            Self::Telnet(codec) => codec.show_input(out),
            Self::Web(_) => {}
        }
    }

    /// The player is in: larger limits hold.
    pub(super) fn logged_in(&mut self) {
        match self {
            Self::Telnet(codec) => codec.logged_in(),
            Self::Web(web) => web.logged_in(),
        }
    }

    /// The charset that the client understands, as far as known.
    pub(super) fn charset(&self) -> Charset {
        match self {
            Self::Telnet(codec) => codec.charset(),
            Self::Web(_) => Charset::Utf8,
        }
    }

    /// Something was written, so the peer needs no sign of life for a while.
    pub(super) fn note_output(&mut self, now: Instant) {
        match self {
            Self::Telnet(codec) => codec.note_output(now),
            Self::Web(_) => {}
        }
    }

    /// When [`Framing::check`] is to be called next.
    pub(super) fn next_check(&self) -> Instant {
        match self {
            Self::Telnet(codec) => codec.next_check(),
            Self::Web(web) => web.next_check(),
        }
    }

    /// Sends signs of life that are due; tells when the peer let something hang for too long.
    pub(super) fn check(&mut self, now: Instant, out: &mut Vec<u8>) -> Option<Broken> {
        match self {
            Self::Telnet(codec) => codec.keepalive(now, out).map(|reason| Broken {
                code: CloseCode::Protocol,
                reason: reason.phrase(),
                answer: b"",
            }),
            Self::Web(web) => web.check(now, out),
        }
    }

    /// The last bytes of the stream.
    pub(super) fn close(&self, code: CloseCode, wire: &mut Vec<u8>) {
        match self {
            Self::Telnet(_) => {}
            Self::Web(web) => web.close(code, wire),
        }
    }
}

/// The beginning of `bytes` with at most so many line ends, so at most so many lines.
fn up_to_lines(bytes: &[u8], lines_max: u16) -> &[u8] {
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'\r' | b'\n'));
    let last = ends
        .map(|(at, _)| at)
        .nth(usize::from(lines_max).saturating_sub(1));
    last.and_then(|at| bytes.get(..=at)).unwrap_or(bytes)
}

fn translate(input: telnet::Input) -> Option<Heard> {
    use telnet::Input as In;
    Some(match input {
        In::Line(line) => Heard::Line {
            cut: line
                .cut
                .then(|| u32::try_from(line.text.len()).unwrap_or(u32::MAX)),
            text: line.text,
            hidden: line.hidden,
        },
        // Nothing that is shown depends on it.
        In::Window(_) => return None,
        In::Terminal(info) => Heard::Terminal {
            depth: info.depth(),
            screen_reader: info.screen_reader(),
        },
        In::Charset(charset) => Heard::Charset(charset),
        In::Interrupt => Heard::Interrupt,
        In::AreYouThere => Heard::AreYouThere,
        In::EchoRefused => Heard::EchoRefused,
        In::NotTelnet(other) => Heard::Broken(Broken {
            code: CloseCode::Protocol,
            reason: "not telnet",
            answer: other.answer(),
        }),
        In::Close(reason) => Heard::Broken(Broken {
            code: CloseCode::Protocol,
            reason: reason.phrase(),
            answer: b"",
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &str, lines_max: u16, expected: &str) {
        assert_eq!(
            up_to_lines(bytes.as_bytes(), lines_max),
            expected.as_bytes(),
            "{bytes:?}"
        );
    }

    #[test]
    fn a_chunk_is_cut_behind_the_last_line_that_may_come() {
        check("a\nb\nc", 2, "a\nb\n");
        check("a\r\nb\r\n", 2, "a\r\n");
        check("a\nb", 2, "a\nb");
        check("\n\n\n", 1, "\n");
        check("", 1, "");
    }
}
