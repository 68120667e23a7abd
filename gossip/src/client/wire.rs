//! `[edge]` The WebSocket of a client: frames in, frames out, neither waiting for the other.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes, error::ProtocolError};

use super::dial::Stream;
use crate::limits::FRAMES_WAITING_MAX;

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    Text(Utf8Bytes),
    /// A frame that is no text, of so many bytes.
    Other(usize),
    /// The hub closed, with a code if it gave one.
    Closed(Option<u16>),
    /// The connection broke.
    Lost(String),
}

pub(super) struct Wire {
    stream: WebSocketStream<Stream>,
    out: VecDeque<Utf8Bytes>,
    /// Something was fed and may not have been written.
    unflushed: bool,
    /// Since when the hub does not take what is there to write.
    stalled: Option<Instant>,
    write_within: Duration,
}

impl Wire {
    pub(super) const fn new(stream: WebSocketStream<Stream>, write_within: Duration) -> Self {
        Self {
            stream,
            out: VecDeque::new(),
            unflushed: false,
            stalled: None,
            write_within,
        }
    }

    /// Puts a frame in line; `false` when the line is too long already.
    pub(super) fn put(&mut self, text: String) -> bool {
        let room = self.out.len() < FRAMES_WAITING_MAX;
        if room {
            self.out.push_back(text.into());
        }
        room
    }

    /// Until when the hub has to have taken what is there to write.
    pub(super) fn write_until(&self) -> Option<Instant> {
        self.stalled.map(|since| since + self.write_within)
    }

    /// The next frame; writes meanwhile.
    ///
    /// # Cancel safety
    /// Cancel safe: a frame that was not returned is still there.
    pub(super) async fn next(&mut self) -> Heard {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Says good-bye, as far as that can be done at once.
    pub(super) async fn close(&mut self) {
        let frame = CloseFrame {
            code: CloseCode::Normal,
            reason: Utf8Bytes::default(),
        };
        // It may be gone already; then there is nobody to say it to.
        drop(self.stream.close(Some(frame)).await);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard> {
        if let Err(error) = self.write(cx) {
            return Poll::Ready(lost(&error));
        }
        match self.stream.poll_next_unpin(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(Heard::Closed(None)),
            Poll::Ready(Some(Ok(message))) => Poll::Ready(heard(message)),
            Poll::Ready(Some(Err(error))) => Poll::Ready(lost(&error)),
        }
    }

    fn write(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        while !self.out.is_empty() && self.stream.poll_ready_unpin(cx)?.is_ready() {
            if let Some(text) = self.out.pop_front() {
                self.unflushed = true;
                self.stream.start_send_unpin(Message::Text(text))?;
            }
        }
        if self.unflushed && self.stream.poll_flush_unpin(cx)?.is_ready() {
            self.unflushed = false;
        }
        if self.unflushed || !self.out.is_empty() {
            self.stalled.get_or_insert_with(Instant::now);
        } else {
            self.stalled = None;
        }
        Ok(())
    }
}

fn heard(message: Message) -> Heard {
    match message {
        Message::Text(text) => Heard::Text(text),
        Message::Close(frame) => Heard::Closed(frame.map(|frame| u16::from(frame.code))),
        Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {
            Heard::Other(message.len())
        }
    }
}

fn lost(error: &Error) -> Heard {
    match error {
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Heard::Closed(None),
        Error::Io(error) => Heard::Lost(format!("the connection broke: {}", error.kind())),
        Error::Capacity(_) => Heard::Lost("the hub sent a frame that is too big".to_owned()),
        Error::Utf8(_) => Heard::Lost("the hub sent text that is no UTF-8".to_owned()),
        Error::Tls(_)
        | Error::Protocol(_)
        | Error::WriteBufferFull(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => Heard::Lost("the hub broke the WebSocket protocol".to_owned()),
    }
}
