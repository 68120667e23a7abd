//! `[process]` What the desk puts up for all to see.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use crate::hub::core::{Figures, Note};
use crate::hub::directory::Directory;
use crate::limits::{REFUSALS_LOGGED_MAX, REFUSALS_PERIOD};

/// What others may look at without asking.
#[derive(Debug, Default)]
pub struct Notices {
    directory: RwLock<Arc<Directory>>,
    figures: RwLock<Figures>,
    /// Sockets that were cut because they did not read.
    cut: AtomicU64,
    refusals: Mutex<Refusals>,
}

/// Refusals in the log: so many a period, and how many were left out.
#[derive(Debug, Default)]
struct Refusals {
    since: Option<Instant>,
    told: u32,
    omitted: u64,
}

impl Refusals {
    /// Whether one more may be told; with how many were not.
    fn take(&mut self, now: Instant) -> Option<u64> {
        let lasts = |since| now.saturating_duration_since(since) < REFUSALS_PERIOD;
        if !self.since.is_some_and(lasts) {
            (self.since, self.told) = (Some(now), 0);
        }
        if self.told >= REFUSALS_LOGGED_MAX {
            self.omitted += 1;
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.omitted))
    }
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

    /// Lets the operator know, who may see games be refused as fast as they come.
    pub(super) fn note(&self, note: Note, now: Instant) {
        match note {
            Note::Came(game) => tracing::info!(%game, "game is here"),
            Note::Left(game) => tracing::info!(%game, "game is gone"),
            Note::Refused { address, error } => {
                let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(omitted) = refusals.take(now) {
                    tracing::warn!(%address, error, omitted, "connection refused");
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_storm_of_refusals_is_a_few_records_and_a_number() {
        let (begun, mut refusals) = (tokio::time::Instant::now().into_std(), Refusals::default());
        let told = (0..100).filter_map(|_| refusals.take(begun)).count();
        assert_eq!(told, usize::try_from(REFUSALS_LOGGED_MAX).unwrap());
        let later = begun + REFUSALS_PERIOD - Duration::from_millis(1);
        assert_eq!(refusals.take(later), None);
        let omitted = 101 - u64::from(REFUSALS_LOGGED_MAX);
        assert_eq!(refusals.take(begun + REFUSALS_PERIOD), Some(omitted));
        assert_eq!(refusals.take(begun + REFUSALS_PERIOD), Some(0));
    }
}
