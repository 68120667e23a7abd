//! `[process]` The log as openraft wants it.

use super::machine::Covered;
use super::record::{self, BadRecord, EntryRecord, PlaceRecord, VoteRecord};
use super::types::{Entry, LogId, StorageError, Types, Vote};
use crate::log::{Change, Log, LogError};
use bytes::Bytes;
use openraft::storage::{LogFlushed, LogState, RaftLogStorage};
use openraft::{AnyError, OptionalSend, RaftLogReader, StorageIOError};
use std::fmt::Debug;
use std::ops::{Bound, RangeBounds};
use tokio::sync::watch;

/// The log, read and changed by openraft. A clone is the same log.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    log: Log,
    covered: Option<watch::Receiver<Covered>>,
}

impl Storage {
    /// Entries go when a snapshot that stands for them is kept, as this tells.
    ///
    /// openraft has the entries before a snapshot of another node purged while it has that
    /// installed. A node that died with the one on disk and without the other could not start
    /// again, or would start with a state that lacks those entries.
    pub(super) fn new(log: Log, covered: watch::Receiver<Covered>) -> Self {
        let covered = Some(covered);
        Self { log, covered }
    }

    /// Entries go when it is said, for a test of nothing but the log.
    #[cfg(test)]
    pub(super) fn alone(log: Log) -> Self {
        Self { log, covered: None }
    }

    /// Waits until a snapshot is kept that stands for the entries up to this one.
    async fn cover(&mut self, through: u64) -> Result<(), StorageError> {
        let Some(covered) = &mut self.covered else {
            return Ok(());
        };
        let known = |covered: &Covered| covered.is_err() || *covered >= Ok(Some(through));
        match covered.wait_for(known).await.as_deref() {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(())) | Err(_) => Err(unwritten(NotCovered(through))),
        }
    }

    fn last(&self) -> Result<(Option<LogId>, Option<LogId>), BadRecord> {
        let (purged, last) = {
            let image = self.log.image();
            let purged = image.purged.as_ref().map(|(_, mark)| mark.clone());
            (purged, image.last().cloned())
        };
        let purged = purged
            .map(|mark| record::decode::<PlaceRecord>(&mark))
            .transpose()?
            .map(LogId::from);
        let last = last.map(|entry| decode_entry(&entry)).transpose()?;
        Ok((purged, last.map(|entry| entry.log_id).or(purged)))
    }
}

/// The snapshot that was to stand for entries could not be kept; **fatal**.
#[derive(Debug, thiserror::Error)]
#[error("no snapshot is kept that stands for the entries up to {0}")]
struct NotCovered(u64);

fn decode_entry(bytes: &Bytes) -> Result<Entry, BadRecord> {
    record::decode::<EntryRecord>(bytes).map(Entry::from)
}

fn unread(error: BadRecord) -> StorageError {
    StorageIOError::read_logs(AnyError::new(&error)).into()
}

fn unwritten(error: impl std::error::Error + 'static) -> StorageError {
    StorageIOError::write_logs(AnyError::new(&error)).into()
}

impl RaftLogReader<Types> for Storage {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Result<Vec<Entry>, StorageError> {
        let from = match range.start_bound() {
            Bound::Included(from) => *from,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(to) => *to,
            Bound::Unbounded => u64::MAX,
        };
        let entries = self.log.image().range(from, to);
        let entries = entries.iter().map(decode_entry);
        entries.collect::<Result<_, _>>().map_err(unread)
    }
}

impl RaftLogStorage<Types> for Storage {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Result<LogState<Types>, StorageError> {
        let (last_purged_log_id, last_log_id) = self.last().map_err(unread)?;
        Ok(LogState {
            last_purged_log_id,
            last_log_id,
        })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Result<(), StorageError> {
        let failed = |error: &(dyn std::error::Error + 'static)| {
            let error = AnyError::error(error);
            StorageError::from(StorageIOError::write_vote(error))
        };
        let vote = record::encode(&VoteRecord::from(*vote)).map_err(|error| failed(&error))?;
        let kept = self.log.keep(Change::Vote(vote)).await;
        kept.map_err(|error| failed(&error))
    }

    async fn read_vote(&mut self) -> Result<Option<Vote>, StorageError> {
        let vote = self.log.image().vote.clone();
        let vote = vote.map(|vote| record::decode::<VoteRecord>(&vote));
        let vote = vote.transpose().map_err(|error| {
            StorageError::from(StorageIOError::read_vote(AnyError::new(&error)))
        })?;
        Ok(vote.map(Vote::from))
    }

    async fn save_committed(&mut self, committed: Option<LogId>) -> Result<(), StorageError> {
        let committed = committed.map(|id| record::encode(&PlaceRecord::from(id)));
        self.log
            .note_committed(committed.transpose().map_err(unwritten)?);
        Ok(())
    }

    async fn read_committed(&mut self) -> Result<Option<LogId>, StorageError> {
        let committed = self.log.image().committed.clone();
        let committed = committed.map(|place| record::decode::<PlaceRecord>(&place));
        let committed = committed.transpose().map_err(unread)?.map(LogId::from);
        // Noted in memory ahead of the entries, which may have been lost with a crash.
        let (_, last) = self.last().map_err(unread)?;
        Ok(committed.min(last))
    }

    async fn append<I>(
        &mut self,
        entries: I,
        callback: LogFlushed<Types>,
    ) -> Result<(), StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries = entries.into_iter().map(|entry| {
            let index = entry.log_id.index;
            Ok((index, record::encode(&EntryRecord::from(entry))?))
        });
        let entries: Result<Vec<_>, BadRecord> = entries.collect();
        let change = Change::Append(entries.map_err(unwritten)?);
        let done = |kept: Result<(), LogError>| {
            callback.log_io_completed(kept.map_err(std::io::Error::other));
        };
        self.log.change(change, Box::new(done)).await;
        Ok(())
    }

    async fn truncate(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let from = log_id.index;
        let kept = self.log.keep(Change::Truncate { from }).await;
        kept.map_err(unwritten)
    }

    async fn purge(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let mark = record::encode(&PlaceRecord::from(log_id)).map_err(unwritten)?;
        let through = log_id.index;
        self.cover(through).await?;
        let kept = self.log.keep(Change::Purge { through, mark }).await;
        kept.map_err(unwritten)
    }
}
