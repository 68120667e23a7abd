//! `[process]` The runtime that openraft works on: tokio, with a random generator whose seed we
//! know, so that what a simulated network did can be done again.

use openraft::{AsyncRuntime, OptionalSend, TokioInstant, TokioRuntime};
use std::cell::Cell;
use std::time::Duration;

thread_local! {
    static STATE: Cell<u64> = const { Cell::new(0x5EED) };
}

/// From now on what openraft draws on this thread follows from `seed`.
pub(super) fn seed(seed: u64) {
    STATE.set(seed);
}

/// The generator of this thread: splitmix64. It spreads elections, and keeps no secret.
#[derive(Debug)]
pub(crate) struct Generator(());

impl rand_core::RngCore for Generator {
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        let state = STATE.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        STATE.set(state);
        mix(state)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.next_u64().to_le_bytes();
            for (to, from) in chunk.iter_mut().zip(drawn) {
                *to = from;
            }
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// Two numbers that differ give two that have nothing in common.
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// Tokio with that generator. What openraft spawns is spawned by openraft's own means.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SeededTokio;

type Tokio<T> = <TokioRuntime as AsyncRuntime>::OneshotSender<T>;

impl AsyncRuntime for SeededTokio {
    type JoinError = <TokioRuntime as AsyncRuntime>::JoinError;
    type JoinHandle<T: OptionalSend + 'static> = <TokioRuntime as AsyncRuntime>::JoinHandle<T>;
    type Sleep = <TokioRuntime as AsyncRuntime>::Sleep;
    type Instant = TokioInstant;
    type TimeoutError = <TokioRuntime as AsyncRuntime>::TimeoutError;
    type Timeout<R, T: Future<Output = R> + OptionalSend> =
        <TokioRuntime as AsyncRuntime>::Timeout<R, T>;
    type ThreadLocalRng = Generator;
    type OneshotSender<T: OptionalSend> = Tokio<T>;
    type OneshotReceiverError = <TokioRuntime as AsyncRuntime>::OneshotReceiverError;
    type OneshotReceiver<T: OptionalSend> = <TokioRuntime as AsyncRuntime>::OneshotReceiver<T>;

    fn spawn<T>(future: T) -> Self::JoinHandle<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        TokioRuntime::spawn(future)
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        TokioRuntime::sleep(duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        TokioRuntime::sleep_until(deadline)
    }

    fn timeout<R, F: Future<Output = R> + OptionalSend>(
        duration: Duration,
        future: F,
    ) -> Self::Timeout<R, F> {
        TokioRuntime::timeout(duration, future)
    }

    fn timeout_at<R, F: Future<Output = R> + OptionalSend>(
        deadline: Self::Instant,
        future: F,
    ) -> Self::Timeout<R, F> {
        TokioRuntime::timeout_at(deadline, future)
    }

    fn is_panic(join_error: &Self::JoinError) -> bool {
        TokioRuntime::is_panic(join_error)
    }

    fn thread_rng() -> Self::ThreadLocalRng {
        Generator(())
    }

    fn oneshot<T: OptionalSend>() -> (Self::OneshotSender<T>, Self::OneshotReceiver<T>) {
        TokioRuntime::oneshot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::RngCore;

    #[test]
    fn the_same_seed_draws_the_same_numbers() {
        let draw = |with| {
            seed(with);
            let mut bytes = [0; 11];
            Generator(()).fill_bytes(&mut bytes);
            (bytes, SeededTokio::thread_rng().next_u32())
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
