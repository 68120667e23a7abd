//! `[edge]` One connection to the node, telnet or WebSocket, as cleaned text.
//!
//! Both routes give the same text: a telnet GA or EOR, and the end of a WebSocket frame that does
//! not end a line, become the prompt mark. Reading borrows the caller's buffer, so an idle link
//! owns a socket and a few bytes. What is queued goes out in one write.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Bytes, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::limits::{CONNECT_DEADLINE, WEB_SOCKET_BUFFER_BYTES, WEB_SOCKET_MESSAGE_BYTES_MAX};
use crate::target::{Route, Target};
use crate::telnet::{MARK, NOP, Telnet};

const SUBPROTOCOL: &str = "terminal.mudstandards.org";

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// The node closed it in order.
    Closed,
    /// The node closed the WebSocket with this code.
    ClosedWith(u16),
    /// The connection broke.
    Broken(io::ErrorKind),
    /// The node broke the WebSocket protocol.
    Protocol,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("closed"),
            Self::ClosedWith(code) => write!(f, "closed with code {code}"),
            Self::Broken(kind) => write!(f, "{kind}"),
            Self::Protocol => f.write_str("broken WebSocket frame"),
        }
    }
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.kind())
    }
}

impl From<tungstenite::Error> for Lost {
    fn from(error: tungstenite::Error) -> Self {
        use tungstenite::error::{Error, ProtocolError::ResetWithoutClosingHandshake};
        if let Error::Io(error) = error {
            return error.into();
        }
        let is_end = matches!(
            error,
            Error::ConnectionClosed
                | Error::AlreadyClosed
                | Error::Protocol(ResetWithoutClosingHandshake)
        );
        if is_end { Self::Closed } else { Self::Protocol }
    }
}

/// What one read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Got {
    /// Bytes from the node, for the account of traffic (a frame's payload on a WebSocket).
    pub(crate) raw_bytes: usize,
    /// Length of the cleaned text at the start of the buffer.
    pub(crate) text_bytes: usize,
}

/// An open connection.
pub(crate) struct Link {
    wire: Wire,
    out: Vec<u8>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("queued", &self.out.len())
            .finish_non_exhaustive()
    }
}

enum Wire {
    Telnet {
        stream: TcpStream,
        reader: Telnet,
    },
    WebSocket {
        stream: Box<WebSocketStream<TcpStream>>,
        flushing: bool,
    },
}

impl Link {
    /// Connects, with the WebSocket handshake if asked for.
    ///
    /// # Errors
    /// The system's error, `TimedOut` after the deadline, or `InvalidData` for a handshake that the
    /// node refuses.
    pub(crate) async fn open(target: Target) -> io::Result<Self> {
        let stream = timeout(CONNECT_DEADLINE, connect(target)).await??;
        let wire = match target.route {
            Route::Telnet => Wire::Telnet {
                stream,
                reader: Telnet::default(),
            },
            Route::WebSocket => {
                let handshake = Box::pin(shake_hands(target.address, stream));
                let stream = timeout(CONNECT_DEADLINE, handshake).await??;
                Wire::WebSocket {
                    stream: Box::new(stream),
                    flushing: false,
                }
            }
        };
        Ok(Self {
            wire,
            out: Vec::new(),
        })
    }

