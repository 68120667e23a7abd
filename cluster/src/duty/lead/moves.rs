//! `[pure]` Moves that go on, as the leader watches them. Each step may take so long; a new leader
//! gives each the whole time again. What was missed is said again by source and target.

use super::proposals::{About, Proposals};
use crate::command::Command;
use crate::duty::context::Change;
use crate::duty::io::{Effect, Note};
use crate::duty::message::MoveStep;
use crate::ids::{Epoch, NodeId, ShardId};
use crate::limits::{MOVE_DEADLINE, SAY_AGAIN};
use crate::view::Placement;
use std::collections::BTreeMap;
use std::time::Instant;

/// The moves that go on.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    watched: BTreeMap<ShardId, Watched>,
}

#[derive(Clone, Debug)]
struct Watched {
    moving: Epoch,
    from: NodeId,
    to: NodeId,
    step: Step,
    since: Instant,
    /// The next command about it is proposed then, at the earliest.
    next: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Freezing,
    Sending,
    Building,
    Ready,
    Off { why: String, noted: bool },
}

impl Moves {
    /// The log has gone on.
    pub(super) fn follow(&mut self, now: Instant, changes: &[Change]) {
        for change in changes {
            let Some(Placement::Moving {
                from, to, moving, ..
            }) = change.is
            else {
                self.watched.remove(&change.shard);
                continue;
            };
            let watched = Watched {
                moving,
                from,
                to,
                step: Step::Freezing,
                since: now,
                next: now,
            };
            let known = self.watched.get(&change.shard);
            if known.is_none_or(|known| known.moving != moving) {
                self.watched.insert(change.shard.clone(), watched);
            }
        }
    }

    /// Source or target say how far it is.
    pub(super) fn step(
        &mut self,
        now: Instant,
        (shard, moving, by): (&ShardId, Epoch, NodeId),
        step: MoveStep,
    ) {
        let Some(watched) = self.watched.get_mut(shard) else {
            return;
        };
        if watched.moving != moving || (by != watched.from && by != watched.to) {
            return;
        }
        let (rank, of_target) = (watched.step.rank(), by == watched.to);
        let step = match step {
            MoveStep::Frozen if !of_target => Step::Sending,
            MoveStep::Handed if !of_target => Step::Building,
            MoveStep::Ready(_) if of_target => Step::Ready,
            MoveStep::Failed(why) => Step::Off { why, noted: false },
            MoveStep::Frozen | MoveStep::Handed | MoveStep::Ready(_) => return,
        };
        if step.rank() > rank {
            watched.step = step;
            watched.since = now;
        }
    }

    /// A shard's owner cannot go on with its move.
    pub(super) fn call_off(&mut self, shard: &ShardId, owner: NodeId, why: &str) {
        if let Some(watched) = self.watched.get_mut(shard)
            && watched.from == owner
            && watched.step.rank() < Step::Ready.rank()
        {
            let why = why.to_owned();
            watched.step = Step::Off { why, noted: false };
        }
    }

    /// Why a move was called off, if it was.
    pub(super) fn why_off(&self, shard: &ShardId, moving: Epoch) -> Option<&str> {
        let watched = self.watched.get(shard)?;
        match &watched.step {
            Step::Off { why, .. } if watched.moving == moving => Some(why),
            Step::Off { .. } | Step::Freezing | Step::Sending | Step::Building | Step::Ready => {
                None
            }
        }
    }

    /// Time has passed, or a step was said: ends what has come to its end.
    pub(super) fn turn(&mut self, now: Instant, proposals: &mut Proposals, out: &mut Vec<Effect>) {
        for (shard, watched) in &mut self.watched {
            if let Some(why) = watched.step.late()
                && now >= watched.since + MOVE_DEADLINE
            {
                let why = why.to_owned();
                watched.step = Step::Off { why, noted: false };
            }
            let about = About::Shard(shard.clone());
            if now < watched.next || proposals.is_about(&about) {
                continue;
            }
            let (shard, moving) = (shard.clone(), watched.moving);
            let command = match &mut watched.step {
                Step::Freezing | Step::Sending | Step::Building => continue,
                Step::Ready => Command::FinishMove { shard, moving },
                Step::Off { why, noted } => {
                    if !std::mem::replace(noted, true) {
                        out.push(Effect::Note(Note::Aborting(shard.clone(), why.clone())));
                    }
                    Command::AbortMove { shard, moving }
                }
            };
            watched.next = now + SAY_AGAIN;
            proposals.propose(now, about, command, out);
        }
    }

    /// When [`Moves::turn`] has something to do.
    pub(super) fn due(&self, proposals: &Proposals) -> Option<Instant> {
        let due = |(shard, watched): (&ShardId, &Watched)| {
            if watched.step.late().is_some() {
                return Some(watched.since + MOVE_DEADLINE);
            }
            let waits = proposals.is_about(&About::Shard(shard.clone()));
            (!waits).then_some(watched.next)
        };
        self.watched.iter().filter_map(due).min()
    }
}

impl Step {
    fn rank(&self) -> u8 {
        match self {
            Self::Freezing => 0,
            Self::Sending => 1,
            Self::Building => 2,
            Self::Ready => 3,
            Self::Off { .. } => 4,
        }
    }

    /// What is wrong when this step takes too long; nothing if it only waits for the log.
    fn late(&self) -> Option<&'static str> {
        match self {
            Self::Freezing => Some("its node did not hand it over in time"),
            Self::Sending => Some("its state did not arrive in time"),
            Self::Building => Some("it was not built in time"),
            Self::Ready | Self::Off { .. } => None,
        }
    }
}
