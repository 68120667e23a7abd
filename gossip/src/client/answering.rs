//! `[process]` The answer to a tell: given exactly once, whatever becomes of who should give it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::news::TellAnswer;

/// A closure that takes the answer; gets [`TellAnswer::Offline`] when it is dropped.
pub(super) struct Answering(Mutex<Option<Closure>>);

type Closure = Box<dyn FnOnce(TellAnswer) + Send>;

impl Answering {
    pub(super) fn new(answer: impl FnOnce(TellAnswer) + Send + 'static) -> Self {
        Self(Mutex::new(Some(Box::new(answer))))
    }

    pub(super) fn give(mut self, answer: TellAnswer) {
        self.take(answer);
    }

    /// A panic of the closure is its owner's affair, and must not take the connection along; it
    /// may also come while another panic unwinds.
    fn take(&mut self, answer: TellAnswer) {
        let closure = self.0.get_mut();
        if let Some(closure) = closure.unwrap_or_else(PoisonError::into_inner).take()
            && catch_unwind(AssertUnwindSafe(|| closure(answer))).is_err()
        {
            tracing::error!(target: "belay_gossip", "the answer to a tell panicked its receiver");
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.take(TellAnswer::Offline);
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answering").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn is_given_once_and_when_dropped_as_well() {
        let (sender, answers) = sync_channel(4);
        let answering = || {
            let sender = sender.clone();
            Answering::new(move |answer| sender.send(answer).unwrap())
        };
        answering().give(TellAnswer::Sent);
        drop(answering());
        Answering::new(|_| panic!("told to")).give(TellAnswer::Sent);
        drop(sender);
        let answers: Vec<_> = answers.iter().collect();
        assert_eq!(answers, [TellAnswer::Sent, TellAnswer::Offline]);
    }
}
