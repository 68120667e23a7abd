//! `[pure]` Numbered commands of many players: which were answered, how often, in which order, and
//! how long nobody was answered.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// Answers that are kept account of; what comes beyond is not.
const ANSWERS_MAX: usize = 2_000_000;

/// What the players of one zone typed and were answered. Times are since a common start.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    players: BTreeMap<u32, Account>,
    /// When answers came, in the order in which they were noted.
    answers: Vec<Answer>,
}

/// The first answer to a command.
#[derive(Debug, Clone, Copy)]
struct Answer {
    typed: Duration,
    answered: Duration,
}

/// One player's commands.
#[derive(Debug, Default)]
struct Account {
    /// The number that was typed last; they begin at 1.
    typed: u32,
    /// When each was typed that is not yet answered.
    typed_at: BTreeMap<u32, Duration>,
    /// Answers by number.
    answered: BTreeMap<u32, u32>,
    last: u32,
    disordered: u64,
}

/// What is wrong, of all players together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    /// Commands that were typed.
    pub(crate) typed: u64,
    /// Commands that were answered once.
    pub(crate) once: u64,
    /// Commands without an answer.
    pub(crate) lost: u64,
    /// Answers beyond the first of a command, or to none that was typed.
    pub(crate) doubled: u64,
    /// Answers that came after that of a later command.
    pub(crate) disordered: u64,
}

impl Ledger {
    /// A player types the next command; its number.
    pub(crate) fn typed(&mut self, player: u32, at: Duration) -> u32 {
        let account = self.players.entry(player).or_default();
        account.typed += 1;
        account.typed_at.insert(account.typed, at);
        account.typed
    }

    /// A player was answered a command.
    pub(crate) fn answered(&mut self, player: u32, number: u32, answered: Duration) {
        let account = self.players.entry(player).or_default();
        *account.answered.entry(number).or_default() += 1;
        account.disordered += u64::from(number < account.last);
        account.last = account.last.max(number);
        if let Some(typed) = account.typed_at.remove(&number)
            && self.answers.len() < ANSWERS_MAX
        {
            self.answers.push(Answer { typed, answered });
        }
    }

    /// Commands of all players that wait for their answer.
    pub(crate) fn waiting(&self) -> u64 {
        self.verdict().lost
    }

    /// What is wrong so far.
    pub(crate) fn verdict(&self) -> Verdict {
        let mut all = Verdict::default();
        for account in self.players.values() {
            let known = account.answered.range(1..=account.typed);
            let (mut answered, mut once, mut answers) = (0, 0, 0);
            for (_, times) in known {
                answered += 1;
                once += u64::from(*times == 1);
                answers += u64::from(*times) - 1;
            }
            let unknown = account.answered.range(account.typed + 1..);
            let unknown: u64 = unknown.map(|(_, times)| u64::from(*times)).sum();
            let zero = account.answered.get(&0).copied().unwrap_or(0);
            all.typed += u64::from(account.typed);
            all.once += once;
            all.lost += u64::from(account.typed) - answered;
            all.doubled += answers + unknown + u64::from(zero);
            all.disordered += account.disordered;
        }
        all
    }

    /// The longest time without any answer that begins in the range of times.
    pub(crate) fn longest_gap(&self, from: Duration, to: Duration) -> Option<Duration> {
        let times = self.answers.iter().map(|answer| answer.answered);
        let mut times: Vec<_> = times.filter(|at| *at >= from).collect();
        times.sort_unstable();
        let pairs = times.iter().zip(times.iter().skip(1));
        let gaps = pairs.filter(|(begin, _)| **begin <= to);
        gaps.map(|(begin, end)| *end - *begin).max()
    }

    /// Half of the commands that were typed in the range of times were answered within the first,
    /// all within the second.
    pub(crate) fn answer_times(
        &self,
        from: Duration,
        to: Duration,
    ) -> Option<(Duration, Duration)> {
        let typed = |answer: &&Answer| (from..to).contains(&answer.typed);
        let answers = self.answers.iter().filter(typed);
        let mut times: Vec<_> = answers
            .map(|it| it.answered.saturating_sub(it.typed))
            .collect();
        times.sort_unstable();
        Some((*times.get(times.len() / 2)?, *times.last()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn each_command_is_to_be_answered_once_and_in_order() {
        let mut ledger = Ledger::default();
        for _ in 0..4 {
            ledger.typed(1, MS(0));
        }
        assert_eq!(ledger.typed(2, MS(0)), 1);
        for number in [1, 3, 2, 2, 9] {
            ledger.answered(1, number, MS(u64::from(number)));
        }
        let expected = Verdict {
            typed: 5,
            once: 2,
            lost: 2,
            doubled: 2,
            disordered: 2,
        };
        assert_eq!(ledger.verdict(), expected);
        assert_eq!(ledger.waiting(), 2);
    }

    #[test]
    fn a_gap_is_the_longest_time_in_which_nobody_was_answered() {
        let mut ledger = Ledger::default();
        for at in [100, 10, 20, 400, 410, 2000] {
            let number = ledger.typed(1, MS(at / 2));
            ledger.answered(1, number, MS(at));
        }
        assert_eq!(ledger.longest_gap(MS(0), MS(150)), Some(MS(300)));
        assert_eq!(ledger.longest_gap(MS(0), MS(50)), Some(MS(80)));
        assert_eq!(ledger.longest_gap(MS(300), MS(405)), Some(MS(10)));
        assert_eq!(ledger.longest_gap(MS(300), MS(500)), Some(MS(1590)));
        assert_eq!(ledger.longest_gap(MS(2000), MS(3000)), None);
    }

    #[test]
    fn times_of_answers_are_of_the_commands_typed_in_the_window() {
        let mut ledger = Ledger::default();
        for (typed, took) in [(0, 900), (10, 5), (20, 7), (30, 200), (40, 6), (50, 800)] {
            let number = ledger.typed(1, MS(typed));
            ledger.answered(1, number, MS(typed + took));
            // A second answer does not count as a time.
            ledger.answered(1, number, MS(5_000));
        }
        let times = ledger.answer_times(MS(10), MS(50));
        assert_eq!(times, Some((MS(7), MS(200))));
        assert_eq!(ledger.answer_times(MS(60), MS(70)), None);
    }
}
