//! `[edge]` Binding a listener, and a clear word when that cannot be.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};
use thiserror::Error;

use super::limits::LISTEN_BACKLOG;

/// Why an address cannot be listened on. All are **fatal** for a start.
#[derive(Debug, Error)]
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
    #[error("cannot listen on {address}")]
    System {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// Listens on `address`, with a backlog of [`LISTEN_BACKLOG`]. The listener does not block.
///
/// `[::]` takes IPv4 as well. A port that a dead node has just left is taken at once
/// (`SO_REUSEADDR`), one that is alive is not.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_that_an_address_is_taken_or_not_here() {
        let first = listen("127.0.0.1:0".parse().unwrap()).expect("a free port");
        let address = first.local_addr().unwrap();
        assert!(matches!(listen(address), Err(ListenError::InUse { .. })));
        drop(first);
        assert!(listen(address).is_ok(), "free again");
        // TEST-NET-1 belongs to nobody.
        let elsewhere = "192.0.2.1:0".parse().unwrap();
        assert!(matches!(
            listen(elsewhere),
            Err(ListenError::NotHere { .. })
        ));
    }
}
