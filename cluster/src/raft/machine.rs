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

/// Hears the news of a raft, in order.
pub(super) type Hears = Arc<dyn Fn(RaftNews) + Send + Sync>;

/// The state, and how far the log is applied to it.
pub(super) struct Machine {
    state: ClusterState,
    applied: Option<LogId>,
    members: StoredMembership,
    log: Log,
    hears: Hears,
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
            log,
            hears,
        };
        if let Some(snapshot) = snapshot {
            let meta = meta_of(&snapshot)?;
            machine.become_of(&meta, &snapshot.data)?;
        }
        Ok(machine)
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
            log: self.log.clone(),
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
        ClusterState::decode(&data).map_err(|error| unread(&error))?;
        keep(&self.log, meta, data.clone()).await?;
        self.become_of(meta, &data)
    }

    async fn get_current_snapshot(
        &mut self,
    ) -> Result<Option<openraft::Snapshot<Types>>, StorageError> {
        let snapshot = self.log.image().snapshot.clone();
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
#[derive(Debug)]
pub(super) struct Builder {
    meta: SnapshotMeta,
    data: Bytes,
    log: Log,
}

impl RaftSnapshotBuilder<Types> for Builder {
    async fn build_snapshot(&mut self) -> Result<openraft::Snapshot<Types>, StorageError> {
        keep(&self.log, &self.meta, self.data.clone()).await?;
        Ok(openraft::Snapshot {
            meta: self.meta.clone(),
            snapshot: Box::new(Cursor::new(self.data.to_vec())),
        })
    }
}

async fn keep(log: &Log, meta: &SnapshotMeta, data: Bytes) -> Result<(), StorageError> {
    let meta = record::encode(&SnapshotRecord::from(meta)).map_err(|error| unwritten(&error))?;
    let snapshot = Change::Snapshot(Snapshot { meta, data });
    let kept = log.keep(snapshot).await;
    kept.map_err(|error| unwritten(&error))
}
