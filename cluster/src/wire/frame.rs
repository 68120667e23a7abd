//! `[pure]` Frames: `u32 length | u8 kind | body`, the length in network order and of all that
//! follows it. Bytes come in pieces of any size; frames come out whole and in order.

use crate::limits::FRAME_BYTES_MAX;
use bytes::{Buf, BufMut, Bytes, BytesMut};

/// Bytes before the kind.
const LENGTH_BYTES: usize = 4;

/// Bytes before the body.
pub(crate) const HEAD_BYTES: usize = LENGTH_BYTES + 1;

/// What a frame is. Numbers are appended, never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Who speaks; the first frame both ways.
    Hello = 1,
    /// Why the other end will not go on.
    Refused = 2,
    /// The one who dialled agrees: the wire stands.
    Ready = 3,
    /// A message.
    Message = 4,
    /// Are you there? Eight bytes that come back.
    Ping = 5,
    /// The eight bytes of a ping.
    Pong = 6,
    /// A node without a number asks for one.
    JoinAsk = 7,
    /// Its answer.
    JoinAnswer = 8,
    /// A member shows where it is, and wants no wire.
    Knock = 9,
    /// Where the node that was knocked at believes all members to be.
    Places = 10,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let kinds = [
            Self::Hello,
            Self::Refused,
            Self::Ready,
            Self::Message,
            Self::Ping,
            Self::Pong,
            Self::JoinAsk,
            Self::JoinAnswer,
            Self::Knock,
            Self::Places,
        ];
        kinds.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    pub(crate) body: Bytes,
}

/// Bytes that are no frame; **refused**, the wire is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Longer than allowed here.
    #[error("a frame of {length} bytes, more than {max}")]
    TooLong {
        /// What it says of itself.
        length: u32,
        /// What is allowed.
        max: usize,
    },
    /// Without even a kind.
    #[error("a frame without a kind")]
    Empty,
    /// Of a kind that we do not know.
    #[error("a frame of the unknown kind {0}")]
    Unknown(u8),
    /// The beginning of TLS.
    #[error("it speaks TLS, and this node has no certificates")]
    IsTls,
}

/// Appends a frame. The body must not be longer than [`FRAME_BYTES_MAX`].
pub(crate) fn encode(kind: Kind, body: &[u8], out: &mut BytesMut) {
    let length = u32::try_from(body.len() + 1).unwrap_or(u32::MAX);
    out.reserve(HEAD_BYTES + body.len());
    out.put_u32(length);
    out.put_u8(kind as u8);
    out.put_slice(body);
}

/// Cuts a stream of bytes into frames. After an error it gives nothing but that error.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// Where the next bytes are read to.
    pub(crate) buffer: BytesMut,
    body_bytes_max: usize,
    began: bool,
}