    /// Reads what is there into the buffer and cleans it. Never returns `Got` of 0 raw bytes.
    pub(crate) fn poll_text(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<Result<Got, Lost>> {
        match &mut self.wire {
            Wire::Telnet { stream, reader } => {
                let mut space = ReadBuf::new(buffer.as_mut_slice());
                ready!(Pin::new(stream).poll_read(context, &mut space))?;
                let bytes = space.filled_mut();
                let raw_bytes = bytes.len();
                if raw_bytes == 0 {
                    return Poll::Ready(Err(Lost::Closed));
                }
                let text_bytes = reader.feed(bytes, &mut self.out);
                Poll::Ready(Ok(Got {
                    raw_bytes,
                    text_bytes,
                }))
            }
            Wire::WebSocket { stream, .. } => poll_frame(stream, context, buffer),
        }
    }

    /// Appends bytes to what goes out with the next flush.
    pub(crate) fn queue(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// What goes out with the next flush, to be appended to.
    pub(crate) fn queued(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Queues a telnet NOP; nothing on a WebSocket, whose handshake was a sign of life already.
    pub(crate) fn queue_nop(&mut self) {
        match self.wire {
            Wire::Telnet { .. } => self.out.extend_from_slice(&NOP),
            Wire::WebSocket { .. } => {}
        }
    }

    /// Whether something waits to be written.
    pub(crate) fn has_queued(&self) -> bool {
        let flushing = match &self.wire {
            Wire::Telnet { .. } => false,
            Wire::WebSocket { flushing, .. } => *flushing,
        };
        flushing || !self.out.is_empty()
    }

    /// Writes what is queued; one frame on a WebSocket.
    pub(crate) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Lost>> {
        match &mut self.wire {
            Wire::Telnet { stream, .. } => {
                while !self.out.is_empty() {
                    let written = ready!(Pin::new(&mut *stream).poll_write(context, &self.out))?;
                    self.out.drain(..written);
                }
            }
            Wire::WebSocket { stream, flushing } => {
                let mut stream = Pin::new(stream.as_mut());
                if !self.out.is_empty() {
                    ready!(stream.as_mut().poll_ready(context))?;
                    let frame = Message::Binary(Bytes::copy_from_slice(&self.out));
                    self.out.clear();
                    *flushing = true;
                    stream.as_mut().start_send(frame)?;
                }
                if *flushing {
                    ready!(stream.as_mut().poll_flush(context))?;
                    *flushing = false;
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Closes with a reset instead of an orderly end, as a dead phone or a killed client would.
    pub(crate) fn abort(self) {
        let stream = match &self.wire {
            Wire::Telnet { stream, .. } => stream,
            Wire::WebSocket { stream, .. } => stream.get_ref(),
        };
        // Failing leaves an orderly close, which is all that can be done then.
        drop(stream.set_zero_linger());
    }
}

/// The next frame with text; control frames are passed over.
fn poll_frame(
    stream: &mut WebSocketStream<TcpStream>,
    context: &mut Context<'_>,
    buffer: &mut Vec<u8>,
) -> Poll<Result<Got, Lost>> {
    loop {
        let payload = match ready!(Pin::new(&mut *stream).poll_next(context)) {
            None => return Poll::Ready(Err(Lost::Closed)),
            Some(Err(error)) => return Poll::Ready(Err(error.into())),
            Some(Ok(Message::Binary(payload))) => payload,
            Some(Ok(Message::Text(text))) => text.into(),
            Some(Ok(Message::Close(Some(frame)))) => {
                return Poll::Ready(Err(Lost::ClosedWith(frame.code.into())));
            }
            Some(Ok(Message::Close(None))) => return Poll::Ready(Err(Lost::Closed)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
        };
        if payload.is_empty() {
            continue;
        }
        if buffer.len() < payload.len() + 1 {
            buffer.resize(payload.len() + 1, 0);
        }
        let raw_bytes = payload.len();
        if let Some(space) = buffer.get_mut(..raw_bytes) {
            space.copy_from_slice(&payload);
        }
        // The frame's text still has colours; a reader of its own per frame takes them out.
        let mut none = Vec::new();
        let text = buffer.get_mut(..raw_bytes).unwrap_or_default();
        let mut text_bytes = Telnet::default().feed(text, &mut none);
        if payload.last() != Some(&b'\n')
            && let Some(end) = buffer.get_mut(text_bytes)
        {
            *end = MARK;
            text_bytes += 1;
        }
        return Poll::Ready(Ok(Got {
            raw_bytes,
            text_bytes,
        }));
    }
}

async fn connect(target: Target) -> io::Result<TcpStream> {
    let socket = match target.address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_nodelay(true)?;
    if let Some(source) = target.source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    socket.connect(target.address).await
}

async fn shake_hands(
    address: SocketAddr,
    stream: TcpStream,
) -> io::Result<WebSocketStream<TcpStream>> {
    let refused = |error: tungstenite::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    let uri: Uri = format!("ws://{address}/ws")
        .parse()
        .map_err(io::Error::other)?;
    let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUBPROTOCOL);
    let config = WebSocketConfig::default()
        .read_buffer_size(WEB_SOCKET_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(WEB_SOCKET_MESSAGE_BYTES_MAX))
        .max_frame_size(Some(WEB_SOCKET_MESSAGE_BYTES_MAX));
    let (stream, _) = client_async_with_config(request, stream, Some(config))
        .await
        .map_err(refused)?;
    Ok(stream)
}
