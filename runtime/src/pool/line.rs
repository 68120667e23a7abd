//! `[pure]` The line of a worker pool: who is next, who is late, who is counted how.
//!
//! ```text
//!   push ─► waiting ─ next ─► at work ─ finish ─►
//!             │ cancel, clear    │ over its deadline: noted once, and goes on
//!             └ over its deadline: out of the line
//! ```

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

/// Names a job; rises in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JobId(u64);

/// What a pool has counted since it was made, and how full it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PoolStats {
    /// Jobs that wait now.
    pub waiting: usize,
    /// Jobs that are being worked on now.
    pub working: usize,
    /// The most jobs that ever waited.
    pub high_water: usize,
    /// Jobs that returned.
    pub done: u64,
    /// Jobs that panicked.
    pub crashed: u64,
    /// Jobs taken out of the line by their tickets, or by a stop of the pool.
    pub cancelled: u64,
    /// Jobs whose deadline passed while they waited; they were not started.
    pub expired: u64,
    /// Jobs whose deadline passed while they were worked on; each is among `done`, `crashed` or
    /// `working` as well.
    pub overran: u64,
    /// Jobs that were not taken on.
    pub refused: u64,
}

/// A bounded line of jobs `J`, and the jobs that have left it and are being worked on.
#[derive(Debug)]
pub(super) struct Line<J> {
    waiting_max: usize,
    /// By id, because they are pushed in that order.
    waiting: VecDeque<Waiting<J>>,
    /// At most as many as there are threads.
    working: Vec<Working>,
    /// The deadlines of those that wait, and of those at work that were not over it yet.
    deadlines: BTreeSet<(Instant, JobId)>,
    last: u64,
    stats: PoolStats,
}

#[derive(Debug)]
struct Waiting<J> {
    id: JobId,
    due: Option<Instant>,
    job: J,
}

#[derive(Debug)]
struct Working {
    id: JobId,
    due: Option<Instant>,
}

impl<J> Line<J> {
    pub(super) fn new(waiting_max: usize) -> Self {
        Self {
            waiting_max,
            waiting: VecDeque::new(),
            working: Vec::new(),
            deadlines: BTreeSet::new(),
            last: 0,
            stats: PoolStats::default(),
        }
    }

    /// Puts the job that is made of `parts` at the end, or gives them back when the line is full.
    pub(super) fn push<T>(
        &mut self,
        parts: T,
        due: Option<Instant>,
        make: impl FnOnce(T) -> J,
    ) -> Result<JobId, T> {
        if self.waiting.len() >= self.waiting_max {
            self.refuse();
            return Err(parts);
        }
        let job = make(parts);
        self.last += 1;
        let id = JobId(self.last);
        self.waiting.push_back(Waiting { id, due, job });
        if let Some(due) = due {
            self.deadlines.insert((due, id));
        }
        self.stats.high_water = self.stats.high_water.max(self.waiting.len());
        Ok(id)
    }

    /// Counts a job that was not taken on.
    pub(super) fn refuse(&mut self) {
        self.stats.refused += 1;
    }

    /// The next job to work on. One that is over its deadline is not: see
    /// [`expire`](Self::expire), which comes first.
    pub(super) fn next(&mut self) -> Option<(JobId, J)> {
        let Waiting { id, due, job } = self.waiting.pop_front()?;
        self.working.push(Working { id, due });
        Some((id, job))
    }

    /// A job at work has ended.
    pub(super) fn finish(&mut self, id: JobId, crashed: bool) {
        let Some(index) = self.working.iter().position(|working| working.id == id) else {
            return;
        };
        let working = self.working.swap_remove(index);
        if let Some(due) = working.due {
            self.deadlines.remove(&(due, id));
        }
        if crashed {
            self.stats.crashed += 1;
        } else {
            self.stats.done += 1;
        }
    }

    /// Takes a job out of the line; `None` when it does not wait in it.
    pub(super) fn cancel(&mut self, id: JobId) -> Option<J> {
        let job = self.remove(id)?;
        self.stats.cancelled += 1;
        Some(job)
    }

