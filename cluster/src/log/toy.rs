//! `[process]` A disk in memory, for simulated nodes: quick, slow or full, as it is told, and it
//! survives its node's death with what it had kept by then.
//!
//! As the writer of a real log it commits all that waits at once, in order, and a commit is kept
//! whole or not at all; what failed once fails until the node starts anew.

use super::handle::{LogError, Write};
use super::image::{Change, Image};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a disk does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Health {
    /// It keeps everything at once.
    #[default]
    Well,
    /// Each commit takes so long.
    Slow(Duration),
    /// It keeps nothing.
    Full,
}

/// A disk. A clone is the same disk.
#[derive(Clone, Default)]
pub(crate) struct ToyDisk(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    kept: Image,
    health: Health,
    now: Duration,
    waiting: Vec<Write>,
    /// The commit under way, and when it is over.
    committing: Option<(Duration, Vec<Write>)>,
    failed: bool,
    life: u64,
}

/// A write that is over, and how it went.
type Ended = (Write, Result<(), LogError>);

impl ToyDisk {
    /// The next life of its node begins: what that finds, and the life's number.
    pub(super) fn begin(&self) -> (Image, u64) {
        let state = self.lock();
        (state.kept.clone(), state.life)
    }

    /// The node dies. The commit under way is lost, or was kept and nobody was told.
    pub(crate) fn crash(&self, kept: bool) {
        let mut state = self.lock();
        if let Some((_, batch)) = state.committing.take()
            && kept
            && !state.refuses()
        {
            state.keep(&batch);
        }
        state.waiting.clear();
        state.failed = false;
        state.life += 1;
    }

    /// It does so from now on.
    pub(crate) fn set_health(&self, health: Health) {
        self.lock().health = health;
    }

    /// How it does.
    pub(crate) fn health(&self) -> Health {
        self.lock().health
    }

    /// What time it is.
    pub(crate) fn now(&self) -> Duration {
        self.lock().now
    }

    /// The time is this now.
    pub(crate) fn advance(&self, now: Duration) {
        self.turn(|state| state.now = now);
    }

    pub(super) fn write(&self, life: u64, write: Write) {
        if life != self.lock().life {
            return (write.done)(Err(LogError::Closed));
        }
        self.turn(|state| state.waiting.push(write));
    }

    /// Whether what is being committed, or waits for it, is such a change.
    pub(crate) fn is_writing(&self, such: impl Fn(&Change) -> bool) -> bool {
        let state = self.lock();
        let committing = state.committing.iter().flat_map(|(_, batch)| batch);
        let mut writes = committing.chain(&state.waiting);
        writes.any(|write| such(&write.change))
    }

    fn turn(&self, change: impl FnOnce(&mut State)) {
        let mut ended = Vec::new();
        {
            let mut state = self.lock();
            change(&mut state);
            state.turn(&mut ended);
        }
        for (write, kept) in ended {
            (write.done)(kept);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn turn(&mut self, ended: &mut Vec<Ended>) {
        loop {
            match self.committing.take() {
                Some((due, batch)) if self.now < due => {
                    self.committing = Some((due, batch));
                    return;
                }
                Some((_, batch)) => self.finish(batch, ended),
                None if self.waiting.is_empty() => return,
                None => {
                    let takes = match self.health {
                        Health::Slow(takes) => takes,
                        Health::Well | Health::Full => Duration::ZERO,
                    };
                    let batch = std::mem::take(&mut self.waiting);
                    self.committing = Some((self.now + takes, batch));
                }
            }
        }
    }

    fn refuses(&self) -> bool {
        self.failed || self.health == Health::Full
    }

    fn finish(&mut self, batch: Vec<Write>, ended: &mut Vec<Ended>) {
        self.failed = self.refuses();
        let kept = if self.failed {
            Err(LogError::Write {
                path: "toy".to_owned(),
                reason: "no space left".to_owned(),
            })
        } else {
            self.keep(&batch);
            Ok(())
        };
        ended.extend(batch.into_iter().map(|write| (write, kept.clone())));
    }

    fn keep(&mut self, batch: &[Write]) {
        for write in batch {
            let applied = self.kept.apply(&write.change);
            assert_eq!(applied, Ok(()), "the log looked at it before");
        }
        if let Some(committed) = batch.last().and_then(|write| write.committed.clone()) {
            self.kept.committed = Some(committed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::sync::mpsc::{Receiver, sync_channel};

    fn vote(life: u64, disk: &ToyDisk, what: &'static str) -> Receiver<Result<(), LogError>> {
        let (tell, told) = sync_channel(1);
        let write = Write {
            change: Change::Vote(Bytes::from_static(what.as_bytes())),
            committed: None,
            done: Box::new(move |kept| tell.send(kept).unwrap()),
        };
        disk.write(life, write);
        told
    }

    fn kept(disk: &ToyDisk) -> Option<Bytes> {
        disk.begin().0.vote
    }

    #[test]
    fn a_slow_disk_commits_what_waits_at_once_and_a_full_one_nothing_any_more() {
        let second = Duration::from_secs(1);
        let disk = ToyDisk::default();
        assert_eq!(vote(0, &disk, "a").try_recv(), Ok(Ok(())));
        disk.set_health(Health::Slow(second));
        let told = ["b", "c", "d"].map(|what| vote(0, &disk, what));
        assert!(told.iter().all(|told| told.try_recv().is_err()));
        disk.advance(second);
        assert_eq!(told[0].try_recv(), Ok(Ok(())));
        assert_eq!(kept(&disk).unwrap(), "b");
        disk.advance(second * 2);
        assert!(told[1..].iter().all(|told| told.try_recv() == Ok(Ok(()))));
        disk.set_health(Health::Full);
        assert!(vote(0, &disk, "e").try_recv().unwrap().is_err());
        disk.set_health(Health::Well);
        assert!(vote(0, &disk, "f").try_recv().unwrap().is_err(), "for good");
        assert_eq!(kept(&disk).unwrap(), "d");
    }

    #[test]
    fn a_crash_keeps_all_or_nothing_of_a_commit_and_nothing_of_what_waits() {
        for (survives, expected) in [(false, None), (true, Some(Bytes::from_static(b"a")))] {
            let disk = ToyDisk::default();
            disk.set_health(Health::Slow(Duration::from_secs(1)));
            let told = ["a", "b"].map(|what| vote(0, &disk, what));
            disk.crash(survives);
            assert_eq!(kept(&disk), expected);
            assert!(told.iter().all(|told| told.try_recv().is_err()));
            assert_eq!(vote(0, &disk, "c").try_recv(), Ok(Err(LogError::Closed)));
        }
    }
}