impl Decoder {
    /// For frames with bodies of at most so many bytes.
    pub(crate) fn new(body_bytes_max: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            body_bytes_max: body_bytes_max.min(FRAME_BYTES_MAX),
            began: false,
        }
    }

    /// Allows frames of full length from now on: the peer is known.
    pub(crate) fn trust(&mut self) {
        self.body_bytes_max = FRAME_BYTES_MAX;
    }

    /// How many bytes the frame that has begun still lacks; 0 when none has, or it is there.
    pub(crate) fn lacking(&self) -> usize {
        match self.head() {
            Ok(Some((_, whole))) => whole.saturating_sub(self.buffer.len()),
            Ok(None) | Err(_) => 0,
        }
    }

    /// The next frame, if all of it is there.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some((kind, whole)) = self.head()? else {
            return Ok(None);
        };
        if self.buffer.len() < whole {
            return Ok(None);
        }
        self.began = true;
        let mut frame = self.buffer.split_to(whole);
        frame.advance(HEAD_BYTES);
        let body = frame.freeze();
        Ok(Some(Frame { kind, body }))
    }

    /// Kind and whole length of the frame in front.
    fn head(&self) -> Result<Option<(Kind, usize)>, FrameError> {
        // A first message of TLS, or a complaint that we do not speak it.
        if !self.began && matches!(self.buffer.get(..2), Some([0x15 | 0x16, 3])) {
            return Err(FrameError::IsTls);
        }
        let Some((length, rest)) = self.buffer.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length);
        let max = self.body_bytes_max;
        let bytes = usize::try_from(length).unwrap_or(usize::MAX);
        let Some(body) = bytes.checked_sub(1) else {
            return Err(FrameError::Empty);
        };
        if body > max {
            return Err(FrameError::TooLong { length, max });
        }
        let Some(byte) = rest.first() else {
            return Ok(None);
        };
        let kind = Kind::of(*byte).ok_or(FrameError::Unknown(*byte))?;
        Ok(Some((kind, LENGTH_BYTES + bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]], max: usize) -> Result<Vec<Frame>, FrameError> {
        let mut decoder = Decoder::new(max);
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.buffer.extend_from_slice(piece);
            while let Some(frame) = decoder.next()? {
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    fn some_frames() -> (Vec<Frame>, BytesMut) {
        let mut bytes = BytesMut::new();
        let frames = [
            (Kind::Hello, &b"who"[..]),
            (Kind::Ready, b""),
            (Kind::Message, &[7; 300]),
            (Kind::Ping, &[1; 8]),
        ];
        let frames = frames.map(|(kind, body)| {
            encode(kind, body, &mut bytes);
            let body = Bytes::copy_from_slice(body);
            Frame { kind, body }
        });
        (frames.to_vec(), bytes)
    }

    #[test]
    fn frames_come_out_as_they_went_in_split_at_every_byte() {
        let (frames, bytes) = some_frames();
        for at in 0..=bytes.len() {
            let (a, b) = bytes.split_at(at);
            assert_eq!(decode(&[a, b], 1_000), Ok(frames.clone()), "split at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(decode(&single, 1_000), Ok(frames));
    }

    #[test]
    fn a_truncated_frame_is_no_frame_and_says_what_it_lacks() {
        let mut bytes = BytesMut::new();
        encode(Kind::Message, &[9; 20], &mut bytes);
        for end in 0..bytes.len() {
            let mut decoder = Decoder::new(1_000);
            decoder.buffer.extend_from_slice(&bytes[..end]);
            assert_eq!(decoder.next(), Ok(None), "{end} bytes");
            let lacking = if end < HEAD_BYTES {
                0
            } else {
                bytes.len() - end
            };
            assert_eq!(decoder.lacking(), lacking, "{end} bytes");
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_by_its_head_alone() {
        let mut bytes = BytesMut::new();
        encode(Kind::Message, &[9; 20], &mut bytes);
        assert_eq!(decode(&[&bytes], 20).unwrap().len(), 1);
        let too_long = FrameError::TooLong {
            length: 21,
            max: 19,
        };
        assert_eq!(decode(&[&bytes[..4]], 19), Err(too_long));
        let mut decoder = Decoder::new(19);
        decoder.trust();
        decoder.buffer.extend_from_slice(&bytes);
        assert_eq!(decoder.next().unwrap().unwrap().body.len(), 20);
        let longest = u32::try_from(FRAME_BYTES_MAX + 2).unwrap();
        decoder.buffer.extend_from_slice(&longest.to_be_bytes());
        let max = FRAME_BYTES_MAX;
        let length = longest;
        assert_eq!(decoder.next(), Err(FrameError::TooLong { length, max }));
    }

    #[test]
    fn what_is_no_frame_is_named() {
        assert_eq!(decode(&[&[0; 4]], 20), Err(FrameError::Empty));
        assert_eq!(
            decode(&[&[0, 0, 0, 1, 99]], 20),
            Err(FrameError::Unknown(99))
        );
        assert_eq!(decode(&[&[0, 0, 0, 1, 0]], 20), Err(FrameError::Unknown(0)));
        for kind in [0x15, 0x16] {
            let hello = [kind, 3, 1, 0, 200];
            assert_eq!(decode(&[&hello], 20), Err(FrameError::IsTls));
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(pieces in prop::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            drop(decode(&pieces, 64));
            let mut decoder = Decoder::new(64);
            decoder.buffer.extend_from_slice(&pieces.concat());
            let _lacking = decoder.lacking();
        }
    }
}
