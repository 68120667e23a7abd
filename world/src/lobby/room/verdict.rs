//! `[pure]` Who may not speak in a room, and who may not come in: until when, by whom and why.

use super::effect::Now;
use crate::event::Text;
use crate::lobby::ids::UnixSeconds;
use crate::lobby::limits::VERDICTS_MAX;
use std::collections::BTreeMap;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Until it is taken back, without.
    pub(super) until: Option<UnixSeconds>,
    pub(super) by: Text,
    pub(super) reason: Text,
}

/// Verdicts of one kind, by name in small letters; at most [`VERDICTS_MAX`].
#[derive(Debug, Default)]
pub(super) struct Verdicts(BTreeMap<String, Verdict>);

impl Verdict {
    fn holds(&self, now: Now) -> bool {
        self.until.is_none_or(|until| now.unix < until)
    }

    /// What the one whom it concerns is told: `what` says what they may not.
    pub(super) fn text(&self, what: &str, now: Now) -> Text {
        let lasts = match self.until {
            None => "until it is taken back".to_owned(),
            Some(until) => format!("for {} more", span(until.0.saturating_sub(now.unix.0))),
        };
        let Self { by, reason, .. } = self;
        format!("{what} {lasts}, says {by}: {reason}").into()
    }
}

impl Verdicts {
    /// What holds for this name.
    pub(super) fn of(&self, name: &str, now: Now) -> Option<&Verdict> {
        let verdict = self.0.get(&folded(name))?;
        verdict.holds(now).then_some(verdict)
    }

    /// From now on; whether there was room for it.
    pub(super) fn set(&mut self, name: &str, verdict: Verdict, now: Now) -> bool {
        let name = folded(name);
        if self.0.len() >= VERDICTS_MAX && !self.0.contains_key(&name) {
            self.0.retain(|_, verdict| verdict.holds(now));
            if self.0.len() >= VERDICTS_MAX {
                return false;
            }
        }
        self.0.insert(name, verdict);
        true
    }

    /// Not any more; whether there was one.
    pub(super) fn lift(&mut self, name: &str) -> bool {
        self.0.remove(&folded(name)).is_some()
    }
}

/// Names differ by more than small and large letters.
pub(super) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Seconds for people: the largest unit of which there are two or more.
fn span(seconds: u64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[expect(clippy::disallowed_methods, reason = "any moment will do")]
    fn at(unix: u64) -> Now {
        Now {
            at: Instant::now(),
            unix: UnixSeconds(unix),
        }
    }

    fn until(unix: Option<u64>) -> Verdict {
        Verdict {
            until: unix.map(UnixSeconds),
            by: "Ann".into(),
            reason: "spam".into(),
        }
    }

    #[test]
    fn holds_until_its_end_whatever_letters_the_name_has() {
        let mut verdicts = Verdicts::default();
        assert!(verdicts.set("Bob", until(Some(100)), at(0)));
        assert!(verdicts.of("bOB", at(99)).is_some());
        assert!(verdicts.of("Bob", at(100)).is_none());
        assert!(verdicts.lift("BOB"));
        assert!(!verdicts.lift("BOB"));
    }

    #[test]
    fn makes_room_only_of_those_that_ended() {
        let mut verdicts = Verdicts::default();
        for number in 0..VERDICTS_MAX {
            let end = (number == 0).then_some(50);
            assert!(verdicts.set(&format!("p{number}"), until(end), at(0)));
        }
        assert!(!verdicts.set("late", until(None), at(10)));
        assert!(verdicts.set("late", until(None), at(50)));
        assert!(!verdicts.set("later", until(None), at(50)));
    }

    #[test]
    fn says_why_by_whom_and_how_long() {
        let text = until(Some(700)).text("You may not speak here", at(100));
        assert_eq!(
            &*text,
            "You may not speak here for 10 min more, says Ann: spam"
        );
        let text = until(None).text("You may not come in", at(100));
        assert_eq!(
            &*text,
            "You may not come in until it is taken back, says Ann: spam"
        );
    }
}
