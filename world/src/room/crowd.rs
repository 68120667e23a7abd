//! `[pure]` A crowd is told once a tick, not once an event: what was gathered becomes one list,
//! with the arrivals and the departures of the tick as one notice each.

use crate::event::{Seen, Text};
use crate::ids::Being;

/// How many names one notice of arrivals has.
const NAMES_MAX: usize = 5;

/// What everybody is told, and what those are told who came in during this very tick.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tick {
    /// For those who were there before.
    pub(super) all: Vec<(Option<Being>, Seen)>,
    /// For newcomers: the same without arrivals, so that nobody hears of their own.
    pub(super) newcomers: Vec<(Option<Being>, Seen)>,
}

/// Sums up what was gathered. Speech and deeds stay one by one, in order; arrivals and departures
/// go to the end, as one line each where there are several.
pub(super) fn sum_up(gathered: &[(Option<Being>, Seen)]) -> Tick {
    let mut tick = Tick::default();
    let mut came: Vec<&(Option<Being>, Seen)> = Vec::new();
    let mut went: Vec<&(Option<Being>, Seen)> = Vec::new();
    for entry in gathered {
        match &entry.1 {
            Seen::Arrives { .. } | Seen::Wakes(_) | Seen::Appears(_) => came.push(entry),
            Seen::Leaves { .. } | Seen::Sleeps(_) | Seen::Vanishes(_) => went.push(entry),
            Seen::Says { .. }
            | Seen::Emotes { .. }
            | Seen::LosesLink(_)
            | Seen::RegainsLink(_)
            | Seen::ManyArrive(..)
            | Seen::ManyLeave(..)
            | Seen::Gets { .. }
            | Seen::Drops { .. }
            | Seen::Gives { .. }
            | Seen::ItemAppears(_)
            | Seen::Trembles => tick.newcomers.push(entry.clone()),
        }
    }
    tick.newcomers.extend(one_notice(&went, Seen::ManyLeave));
    tick.all = tick.newcomers.clone();
    tick.all.extend(one_notice(&came, Seen::ManyArrive));
    tick
}

fn one_notice(
    entries: &[&(Option<Being>, Seen)],
    many: impl Fn(Vec<Text>, u32) -> Seen,
) -> Option<(Option<Being>, Seen)> {
    match entries {
        [] => None,
        [single] => Some((*single).clone()),
        several => {
            let names = several.iter().filter_map(|(_, seen)| who(seen));
            let named: Vec<Text> = names.take(NAMES_MAX).collect();
            let more = several.len().saturating_sub(named.len());
            Some((None, many(named, u32::try_from(more).unwrap_or(u32::MAX))))
        }
    }
}

fn who(seen: &Seen) -> Option<Text> {
    match seen {
        Seen::Arrives { who, .. } | Seen::Leaves { who, .. } => Some(who.clone()),
        Seen::Wakes(who) | Seen::Sleeps(who) | Seen::Appears(who) | Seen::Vanishes(who) => {
            Some(who.clone())
        }
        Seen::Says { .. }
        | Seen::Emotes { .. }
        | Seen::LosesLink(_)
        | Seen::RegainsLink(_)
        | Seen::ManyArrive(..)
        | Seen::ManyLeave(..)
        | Seen::Gets { .. }
        | Seen::Drops { .. }
        | Seen::Gives { .. }
        | Seen::ItemAppears(_)
        | Seen::Trembles => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;

    fn by(id: u64, seen: Seen) -> (Option<Being>, Seen) {
        (Some(Being::Session(SessionId(id))), seen)
    }

    #[test]
    fn arrivals_of_a_tick_are_one_notice_that_newcomers_do_not_get() {
        let says = by(
            9,
            Seen::Says {
                who: "Zoe".into(),
                text: "hm".into(),
            },
        );
        let mut gathered: Vec<_> = (0..7)
            .map(|n| by(n, Seen::Wakes(format!("P{n}").into())))
            .collect();
        gathered.insert(3, says.clone());
        let tick = sum_up(&gathered);
        assert_eq!(tick.newcomers, vec![says.clone()]);
        let names = ["P0", "P1", "P2", "P3", "P4"].map(Text::from).to_vec();
        assert_eq!(tick.all, vec![says, (None, Seen::ManyArrive(names, 2))]);
    }

    #[test]
    fn a_single_arrival_keeps_its_own_words() {
        let gathered = vec![by(1, Seen::Wakes("Ann".into()))];
        assert_eq!(sum_up(&gathered).all, gathered);
        assert_eq!(sum_up(&[]), Tick::default());
    }
}