    /// Takes all out of the line.
    pub(super) fn clear(&mut self) -> Vec<J> {
        let waiting = std::mem::take(&mut self.waiting);
        self.stats.cancelled += waiting.len() as u64;
        for Waiting { id, due, .. } in &waiting {
            if let Some(due) = due {
                self.deadlines.remove(&(*due, *id));
            }
        }
        waiting.into_iter().map(|waiting| waiting.job).collect()
    }

    /// Takes those out of the line whose deadline has come, earliest deadline first, and notes
    /// those at work that are over it now.
    pub(super) fn expire(&mut self, now: Instant, out: &mut Expired<J>) {
        while let Some((due, id)) = self.deadlines.first().copied()
            && due <= now
        {
            self.deadlines.pop_first();
            if let Some(job) = self.remove(id) {
                self.stats.expired += 1;
                out.jobs.push(job);
            } else {
                self.stats.overran += 1;
                out.overran += 1;
            }
        }
        assert!(
            self.next_deadline().is_none_or(|at| at > now),
            "a deadline that has come was looked at"
        );
    }

    /// The earliest deadline that was not looked at yet.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(due, _)| *due)
    }

    /// 0 is being worked on, 1 is next, `None` is over.
    pub(super) fn position(&self, id: JobId) -> Option<usize> {
        if self.working.iter().any(|working| working.id == id) {
            return Some(0);
        }
        self.index(id).map(|index| index + 1)
    }

    pub(super) fn stats(&self) -> PoolStats {
        PoolStats {
            waiting: self.waiting.len(),
            working: self.working.len(),
            ..self.stats
        }
    }

    fn index(&self, id: JobId) -> Option<usize> {
        self.waiting.binary_search_by_key(&id, |job| job.id).ok()
    }

    fn remove(&mut self, id: JobId) -> Option<J> {
        let index = self.index(id)?;
        let Waiting { due, job, .. } = self.waiting.remove(index)?;
        if let Some(due) = due {
            self.deadlines.remove(&(due, id));
        }
        Some(job)
    }
}

/// What [`Line::expire`] found.
#[derive(Debug)]
pub(super) struct Expired<J> {
    /// Out of the line.
    pub(super) jobs: Vec<J>,
    /// How many at work are over their deadline now.
    pub(super) overran: usize,
}

impl<J> Default for Expired<J> {
    fn default() -> Self {
        Self {
            jobs: Vec::new(),
            overran: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        /// Due after so many seconds, if at all.
        Push(Option<u64>),
        Next,
        /// The n-th of those at work.
        Finish(usize, bool),
        /// The n-th job ever taken on.
        Cancel(usize),
        Pass(u64),
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => prop::option::of(0_u64..9).prop_map(Step::Push),
            4 => Just(Step::Next),
            3 => (0_usize..4, any::<bool>()).prop_map(|(index, crash)| Step::Finish(index, crash)),
            2 => (0_usize..20).prop_map(Step::Cancel),
            3 => (0_u64..4).prop_map(Step::Pass),
            1 => Just(Step::Clear),
        ]
    }

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Stage {
        Waits,
        Works { late: bool },
        Over,
    }

    /// The model: every job ever taken on, with its stage, in a plain list that is searched.
    #[derive(Default)]
    struct Model {
        jobs: Vec<(JobId, Option<Instant>, Stage)>,
        expected: PoolStats,
    }

    impl Model {
        fn waiting(&self) -> Vec<usize> {
            let stages = self.jobs.iter().enumerate();
            let waiting = stages.filter(|(_, (_, _, stage))| *stage == Stage::Waits);
            waiting.map(|(index, _)| index).collect()
        }

        fn working(&self) -> Vec<usize> {
            let stages = self.jobs.iter().enumerate();
            let working = stages.filter(|(_, (_, _, stage))| matches!(stage, Stage::Works { .. }));
            working.map(|(index, _)| index).collect()
        }

