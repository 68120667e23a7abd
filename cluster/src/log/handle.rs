//! `[process]` The log as raft holds it: read from memory, changed in memory and, unless it is one
//! for simulations, on the disk.

use super::image::{Change, Gap, Image};
#[cfg(test)]
use super::toy::ToyDisk;
use belay_runtime::{Address, SendError};
use bytes::Bytes;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Called when a change is kept for good, or when it is known that it may not be.
pub(crate) type Done = Box<dyn FnOnce(Result<(), LogError>) + Send>;

/// Why a change may not have been kept; **fatal**: the node must stop, for the log goes on from
/// there with nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LogError {
    /// Entries that do not follow each other.
    #[error(transparent)]
    Gap(#[from] Gap),
    /// The disk refused, now or before.
    #[error("the log {path} cannot be written: {reason}")]
    Write {
        /// The file.
        path: String,
        /// What the disk said.
        reason: String,
    },
    /// The writer has ended, or the log was opened anew elsewhere.
    #[error("the log is closed")]
    Closed,
}

/// The log. A clone is the same log.
#[derive(Clone)]
pub(crate) struct Log(Arc<Shared>);

struct Shared {
    image: Mutex<Image>,
    sink: Sink,
    figures: Arc<LogFigures>,
}

/// Where changes go.
pub(super) enum Sink {
    /// Nowhere; the flag says whether this handle is over.
    Memory(Mutex<bool>),
    /// To the thread that writes.
    Disk(Address<Write>),
    /// To the disk of a simulated node, in this life of it.
    #[cfg(test)]
    Toy(ToyDisk, u64),
}

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct LogFigures {
    pub(super) changes: AtomicU64,
    pub(super) commits: AtomicU64,
}

/// A change on its way to the disk.
pub(crate) struct Write {
    pub(super) change: Change,
    /// How far was committed when it was given.
    pub(super) committed: Option<Bytes>,
    pub(super) done: Done,
}

impl Log {
    /// A log in memory alone.
    #[cfg_attr(not(test), expect(dead_code, reason = "for simulated nodes"))]
    pub(crate) fn memory() -> Self {
        Self::with(
            Image::default(),
            Sink::Memory(Mutex::new(false)),
            Arc::default(),
        )
    }

    /// The log of a simulated node, in the life that begins on this disk.
    #[cfg(test)]
    pub(crate) fn on(disk: &ToyDisk) -> Self {
        let (image, life) = disk.begin();
        Self::with(image, Sink::Toy(disk.clone(), life), Arc::default())
    }

    pub(super) fn with(image: Image, sink: Sink, figures: Arc<LogFigures>) -> Self {
        Self(Arc::new(Shared {
            image: Mutex::new(image),
            sink,
            figures,
        }))
    }

    /// What a node that begins anew finds of a log in memory: all that was kept. The handle from
    /// which it is taken refuses every change from now on, as its node is dead.
    ///
    /// For a log on disk this is the same handle: its file has one writer.
    #[cfg_attr(not(test), expect(dead_code, reason = "for simulated nodes"))]
    pub(crate) fn restarted(&self) -> Self {
        let Sink::Memory(over) = &self.0.sink else {
            return self.clone();
        };
        let image = self.image().clone();
        *over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Self::with(image, Sink::Memory(Mutex::new(false)), Arc::default())
    }

    /// What it holds. Must not be held while anything is waited for.
    pub(crate) fn image(&self) -> MutexGuard<'_, Image> {
        self.0.image.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far the log is committed. It is kept with the next change.
    pub(crate) fn note_committed(&self, committed: Option<Bytes>) {
        self.image().committed = committed;
    }

    /// Changes the log: to be read at once, kept when `done` is called. Waits while
    /// [`LOG_QUEUE_MAX`](crate::limits::LOG_QUEUE_MAX) changes wait for the disk.
    ///
    /// # Errors
    /// Through `done` only.
    ///
    /// # Cancel safety
    /// Not cancel safe: the change may be in memory and not on its way to the disk.
    pub(crate) async fn change(&self, change: Change, done: Done) {
        self.0.figures.changes.fetch_add(1, Ordering::Relaxed);
        let applied = {
            let mut image = self.image();
            let applied = image.apply(&change);
            applied.map(|()| image.committed.clone())
        };
        let committed = match applied {
            Ok(committed) => committed,
            Err(gap) => return done(Err(gap.into())),
        };
        match &self.0.sink {
            Sink::Memory(over) => {
                let over = *over.lock().unwrap_or_else(PoisonError::into_inner);
                self.0.figures.commits.fetch_add(1, Ordering::Relaxed);
                done(if over { Err(LogError::Closed) } else { Ok(()) });
            }
            #[cfg(test)]
            Sink::Toy(disk, life) => {
                self.0.figures.commits.fetch_add(1, Ordering::Relaxed);
                let write = Write {
                    change,
                    committed,
                    done,
                };
                disk.write(*life, write);
            }
            Sink::Disk(writer) => {
                let write = Write {
                    change,
                    committed,
                    done,
                };
                if let Err(SendError(write)) = writer.send(write).await {
                    (write.done)(Err(LogError::Closed));
                }
            }
        }
    }

    /// Changes the log and waits until it is kept.
    ///
    /// # Errors
    /// It may not have been kept.
    ///
    /// # Cancel safety
    /// As [`change`](Self::change).
    pub(crate) async fn keep(&self, change: Change) -> Result<(), LogError> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let done = Box::new(move |kept| {
            // Whoever waited may be gone.
            drop(tell.send(kept));
        });
        self.change(change, done).await;
        told.await.unwrap_or(Err(LogError::Closed))
    }

    /// How many changes were made, and how many commits they took.
    pub(crate) fn counted(&self) -> (u64, u64) {
        let figures = &self.0.figures;
        (
            figures.changes.load(Ordering::Relaxed),
            figures.commits.load(Ordering::Relaxed),
        )
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0.sink {
            Sink::Memory(_) => "memory",
            Sink::Disk(_) => "disk",
            #[cfg(test)]
            Sink::Toy(..) => "toy",
        };
        f.debug_tuple("Log").field(&kind).finish()
    }
}
