//! `[edge]` How we close: the last words are written, our side of the stream ends, and the peer
//! gets a moment to read them before the kernel forgets the socket.

use super::body::Connection;
use super::framing::CloseCode;
use super::limits::{LAST_WRITE_MAX, LINGER_MAX, READ_BYTES};
use super::scratch::Scratch;
use super::socket;
use super::stats::stats;
use std::io;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

impl Connection {
    /// Ends a connection that we close, within [`LAST_WRITE_MAX`] and [`LINGER_MAX`]. The session
    /// hears of it first.
    pub(super) async fn farewell(self: Box<Self>, code: CloseCode, now: Instant) {
        let (socket, rest) = self.last_bytes(code, now);
        if timeout(LAST_WRITE_MAX, write_all(&socket, &rest))
            .await
            .is_ok_and(|done| done.is_ok())
        {
            socket::end_output(&socket);
            drop(timeout(LINGER_MAX, read_out(&socket)).await);
        }
    }

    /// What is still to be written. Everything else of the connection ends here.
    fn last_bytes(mut self: Box<Self>, code: CloseCode, now: Instant) -> (TcpStream, Vec<u8>) {
        let mut scratch = Scratch::take();
        let mut rest = self.output.unsent().to_vec();
        let unsent = rest.len();
        self.output.sent(unsent, now);
        self.output.end_play();
        self.output
            .complete(&mut scratch.text, &self.framing, false, |_| {});
        if !scratch.text.is_empty() {
            self.framing.frame(&scratch.text, &mut rest);
        }
        self.framing.close(code, &mut rest);
        scratch.put_back();
        (self.socket, rest)
    }
}

async fn write_all(socket: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        socket.writable().await?;
        match socket.try_write(bytes) {
            Ok(count) => {
                stats().writes.add(1);
                stats().bytes_out.add(count);
                bytes = bytes.get(count..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads what the peer still sends, and throws it away, until it closes.
async fn read_out(socket: &TcpStream) -> io::Result<()> {
    let mut left = 64 * READ_BYTES;
    while left > 0 {
        socket.readable().await?;
        let mut scratch = Scratch::take();
        let read = socket.try_read(&mut scratch.input);
        scratch.put_back();
        match read {
            Ok(0) => return Ok(()),
            Ok(count) => left = left.saturating_sub(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
