//! `[pure]` A thing is in one place at a time. All that clients saw of it and did to it must fit
//! into one order, in which each step lies between its beginning and its end.
//!
//! The search takes one step after the other that nothing else must come before, and remembers
//! where it has been (Wing and Gong's method with Lowe's memory). A step without an answer may
//! have happened or not; as a session's lines are handled in order, it happened before the next
//! answer of that session or not at all.

use std::collections::{BTreeMap, BTreeSet};

use super::moment::Moment;

/// States that a search looks at; then it is given up, and that is a fault.
const STATES_MAX: usize = 1_000_000;

/// Steps that are told of on either side of what does not fit.
const SHOWN: usize = 12;

/// What a client saw or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The thing is there.
    Is(String),
    /// The thing is not there.
    IsNot(String),
    /// The thing was there, and is moved.
    Move {
        /// From where.
        from: String,
        /// To where.
        to: String,
    },
    /// Wherever it was, the thing is put there.
    Put(String),
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was answered.
    At(Moment),
    /// Nobody knows.
    Unknown,
}

/// What a client claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who.
    pub who: String,
    /// In which session.
    pub session: u64,
    /// Of which thing.
    pub thing: String,
    /// When it was asked for.
    pub begun: Moment,
    /// When it was answered.
    pub ended: Ended,
    /// What.
    pub what: What,
}

/// A claim with what follows for the search.
#[derive(Debug)]
struct Step<'a> {
    claim: &'a Claim,
    /// When it has happened, if it does at all.
    latest: Moment,
    /// It was answered, so it has happened.
    is_certain: bool,
}

/// Where a search is: which steps are taken (by bits), and where the thing is then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State<'a> {
    taken: Vec<u64>,
    place: &'a str,
}

impl State<'_> {
    fn has(&self, step: usize) -> bool {
        let word = self.taken.get(step / 64).copied().unwrap_or_default();
        (word >> (step % 64)) & 1 == 1
    }

    fn count(&self) -> u32 {
        self.taken.iter().map(|word| word.count_ones()).sum()
    }
}

/// All things.
pub(super) fn check(claims: &[Claim], starts: &BTreeMap<String, String>, faults: &mut Vec<String>) {
    let things: BTreeSet<&str> = claims.iter().map(|claim| claim.thing.as_str()).collect();
    for thing in things {
        let steps = steps(claims, thing);
        let start = starts.get(thing).map(String::as_str);
        if let Err(why) = explain(&steps, start) {
            faults.push(format!("{thing} cannot have been in one place: {why}"));
        }
    }
}

/// The steps of one thing, by their beginning. What was only looked for in vain is none.
fn steps<'a>(claims: &'a [Claim], thing: &str) -> Vec<Step<'a>> {
    let own = claims.iter().filter(|claim| claim.thing == thing);
    let steps = own.filter_map(|claim| match (claim.ended, &claim.what) {
        (Ended::At(latest), _) => Some(Step {
            claim,
            latest,
            is_certain: true,
        }),
        (Ended::Unknown, What::Move { .. } | What::Put(_)) => Some(Step {
            claim,
            latest: next_answer(claims, claim),
            is_certain: false,
        }),
        (Ended::Unknown, What::Is(_) | What::IsNot(_)) => None,
    });
    let mut steps: Vec<Step<'a>> = steps.collect();
    steps.sort_by_key(|step| step.claim.begun);
    steps
}

/// When something was answered that this session typed later, about whatever thing.
fn next_answer(claims: &[Claim], claim: &Claim) -> Moment {
    let later = claims.iter().filter(|it| comes_later(it, claim));
    let answers = later.filter_map(|it| match it.ended {
        Ended::At(at) => Some(at),
        Ended::Unknown => None,
    });
    answers.min().unwrap_or(Moment::NEVER)
}

/// Finds an order, from where the thing was, or from any place when that is not known.
fn explain(steps: &[Step<'_>], start: Option<&str>) -> Result<(), String> {
    let first = |place| State {
        taken: vec![0; steps.len().div_ceil(64)],
        place,
    };
    let mut waiting: Vec<State<'_>> = match start {
        Some(start) => vec![first(start)],
        None => places(steps).into_iter().map(first).collect(),
    };
    let mut seen = BTreeSet::new();
    let mut best: Option<State<'_>> = None;
    while let Some(state) = waiting.pop() {
        if is_whole(steps, &state) {
            return Ok(());
        }
        if best.as_ref().is_none_or(|it| it.count() < state.count()) {
            best = Some(state.clone());
        }
        follow(steps, &state, &mut waiting);
        seen.insert(state);
        if seen.len() > STATES_MAX {
            return Err(format!("not decided within {STATES_MAX} states"));
        }
        while waiting.last().is_some_and(|next| seen.contains(next)) {
            waiting.pop();
        }
    }
    Err(best.map_or_else(String::new, |state| tell(steps, &state)))
}

