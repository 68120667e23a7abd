//! `[process]` What the desk puts up for all to see.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::hub::core::Figures;
use crate::hub::directory::Directory;

/// What others may look at without asking.
#[derive(Debug, Default)]
pub struct Notices {
    directory: RwLock<Arc<Directory>>,
    figures: RwLock<Figures>,
    /// Sockets that were cut because they did not read.
    cut: AtomicU64,
}

impl Notices {
    /// The directory that holds.
    #[must_use]
    pub fn directory(&self) -> Arc<Directory> {
        let directory = self.directory.read();
        Arc::clone(&directory.unwrap_or_else(PoisonError::into_inner))
    }

    /// What the core counted, a second old at most.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let figures = self.figures.read();
        figures.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sockets that were cut because they did not read.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut.load(Ordering::Relaxed)
    }

    pub(super) fn count_cut(&self) {
        self.cut.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_directory(&self, directory: Directory) {
        let mut held = self
            .directory
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *held = Arc::new(directory);
    }

    pub(super) fn set_figures(&self, figures: Figures) {
        *self.figures.write().unwrap_or_else(PoisonError::into_inner) = figures;
    }
}
