//! `[process]` The addresses behind a port, and what happens when one of them takes no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use belay_runtime::{Address, TrySendError};

use super::outcome::StoreError;
use super::request::{Backup, GuardedWrite, Read, WriterMessage};
use super::status::{Figures, StoreStatus};

/// The ways to the store's processes.
pub(super) struct Lines {
    pub(super) writer: Address<WriterMessage>,
    pub(super) readers: Vec<Address<Read>>,
    pub(super) backup: Address<Backup>,
    pub(super) figures: Arc<Figures>,
    pub(super) next_reader: AtomicUsize,
}

impl Lines {
    pub(super) fn write(&self, write: GuardedWrite) {
        if let Err(refused) = self.writer.try_send(WriterMessage::Write(write)) {
            let (message, error) = self.refusal(refused);
            if let WriterMessage::Write(write) = message {
                write.refuse(error);
            }
        }
    }

    /// Gives the read to the reader with the shortest queue, beginning with another one each time.
    pub(super) fn read(&self, read: Read) {
        let count = self.readers.len();
        let start = self.next_reader.fetch_add(1, Ordering::Relaxed) % count.max(1);
        let in_turn = self.readers.iter().cycle().skip(start).take(count);
        let Some(reader) = in_turn.min_by_key(|reader| reader.len()) else {
            return read.refuse(StoreError::Lost);
        };
        if let Err(refused) = reader.try_send(read) {
            let (read, error) = self.refusal(refused);
            read.refuse(error);
        }
    }

    pub(super) fn back_up(&self, backup: Backup) {
        if let Err(refused) = self.backup.try_send(backup) {
            let (backup, error) = self.refusal(refused);
            backup.refuse(error);
        }
    }

    pub(super) fn status(&self) -> StoreStatus {
        self.figures
            .status(self.writer.len(), self.writer.high_water())
    }

    /// Gives the request back with the reason, and counts it.
    fn refusal<M>(&self, refused: TrySendError<M>) -> (M, StoreError) {
        Figures::count(&self.figures.refused, 1);
        match refused {
            TrySendError::Full(message) => (message, StoreError::Busy),
            TrySendError::Closed(message) => (message, StoreError::Lost),
        }
    }
}
