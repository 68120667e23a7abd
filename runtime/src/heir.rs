//! `[process]` State that outlives the incarnations of its process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// State that a child spec holds for its process, so that it survives a crash.
///
/// Nothing is copied: an incarnation works on the state in place, one step at a time, with
/// [`with`](Self::with). The next incarnation finds what the last completed step left, provided
/// that a step **decides first, reading only, and then applies without anything that can panic**.
/// A panic half-way through the applying leaves what it leaves; the runtime cannot undo it.
///
/// ```
/// use belay_runtime::Heir;
///
/// let floor = Heir::new(vec!["sword"]);
/// let next_incarnation = floor.clone();
/// floor.with(|items| items.push("lamp"));
/// drop(floor);
/// assert_eq!(next_incarnation.with(|items| items.len()), 2);
/// ```
pub struct Heir<S> {
    state: Arc<Mutex<S>>,
}

impl<S> Heir<S> {
    /// Holds `state`.
    pub fn new(state: S) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Works on the state. Only the process that owns it should; another waits meanwhile.
    ///
    /// # Panics
    /// When `step` does; the state stays usable. Calling it within `step` on the same heir never
    /// returns.
    pub fn with<R>(&self, step: impl FnOnce(&mut S) -> R) -> R {
        // A panic in an earlier step is what an heir is for.
        step(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S> Clone for Heir<S> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
        }
    }
}

impl<S> fmt::Debug for Heir<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heir").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_a_panic_in_a_step() {
        let heir = Heir::new(1);
        let other = heir.clone();
        let outcome = crate::guard::call(|| {
            heir.with(|state| {
                *state = 2;
                panic!("after the change")
            })
        });
        assert!(outcome.is_err());
        assert_eq!(other.with(|state| *state), 2);
    }
}
