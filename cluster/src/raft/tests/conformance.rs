//! `[process]` openraft's own suite for storage, on the log in memory and on the log in a file.

use super::disk::Folder;
use crate::log::{self, Log};
use crate::raft::machine::{Hears, Machine};
use crate::raft::storage::Storage;
use crate::raft::types::{StorageError, Types};
use belay_runtime::{Node, Supervisor};
use openraft::testing::{StoreBuilder, Suite};
use std::sync::Arc;

fn nobody() -> Hears {
    Arc::new(|_| {})
}

struct InMemory;

impl StoreBuilder<Types, Storage, Machine> for InMemory {
    async fn build(&self) -> Result<((), Storage, Machine), StorageError> {
        let log = Log::memory();
        Ok((
            (),
            Storage::alone(log.clone()),
            Machine::open(log, nobody())?,
        ))
    }
}

struct InAFile;

impl StoreBuilder<Types, Storage, Machine, (Node, Folder)> for InAFile {
    async fn build(&self) -> Result<((Node, Folder), Storage, Machine), StorageError> {
        let folder = Folder::new("suite");
        let path = folder.file();
        log::create(&path).unwrap();
        let (log, writer) = log::open(&path).unwrap();
        let node = Node::start(Supervisor::builder("log").child(writer))
            .await
            .unwrap();
        let machine = Machine::open(log.clone(), nobody())?;
        Ok(((node, folder), Storage::alone(log), machine))
    }
}

#[test]
fn the_log_in_memory_passes_the_suite_of_openraft() {
    Suite::test_all(InMemory).unwrap();
}

#[test]
fn the_log_in_a_file_passes_the_suite_of_openraft() {
    Suite::test_all(InAFile).unwrap();
}
