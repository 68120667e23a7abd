//! `[process]` The locks and atomics of the mailbox and the registries: std's.
//!
//! In the [models](crate::model) they are loom's, which runs each model with every order of steps
//! that the threads could take. That is only so in the unit tests of this crate, and only with the
//! feature `model`: no other build is changed by it, and tokio is not switched to its own loom
//! mode, as `--cfg loom` would do.

#[cfg(all(test, feature = "model"))]
pub(crate) use loom::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};
pub(crate) use std::sync::PoisonError;
#[cfg(not(all(test, feature = "model")))]
pub(crate) use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};
