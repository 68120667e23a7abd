//! `[edge]` A WebSocket to a hub that costs little: one buffer a thread, frames read in place,
//! writes straight to the socket.
//!
//! Writing takes `&self`, so that the driver of a run writes messages while the game's own task
//! reads and answers beats. What the socket does not take at once waits in a bounded buffer, and is
//! written when the reading task is next woken.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::{client::generate_key, derive_accept_key};

use super::endpoint::Endpoint;
use super::frame::{self, Broken, Frame, Kind};
use crate::limits::{
    CONNECT_DEADLINE, HUB_HANDSHAKE_BYTES_MAX, HUB_READ_BYTES, HUB_UNSENT_BYTES_MAX,
};
use crate::link::Lost;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; HUB_READ_BYTES]);
}

/// An open WebSocket to a hub.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    unsent: Mutex<Vec<u8>>,
}

/// What one read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Got {
    /// Bytes from the hub.
    pub(crate) bytes: usize,
}

/// The start of a frame whose rest has not come yet.
#[derive(Debug, Default)]
pub(crate) struct Rest(Vec<u8>);

impl From<Broken> for Lost {
    fn from(Broken: Broken) -> Self {
        Self::Protocol
    }
}

impl Wire {
    /// Connects and shakes hands.
    ///
    /// # Errors
    /// The system's error, `TimedOut` after the deadline, or `InvalidData` for a handshake that is
    /// refused.
    pub(crate) async fn open(hub: &Endpoint, source: Option<IpAddr>) -> io::Result<(Self, Rest)> {
        timeout(CONNECT_DEADLINE, async {
            let mut stream = connect(hub.address, source).await?;
            let rest = shake_hands(&mut stream, hub).await?;
            let unsent = Mutex::default();
            Ok((Self { stream, unsent }, Rest(rest)))
        })
        .await?
    }

    /// Sends a text.
    ///
    /// # Errors
    /// How the connection ended; also when the hub has not read for so long that too much waits.
    pub(crate) fn send(&self, text: &str) -> Result<(), Lost> {
        self.write(Kind::Text, text.as_bytes())
    }

    fn write(&self, kind: Kind, payload: &[u8]) -> Result<(), Lost> {
        let mut unsent = self.unsent.lock().unwrap_or_else(PoisonError::into_inner);
        if unsent.len() + payload.len() > HUB_UNSENT_BYTES_MAX {
            return Err(Lost::Broken(io::ErrorKind::WouldBlock));
        }
        frame::write(kind, payload, &mut unsent);
        self.flush(&mut unsent)
    }

    fn flush(&self, unsent: &mut Vec<u8>) -> Result<(), Lost> {
        while !unsent.is_empty() {
            match self.stream.try_write(unsent) {
                Ok(written) => drop(unsent.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for bytes and gives every whole text among them, in order; pings are answered.
    ///
    /// # Errors
    /// How the connection ended; the texts before its end have been given.
    ///
    /// # Cancel safety
    /// Nothing is lost: reading and giving happen without waiting.
    pub(crate) async fn read(
        &self,
        rest: &mut Rest,
        mut on: impl FnMut(&[u8]),
    ) -> Result<Got, Lost> {
        loop {
            let is_blocked = !self
                .unsent
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_empty();
            let interest = if is_blocked {
                Interest::READABLE | Interest::WRITABLE
            } else {
                Interest::READABLE
            };
            let ready = self.stream.ready(interest).await?;
            if ready.is_writable() {
                self.flush(&mut self.unsent.lock().unwrap_or_else(PoisonError::into_inner))?;
            }
            if let Some(got) = self.try_read(rest, &mut on)? {
                return Ok(got);
            }
        }
    }

    /// Reads what is there; `None` when nothing is.
    fn try_read(&self, rest: &mut Rest, on: &mut impl FnMut(&[u8])) -> Result<Option<Got>, Lost> {
        BUFFER.with_borrow_mut(|buffer| {
            let (kept, space) = buffer
                .split_at_mut_checked(rest.0.len())
                .ok_or(Lost::Protocol)?;
            kept.copy_from_slice(&rest.0);
            let bytes = match self.stream.try_read(space) {
                Ok(0) => return Err(Lost::Closed),
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let end = rest.0.len() + bytes;
            let mut unread = buffer.get(..end).unwrap_or_default();
            while let Some((frame, behind)) = frame::next(unread)? {
                match frame {
                    Frame::Text(text) => on(text),
                    Frame::Ping(payload) => self.write(Kind::Pong, payload)?,
                    Frame::Close(Some(code)) => return Err(Lost::ClosedWith(code)),
                    Frame::Close(None) => return Err(Lost::Closed),
                    Frame::Other => {}
                }
                unread = behind;
            }
            rest.0.clear();
            rest.0.extend_from_slice(unread);
            Ok(Some(Got { bytes }))
        })
    }
}

async fn connect(address: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_nodelay(true)?;
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    socket.connect(address).await
}

/// Asks for a WebSocket; what came behind the answer, which is nothing with most hubs.
async fn shake_hands(stream: &mut TcpStream, hub: &Endpoint) -> io::Result<Vec<u8>> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let key = generate_key();
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n",
        hub.path, hub.address
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let end = loop {
        if let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        if answer.len() > HUB_HANDSHAKE_BYTES_MAX {
            return Err(refused("the answer to the handshake does not end"));
        }
        if stream.read_buf(&mut answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let rest = answer.split_off(end);
    let head = String::from_utf8_lossy(&answer);
    let status = head.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("101") {
        let start: String = status.chars().take(60).collect();
        return Err(refused(&format!("no WebSocket: {start}")));
    }
    let accepts = head.lines().any(|line| {
        line.split_once(':').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("sec-websocket-accept")
                && value.trim() == derive_accept_key(key.as_bytes())
        })
    });
    if accepts {
        Ok(rest)
    } else {
        Err(refused("the answer to the handshake is of another key"))
    }
}
