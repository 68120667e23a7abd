//! `[process]` What the log adds up to, as openraft wants it: it applies entries to the state,
//! takes snapshots of it, and tells each new view.
#![expect(
    clippy::result_large_err,
    reason = "the errors are openraft's, and each of them ends the node"
)]

use super::handle::RaftNews;
use super::record::{self, SnapshotRecord};
use super::types::{Answer, Entry, LogId, SnapshotMeta, StorageError, StoredMembership, Types};
use crate::log::{Change, Log, Snapshot};
use crate::state::machine::ClusterState;
use bytes::Bytes;
use openraft::storage::RaftStateMachine;
use openraft::{AnyError, EntryPayload, OptionalSend, RaftSnapshotBuilder, StorageIOError};
use std::fmt;
use std::io::Cursor;
use std::sync::Arc;
use tokio::sync::watch;

/// Hears the news of a raft, in order.
pub(super) type Hears = Arc<dyn Fn(RaftNews) + Send + Sync>;

/// Up to which entry a snapshot is kept that stands for them; nothing any more after a failure.
pub(super) type Covered = Result<Option<u64>, ()>;

/// The state, and how far the log is applied to it.
pub(super) struct Machine {
    state: ClusterState,
    applied: Option<LogId>,
    members: StoredMembership,
    keeper: Keeper,
    hears: Hears,
}

/// Keeps snapshots, the newest of which counts, and says up to where they go. Ends with the last
/// that could keep one.
#[derive(Clone)]
struct Keeper {
    log: Log,
    covered: Arc<watch::Sender<Covered>>,
}

impl Machine {
    /// The state as of the last snapshot in the log.
    ///
    /// # Errors
    /// The snapshot is not one.
    pub(super) fn open(log: Log, hears: Hears) -> Result<Self, StorageError> {
        let snapshot = log.image().snapshot.clone();
        let mut machine = Self {
            state: ClusterState::new(),
            applied: None,
            members: StoredMembership::default(),
            keeper: Keeper {
                log,
                covered: Arc::new(watch::Sender::new(Ok(None))),
            },
            hears,
        };
        if let Some(snapshot) = snapshot {
            let meta = meta_of(&snapshot)?;
            machine.keeper.covers(&meta);
            machine.become_of(&meta, &snapshot.data)?;
        }
        Ok(machine)
    }

    /// Says up to which entry a snapshot is kept.
    pub(super) fn covered(&self) -> watch::Receiver<Covered> {
        self.keeper.covered.subscribe()
    }

    fn become_of(&mut self, meta: &SnapshotMeta, data: &[u8]) -> Result<(), StorageError> {
        let state = ClusterState::decode(data);
        self.state = state.map_err(|error| unread(&error))?;
        self.applied = meta.last_log_id;
        self.members = meta.last_membership.clone();
        (self.hears)(RaftNews::Applied(self.state.view()));
        Ok(())
    }
}

