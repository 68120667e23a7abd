//! `[pure]` From the texts of the area files to the checked world, or all that is wrong with them.
//!
//! ```text
//! texts --raw--> fields, each checked by itself --link--> World --reach--> warnings
//! ```
//!
//! Every step goes on after a fault, so that one run tells all of them. The ways through the world
//! are only looked at when nothing else is wrong: a missing exit would cut off half of it.

use sha2::{Digest as _, Sha256};

use super::fault::Faults;
use super::limits::{CONTENT_BYTES_MAX, FILES_MAX};
use super::log::FaultLog;
use super::world::World;
use super::{link, raw, reach};

/// The file that names the world, its greeting, and its start and recall rooms. Every other file
/// is a zone.
pub const WORLD_FILE: &str = "world.toml";

/// One file of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name without a directory, as in `harbour.toml`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A world that can be used.
#[derive(Debug)]
pub struct Loaded {
    /// The world.
    pub world: World,
    /// What is probably not as it was meant.
    pub warnings: Faults,
}

/// Checks the files and builds the world of them. The order of the files does not matter, except
/// that faults are told in it.
///
/// # Errors
/// All errors and warnings that were found, when at least one of them is an error.
pub fn load(files: &[SourceFile]) -> Result<Loaded, Faults> {
    load_beside(files, Faults::default())
}

/// As [`load`], when there are more files, which could not be read: a reference to what may be in
/// them is no fault of its own.
pub(super) fn load_beside(files: &[SourceFile], unreadable: Faults) -> Result<Loaded, Faults> {
    let is_complete = unreadable.errors == 0;
    let mut log = FaultLog::new(files, unreadable);
    if !fits(files, &mut log) {
        return Err(log.into_faults());
    }
    let mut raw = raw::read(files, &mut log);
    raw.is_complete = is_complete;
    let linked = link::link(raw, &mut log);
    let Some(linked) = linked.filter(|_| log.errors() == 0) else {
        return Err(log.into_faults());
    };
    let link::Linked { mut world, rooms } = linked;
    reach::check(&world, &rooms, &mut log);
    world.hash = hash(files).into();
    Ok(Loaded {
        world,
        warnings: log.into_faults(),
    })
}

fn fits(files: &[SourceFile], log: &mut FaultLog<'_>) -> bool {
    let bytes: u64 = files
        .iter()
        .map(|file| u64::try_from(file.text.len()).unwrap_or(u64::MAX))
        .sum();
    let errors_before = log.errors();
    if files.len() > FILES_MAX {
        let count = files.len();
        log.file_error(
            WORLD_FILE,
            format!("there are {count} files; at most {FILES_MAX} fit"),
        );
    }
    if bytes > CONTENT_BYTES_MAX {
        let wrong =
            format!("all files have {bytes} bytes; at most {CONTENT_BYTES_MAX} are allowed");
        log.file_error(WORLD_FILE, wrong);
    }
    log.errors() == errors_before
}

/// The SHA-256 of all names and texts, by name; lengths in between so that no two lists of files
/// read the same.
fn hash(files: &[SourceFile]) -> String {
    let mut sorted: Vec<&SourceFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut sha = Sha256::new();
    for part in sorted.iter().flat_map(|file| [&file.name, &file.text]) {
        sha.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        sha.update(part.as_bytes());
    }
    sha.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
