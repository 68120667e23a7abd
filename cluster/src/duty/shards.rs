//! `[pure]` The shards that this node owns. What runs here follows from the view and the lease, not
//! from messages: whoever looks at both can tell what is to be done.
//!
//! ```text
//! Waiting ──lease──► Running ──lease lapsed──► Ended         any ──another epoch──► gone
//! ```
//! What was stopped is not run again in the same epoch: something of it may still be on its way to
//! the storage. The leader is told, and begins a new one.

use crate::duty::context::{Context, stop};
use crate::duty::io::{Effect, HostCall};
use crate::duty::source::Outgoing;
use crate::ids::{Epoch, NodeId, ShardId};
use crate::view::Placement;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::time::Instant;

/// The shards of this node.
#[derive(Clone, Debug, Default)]
pub(super) struct Shards {
    here: BTreeMap<ShardId, Here>,
    /// Those that run here, and are on their way to another node.
    outgoing: BTreeMap<ShardId, Outgoing>,
}

#[derive(Clone, Debug)]
struct Here {
    epoch: Epoch,
    phase: Phase,
    /// The move in which what the host has built of it came.
    built: Option<Epoch>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Ended,
}

impl Shards {
    /// Does what follows from where a shard is. `built` is the move in which it came, if it did.
    pub(super) fn place(
        &mut self,
        context: &Context<'_>,
        shard: &ShardId,
        built: Option<Epoch>,
        out: &mut Vec<Effect>,
    ) {
        let placement = context.view.shards.get(shard);
        let owner = placement.and_then(Placement::owner);
        let mine = owner.filter(|(node, _)| context.alive && *node == context.me);
        let epoch = mine.map(|(_, epoch)| epoch);
        let known = self.here.get(shard).map(|here| here.epoch);
        if known.is_some() && known != epoch {
            self.close(shard, out);
        }
        let Some(epoch) = epoch else {
            return;
        };
        assert!(
            known.is_none_or(|known| known <= epoch),
            "epochs rise: {known:?}, {epoch:?}"
        );
        let here = self.here.entry(shard.clone()).or_insert(Here {
            epoch,
            phase: Phase::Waiting,
            built,
        });
        if here.phase == Phase::Waiting && context.leased {
            here.phase = Phase::Running;
            here.built = None;
            let shard = shard.clone();
            out.push(Effect::Host(HostCall::Run { shard, epoch }));
        }
        if here.phase == Phase::Running {
            self.hand_over(context.now, (shard, epoch), placement, out);
        }
    }

    /// The lease is held again: what waited for it runs.
    pub(super) fn leased(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        let waiting = self.here.iter().filter(|(_, h)| h.phase == Phase::Waiting);
        for shard in waiting.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.place(context, &shard, None, out);
        }
    }

    /// The lease has lapsed: nothing runs.
    pub(super) fn lapsed(&mut self, out: &mut Vec<Effect>) {
        self.outgoing.clear();
        for (shard, here) in &mut self.here {
            if here.phase == Phase::Running {
                here.phase = Phase::Ended;
                out.push(stop(shard, here.epoch));
            }
        }
    }

    /// This life owns nothing.
    pub(super) fn clear(&mut self, out: &mut Vec<Effect>) {
        for shard in self.here.keys().cloned().collect::<Vec<_>>() {
            self.close(&shard, out);
        }
    }

    /// Shards that are this node's and were stopped, with their epochs.
    pub(super) fn ended(&self) -> Vec<(ShardId, Epoch)> {
        let ended = self.here.iter().filter(|(_, h)| h.phase == Phase::Ended);
        ended.map(|(id, here)| (id.clone(), here.epoch)).collect()
    }

    /// Whether this node owns any.
    pub(super) fn any(&self) -> bool {
        !self.here.is_empty()
    }

    /// The host has frozen a shard for this move, or cannot.
    pub(super) fn frozen(
        &mut self,
        context: &Context<'_>,
        (shard, moving): (&ShardId, Epoch),
        state: Result<Bytes, String>,
        out: &mut Vec<Effect>,
    ) {
        if let Some(outgoing) = self.outgoing(shard, moving) {
            outgoing.frozen(context, shard, state, out);
        }
    }

    /// The target of this move has so many parts of a shard.
    pub(super) fn got(
        &mut self,
        context: &Context<'_>,
        (shard, moving, from): (&ShardId, Epoch, NodeId),
        parts: u32,
        out: &mut Vec<Effect>,
    ) {
        if let Some(outgoing) = self.outgoing(shard, moving)
            && outgoing.to == from
        {
            outgoing.got(context, shard, parts, out);
        }
    }

    /// Time has passed.
    pub(super) fn turn(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        for (shard, outgoing) in &mut self.outgoing {
            outgoing.turn(context, shard, out);
        }
    }

    /// When [`Shards::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.outgoing.values().map(Outgoing::due).min()
    }

    fn outgoing(&mut self, shard: &ShardId, moving: Epoch) -> Option<&mut Outgoing> {
        let outgoing = self.outgoing.get_mut(shard);
        outgoing.filter(|outgoing| outgoing.moving == moving)
    }

    fn close(&mut self, shard: &ShardId, out: &mut Vec<Effect>) {
        self.outgoing.remove(shard);
        let Some(here) = self.here.remove(shard) else {
            return;
        };
        match (here.phase, here.built) {
            (Phase::Running, _) => out.push(stop(shard, here.epoch)),
            (Phase::Waiting, Some(moving)) => out.push(stop(shard, moving)),
            (Phase::Waiting, None) | (Phase::Ended, _) => {}
        }
    }

    /// Freezes what moves away, and thaws what does not any more.
    fn hand_over(
        &mut self,
        now: Instant,
        (shard, epoch): (&ShardId, Epoch),
        placement: Option<&Placement>,
        out: &mut Vec<Effect>,
    ) {
        let wanted = match placement {
            Some(Placement::Moving { to, moving, .. }) => Some((*moving, *to)),
            Some(Placement::Placed { .. } | Placement::Unplaced { .. }) | None => None,
        };
        let current = self.outgoing.get(shard).map(|outgoing| outgoing.moving);
        if wanted.map(|(moving, _)| moving) == current {
            return;
        }
        if self.outgoing.remove(shard).is_some() {
            let shard = shard.clone();
            out.push(Effect::Host(HostCall::Thaw { shard, epoch }));
        }
        if let Some((moving, to)) = wanted {
            let outgoing = Outgoing::new(moving, to, now);
            self.outgoing.insert(shard.clone(), outgoing);
            let shard = shard.clone();
            out.push(Effect::Host(HostCall::Freeze {
                shard,
                epoch,
                moving,
            }));
        }
    }
}
