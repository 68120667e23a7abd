//! `[edge]` The client's side of the control socket, for the commands of the executable.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::request::{ControlAnswer, ControlRequest};
use super::socket::SOCKET_NAME;
use crate::ops::limits::{CONTROL_ANSWER_BYTES_MAX, CONTROL_CLIENT_GRACE, CONTROL_WRITE};

/// Why a request got no answer.
#[derive(Debug, Error)]
pub enum ClientError {
    /// There is no socket, or nobody listens on it (**busy**: start a node).
    #[error("no node is running on {data_dir}")]
    NoNode {
        /// The data directory that was asked for.
        data_dir: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The socket belongs to somebody else (**refused**).
    #[error("the node on {data_dir} may only be controlled by its own user")]
    Forbidden {
        /// The data directory that was asked for.
        data_dir: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The connection broke, or the node did not answer in time.
    #[error("the node on {data_dir} did not answer")]
    NoAnswer {
        /// The data directory that was asked for.
        data_dir: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The answer is not one: the node is of another version.
    #[error("cannot read the answer of the node on {data_dir}; is it of another version?")]
    BadAnswer {
        /// The data directory that was asked for.
        data_dir: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Asks the node that runs on `data_dir`, and waits for its answer.
///
/// # Errors
/// See [`ClientError`].
pub fn ask(data_dir: &Path, request: &ControlRequest) -> Result<ControlAnswer, ClientError> {
    let data_dir = data_dir.to_owned();
    let stream = match UnixStream::connect(data_dir.join(SOCKET_NAME)) {
        Ok(stream) => stream,
        Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
            return Err(ClientError::Forbidden { data_dir, source });
        }
        Err(source) => return Err(ClientError::NoNode { data_dir, source }),
    };
    let line = match exchange(stream, request) {
        Ok(line) => line,
        Err(source) => return Err(ClientError::NoAnswer { data_dir, source }),
    };
    serde_json::from_str(&line).map_err(|source| ClientError::BadAnswer { data_dir, source })
}

fn exchange(mut stream: UnixStream, request: &ControlRequest) -> io::Result<String> {
    stream.set_read_timeout(Some(request.deadline() + CONTROL_CLIENT_GRACE))?;
    stream.set_write_timeout(Some(CONTROL_WRITE))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(stream)
        .take(CONTROL_ANSWER_BYTES_MAX)
        .read_line(&mut answer)?;
    if answer.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(answer)
}
