//! `[edge]` New client ids and secrets, and the files they are handed over in.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::failure::{Failure, Status};
use crate::Credentials;
use crate::limits::CREDENTIALS_BYTES_MAX;

/// A random UUID (version 4).
///
/// # Errors
/// [`Status::Internal`] when the system gives no random bytes.
pub(super) fn random_uuid() -> Result<Uuid, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(
            Status::Internal,
            format!("the system gives no random bytes: {error}"),
        )
    })?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

/// What is at the place of a credentials file.
#[derive(Debug)]
pub(super) enum Found {
    Nothing,
    /// Boxed, as it is much larger.
    Credentials(Box<Credentials>),
    Foreign,
}

/// Looks at the place of a credentials file.
///
/// # Errors
/// [`Status::Io`] when it cannot be read.
pub(super) fn look(path: &Path) -> Result<Found, Failure> {
    let mut text = String::new();
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(failed(Status::Io, "read", path, &error)),
    };
    let most = u64::try_from(CREDENTIALS_BYTES_MAX + 1).unwrap_or(u64::MAX);
    match file.take(most).read_to_string(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(Found::Foreign),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Ok(Found::Foreign),
        Err(error) => return Err(failed(Status::Io, "read", path, &error)),
    }
    Ok(match Credentials::parse(&text) {
        Ok(credentials) => Found::Credentials(Box::new(credentials)),
        Err(_) => Found::Foreign,
    })
}

/// Writes a credentials file, mode 0600. Whoever reads it meanwhile sees nothing or all of it. What
/// is there is replaced only when it holds credentials of the same game.
///
/// # Errors
/// [`Status::CannotCreate`].
pub(super) fn write(path: &Path, credentials: &Credentials) -> Result<(), Failure> {
    let replace = match look(path)? {
        Found::Nothing => false,
        Found::Credentials(there) if there.client_id == credentials.client_id => true,
        Found::Credentials(_) | Found::Foreign => {
            return Err(Failure::new(Status::CannotCreate, occupied(path)));
        }
    };
    let draft = draft_path(path);
    let written = write_draft(&draft, credentials).and_then(|()| match replace {
        true => fs::rename(&draft, path),
        // Fails if something has come to the place meanwhile.
        false => fs::hard_link(&draft, path),
    });
    // Gone already after a rename.
    drop(fs::remove_file(&draft));
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return Failure::new(Status::CannotCreate, occupied(path));
        }
        failed(Status::CannotCreate, "write", path, &error)
    })
}

/// Whether something else is at the place of a file that is going to be written for a new game.
///
/// # Errors
/// [`Status::CannotCreate`] when there is.
pub(super) fn must_be_free(path: &Path) -> Result<(), Failure> {
    match look(path)? {
        Found::Nothing => Ok(()),
        Found::Credentials(_) | Found::Foreign => {
            Err(Failure::new(Status::CannotCreate, occupied(path)))
        }
    }
}

fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

fn write_draft(draft: &Path, credentials: &Credentials) -> io::Result<()> {
    let text = format!(
        "# What a game signs in to a Gossip hub with. Keep it to yourself.\n{}",
        credentials.format()
    );
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn occupied(path: &Path) -> String {
    format!(
        "{} exists and is not the credentials file of this game; it is left as it is\n\
         move it away, or name another file",
        path.display()
    )
}

fn failed(status: Status, what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(status, format!("cannot {what} {}: {error}", path.display()))
}
