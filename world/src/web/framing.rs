//! `[pure]` WebSocket frames as the framing of a connection. The protocol of RFC 6455 is
//! tungstenite's, fed from a slice and writing into a buffer; only our own frames, which need no
//! mask, are made here, so that text goes into the socket's buffer without a copy in between.

use super::limits::{
    FRAME_BYTES_MAX, MESSAGE_BYTES_MAX, PING_EVERY, READ_BUFFER_BYTES, SILENCE_MAX,
};
use crate::connection::framing::{Broken, CloseCode, Heard};
use crate::telnet::limits::{LINE_BYTES_MAX, LINE_BYTES_MAX_BEFORE_LOGIN};
use std::io::{self, Read, Write};
use std::time::Instant;
use tokio_tungstenite::tungstenite::protocol::{Message, Role, WebSocketConfig, WebSocketContext};
use tokio_tungstenite::tungstenite::{Error, error::CapacityError};

/// First byte of a whole text frame, a whole binary frame, a ping and a close.
pub(crate) const TEXT: u8 = 0x81;
pub(crate) const BINARY: u8 = 0x82;
const PING: u8 = 0x89;
const CLOSE: u8 = 0x88;

/// In which frames the text for the player lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// TEXT frames; for a client that asked for no subprotocol.
    Text,
    /// BINARY frames, as `terminal.mudstandards.org` has it.
    Binary,
}

/// The framing of one WebSocket.
#[derive(Debug)]
pub(crate) struct WebFraming {
    context: WebSocketContext,
    payload: Payload,
    /// Bytes that came together with the handshake.
    early: Vec<u8>,
    /// What is left of a message whose first lines were given.
    rest: String,
    /// The last turn ended because it had lines enough; more may lie in the reader's buffer.
    stopped: bool,
    logged_in: bool,
    /// No frame may follow: a close frame was answered.
    over: bool,
    last_heard: Instant,
    last_ping: Instant,
}

