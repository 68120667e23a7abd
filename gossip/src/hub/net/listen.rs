//! `[edge]` Binding a listener, and a clear word when that cannot be.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::limits::LISTEN_BACKLOG;

/// Why an address cannot be listened on. All are **fatal** for a start.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another socket has it.
    #[error("{address} is in use by another program")]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// No interface of this machine has it.
    #[error("{address} is not an address of this machine")]
    NotHere {
        /// The address.
        address: SocketAddr,
    },
    /// Ports below 1024 need a right.
    #[error("this user may not listen on {address}")]
    Forbidden {
        /// The address.
        address: SocketAddr,
    },
    /// Anything else the system says.
    #[error("cannot listen on {address}: {source}")]
    System {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// Listens on `address`. The listener does not block. `[::]` takes IPv4 as well. A port that a
/// dead hub has just left is taken at once, one that is alive is not.
///
/// # Errors
/// See [`ListenError`].
pub fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    bind(address).map_err(|source| {
        let is = |kind| source.kind() == kind;
        if is(io::ErrorKind::AddrInUse) {
            ListenError::InUse { address }
        } else if is(io::ErrorKind::AddrNotAvailable) {
            ListenError::NotHere { address }
        } else if is(io::ErrorKind::PermissionDenied) {
            ListenError::Forbidden { address }
        } else {
            ListenError::System { address, source }
        }
    })
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    if domain == Domain::IPV6 {
        socket.set_only_v6(false)?;
    }
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(LISTEN_BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}