        fn position(&self, index: usize) -> Option<usize> {
            match self.jobs[index].2 {
                Stage::Waits => Some(self.waiting().iter().position(|at| *at == index)? + 1),
                Stage::Works { .. } => Some(0),
                Stage::Over => None,
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_list(
            waiting_max in 0_usize..6, steps in prop::collection::vec(step(), 1..120),
        ) {
            #[expect(clippy::disallowed_methods, reason = "any instant will do")]
            let mut now = Instant::now();
            let mut line = Line::new(waiting_max);
            let mut model = Model::default();
            for step in steps {
                match step {
                    Step::Push(after) => {
                        let due = after.map(|s| now + Duration::from_secs(s + 1));
                        let number = model.jobs.len();
                        let pushed = line.push(number, due, |number| number);
                        if model.waiting().len() >= waiting_max {
                            prop_assert_eq!(pushed, Err(number));
                            model.expected.refused += 1;
                        } else {
                            model.jobs.push((pushed.unwrap(), due, Stage::Waits));
                            let most = &mut model.expected.high_water;
                            *most = (*most).max(line.stats().waiting);
                        }
                    }
                    Step::Next => {
                        let first = model.waiting().first().copied();
                        let next = line.next().map(|(_, number)| number);
                        prop_assert_eq!(next, first);
                        if let Some(first) = first {
                            model.jobs[first].2 = Stage::Works { late: false };
                        }
                    }
                    Step::Finish(index, crashed) => {
                        let Some(&index) = model.working().get(index) else { continue };
                        line.finish(model.jobs[index].0, crashed);
                        model.jobs[index].2 = Stage::Over;
                        if crashed {
                            model.expected.crashed += 1;
                        } else {
                            model.expected.done += 1;
                        }
                    }
                    Step::Cancel(index) => {
                        let Some(&(id, _, stage)) = model.jobs.get(index) else { continue };
                        let cancelled = (stage == Stage::Waits).then_some(index);
                        prop_assert_eq!(line.cancel(id), cancelled);
                        if cancelled.is_some() {
                            model.jobs[index].2 = Stage::Over;
                            model.expected.cancelled += 1;
                        }
                    }
                    Step::Pass(seconds) => {
                        now += Duration::from_secs(seconds);
                        let mut out = Expired::default();
                        line.expire(now, &mut out);
                        let (mut expired, mut overran) = (Vec::new(), 0);
                        for (index, (_, due, stage)) in model.jobs.iter_mut().enumerate() {
                            let over = due.is_some_and(|due| due <= now);
                            match stage {
                                Stage::Waits if over => {
                                    *stage = Stage::Over;
                                    expired.push(index);
                                }
                                Stage::Works { late } if over && !*late => {
                                    *late = true;
                                    overran += 1;
                                }
                                Stage::Waits | Stage::Works { .. } | Stage::Over => {}
                            }
                        }
                        expired.sort_by_key(|index| (model.jobs[*index].1, *index));
                        model.expected.expired += expired.len() as u64;
                        model.expected.overran += overran as u64;
                        prop_assert_eq!((out.jobs, out.overran), (expired, overran));
                    }
                    Step::Clear => {
                        let waiting = model.waiting();
                        model.expected.cancelled += waiting.len() as u64;
                        for index in &waiting {
                            model.jobs[*index].2 = Stage::Over;
                        }
                        prop_assert_eq!(line.clear(), waiting);
                    }
                }
                let expected = PoolStats {
                    waiting: model.waiting().len(),
                    working: model.working().len(),
                    ..model.expected
                };
                prop_assert_eq!(line.stats(), expected);
                let next = model.jobs.iter().filter_map(|(_, due, stage)| match stage {
                    Stage::Waits | Stage::Works { late: false } => *due,
                    Stage::Works { late: true } | Stage::Over => None,
                });
                prop_assert_eq!(line.next_deadline(), next.min());
                for index in 0..model.jobs.len() {
                    let (id, ..) = model.jobs[index];
                    prop_assert_eq!(line.position(id), model.position(index));
                }
            }
        }
    }
}
