//! `[edge]` Reading and writing the files, with the rights that they must have.

use super::CertificateError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The longest file that is read.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    Anyone,
    OwnerOnly,
}

/// What a file is now, cheap to find out: it changes with the file, and when another one takes its
/// name, of whatever age and length that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(Option<[i128; 4]>);

impl Stamp {
    pub(super) fn of(file: &Path) -> Self {
        let seen = fs::metadata(file).ok();
        Self(seen.map(|seen| {
            let ns = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
            let modified = ns(seen.mtime(), seen.mtime_nsec());
            let changed = ns(seen.ctime(), seen.ctime_nsec());
            [modified, changed, seen.ino().into(), seen.size().into()]
        }))
    }
}

/// All of a file.
pub(super) fn read(file: &Path, rights: Rights) -> Result<Vec<u8>, CertificateError> {
    let cannot = |source| CertificateError::Read {
        file: file.to_owned(),
        source,
    };
    let opened = File::open(file).map_err(cannot)?;
    let mode = mode(&opened).map_err(cannot)?;
    if rights == Rights::OwnerOnly && mode & 0o077 != 0 {
        return Err(CertificateError::Readable {
            file: file.to_owned(),
            mode,
        });
    }
    let mut bytes = Vec::new();
    let mut limited = opened.take(FILE_BYTES_MAX + 1);
    let length = limited.read_to_end(&mut bytes).map_err(cannot)?;
    if u64::try_from(length).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
        return Err(CertificateError::TooLong {
            file: file.to_owned(),
        });
    }
    Ok(bytes)
}

/// Writes a file as a whole or not at all; one that is there is replaced.
pub(super) fn write(file: &Path, text: &str, rights: Rights) -> Result<(), CertificateError> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let written = write_new(&beside, text, rights).and_then(|()| fs::rename(&beside, file));
    written.map_err(|source| {
        // It is of no use to anybody; that it cannot be removed is no second problem.
        drop(fs::remove_file(&beside));
        CertificateError::Write {
            file: file.to_owned(),
            source,
        }
    })
}

/// A directory, made if it is not there.
pub(super) fn make_dir(dir: &Path) -> Result<(), CertificateError> {
    fs::create_dir_all(dir).map_err(|source| CertificateError::Write {
        file: dir.to_owned(),
        source,
    })
}

fn write_new(file: &Path, text: &str, rights: Rights) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    restrict(&mut options, rights);
    let mut opened = options.open(file)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()
}

#[cfg(unix)]
fn restrict(options: &mut OpenOptions, rights: Rights) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(match rights {
        Rights::Anyone => 0o644,
        Rights::OwnerOnly => 0o600,
    });
}

#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Rights) {}

#[cfg(unix)]
fn mode(file: &File) -> io::Result<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode(_: &File) -> io::Result<u32> {
    Ok(0)
}
