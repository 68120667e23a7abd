//! `[edge]` The content directory: reads the area files of it, checks them for the operator, and
//! writes generated ones.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::embedded::embedded;
use super::fault::{Fault, Faults, Place, Severity};
use super::generate::{GenerateError, GenerateOptions, generate};
use super::limits::{CONTENT_BYTES_MAX, FILE_BYTES_MAX, FILES_MAX};
use super::load::{Loaded, SourceFile, WORLD_FILE, load, load_beside};

/// Where the content of the repository lies, seen from its root.
pub const DEFAULT_DIRECTORY: &str = "world/content";

/// Where a world came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A directory.
    Directory(PathBuf),
    /// The executable itself.
    Embedded,
}

/// What `belay check` tells.
#[derive(Clone, Debug)]
pub struct Report {
    /// One line per fault, and a last line that sums up.
    pub text: String,
    /// How many errors there are: the world can be used only when there is none.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
}

/// The world of the given directory; without one that of [`DEFAULT_DIRECTORY`] when it is there,
/// else the one in the executable.
///
/// # Errors
/// What is wrong with the content, with file names that begin with the directory. Refused: the
/// operator has to mend it.
pub fn open(directory: Option<&Path>) -> Result<(Origin, Loaded), Faults> {
    let default = Path::new(DEFAULT_DIRECTORY);
    let found = directory.or_else(|| default.join(WORLD_FILE).is_file().then_some(default));
    match found {
        Some(path) => Ok((Origin::Directory(path.to_owned()), load_directory(path)?)),
        None => Ok((Origin::Embedded, load(&embedded())?)),
    }
}

/// The world of a directory.
///
/// # Errors
/// As [`open`].
pub fn load_directory(directory: &Path) -> Result<Loaded, Faults> {
    let located = |mut faults: Faults| {
        for fault in &mut faults.list {
            // A fault of the directory itself has no file, and `join` would add a slash for it.
            let path = Path::new(&fault.file);
            let path = if path.as_os_str().is_empty() {
                directory
            } else {
                &directory.join(path)
            };
            fault.file = path.display().to_string();
        }
        faults
    };
    let paths = list_directory(directory).map_err(located)?;
    let (files, unreadable) = read_files(paths);
    let loaded = load_beside(&files, unreadable).map_err(located)?;
    Ok(Loaded {
        warnings: located(loaded.warnings),
        ..loaded
    })
}

/// Checks a directory, as `belay check DIR` does; prints nothing.
pub fn check(directory: &Path) -> Report {
    let (faults, world) = match load_directory(directory) {
        Ok(loaded) => (loaded.warnings, Some(loaded.world)),
        Err(faults) => (faults, None),
    };
    let mut text = String::new();
    if !faults.list.is_empty() {
        text = format!("{faults}\n");
    }
    let mut sum = Vec::new();
    if let Some(world) = world {
        sum.push(counted(world.zones().len(), "zone"));
        sum.push(counted(world.rooms().len(), "room"));
        sum.push(counted(world.items().len(), "item"));
        sum.push(counted(world.mobs().len(), "mob"));
    }
    sum.push(counted(faults.errors, "error"));
    sum.push(counted(faults.warnings, "warning"));
    text += &format!("{}: {}\n", directory.display(), sum.join(", "));
    Report {
        text,
        errors: faults.errors,
        warnings: faults.warnings,
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

/// Makes a world for load tests and writes it into a directory, which is made if need be.
///
/// # Errors
/// The numbers are impossible, the directory holds area files already, or it cannot be written.
pub fn write_generated(options: GenerateOptions, directory: &Path) -> Result<(), WriteError> {
    let files = generate(options)?;
    let io = |source| WriteError::Io {
        path: directory.to_owned(),
        source,
    };
    fs::create_dir_all(directory).map_err(io)?;
    // Old zones beside new ones would be loaded together.
    if !area_paths(directory).map_err(io)?.is_empty() {
        return Err(WriteError::NotEmpty {
            path: directory.to_owned(),
        });
    }
    for file in files {
        let path = directory.join(file.name);
        fs::write(&path, file.text).map_err(|source| WriteError::Io { path, source })?;
    }
    Ok(())
}

/// Why a generated world was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Refused: no torus has these numbers.
    #[error(transparent)]
    Options(#[from] GenerateError),
    /// Refused: the directory has area files in it.
    #[error("{} already holds .toml files; name a new directory", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Refused by the system.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn list_directory(directory: &Path) -> Result<Vec<PathBuf>, Faults> {
    let wrong = match area_paths(directory) {
        Ok(paths) if paths.len() <= FILES_MAX => return Ok(paths),
        Ok(paths) => format!(
            "{} .toml files; at most {FILES_MAX} are allowed",
            paths.len()
        ),
        Err(error) => format!("cannot read the directory: {error}"),
    };
    let mut faults = Faults::default();
    faults.push_file_error("", wrong);
    Err(faults)
}

/// The files that could be read, and what is wrong with the others.
fn read_files(paths: Vec<PathBuf>) -> (Vec<SourceFile>, Faults) {
    let mut files = Vec::new();
    let mut faults = Faults::default();
    let mut bytes_left = CONTENT_BYTES_MAX;
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match read_file(&path, &mut bytes_left) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => files.push(SourceFile { name, text }),
                Err(error) => push_no_utf8(&mut faults, name, &error),
            },
            Err(wrong) => faults.push_file_error(&name, wrong),
        }
    }
    (files, faults)
}

/// All `*.toml` of a directory that are no hidden files, by name. What lies deeper is not read.
fn area_paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let is_hidden = path
            .file_name()
            .is_none_or(|name| name.as_encoded_bytes().first().is_none_or(|b| *b == b'.'));
        let is_toml = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        if is_toml && !is_hidden {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The bytes of a file, at most the limit and what is left of the limit for all.
fn read_file(path: &Path, bytes_left: &mut u64) -> Result<Vec<u8>, String> {
    let told = |error: io::Error| format!("cannot read the file: {error}");
    // A pipe or a device would never end.
    if !fs::metadata(path).map_err(told)?.is_file() {
        return Err("is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(told)?;
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(told)?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if read > FILE_BYTES_MAX {
        return Err(format!("the file has more than {FILE_BYTES_MAX} bytes"));
    }
    match bytes_left.checked_sub(read) {
        Some(left) => *bytes_left = left,
        None => {
            return Err(format!(
                "all files have more than {CONTENT_BYTES_MAX} bytes"
            ));
        }
    }
    Ok(bytes)
}

fn push_no_utf8(faults: &mut Faults, file: String, error: &std::string::FromUtf8Error) {
    let good = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default());
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    let [line, column] = [line, column].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let text = "a byte here is no UTF-8; save the file as UTF-8".to_owned();
    let fault = Fault {
        file,
        place: Some(Place { line, column }),
        severity: Severity::Error,
        text,
    };
    faults.append(Faults {
        list: vec![fault],
        errors: 1,
        warnings: 0,
    });
}
