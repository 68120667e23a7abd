//! `[process]` Time and turns of a test: what is ready runs, and the clock moves when told.

use std::cell::Cell;
use std::panic::Location;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use super::fail::fail;
use super::seed::seed;
use crate::limits::SETTLE_ROUNDS_MAX;

/// Tasks that a current-thread runtime of tokio runs at most before it looks at deferred ones,
/// unless its builder was told otherwise (`event_interval`).
const ROUND_TASKS: usize = 61;

/// The step in which [`until`] lets time pass: tokio's timers have no smaller one.
const STEP: Duration = Duration::from_millis(1);

thread_local! {
    static TURNS: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a process of this thread had a turn.
pub(crate) fn note_turn() {
    TURNS.set(TURNS.get().wrapping_add(1));
}

/// The turns that processes of this thread have had so far: each is one poll of its code.
///
/// For tests that count work instead of measuring time, which a busy machine makes longer.
pub fn turns() -> u64 {
    TURNS.get()
}

/// Runs a test to its end on a current-thread tokio runtime whose clock is paused.
///
/// The same as `#[tokio::test(start_paused = true)]`, without its macro. The clock stands still
/// while anything is ready to run; when all wait, it jumps to the next thing that is due. So a
/// test that waits for an hour takes no time, and two runs of it do the same.
///
/// # Panics
/// When the test does, and when it is called within a tokio runtime.
///
/// ```
/// use belay_runtime::test_kit;
/// use std::time::Duration;
///
/// let waited = test_kit::run(async {
///     let begun = tokio::time::Instant::now();
///     test_kit::advance(Duration::from_secs(3_600)).await;
///     begun.elapsed()
/// });
/// assert_eq!(waited.as_secs(), 3_600);
/// ```
#[track_caller]
pub fn run<F: Future>(test: F) -> F::Output {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    match runtime {
        Ok(runtime) => {
            seed(0);
            runtime.block_on(test)
        }
        Err(error) => fail(Location::caller(), &format!("no tokio runtime: {error}")),
    }
}

/// Lets everything run that can run now, until all processes wait; the clock stands still.
///
/// It lets others run, round by round. In a round tokio runs what is ready until there is nothing
/// or until it has run 61 tasks. The kit counts the turns of the processes of this thread: as
/// long as a round has one, something was ready, and another round follows. It ends after so many
/// rounds without a turn that each task there is could have had one. Two things it cannot know:
/// * whether a task that is **no process** goes on after it yielded several times in a row; such
///   a task (a `tokio::spawn` of the test) is only seen by what it does to processes;
/// * what **other threads** do ([`on_thread`](crate::ChildSpec::on_thread),
///   [`WorkerPool`](crate::WorkerPool), `spawn_blocking`): wait for their answers instead.
///
/// It is for the test itself: a process that calls it is busy with that, and never settles.
///
/// # Panics
/// On a runtime of several threads, where "nothing is ready" cannot be known; and after
/// [`SETTLE_ROUNDS_MAX`] rounds, when processes keep each other busy without ever waiting.
///
/// # Cancel safety
/// Cancel safe.
#[track_caller]
pub fn settle() -> impl Future<Output = ()> {
    let asked = Location::caller();
    async move {
        if !one_thread() {
            fail(asked, "settle: the tokio runtime has several threads");
        }
        if !settled().await {
            let text = format!("settle: still busy after {SETTLE_ROUNDS_MAX} rounds");
            fail(asked, &text);
        }
    }
}

/// Moves the paused clock on, and lets all that is due on the way run at its time, in order.
///
/// Unlike `tokio::time::advance`, which moves the clock at once and lets what was due see a time
/// that is too late, the clock stops at each timer on the way: a process that sets its next timer
/// when one fires gets all of them. What is due at the end runs as well, and
/// [settles](settle()). The grain is tokio's: a part of a millisecond counts as a whole one.
///
/// # Panics
/// As [`settle()`], and when the clock is not paused.
///
/// # Cancel safety
/// When the future is dropped the clock stays where it is.
#[track_caller]
pub fn advance(by: Duration) -> impl Future<Output = ()> {
    let (before, after) = (settle(), settle());
    async move {
        // Does nothing, but says so when the clock is not paused.
        tokio::time::advance(Duration::ZERO).await;
        before.await;
        sleep_until(Instant::now() + by).await;
        after.await;
    }
}

/// Waits until a condition holds, and lets time pass by the millisecond when nothing is ready.
///
/// The condition is looked at between the turns of processes. With `within` of zero the clock
/// stands still: it holds now, or when all that is ready has run.
///
/// # Panics
/// When it does not hold within that time; says `what`.
///
/// # Cancel safety
/// Cancel safe.
#[track_caller]
pub fn until(
    what: &str,
    within: Duration,
    mut holds: impl FnMut() -> bool,
) -> impl Future<Output = ()> {
    let asked = Location::caller();
    async move {
        if poll_until(within, || holds().then_some(())).await.is_none() {
            fail(asked, &format!("waited {within:?} until {what}"));
        }
    }
}

/// Waits until `look` finds something; `None` when that was not within the time.
pub(super) async fn poll_until<T>(
    within: Duration,
    mut look: impl FnMut() -> Option<T>,
) -> Option<T> {
    let end = Instant::now() + within;
    loop {
        let mut rounds = Rounds::new();
        loop {
            if let Some(found) = look() {
                return Some(found);
            }
            if rounds.next().await != Round::Busy {
                break;
            }
        }
        let now = Instant::now();
        if now >= end {
            return look();
        }
        sleep_until(end.min(now + STEP)).await;
    }
}

/// Lets all that is ready run, as far as that can be known; false when it never waits.
pub(super) async fn settled() -> bool {
    let mut rounds = Rounds::new();
    loop {
        match rounds.next().await {
            Round::Busy => {}
            Round::Quiet => return true,
            Round::TooMany => return false,
        }
    }
}

fn one_thread() -> bool {
    Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread
}

/// Rounds in which others run.
struct Rounds {
    left: u32,
    quiet: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Something may be ready still.
    Busy,
    /// Nothing has run for long enough.
    Quiet,
    TooMany,
}

impl Rounds {
    fn new() -> Self {
        Self {
            left: SETTLE_ROUNDS_MAX,
            quiet: 0,
        }
    }

    async fn next(&mut self) -> Round {
        let before = TURNS.get();
        yield_now().await;
        self.left = self.left.saturating_sub(1);
        if TURNS.get() != before {
            self.quiet = 0;
        } else {
            self.quiet += 1;
            // Tasks run first come first served: in as many rounds each one that was ready had
            // its turn, and one more is for those that yielded in their turn.
            if self.quiet > 1 + Handle::current().metrics().num_alive_tasks() / ROUND_TASKS {
                return Round::Quiet;
            }
        }
        if self.left == 0 {
            Round::TooMany
        } else {
            Round::Busy
        }
    }
}
