//! `[edge]` The socket file: made with mode 0600, and made anew over the file of a dead node.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};
use thiserror::Error;

use crate::ops::limits::CONTROL_CONNECTIONS_MAX;

/// The file name of the socket in the data directory.
pub const SOCKET_NAME: &str = "control.sock";

/// Why there is no control socket. All are **fatal** for a start.
#[derive(Debug, Error)]
pub enum SocketError {
    /// The system allows about a hundred bytes for the path of a socket.
    #[error("the path {path} is too long for a socket")]
    PathTooLong {
        /// The socket file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The directory cannot be written, or similar.
    #[error("cannot make the control socket {path}")]
    Create {
        /// The socket file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Makes the control socket in `data_dir` and listens on it.
///
/// The caller holds the lock of the directory: a file that is there is left by a dead node, and
/// is removed.
///
/// # Errors
/// See [`SocketError`].
pub fn bind(data_dir: &Path) -> Result<UnixListener, SocketError> {
    let path = data_dir.join(SOCKET_NAME);
    let address = match SockAddr::unix(&path) {
        Ok(address) => address,
        Err(source) => return Err(SocketError::PathTooLong { path, source }),
    };
    listen(&path, &address).map_err(|source| SocketError::Create { path, source })
}

fn listen(path: &Path, address: &SockAddr) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(address)?;
    // Before it listens nobody can connect, so that no moment is open to others.
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    socket.listen(i32::try_from(CONTROL_CONNECTIONS_MAX).unwrap_or(i32::MAX))?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}