impl WebFraming {
    /// The framing after a handshake at `now`; `early` came behind the request already.
    pub(crate) fn new(payload: Payload, early: Vec<u8>, now: Instant) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(0)
            .max_write_buffer_size(MESSAGE_BYTES_MAX)
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        Self {
            context: WebSocketContext::new(Role::Server, Some(config)),
            payload,
            early,
            rest: String::new(),
            stopped: false,
            logged_in: false,
            over: false,
            last_heard: now,
            last_ping: now,
        }
    }

    /// See the method of [`crate::connection::framing::Framing`].
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        lines_max: u16,
        now: Instant,
        (heard, out): (&mut Vec<Heard>, &mut Vec<u8>),
    ) -> usize {
        if !bytes.is_empty() {
            self.last_heard = now;
        }
        let mut left = lines_max;
        let early = std::mem::take(&mut self.early);
        let mut stream = Stream {
            early: &early,
            bytes,
            out,
        };
        loop {
            self.give_lines(&mut left, heard);
            self.stopped = left == 0;
            if self.over || self.stopped {
                break;
            }
            match self.context.read(&mut stream) {
                Ok(Message::Text(text)) => self.take_message(text.as_str()),
                Ok(Message::Binary(data)) => self.take_message(&String::from_utf8_lossy(&data)),
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                // The answer is written by the read that follows.
                Ok(Message::Close(_)) => {}
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.over = true;
                    heard.push(self.end(&error));
                }
            }
        }
        let taken = if self.over {
            bytes.len()
        } else {
            bytes.len() - stream.bytes.len()
        };
        self.early = if self.over {
            Vec::new()
        } else {
            stream.early.to_vec()
        };
        taken
    }

    /// Whether there is something to give before new bytes come.
    pub(crate) fn has_more(&self) -> bool {
        !self.over && (self.stopped || !self.early.is_empty())
    }

    /// A frame with this text.
    pub(crate) fn frame(&self, text: &[u8], wire: &mut Vec<u8>) {
        if self.over {
            return;
        }
        let first = match self.payload {
            Payload::Text => TEXT,
            Payload::Binary => BINARY,
        };
        frame_header(first, text.len(), wire);
        wire.extend_from_slice(text);
    }

    /// Longer lines are taken from now on.
    pub(crate) fn logged_in(&mut self) {
        self.logged_in = true;
    }

    /// When [`WebFraming::check`] has something to do.
    pub(crate) fn next_check(&self) -> Instant {
        (self.last_ping + PING_EVERY).min(self.last_heard + SILENCE_MAX)
    }

    /// Sends a ping that is due; tells when the client is silent for too long.
    pub(crate) fn check(&mut self, now: Instant, out: &mut Vec<u8>) -> Option<Broken> {
        if now >= self.last_heard + SILENCE_MAX {
            return Some(broken(CloseCode::Policy, "silent for too long"));
        }
        if now >= self.last_ping + PING_EVERY {
            self.last_ping = now;
            out.extend_from_slice(&[PING, 0]);
        }
        None
    }

    /// A close frame, unless one was sent.
    pub(crate) fn close(&self, code: CloseCode, wire: &mut Vec<u8>) {
        if self.over && code == CloseCode::Normal {
            return;
        }
        let (code, reason) = match code {
            CloseCode::Normal => (1000_u16, "goodbye"),
            CloseCode::GoingAway => (1001, "the node stops"),
            CloseCode::Protocol => (1002, "protocol error"),
            CloseCode::BadText => (1007, "text is not UTF-8"),
            CloseCode::Policy => (1008, "not allowed"),
            CloseCode::TooBig => (1009, "message too big"),
        };
        wire.extend([CLOSE, 2 + u8::try_from(reason.len()).unwrap_or(0)]);
        wire.extend_from_slice(&code.to_be_bytes());
        wire.extend_from_slice(reason.as_bytes());
    }

    fn end(&self, error: &Error) -> Heard {
        Heard::Broken(match error {
            Error::ConnectionClosed | Error::AlreadyClosed | Error::Io(_) => return Heard::Gone,
            Error::Capacity(CapacityError::MessageTooLong { .. }) => {
                broken(CloseCode::TooBig, "message too big")
            }
            Error::Utf8(_) => broken(CloseCode::BadText, "text is not utf-8"),
            Error::Capacity(CapacityError::TooManyHeaders)
            | Error::Protocol(_)
            | Error::WriteBufferFull(_)
            | Error::AttackAttempt
            | Error::Url(_)
            | Error::Http(_)
            | Error::HttpFormat(_)
            | Error::Tls(_) => broken(CloseCode::Protocol, "websocket protocol broken"),
        })
    }

    /// A message is one line, or several, each but the last with an end.
    fn take_message(&mut self, text: &str) {
        self.rest = text.to_owned();
        if !matches!(text.as_bytes().last(), Some(b'\n' | b'\r')) {
            self.rest.push('\n');
        }
    }

    fn give_lines(&mut self, left: &mut u16, heard: &mut Vec<Heard>) {
        let mut from = 0;
        while *left > 0
            && let Some(rest) = self.rest.get(from..)
            && let Some(end) = rest.find(['\r', '\n'])
        {
            let (line, behind) = rest.split_at(end);
            let pair = behind.starts_with("\r\n") || behind.starts_with("\r\0");
            heard.push(clean_line(line, self.line_bytes_max()));
            from += end + if pair { 2 } else { 1 };
            *left -= 1;
        }
        if from >= self.rest.len() {
            self.rest = String::new();
        } else {
            self.rest.drain(..from);
        }
    }

    fn line_bytes_max(&self) -> usize {
        if self.logged_in {
            LINE_BYTES_MAX
        } else {
            LINE_BYTES_MAX_BEFORE_LOGIN
        }
    }
}

/// The header of a whole frame without mask: its first byte, and how long its payload is.
pub(crate) fn frame_header(first: u8, payload_bytes: usize, wire: &mut Vec<u8>) {
    wire.push(first);
    match (u8::try_from(payload_bytes), u16::try_from(payload_bytes)) {
        (Ok(short @ 0..126), _) => wire.push(short),
        (_, Ok(medium)) => {
            wire.push(126);
            wire.extend_from_slice(&medium.to_be_bytes());
        }
        _ => {
            wire.push(127);
            wire.extend_from_slice(&(payload_bytes as u64).to_be_bytes());
        }
    }
}

