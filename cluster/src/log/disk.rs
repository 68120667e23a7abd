//! `[edge]` The log in a file, and the thread that writes it.
//!
//! One redb database with two tables: the entries by number, and by name what there is one of (the
//! format, the vote, how far is committed and purged, the snapshot). The file is read when it is
//! opened, checked page by page, and from then on only written.

use super::handle::{Log, LogError, LogFigures, Sink, Write};
use super::image::{Change, Image, Snapshot};
use crate::limits::{LOG_BATCH_MAX, LOG_CACHE_BYTES, LOG_QUEUE_MAX};
use belay_runtime::{BlockingContext, Capacity, ChildSpec, Exit, Incoming, Mailbox};
use bytes::Bytes;
use redb::{Database, ReadableDatabase, ReadableTable};
use redb::{Table, TableDefinition, WriteTransaction};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ENTRIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("entries");
const FACTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("facts");

const FORMAT: &str = "format";
const VOTE: &str = "vote";
const COMMITTED: &str = "committed";
const PURGED: &str = "purged";
const PURGED_MARK: &str = "purged mark";
const SNAPSHOT_META: &str = "snapshot meta";
const SNAPSHOT_DATA: &str = "snapshot data";

/// The format that this program writes, and the only one that it reads.
const FORMAT_NOW: u32 = 1;

/// Why a log was not opened; **fatal** for the node.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The node was a member, and its log is not there.
    #[error(
        "the log {path} is missing, and without it this node must not vote again: move its data \
         directory away and let it join as a new node"
    )]
    Missing {
        /// The file.
        path: String,
    },
    /// A log is there that should be made.
    #[error("there is a log already: {path}")]
    Exists {
        /// The file.
        path: String,
    },
    /// Another process has it open.
    #[error("the log {path} is in use by another process")]
    InUse {
        /// The file.
        path: String,
    },
    /// A later program wrote it.
    #[error("the log {path} has format {format}, which this version does not know")]
    OtherFormat {
        /// The file.
        path: String,
        /// Its format.
        format: u32,
    },
    /// The file is torn, or is no log.
    #[error(
        "the log {path} cannot be read ({reason}), and without it this node must not vote again: \
         move its data directory away and let it join as a new node; never put back an older copy"
    )]
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("the log {path} cannot be opened")]
    Io {
        /// The file.
        path: String,
        /// What the file system said.
        #[source]
        source: io::Error,
    },
}

/// Makes an empty log, for a node that founds a cluster or joins one: whole or not at all.
///
/// # Errors
/// [`OpenError::Exists`], [`OpenError::Io`] and, if the disk is full, [`OpenError::Unreadable`].
pub(crate) fn create(path: &Path) -> Result<(), OpenError> {
    let name = || path.display().to_string();
    let failed = |source| OpenError::Io {
        path: name(),
        source,
    };
    if path.try_exists().map_err(failed)? {
        return Err(OpenError::Exists { path: name() });
    }
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let made = Database::create(&new).map_err(redb::Error::from);
    let made = made.and_then(|database| prepare(&database));
    made.map_err(|error| classify(&name(), error))?;
    fs::rename(&new, path).map_err(failed)?;
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let parent = File::open(parent.unwrap_or(Path::new("."))).map_err(failed)?;
    parent.sync_all().map_err(failed)
}

/// Opens a log that was made before. The process of the spec writes it; it must run before the
/// first change is waited for, and outlive whoever changes the log.
///
/// # Errors
/// The node must not run, and why.
pub(crate) fn open(path: &Path) -> Result<(Log, ChildSpec), OpenError> {
    let name = path.display().to_string();
    match fs::metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(OpenError::Missing { path: name });
        }
        Err(source) => return Err(OpenError::Io { path: name, source }),
    }
    // A page that was altered behind redb's back can make it panic.
    let read = || -> Result<(Database, Image, u32), redb::Error> {
        let database = Database::builder()
            .set_cache_size(LOG_CACHE_BYTES)
            .set_check_integrity_on_open(true)
            .open(path)?;
        let (image, format) = read(&database)?;
        Ok((database, image, format))
    };
    let unreadable = |reason: &str| OpenError::Unreadable {
        path: name.clone(),
        reason: reason.to_owned(),
    };
    let (database, image, format) = std::panic::catch_unwind(read)
        .map_err(|_panic| unreadable("its pages contradict each other"))?
        .map_err(|error| classify(&name, error))?;
    if format != FORMAT_NOW {
        return Err(OpenError::OtherFormat { path: name, format });
    }
    if !image.whole() {
        return Err(unreadable("entries are missing"));
    }
    Ok(start(database, path, image))
}

fn start(database: Database, path: &Path, image: Image) -> (Log, ChildSpec) {
    let mailbox = Mailbox::new(Capacity::new(LOG_QUEUE_MAX));
    let figures = Arc::new(LogFigures::default());
    let sink = Sink::Disk(mailbox.address());
    let log = Log::with(image, sink, figures.clone());
    let mut writer = Writer {
        database,
        path: path.to_owned(),
        figures,
        failed: None,
    };
    let spec = ChildSpec::blocking("raft log", &mailbox, move |ctx| writer.run(ctx));
    (log, spec)
}

/// What writes, on its own thread.
struct Writer {
    database: Database,
    path: PathBuf,
    figures: Arc<LogFigures>,
    /// The first failure: what came before it is kept, and nothing that comes after it.
    failed: Option<LogError>,
}

