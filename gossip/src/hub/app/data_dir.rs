//! `[edge]` The data directory: made with mode 0700, and locked by one hub.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::failure::{Failure, Status};

/// The file that a hub holds locked. It holds the hub's process id, for people; the lock itself is
/// the kernel's, and ends with the process however that dies.
const LOCK_NAME: &str = "lock";

/// Bytes of the lock file that are read to say who holds it.
const LOCK_BYTES_MAX: u64 = 32;

/// A data directory that this process owns as long as this value lives.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "closing it unlocks")] File);

/// Makes the directory when it is not there.
///
/// # Errors
/// [`Status::CannotCreate`].
pub(super) fn make(path: &Path) -> Result<(), Failure> {
    let create = DirBuilder::new().recursive(true).mode(0o700).create(path);
    create.map_err(|error| cannot_create(path, &error))
}

/// Locks the directory.
///
/// # Errors
/// [`Status::CannotCreate`] when it cannot be written, [`Status::Unavailable`] when another hub
/// has it.
pub(super) fn lock(path: &Path) -> Result<Lock, Failure> {
    let lock_path = path.join(LOCK_NAME);
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600);
    let mut lock = options
        .open(&lock_path)
        .map_err(|error| cannot_create(&lock_path, &error))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut lock)),
        Err(TryLockError::Error(error)) => {
            let message = format!("cannot lock {}: {error}", lock_path.display());
            return Err(Failure::new(Status::Io, message));
        }
    }
    write_owner(&mut lock).map_err(|error| cannot_create(&lock_path, &error))?;
    Ok(Lock(lock))
}

fn write_owner(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{}", std::process::id())
}

fn cannot_create(path: &Path, error: &io::Error) -> Failure {
    let message = format!(
        "cannot use {}: {error}\nchoose another data directory with --data DIR",
        path.display()
    );
    Failure::new(Status::CannotCreate, message)
}

fn in_use(path: &Path, lock: &mut File) -> Failure {
    let mut text = String::new();
    let owner = match lock.take(LOCK_BYTES_MAX).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => format!("process {}", text.trim()),
        Ok(_) | Err(_) => "another process".to_owned(),
    };
    let message = format!(
        "the data directory {} is in use by {owner}\n\
         stop that hub, or choose another directory with --data DIR",
        path.display()
    );
    Failure::new(Status::Unavailable, message)
}
