//! `[edge]` What a crowd counts while it plays: shared by all bots' tasks, read by the driver.
//!
//! Counters are atomics.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::play::Token;
use crate::measure::{Causes, Times};

/// All counts of a run.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Bots in the world.
    pub(crate) online: AtomicU32,
    /// Most bots in the world at once.
    pub(crate) online_peak: AtomicU32,
    /// Bots that got in.
    pub(crate) entered: AtomicU32,
    /// Bots that gave up getting in.
    pub(crate) given_up: AtomicU32,
    /// Microseconds of the run at which the last bot got in.
    pub(crate) last_entry_us: AtomicU64,
    /// Bots that were told a place in the login queue.
    pub(crate) in_line: AtomicU32,
    /// Times a told place was worse than the one before.
    pub(crate) place_rises: AtomicU32,
    /// Commands of the window.
    pub(crate) commands: AtomicU64,
    /// Commands of the window that still wait.
    pub(crate) waiting: AtomicU32,
    /// Commands of the window that got no answer.
    pub(crate) unanswered: AtomicU64,
    /// Bytes from the node.
    pub(crate) bytes_in: AtomicU64,
    /// Bytes to the node.
    pub(crate) bytes_out: AtomicU64,
    /// From a command to its answer.
    pub(crate) latency: Times,
    /// From a say to the moment another bot has it.
    pub(crate) heard: Times,
    /// From the first connect to the world's prompt.
    pub(crate) login: Times,
    /// Bots that never got in, by the last cause.
    pub(crate) login_failed: Causes,
    /// Login attempts that were repeated.
    pub(crate) retried: Causes,
    /// Bots that lost their connection in the world.
    pub(crate) dropped: Causes,
    /// Commands of the window that were refused.
    pub(crate) refused: Causes,
}

impl Tally {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self {
            online: AtomicU32::new(0),
            online_peak: AtomicU32::new(0),
            entered: AtomicU32::new(0),
            given_up: AtomicU32::new(0),
            last_entry_us: AtomicU64::new(0),
            in_line: AtomicU32::new(0),
            place_rises: AtomicU32::new(0),
            commands: AtomicU64::new(0),
            waiting: AtomicU32::new(0),
            unanswered: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            latency: Times::new(),
            heard: Times::new(),
            login: Times::new(),
            login_failed: Causes::default(),
            retried: Causes::default(),
            dropped: Causes::default(),
            refused: Causes::default(),
        }
    }

    /// A bot is in the world, `took` after its first connect, at `now_us` of the run.
    pub(crate) fn enter(&self, took: Duration, now_us: u64) {
        self.login.record(took);
        self.last_entry_us.fetch_max(now_us, Relaxed);
        let online = self.online.fetch_add(1, Relaxed) + 1;
        self.online_peak.fetch_max(online, Relaxed);
        self.entered.fetch_add(1, Relaxed);
    }

    /// A bot lost its connection in the world.
    pub(crate) fn leave(&self, cause: &str) {
        self.online.fetch_sub(1, Relaxed);
        self.dropped.count(cause);
    }
}

/// When each bot said its last two things, so that hearers can tell the delay.
///
/// Two slots a bot, by the sequence number; an older say is overwritten and then not measured.
#[derive(Debug)]
pub(crate) struct SayTimes {
    first: u32,
    slots: Vec<AtomicU64>,
}

/// Low bits of a slot that hold the sequence number; above are microseconds of the run.
const SEQUENCE_BITS: u32 = 16;

impl SayTimes {
    /// Slots for bots `first..first + count`.
    pub(crate) fn new(first: u32, count: u32) -> Self {
        let mut slots = Vec::new();
        slots.resize_with(usize::try_from(count).unwrap_or(0) * 2, AtomicU64::default);
        Self { first, slots }
    }

    /// This say is being written.
    pub(crate) fn sent(&self, token: Token, now_us: u64) {
        if let Some(slot) = self.slot(token) {
            slot.store(now_us << SEQUENCE_BITS | sequence_bits(token), Relaxed);
        }
    }

    /// When this say was written, if it is still known.
    pub(crate) fn time_us(&self, token: Token) -> Option<u64> {
        let value = self.slot(token)?.load(Relaxed);
        let known = value & ((1 << SEQUENCE_BITS) - 1) == sequence_bits(token);
        (known && value != 0).then_some(value >> SEQUENCE_BITS)
    }

    fn slot(&self, token: Token) -> Option<&AtomicU64> {
        let bot = usize::try_from(token.bot.checked_sub(self.first)?).ok()?;
        self.slots
            .get(bot * 2 + usize::from(token.sequence % 2 == 1))
    }
}

fn sequence_bits(token: Token) -> u64 {
    u64::from(token.sequence) & ((1 << SEQUENCE_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn say_times_are_found_until_overwritten() {
        let times = SayTimes::new(100, 2);
        let token = |bot, sequence| Token { bot, sequence };
        times.sent(token(101, 7), 5_000);
        times.sent(token(101, 8), 6_000);
        assert_eq!(times.time_us(token(101, 7)), Some(5_000));
        times.sent(token(101, 9), 7_000);
        assert_eq!(times.time_us(token(101, 7)), None);
        assert_eq!(times.time_us(token(101, 9)), Some(7_000));
        assert_eq!(times.time_us(token(100, 1)), None);
        assert_eq!(times.time_us(token(99, 1)), None);
        assert_eq!(times.time_us(token(102, 1)), None);
    }
}