impl Writer {
    fn run(&mut self, mut ctx: BlockingContext<Write>) -> Result<(), Exit> {
        let mut stopping = false;
        while !stopping {
            let mut batch = Vec::new();
            let mut next = Some(ctx.recv()?);
            while let Some(incoming) = next {
                match incoming {
                    Incoming::Message(write) | Incoming::Timer(write) => batch.push(write),
                    Incoming::Signal(_) => {}
                    Incoming::Shutdown => stopping = true,
                }
                let full = batch.len() == LOG_BATCH_MAX;
                next = if full { None } else { ctx.try_recv()? };
            }
            if !batch.is_empty() {
                self.keep(batch);
            }
        }
        Ok(())
    }

    /// Commits all of it at once, and says so to each.
    fn keep(&mut self, batch: Vec<Write>) {
        let kept = match self.failed.clone() {
            Some(failed) => Err(failed),
            None => {
                // Should the commit panic, the next incarnation finds this.
                self.failed = Some(self.failure("the writer crashed"));
                match commit(&self.database, &batch) {
                    Ok(()) => {
                        self.failed = None;
                        self.figures.commits.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    }
                    Err(error) => {
                        let failed = self.failure(&error.to_string());
                        tracing::error!(reason = %failed, "the log of the cluster failed");
                        self.failed = Some(failed.clone());
                        Err(failed)
                    }
                }
            }
        };
        for write in batch {
            (write.done)(kept.clone());
        }
    }

    fn failure(&self, reason: &str) -> LogError {
        LogError::Write {
            path: self.path.display().to_string(),
            reason: reason.to_owned(),
        }
    }
}

fn commit(database: &Database, batch: &[Write]) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    {
        let mut entries = transaction.open_table(ENTRIES)?;
        let mut facts = transaction.open_table(FACTS)?;
        for write in batch {
            put(&mut entries, &mut facts, &write.change)?;
        }
        if let Some(committed) = batch.last().and_then(|write| write.committed.as_ref()) {
            facts.insert(COMMITTED, &**committed)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

fn put(
    entries: &mut Table<'_, u64, &'static [u8]>,
    facts: &mut Table<'_, &'static str, &'static [u8]>,
    change: &Change,
) -> Result<(), redb::Error> {
    match change {
        Change::Append(more) => {
            for (index, entry) in more {
                entries.insert(index, &**entry)?;
            }
        }
        Change::Truncate { from } => entries.retain_in(*from.., |_, _| false)?,
        Change::Purge { through, mark } => {
            entries.retain_in(..=*through, |_, _| false)?;
            facts.insert(PURGED, through.to_le_bytes().as_slice())?;
            facts.insert(PURGED_MARK, &**mark)?;
        }
        Change::Vote(vote) => drop(facts.insert(VOTE, &**vote)?),
        Change::Snapshot(snapshot) => {
            facts.insert(SNAPSHOT_META, &*snapshot.meta)?;
            facts.insert(SNAPSHOT_DATA, &*snapshot.data)?;
        }
    }
    Ok(())
}

/// The tables and the format.
fn prepare(database: &Database) -> Result<(), redb::Error> {
    let transaction: WriteTransaction = database.begin_write()?;
    transaction.open_table(ENTRIES)?;
    let mut facts = transaction.open_table(FACTS)?;
    facts.insert(FORMAT, FORMAT_NOW.to_le_bytes().as_slice())?;
    drop(facts);
    transaction.commit()?;
    Ok(())
}

/// All of it, and its format.
fn read(database: &Database) -> Result<(Image, u32), redb::Error> {
    let transaction = database.begin_read()?;
    let facts = transaction.open_table(FACTS)?;
    let fact = |name: &str| -> Result<Option<Bytes>, redb::Error> {
        Ok(facts
            .get(name)?
            .map(|value| Bytes::copy_from_slice(value.value())))
    };
    let torn = |what: &str| redb::Error::Corrupted(format!("its {what} is not one"));
    let format = fact(FORMAT)?.and_then(|bytes| bytes.as_ref().try_into().ok());
    let format = u32::from_le_bytes(format.ok_or_else(|| torn("format"))?);
    let mut image = Image {
        vote: fact(VOTE)?,
        committed: fact(COMMITTED)?,
        ..Image::default()
    };
    if let Some(through) = fact(PURGED)? {
        let through = through
            .as_ref()
            .try_into()
            .map_err(|_length| torn("purged entry"))?;
        let mark = fact(PURGED_MARK)?.ok_or_else(|| torn("purged entry"))?;
        image.purged = Some((u64::from_le_bytes(through), mark));
    }
    if let Some(meta) = fact(SNAPSHOT_META)? {
        let data = fact(SNAPSHOT_DATA)?.ok_or_else(|| torn("snapshot"))?;
        image.snapshot = Some(Snapshot { meta, data });
    }
    for entry in transaction.open_table(ENTRIES)?.iter()? {
        let (index, entry) = entry?;
        let entry = Bytes::copy_from_slice(entry.value());
        image.entries.insert(index.value(), entry);
    }
    Ok((image, format))
}

fn classify(path: &str, error: redb::Error) -> OpenError {
    let path = path.to_owned();
    let reason = error.to_string();
    if let redb::Error::DatabaseAlreadyOpen = error {
        return OpenError::InUse { path };
    }
    if let redb::Error::Io(source) = error
        && !is_about_content(&source)
    {
        return OpenError::Io { path, source };
    }
    OpenError::Unreadable { path, reason }
}

/// Whether the file was read and is no log, rather than not read.
fn is_about_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests;
