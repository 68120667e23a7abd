//! `[pure]` What was said, when, and how often it was heard.

use crate::limits::TALKS_MAX;

/// One message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Talk {
    /// The hub's how manieth life it was said in.
    life: usize,
    said_us: u64,
    is_acked: bool,
    heard: u32,
}

/// One life of the hub, as the talker sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Life {
    /// When the hub could be reached.
    began_us: u64,
    /// When the first message said in this life was heard.
    heard_us: Option<u64>,
    /// The number of that message.
    heard_from: u32,
}

/// The account of a run.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    talks: Vec<Talk>,
    lives: Vec<Life>,
    newest_heard: Option<u32>,
    out_of_order: u64,
    unknown: u64,
}

/// The figures of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// Messages said, without those before the first one that was heard at all.
    pub(super) said: u64,
    pub(super) acked: u64,
    /// Messages heard once or more.
    pub(super) heard: u64,
    /// Times a message was heard again.
    pub(super) doubled: u64,
    pub(super) out_of_order: u64,
    /// Not heard, and said in a life before the first that was heard.
    pub(super) missed_before: u64,
    /// Not heard, and said later.
    pub(super) missed_after: u64,
    /// Of all that were missed, those that the hub had acknowledged.
    pub(super) missed_acked: u64,
    /// Lives after the first of which a message was heard, and how long that took.
    pub(super) back_us: Vec<u64>,
    /// Lives after the first of which nothing was heard.
    pub(super) not_back: u64,
    /// Marks that were never said.
    pub(super) unknown: u64,
}

impl Ledger {
    /// The hub can be reached (again).
    pub(super) fn begin_life(&mut self, now_us: u64) {
        self.lives.push(Life {
            began_us: now_us,
            heard_us: None,
            heard_from: 0,
        });
    }

    /// The number of the next message; `None` when the account is full.
    pub(super) fn next(&self) -> Option<u32> {
        let number = u32::try_from(self.talks.len()).ok()?;
        (self.talks.len() < TALKS_MAX && !self.lives.is_empty()).then_some(number)
    }

    /// The next message is said.
    pub(super) fn say(&mut self, now_us: u64) {
        self.talks.push(Talk {
            life: self.lives.len().saturating_sub(1),
            said_us: now_us,
            is_acked: false,
            heard: 0,
        });
    }

    /// The hub took a message.
    pub(super) fn ack(&mut self, number: u32) {
        if let Some(talk) = self.talk(number) {
            talk.is_acked = true;
        }
    }

    /// A message is heard on the node; how long it took, if for the first time.
    pub(super) fn hear(&mut self, number: u32, now_us: u64) -> Option<u64> {
        let Some(talk) = self.talk(number) else {
            self.unknown += 1;
            return None;
        };
        talk.heard += 1;
        let Talk {
            life,
            said_us,
            heard,
            ..
        } = *talk;
        if heard > 1 {
            return None;
        }
        if self.newest_heard.is_some_and(|newest| newest > number) {
            self.out_of_order += 1;
        }
        self.newest_heard = self.newest_heard.max(Some(number));
        if let Some(life) = self.lives.get_mut(life)
            && life.heard_us.is_none()
        {
            life.heard_us = Some(now_us);
            life.heard_from = number;
        }
        Some(now_us.saturating_sub(said_us))
    }

    /// Whether anything was heard.
    pub(super) fn is_heard(&self) -> bool {
        self.newest_heard.is_some()
    }

    /// The figures.
    pub(super) fn sums(&self) -> Sums {
        let mut sums = Sums {
            out_of_order: self.out_of_order,
            unknown: self.unknown,
            ..Sums::default()
        };
        for (number, talk) in (0..).zip(&self.talks) {
            let life = self.lives.get(talk.life);
            let is_before = life.is_none_or(|it| it.heard_us.is_none() || number < it.heard_from);
            if talk.life == 0 && talk.heard == 0 && is_before {
                // The node was not there yet.
                continue;
            }
            sums.said += 1;
            sums.acked += u64::from(talk.is_acked);
            if talk.heard > 0 {
                sums.heard += 1;
                sums.doubled += u64::from(talk.heard - 1);
                continue;
            }
            sums.missed_acked += u64::from(talk.is_acked);
            if is_before {
                sums.missed_before += 1;
            } else {
                sums.missed_after += 1;
            }
        }
        for life in self.lives.iter().skip(1) {
            match life.heard_us {
                Some(heard_us) => sums.back_us.push(heard_us.saturating_sub(life.began_us)),
                None => sums.not_back += 1,
            }
        }
        sums
    }

    fn talk(&mut self, number: u32) -> Option<&mut Talk> {
        self.talks.get_mut(usize::try_from(number).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missed_doubled_and_late_is_told_apart() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.next(), None, "no life has begun");
        ledger.begin_life(0);
        for number in 0..4 {
            assert_eq!(ledger.next(), Some(number));
            ledger.say(u64::from(number) * 100);
            ledger.ack(number);
        }
        assert!(!ledger.is_heard());
        assert_eq!(ledger.hear(1, 150), Some(50));
        assert_eq!(ledger.hear(3, 350), Some(50));
        assert_eq!(ledger.hear(3, 360), None);
        ledger.begin_life(1000);
        ledger.say(1000);
        ledger.say(1100);
        ledger.ack(4);
        assert_eq!(ledger.hear(5, 1700), Some(600));
        assert_eq!(ledger.hear(4, 1800), Some(800));
        ledger.begin_life(2000);
        ledger.say(2000);
        assert_eq!(ledger.hear(99, 2100), None);
        let expected = Sums {
            said: 6,
            acked: 4,
            heard: 4,
            doubled: 1,
            out_of_order: 1,
            missed_before: 1,
            missed_after: 1,
            missed_acked: 1,
            back_us: vec![700],
            not_back: 1,
            unknown: 1,
        };
        assert_eq!(ledger.sums(), expected);
    }
}