fn clean_line(line: &str, bytes_max: usize) -> Heard {
    let mut text: String = line
        .chars()
        .filter(|c| *c == '\t' || !c.is_control())
        .collect();
    let cut = text.len() > bytes_max;
    if cut {
        text.truncate(text.floor_char_boundary(bytes_max));
    }
    let cut = cut.then(|| u32::try_from(text.len()).unwrap_or(u32::MAX));
    Heard::Line {
        text,
        cut,
        hidden: false,
    }
}

fn broken(code: CloseCode, reason: &'static str) -> Broken {
    Broken {
        code,
        reason,
        answer: b"",
    }
}

/// What tungstenite takes for a socket: it reads what we have and writes into our buffer.
struct Stream<'a> {
    early: &'a [u8],
    bytes: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let source = if self.early.is_empty() {
            &mut self.bytes
        } else {
            &mut self.early
        };
        if source.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        source.read(buffer)
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Instant {
        tokio::time::Instant::now().into_std()
    }

    /// A client's frame with mask 0, which leaves the payload as it is.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![first];
        match payload.len() {
            short @ 0..126 => bytes.push(0x80 | u8::try_from(short).unwrap()),
            long => {
                bytes.push(0x80 | 126);
                bytes.extend_from_slice(&u16::try_from(long).unwrap().to_be_bytes());
            }
        }
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(payload);
        bytes
    }

    fn framing() -> WebFraming {
        WebFraming::new(Payload::Text, Vec::new(), now())
    }

    fn feed(framing: &mut WebFraming, bytes: &[u8]) -> (Vec<Heard>, Vec<u8>) {
        let (mut heard, mut out) = (Vec::new(), Vec::new());
        let taken = framing.feed(bytes, 64, now(), (&mut heard, &mut out));
        assert_eq!(taken, bytes.len());
        (heard, out)
    }

    fn lines(heard: &[Heard]) -> Vec<&str> {
        let mut lines = Vec::new();
        for heard in heard {
            let Heard::Line { text, .. } = heard else {
                panic!("not a line: {heard:?}")
            };
            lines.push(text.as_str());
        }
        lines
    }

    fn check_lines(first: u8, payload: &[u8], expected: &[&str]) {
        let (heard, out) = feed(&mut framing(), &frame(first, payload));
        assert_eq!(lines(&heard), expected, "for {payload:?}");
        assert!(out.is_empty());
    }

    fn check_broken(bytes: &[u8], expected: CloseCode) {
        let mut framing = framing();
        let (heard, _) = feed(&mut framing, bytes);
        let [Heard::Broken(broken)] = heard.as_slice() else {
            panic!("{heard:?}")
        };
        assert_eq!(broken.code, expected);
        let (heard, _) = feed(&mut framing, &frame(TEXT, b"look"));
        assert!(heard.is_empty(), "deaf afterwards");
    }

    #[test]
    fn messages_are_lines() {
        check_lines(TEXT, b"look", &["look"]);
        check_lines(BINARY, b"look\r\n", &["look"]);
        check_lines(TEXT, b"a\nb\r\nc\rd", &["a", "b", "c", "d"]);
        check_lines(TEXT, b"", &[""]);
        check_lines(TEXT, b"\n\n", &["", ""]);
        check_lines(TEXT, b"a\x1b[2J\tb", &["a[2J\tb"]);
        check_lines(BINARY, b"a\xffb", &["a\u{fffd}b"]);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let (heard, _) = feed(&mut framing(), &frame(TEXT, "é".repeat(600).as_bytes()));
        let [Heard::Line { text, cut, .. }] = heard.as_slice() else {
            panic!("{heard:?}")
        };
        assert_eq!((text.len(), *cut), (1_024, Some(1_024)));
    }

    #[test]
    fn more_lines_than_wanted_wait() {
        let mut framing = framing();
        let bytes = [frame(TEXT, b"a\nb\nc\n"), frame(TEXT, b"d")].concat();
        let (mut heard, mut out) = (Vec::new(), Vec::new());
        let mut taken = framing.feed(&bytes, 2, now(), (&mut heard, &mut out));
        assert_eq!(lines(&heard), ["a", "b"]);
        assert!(framing.has_more());
        while taken < bytes.len() || framing.has_more() {
            let rest = &bytes[taken..];
            taken += framing.feed(rest, 1, now(), (&mut heard, &mut out));
        }
        assert_eq!(lines(&heard), ["a", "b", "c", "d"]);
    }

    #[test]
    fn broken_protocols_get_their_codes() {
        check_broken(b"\x81\x04look", CloseCode::Protocol);
        check_broken(&frame(0xc1, b"rsv1"), CloseCode::Protocol);
        check_broken(&frame(0x83, b"opcode"), CloseCode::Protocol);
        check_broken(&frame(0x80, b"continues nothing"), CloseCode::Protocol);
        check_broken(&frame(TEXT, b"\xff\xfe"), CloseCode::BadText);
        check_broken(
            &frame(TEXT, &vec![b'x'; FRAME_BYTES_MAX + 1]),
            CloseCode::TooBig,
        );
        let part = vec![b'x'; FRAME_BYTES_MAX];
        let mut parts = frame(0x01, &part);
        for _ in 0..4 {
            parts.extend(frame(0x00, &part));
        }
        check_broken(&parts, CloseCode::TooBig);
    }

    #[test]
    fn pings_and_closes_are_answered() {
        let mut framing = framing();
        let (heard, out) = feed(&mut framing, &frame(PING, b"hi"));
        assert_eq!((heard.len(), out.as_slice()), (0, b"\x8a\x02hi".as_slice()));
        let (heard, out) = feed(&mut framing, &frame(CLOSE, &1000_u16.to_be_bytes()));
        assert_eq!(heard, [Heard::Gone]);
        assert_eq!(out, b"\x88\x02\x03\xe8");
        let mut wire = Vec::new();
        framing.close(CloseCode::Normal, &mut wire);
        framing.frame(b"late", &mut wire);
        assert!(wire.is_empty(), "nothing follows the answer to a close");
    }

    #[test]
    fn frames_have_the_shortest_length() {
        for (count, header) in [
            (0, b"\x81\x00".to_vec()),
            (125, b"\x81\x7d".to_vec()),
            (126, b"\x81\x7e\x00\x7e".to_vec()),
            (65_535, b"\x81\x7e\xff\xff".to_vec()),
            (65_536, b"\x81\x7f\0\0\0\0\0\x01\0\0".to_vec()),
        ] {
            let mut wire = Vec::new();
            framing().frame(&vec![b'x'; count], &mut wire);
            assert_eq!(wire.len(), header.len() + count);
            assert!(wire.starts_with(&header), "for {count}");
        }
    }

    #[test]
    fn silence_ends_and_pings_come_on_time() {
        let start = now();
        let mut framing = WebFraming::new(Payload::Binary, Vec::new(), start);
        assert_eq!(framing.next_check(), start + PING_EVERY);
        let mut out = Vec::new();
        assert_eq!(framing.check(start + PING_EVERY, &mut out), None);
        assert_eq!(out, [PING, 0]);
        assert_eq!(framing.next_check(), start + 2 * PING_EVERY);
        assert!(framing.check(start + SILENCE_MAX, &mut out).is_some());
    }

    proptest! {
        #[test]
        fn any_chunking_hears_the_same(cuts in prop::collection::vec(1_usize..40, 1..40)) {
            let bytes = [
                frame(TEXT, b"one\ntwo"), frame(PING, b"p"), frame(0x01, b"thr"),
                frame(0x80, b"ee"), frame(BINARY, "fünf".as_bytes()),
            ].concat();
            let mut framing = framing();
            let (mut heard, mut rest) = (Vec::new(), bytes.as_slice());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                heard.extend(feed(&mut framing, now).0);
                rest = later;
            }
            prop_assert_eq!(lines(&heard), ["one", "two", "three", "fünf"]);
        }
    }
}
