//! `[edge]` The data directory: made with mode 0700, and locked by one hub.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::failure::{Failure, Status};
use crate::HubUrl;
use crate::limits::CREDENTIALS_BYTES_MAX;

/// The file that a hub holds locked. It holds the hub's process id, for people; the lock itself is
/// the kernel's, and ends with the process however that dies.
const LOCK_NAME: &str = "lock";

/// The file that holds the address of the hub.
const URL_NAME: &str = "url";

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

/// Notes the address of the hub, for credentials that are made while it runs or later.
///
/// # Errors
/// [`Status::CannotCreate`].
pub(super) fn note_url(path: &Path, url: &HubUrl) -> Result<(), Failure> {
    let (file, draft) = (path.join(URL_NAME), path.join("url.new"));
    let written = fs::write(&draft, format!("{url}\n")).and_then(|()| fs::rename(&draft, &file));
    written.map_err(|error| cannot_create(&file, &error))
}

/// The address of the hub that ran here last.
pub(super) fn noted_url(path: &Path) -> Option<HubUrl> {
    let mut text = String::new();
    let most = u64::try_from(CREDENTIALS_BYTES_MAX).unwrap_or(u64::MAX);
    let file = File::open(path.join(URL_NAME)).ok()?;
    file.take(most).read_to_string(&mut text).ok()?;
    HubUrl::parse(text.trim()).ok()
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