fn is_whole(steps: &[Step<'_>], state: &State<'_>) -> bool {
    let mut open = steps.iter().enumerate().filter(|(at, _)| !state.has(*at));
    open.all(|(_, step)| !step.is_certain)
}

/// Which steps may come next, and what is so after each. What should be tried first comes last.
fn follow<'a>(steps: &[Step<'a>], state: &State<'a>, out: &mut Vec<State<'a>>) {
    let all = || steps.iter().enumerate();
    let open = || all().filter(|(at, _)| !state.has(*at));
    let certain = open().filter(|(_, step)| step.is_certain);
    let before = certain.map(|(_, step)| step.latest).min();
    let before = before.unwrap_or(Moment::NEVER);
    let taken = all().filter(|(at, _)| state.has(*at));
    let newest = taken.map(|(_, step)| step.claim.begun).max();
    let newest = newest.unwrap_or_default();
    let may = |step: &Step<'_>| {
        let is_overtaken = all().any(|(at, it)| state.has(at) && comes_later(it.claim, step.claim));
        step.claim.begun <= before && step.latest >= newest && !is_overtaken
    };
    let mut next: Vec<_> = open()
        .filter(|(_, step)| may(step))
        .filter_map(|(at, step)| {
            let place = after(&step.claim.what, state.place)?;
            Some((step.is_certain, step.latest, at, place))
        })
        .collect();
    next.sort_by_key(|(is_certain, latest, ..)| (*is_certain, std::cmp::Reverse(*latest)));
    for (.., at, place) in next {
        let mut taken = state.taken.clone();
        if let Some(word) = taken.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
        out.push(State { taken, place });
    }
}

/// Whether this is a later line of the same session.
fn comes_later(line: &Claim, than: &Claim) -> bool {
    line.who == than.who && line.session == than.session && line.begun > than.begun
}

/// Where the thing is after a step; nothing if the step cannot be taken there.
fn after<'a>(what: &'a What, place: &'a str) -> Option<&'a str> {
    match what {
        What::Is(there) => (there == place).then_some(place),
        What::IsNot(there) => (there != place).then_some(place),
        What::Move { from, to } => (from == place).then_some(to.as_str()),
        What::Put(to) => Some(to),
    }
}

fn places<'a>(steps: &[Step<'a>]) -> BTreeSet<&'a str> {
    let of = |step: &Step<'a>| match &step.claim.what {
        What::Is(place) | What::IsNot(place) | What::Put(place) => vec![place.as_str()],
        What::Move { from, to } => vec![from.as_str(), to.as_str()],
    };
    let all = steps.iter().flat_map(of);
    // One that nobody names, for what everybody looks for in vain.
    all.chain(["elsewhere"]).collect()
}

