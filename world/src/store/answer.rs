//! `[process]` The one answer that each request gets.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::outcome::StoreError;

type Reply<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// Holds the asker's reply until the outcome is final. The reply is called exactly once: with the
/// outcome, with a refusal, or, when this is dropped unanswered, with [`StoreError::Lost`].
///
/// The reply is the asker's code and runs in the store's process: a panic in it is caught and
/// logged, so that it costs neither the store nor the others whose writes are in the same group.
pub(super) struct Answer<T> {
    reply: Option<Reply<T>>,
    staged: Option<Result<T, StoreError>>,
}

impl<T> Answer<T> {
    pub(super) fn new(reply: impl FnOnce(Result<T, StoreError>) + Send + 'static) -> Self {
        Self {
            reply: Some(Box::new(reply)),
            staged: None,
        }
    }

    /// Keeps what the answer will be once the commit is in; a second try overwrites it.
    pub(super) fn stage(&mut self, outcome: T) {
        self.staged = Some(Ok(outcome));
    }

    /// The same for an outcome that may be a refusal.
    pub(super) fn settle(&mut self, outcome: Result<T, StoreError>) {
        self.staged = Some(outcome);
    }

    fn reply_with(&mut self, outcome: Result<T, StoreError>) {
        let Some(reply) = self.reply.take() else {
            return;
        };
        // Nothing of ours is touched by the reply, so nothing of ours can be left half done.
        if catch_unwind(AssertUnwindSafe(|| reply(outcome))).is_err() {
            tracing::error!("a reply of the store panicked");
        }
    }
}

/// An answer of any type.
pub(super) trait Deliver {
    /// Answers with what was staged.
    fn deliver(&mut self);
    /// Stages an error in place of an outcome.
    fn stage_error(&mut self, error: StoreError);
}

impl<T> Deliver for Answer<T> {
    fn deliver(&mut self) {
        let outcome = self.staged.take().unwrap_or(Err(StoreError::Lost));
        self.reply_with(outcome);
    }

    fn stage_error(&mut self, error: StoreError) {
        self.staged = Some(Err(error));
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        // What was staged but not delivered was not known to be committed.
        self.reply_with(Err(StoreError::Lost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    type Seen = Arc<Mutex<Vec<Result<u8, StoreError>>>>;

    fn answer() -> (Answer<u8>, Seen) {
        let seen = Seen::default();
        let sink = Arc::clone(&seen);
        (
            Answer::new(move |result| sink.lock().unwrap().push(result)),
            seen,
        )
    }

    #[test]
    fn the_last_staged_outcome_is_delivered_once() {
        let (mut answer, seen) = answer();
        answer.stage_error(StoreError::Busy);
        answer.stage(7);
        assert!(seen.lock().unwrap().is_empty(), "nothing before the commit");
        answer.deliver();
        answer.deliver();
        drop(answer);
        assert_eq!(*seen.lock().unwrap(), [Ok(7)]);
    }

    #[test]
    fn a_reply_that_panics_harms_nobody_else() {
        let mut bad: Answer<u8> = Answer::new(|_| panic!("a bug of the asker"));
        bad.stage(1);
        bad.deliver();
        drop(Answer::<u8>::new(|_| panic!("a bug of the asker")));
    }

    #[test]
    fn a_dropped_answer_says_lost_even_when_an_outcome_was_staged() {
        let (mut answer, seen) = answer();
        answer.stage(7);
        drop(answer);
        assert_eq!(*seen.lock().unwrap(), [Err(StoreError::Lost)]);
    }
}
