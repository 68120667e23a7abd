//! `[edge]` How the kernel is to treat a player's socket.

use super::limits::{
    CONGESTION_CONTROL, SEND_BUFFER_BYTES, TCP_KEEPALIVE_IDLE, TCP_KEEPALIVE_INTERVAL,
    TCP_KEEPALIVE_PROBES, TCP_USER_TIMEOUT,
};
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::net::Shutdown;
use tokio::net::TcpStream;

/// Small writes go out at once, and a peer that is gone is found out.
pub(super) fn tune(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let raw = SockRef::from(socket);
    raw.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    raw.set_tcp_keepalive(
        &TcpKeepalive::new()
            .with_time(TCP_KEEPALIVE_IDLE)
            .with_interval(TCP_KEEPALIVE_INTERVAL)
            .with_retries(TCP_KEEPALIVE_PROBES),
    )?;
    #[cfg(target_os = "linux")]
    raw.set_tcp_user_timeout(Some(TCP_USER_TIMEOUT))?;
    // A few lines a second need no pacing, and a paced sender costs a timer each write. A kernel
    // that does not have it keeps its own.
    #[cfg(target_os = "linux")]
    drop(raw.set_tcp_congestion(CONGESTION_CONTROL));
    Ok(())
}

/// Says one line to a socket that is not let in, as far as the kernel takes it, and closes it.
pub(crate) fn refuse(socket: TcpStream, line: &[u8]) {
    let raw = SockRef::from(&socket);
    if raw.send(line).is_ok() {
        drop(raw.shutdown(Shutdown::Write));
    }
    drop(socket);
}

/// Ends our side of the stream; the peer reads what is on its way and then the end.
pub(super) fn end_output(socket: &TcpStream) {
    drop(SockRef::from(socket).shutdown(Shutdown::Write));
}