/// How far the best order goes, and what does not fit behind it.
fn tell(steps: &[Step<'_>], state: &State<'_>) -> String {
    let (taken, mut open): (Vec<_>, Vec<_>) =
        (steps.iter().enumerate()).partition(|(at, _)| state.has(*at));
    open.sort_by_key(|(_, step)| step.latest);
    let shown = |steps: &[(usize, &Step<'_>)]| {
        let lines = steps.iter().map(|(_, step)| {
            let Claim {
                who,
                session,
                begun,
                what,
                ..
            } = step.claim;
            let end = match step.claim.ended {
                Ended::At(at) => format!("{at:?}"),
                Ended::Unknown => "nobody knows when".to_owned(),
            };
            format!("  {who} (session {session}) {what:?} between {begun:?} and {end}\n")
        });
        lines.collect::<String>()
    };
    let newest = taken.get(taken.len().saturating_sub(SHOWN)..);
    format!(
        "{} of {} steps fit, of which the last are\n{}and then it is at {:?}, to which does not \
         fit\n{}",
        taken.len(),
        steps.len(),
        shown(newest.unwrap_or_default()),
        state.place,
        shown(open.get(..SHOWN).unwrap_or(&open)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(place: &str) -> What {
        What::Is(place.into())
    }

    fn is_not(place: &str) -> What {
        What::IsNot(place.into())
    }

    fn moves(from: &str, to: &str) -> What {
        let (from, to) = (from.into(), to.into());
        What::Move { from, to }
    }

    /// Who, from when, until when (0: nobody knows), what.
    type Line = (&'static str, u64, u64, What);

    fn faults(lines: &[Line]) -> Vec<String> {
        let claims: Vec<Claim> = lines
            .iter()
            .map(|(who, begun, ended, what)| Claim {
                who: (*who).into(),
                session: 1,
                thing: "coin".into(),
                begun: Moment::from_ms(*begun),
                ended: match ended {
                    0 => Ended::Unknown,
                    at => Ended::At(Moment::from_ms(*at)),
                },
                what: what.clone(),
            })
            .collect();
        let starts = [("coin".to_owned(), "hall".to_owned())].into();
        let mut faults = Vec::new();
        check(&claims, &starts, &mut faults);
        faults
    }

    #[test]
    fn what_fits_into_one_order_is_no_fault() {
        let cases: [&[Line]; 6] = [
            &[
                ("Ann", 1, 2, moves("hall", "Ann")),
                ("Bob", 3, 4, is_not("hall")),
            ],
            // At the same time: Bob looked first.
            &[
                ("Ann", 1, 5, moves("hall", "Ann")),
                ("Bob", 2, 4, is("hall")),
            ],
            // Nobody knows whether Ann got it: she did.
            &[
                ("Ann", 1, 0, moves("hall", "Ann")),
                ("Bob", 3, 4, is_not("hall")),
            ],
            // She did not.
            &[
                ("Ann", 1, 0, moves("hall", "Ann")),
                ("Bob", 9, 10, is("hall")),
            ],
            // She got it after Bob had looked, for all that he can know.
            &[
                ("Ann", 1, 0, moves("hall", "Ann")),
                ("Bob", 9, 10, is("hall")),
                ("Bob", 11, 12, is_not("hall")),
            ],
            &[
                ("Ann", 1, 2, moves("hall", "Ann")),
                ("Ann", 3, 4, moves("Ann", "yard")),
                ("Bob", 3, 9, moves("yard", "Bob")),
                ("Cid", 5, 6, is_not("yard")),
                ("Bob", 10, 11, What::Put("hall".into())),
                ("Cid", 12, 13, is("hall")),
            ],
        ];
        for lines in cases {
            assert_eq!(faults(lines), [""; 0], "{lines:?}");
        }
    }

    #[test]
    fn a_thing_that_is_doubled_lost_or_taken_back_is_found() {
        let cases: [&[Line]; 6] = [
            // Both got it.
            &[
                ("Ann", 1, 5, moves("hall", "Ann")),
                ("Bob", 2, 4, moves("hall", "Bob")),
            ],
            // What was acknowledged before a kill is not so afterwards.
            &[
                ("Ann", 1, 2, moves("hall", "Ann")),
                ("Ann", 8, 9, is_not("Ann")),
            ],
            &[
                ("Ann", 1, 2, moves("hall", "Ann")),
                ("Bob", 8, 9, is("hall")),
            ],
            // It is in two places.
            &[("Ann", 1, 2, is("hall")), ("Bob", 3, 4, is("yard"))],
            // It is nowhere.
            &[
                ("Ann", 1, 2, moves("hall", "Ann")),
                ("Ann", 3, 4, moves("Ann", "yard")),
                ("Bob", 5, 6, is_not("yard")),
            ],
            // Ann's next answer came, so what she typed before it can happen no more.
            &[
                ("Ann", 1, 0, moves("hall", "Ann")),
                ("Ann", 3, 4, is("hall")),
                ("Bob", 5, 6, is_not("hall")),
            ],
        ];
        for lines in cases {
            let faults = faults(lines);
            assert_eq!(faults.len(), 1, "{lines:?}");
            assert!(faults[0].contains("coin"), "{faults:?}");
        }
    }

    #[test]
    fn many_steps_at_once_are_decided() {
        let mut lines: Vec<Line> = Vec::new();
        for round in 0..40 {
            let at = round * 10;
            lines.push(("Ann", at + 1, at + 4, moves("hall", "Ann")));
            lines.push(("Bob", at + 1, at + 9, is_not("yard")));
            lines.push(("Cid", at + 2, 0, moves("hall", "Cid")));
            lines.push(("Ann", at + 5, at + 8, moves("Ann", "hall")));
        }
        assert_eq!(faults(&lines), [""; 0]);
        lines.push(("Bob", 500, 501, is("yard")));
        assert_eq!(faults(&lines).len(), 1);
    }
}
