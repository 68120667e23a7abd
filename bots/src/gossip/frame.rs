//! `[pure]` WebSocket frames, read in place: a chunk of a socket holds many small ones, and a crowd
//! of games hears hundreds of thousands a second.
//!
//! Only what a hub sends is read: whole text frames without mask, pings and closes. Source:
//! RFC 6455, section 5.2.

use crate::limits::HUB_FRAME_BYTES_MAX;

const FINAL: u8 = 0x80;
const OPCODE: u8 = 0x0F;
const MASKED: u8 = 0x80;

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Hides nothing from a hub: masks protect proxies between browsers and servers.
const MASK: [u8; 4] = [0x5A, 0xC3, 0x96, 0x3C];

/// One frame of a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A text.
    Text(&'a [u8]),
    /// To be answered with the same bytes.
    Ping(&'a [u8]),
    /// The end, with its code.
    Close(Option<u16>),
    /// Binary, or a pong: of no use.
    Other,
}

/// What is sent to a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// The answer to a ping.
    Pong,
}

/// The bytes are no frame that a hub may send, or a longer one than is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// The first frame of the bytes and what is behind it; `None` when it is not whole.
pub(crate) fn next(bytes: &[u8]) -> Result<Option<(Frame<'_>, &[u8])>, Broken> {
    let Some((&[first, second], rest)) = bytes.split_first_chunk() else {
        return Ok(None);
    };
    if first & !OPCODE != FINAL || second & MASKED != 0 {
        return Err(Broken);
    }
    let (length, rest) = match second {
        126 => match rest.split_first_chunk() {
            Some((length, rest)) => (u64::from(u16::from_be_bytes(*length)), rest),
            None => return Ok(None),
        },
        127 => match rest.split_first_chunk() {
            Some((length, rest)) => (u64::from_be_bytes(*length), rest),
            None => return Ok(None),
        },
        short => (u64::from(short), rest),
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > HUB_FRAME_BYTES_MAX {
        return Err(Broken);
    }
    let Some((payload, rest)) = rest.split_at_checked(length) else {
        return Ok(None);
    };
    let frame = match first & OPCODE {
        TEXT => Frame::Text(payload),
        BINARY | PONG => Frame::Other,
        PING => Frame::Ping(payload),
        CLOSE => Frame::Close(payload.first_chunk().map(|code| u16::from_be_bytes(*code))),
        _ => return Err(Broken),
    };
    Ok(Some((frame, rest)))
}

/// Appends a frame to a hub.
pub(crate) fn write(kind: Kind, payload: &[u8], out: &mut Vec<u8>) {
    let opcode = match kind {
        Kind::Text => TEXT,
        Kind::Pong => PONG,
    };
    out.push(FINAL | opcode);
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short), _) if short < 126 => out.push(MASKED | short),
        (_, Ok(length)) => {
            out.push(MASKED | 126);
            out.extend_from_slice(&length.to_be_bytes());
        }
        (_, Err(_)) => {
            out.push(MASKED | 127);
            let length = u64::try_from(payload.len()).unwrap_or(u64::MAX);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
    out.extend_from_slice(&MASK);
    let masked = payload.iter().zip(MASK.iter().cycle());
    out.extend(masked.map(|(byte, mask)| byte ^ mask));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: usize) -> Vec<u8> {
        let mut frame = vec![FINAL | TEXT];
        match length {
            0..126 => frame.push(u8::try_from(length).unwrap()),
            126..65536 => {
                frame.push(126);
                frame.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            _ => {
                frame.push(127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend(std::iter::repeat_n(b'x', length));
        frame
    }

    #[test]
    fn reads_frames_of_every_length_wherever_a_chunk_ends() {
        for length in [0, 1, 125, 126, 300, HUB_FRAME_BYTES_MAX] {
            let frame = text(length);
            for end in (0..frame.len()).step_by(1 + length / 100) {
                assert_eq!(next(&frame[..end]), Ok(None), "{end} of {length}");
            }
            let two = [frame.clone(), text(3)].concat();
            let (first, rest) = next(&two).unwrap().unwrap();
            assert_eq!(first, Frame::Text(&vec![b'x'; length]));
            assert_eq!(rest, text(3));
        }
    }

    #[test]
    fn tells_pings_closes_and_what_no_hub_sends() {
        assert_eq!(next(b"\x89\x02hi"), Ok(Some((Frame::Ping(b"hi"), &[][..]))));
        assert_eq!(next(b"\x8A\x00"), Ok(Some((Frame::Other, &[][..]))));
        assert_eq!(next(b"\x88\x00"), Ok(Some((Frame::Close(None), &[][..]))));
        let close = b"\x88\x09\x0F\xA0goodbye";
        assert_eq!(next(close), Ok(Some((Frame::Close(Some(4000)), &[][..]))));
        let masked = b"\x81\x82\x00\x00\x00\x00hi";
        let part = b"\x01\x02hi";
        let reserved = b"\xC1\x02hi";
        let unknown = b"\x83\x02hi";
        let endless = b"\x81\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
        for bytes in [&masked[..], part, reserved, unknown, endless] {
            assert_eq!(next(bytes), Err(Broken), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_by_another_implementation() {
        use tokio_tungstenite::tungstenite::protocol::{Role, WebSocket};
        for length in [0, 125, 126, 70_000] {
            let payload = "y".repeat(length);
            let mut out = Vec::new();
            write(Kind::Text, payload.as_bytes(), &mut out);
            let stream = std::io::Cursor::new(out);
            let mut socket = WebSocket::from_raw_socket(stream, Role::Server, None);
            assert_eq!(
                socket.read().unwrap().into_text().unwrap(),
                payload.as_str()
            );
        }
    }
}
