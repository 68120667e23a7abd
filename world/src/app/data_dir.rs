//! `[edge]` The data directory: made with mode 0700, and locked by one process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Status};

/// The file that the owner of the directory holds locked. It holds the owner's process id, for
/// people; the lock itself is the kernel's, and ends with the process however that dies.
const LOCK_NAME: &str = "lock";

/// Bytes of the lock file that are read to say who holds it.
const LOCK_BYTES_MAX: u64 = 32;

/// A data directory that this process owns as long as this value lives.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Locked; closing it unlocks.
    _lock: File,
}

impl DataDir {
    /// Makes the directory when it is not there, and locks it.
    ///
    /// # Errors
    /// [`Status::CannotCreate`] when it cannot be made or written, [`Status::Unavailable`] when
    /// another process owns it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let create = DirBuilder::new().recursive(true).mode(0o700).create(path);
        create.map_err(|error| cannot_create(path, &error))?;
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
            .map_err(|e| cannot_create(&lock_path, &e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut lock)),
            Err(TryLockError::Error(error)) => {
                let message = format!("cannot lock {}: {error}", lock_path.display());
                return Err(Failure::error(Status::Io, message));
            }
        }
        write_owner(&mut lock).map_err(|error| cannot_create(&lock_path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// The directory, as the operator gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn write_owner(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{}", std::process::id())
}

fn cannot_create(path: &Path, error: &io::Error) -> anyhow::Error {
    let message = format!(
        "cannot use {}: {error}\nchoose another data directory with --data DIR (data.dir)",
        path.display()
    );
    Failure::error(Status::CannotCreate, message)
}

fn in_use(path: &Path, lock: &mut File) -> anyhow::Error {
    let mut text = String::new();
    let owner = match lock.take(LOCK_BYTES_MAX).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => format!("process {}", text.trim()),
        Ok(_) | Err(_) => "another process".to_owned(),
    };
    let message = format!(
        "the data directory {} is in use by {owner}\n\
         stop that one, or choose another directory with --data DIR (data.dir)",
        path.display()
    );
    Failure::error(Status::Unavailable, message)
}