fn unread(error: &(impl std::error::Error + 'static)) -> StorageError {
    StorageIOError::read_snapshot(None, AnyError::new(error)).into()
}

fn unwritten(error: &(impl std::error::Error + 'static)) -> StorageError {
    StorageIOError::write_snapshot(None, AnyError::new(error)).into()
}

fn meta_of(snapshot: &Snapshot) -> Result<SnapshotMeta, StorageError> {
    let meta = record::decode::<SnapshotRecord>(&snapshot.meta);
    meta.map(SnapshotMeta::from).map_err(|error| unread(&error))
}

impl RaftStateMachine<Types> for Machine {
    type SnapshotBuilder = Builder;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, StoredMembership), StorageError> {
        Ok((self.applied, self.members.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<Answer>, StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut answers = Vec::new();
        for entry in entries {
            self.applied = Some(entry.log_id);
            let index = entry.log_id.index;
            answers.push(match entry.payload {
                EntryPayload::Normal(command) => Answer(Some(self.state.apply(index, &command))),
                EntryPayload::Blank => {
                    self.state.skip(index);
                    Answer(None)
                }
                EntryPayload::Membership(membership) => {
                    self.members = StoredMembership::new(Some(entry.log_id), membership);
                    self.state.skip(index);
                    Answer(None)
                }
            });
        }
        if !answers.is_empty() {
            (self.hears)(RaftNews::Applied(self.state.view()));
        }
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> Builder {
        // Encoded here, as entries go on being applied while the disk is waited for.
        Builder {
            meta: SnapshotMeta {
                last_log_id: self.applied,
                last_membership: self.members.clone(),
                // One entry, one state: the name of a snapshot is where it ends.
                snapshot_id: self.applied.map(|id| id.to_string()).unwrap_or_default(),
            },
            data: self.state.encode().into(),
            keeper: self.keeper.clone(),
        }
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<Cursor<Vec<u8>>>, StorageError> {
        Ok(Box::default())
    }

    async fn install_snapshot(
        &mut self,
        meta: &SnapshotMeta,
        snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Result<(), StorageError> {
        let data = Bytes::from(snapshot.into_inner());
        // Looked at before it is kept: a state that cannot be read is not to replace one that can.
        if let Err(error) = ClusterState::decode(&data) {
            self.keeper.fails();
            return Err(unread(&error));
        }
        self.keeper.keep(meta, data.clone()).await?;
        self.become_of(meta, &data)
    }

    async fn get_current_snapshot(
        &mut self,
    ) -> Result<Option<openraft::Snapshot<Types>>, StorageError> {
        let snapshot = self.keeper.log.image().snapshot.clone();
        let Some(snapshot) = snapshot else {
            return Ok(None);
        };
        Ok(Some(openraft::Snapshot {
            meta: meta_of(&snapshot)?,
            snapshot: Box::new(Cursor::new(snapshot.data.to_vec())),
        }))
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let applied = &self.applied;
        f.debug_struct("Machine")
            .field("applied", applied)
            .finish_non_exhaustive()
    }
}

/// A state that is being kept as a snapshot.
pub(super) struct Builder {
    meta: SnapshotMeta,
    data: Bytes,
    keeper: Keeper,
}

impl RaftSnapshotBuilder<Types> for Builder {
    async fn build_snapshot(&mut self) -> Result<openraft::Snapshot<Types>, StorageError> {
        self.keeper.keep(&self.meta, self.data.clone()).await?;
        Ok(openraft::Snapshot {
            meta: self.meta.clone(),
            snapshot: Box::new(Cursor::new(self.data.to_vec())),
        })
    }
}

impl Keeper {
    /// Keeps a snapshot, unless there is one of as many entries: one that is built here may be
    /// overtaken by one that another node sent.
    async fn keep(&self, meta: &SnapshotMeta, data: Bytes) -> Result<(), StorageError> {
        let there = self.log.image().snapshot.clone();
        let there = there.map(|there| meta_of(&there)).transpose()?;
        if there.is_some_and(|there| there.last_log_id >= meta.last_log_id) {
            return Ok(());
        }
        let record = record::encode(&SnapshotRecord::from(meta));
        let record = record.map_err(|error| unwritten(&error))?;
        let snapshot = Change::Snapshot(Snapshot { meta: record, data });
        let kept = self.log.keep(snapshot).await;
        kept.map_err(|error| {
            self.fails();
            unwritten(&error)
        })?;
        self.covers(meta);
        Ok(())
    }

    fn covers(&self, meta: &SnapshotMeta) {
        let through = meta.last_log_id.map(|id| id.index);
        self.covered.send_modify(|covered| {
            if let Ok(covered) = covered {
                *covered = through.max(*covered);
            }
        });
    }

    fn fails(&self) {
        self.covered.send_modify(|covered| *covered = Err(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openraft::CommittedLeaderId;

    fn entry(index: u64) -> Entry {
        Entry {
            log_id: LogId::new(CommittedLeaderId::new(1, 1), index),
            payload: EntryPayload::Blank,
        }
    }

    async fn at(machine: &mut Machine) -> Option<u64> {
        let snapshot = machine.get_current_snapshot().await.unwrap();
        snapshot.and_then(|snapshot| snapshot.meta.last_log_id.map(|id| id.index))
    }

    #[tokio::test]
    async fn a_snapshot_that_is_overtaken_while_it_is_built_replaces_none() {
        let machine = || Machine::open(Log::memory(), Arc::new(|_| {})).unwrap();
        let (mut here, mut elsewhere) = (machine(), machine());
        let covered = here.covered();
        here.apply([entry(0), entry(1)]).await.unwrap();
        let mut building = here.get_snapshot_builder().await;
        elsewhere.apply((0..9).map(entry)).await.unwrap();
        let mut builder = elsewhere.get_snapshot_builder().await;
        let sent = builder.build_snapshot().await.unwrap();
        assert_eq!(*covered.borrow(), Ok(None));
        here.install_snapshot(&sent.meta, sent.snapshot)
            .await
            .unwrap();
        building.build_snapshot().await.unwrap();
        assert_eq!(at(&mut here).await, Some(8));
        assert_eq!(*covered.borrow(), Ok(Some(8)));
        let garbage = Box::new(Cursor::new(vec![1, 2, 3]));
        assert!(here.install_snapshot(&sent.meta, garbage).await.is_err());
        assert_eq!(*covered.borrow(), Err(()), "entries must not go any more");
    }
}
