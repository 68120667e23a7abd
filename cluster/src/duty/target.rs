//! `[pure]` Shards that are handed over, at the node where they go. A state may come in before this
//! node has applied the entry that begins its move; it is built only after.
//!
//! ```text
//! Taking ──end, hash──► Whole ──the log says so──► Building ──► Ready       any ──► Failed
//! ```
//! Nothing here runs a shard: what is ready waits until the log says whose it is.

use crate::duty::context::{Context, stop};
use crate::duty::io::{Effect, HostCall};
use crate::duty::message::{HandOverMessage, MoveStep, Part};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::limits::{CHUNK_BYTES, RECEIVED_MAX, SAY_AGAIN, STATE_BYTES_MAX};
use crate::view::{Placement, View};
use bytes::{Bytes, BytesMut};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::Instant;

/// What is being handed over to this node; one move of a shard at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    moves: BTreeMap<ShardId, Incoming>,
}

#[derive(Clone, Debug)]
struct Incoming {
    moving: Epoch,
    from: NodeId,
    /// Parts that are here; the end is one, too.
    parts: u32,
    state: Progress,
    /// When the leader is told again how it is.
    say: Instant,
}

#[derive(Clone, Debug)]
enum Progress {
    Taking { bytes: BytesMut, hasher: Sha256 },
    Whole { state: Bytes, hash: [u8; 32] },
    Building { hash: [u8; 32] },
    Ready { hash: [u8; 32] },
    Failed { why: String },
}

impl Received {
    /// A part has come.
    pub(super) fn part(
        &mut self,
        context: &Context<'_>,
        from: NodeId,
        message: HandOverMessage,
        out: &mut Vec<Effect>,
    ) {
        let HandOverMessage {
            shard,
            moving,
            part,
        } = message;
        let known = self.moves.get(&shard).map(|incoming| incoming.moving);
        if known.is_none_or(|known| known < moving) {
            let full = known.is_none() && self.moves.len() >= RECEIVED_MAX;
            if full || !expected(context, &shard, moving, from) {
                return;
            }
            self.forget(&shard, out);
            let incoming = Incoming::new(moving, from, context.now);
            self.moves.insert(shard.clone(), incoming);
        }
        let incoming = self.moves.get_mut(&shard);
        let same = |incoming: &&mut Incoming| incoming.moving == moving && incoming.from == from;
        let Some(incoming) = incoming.filter(same) else {
            return;
        };
        incoming.take(part);
        let part = Part::Got {
            parts: incoming.parts,
        };
        let got = HandOverMessage {
            shard: shard.clone(),
            moving,
            part,
        };
        out.push(Effect::HandOver(from, got));
        incoming.build(context, &shard, out);
        incoming.say_failure(context, &shard, out);
    }

    /// The host has built it, or cannot.
    pub(super) fn built(
        &mut self,
        context: &Context<'_>,
        (shard, moving): (&ShardId, Epoch),
        result: Result<(), String>,
        out: &mut Vec<Effect>,
    ) {
        let Some(incoming) = self.moves.get_mut(shard) else {
            return;
        };
        let Progress::Building { hash } = incoming.state else {
            return;
        };
        if incoming.moving == moving {
            incoming.state = match result {
                Ok(()) => Progress::Ready { hash },
                Err(why) => Progress::Failed { why },
            };
            incoming.say(context, shard, out);
        }
    }

    /// The log has gone on: begins what waited for it, and forgets what is off. What has become
    /// this node's own stays, to be taken.
    pub(super) fn follow(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        let mut off = Vec::new();
        for (shard, incoming) in &mut self.moves {
            let going_on = going_on(context, shard, incoming.moving, incoming.from);
            if going_on {
                incoming.build(context, shard, out);
            } else if incoming.moving.0 <= context.view.applied
                && !incoming.arrived(context.view, context.me, shard)
            {
                off.push(shard.clone());
            }
        }
        for shard in off {
            self.forget(&shard, out);
        }
    }

    /// The shard is this node's own now: the move in which what is built of it came, if the view
    /// says that it came so.
    pub(super) fn take(&mut self, context: &Context<'_>, shard: &ShardId) -> Option<Epoch> {
        let incoming = self.moves.get(shard)?;
        let moving = incoming.moving;
        if !incoming.arrived(context.view, context.me, shard) {
            return None;
        }
        self.moves.remove(shard);
        Some(moving)
    }

    /// Forgets all of it.
    pub(super) fn clear(&mut self, out: &mut Vec<Effect>) {
        for shard in self.moves.keys().cloned().collect::<Vec<_>>() {
            self.forget(&shard, out);
        }
    }

    /// Time has passed.
    pub(super) fn turn(&mut self, context: &Context<'_>, out: &mut Vec<Effect>) {
        for (shard, incoming) in &mut self.moves {
            if context.now >= incoming.say {
                incoming.say(context, shard, out);
            }
        }
    }

    /// When [`Received::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.moves.values().map(|incoming| incoming.say).min()
    }

    fn forget(&mut self, shard: &ShardId, out: &mut Vec<Effect>) {
        let Some(incoming) = self.moves.remove(shard) else {
            return;
        };
        match incoming.state {
            Progress::Building { .. } | Progress::Ready { .. } => {
                out.push(stop(shard, incoming.moving));
            }
            Progress::Taking { .. } | Progress::Whole { .. } | Progress::Failed { .. } => {}
        }
    }
}

impl Incoming {
    fn new(moving: Epoch, from: NodeId, now: Instant) -> Self {
        Self {
            moving,
            from,
            parts: 0,
            state: Progress::Taking {
                bytes: BytesMut::new(),
                hasher: Sha256::new(),
            },
            say: now + SAY_AGAIN,
        }
    }

    /// Takes the next part; any other changes nothing.
    fn take(&mut self, part: Part) {
        let Progress::Taking { bytes, hasher } = &mut self.state else {
            return;
        };
        match part {
            Part::Chunk {
                sequence,
                bytes: chunk,
            } if sequence == self.parts => {
                if chunk.len() > CHUNK_BYTES || bytes.len() + chunk.len() > STATE_BYTES_MAX {
                    let why = "its state is too large to move".to_owned();
                    self.state = Progress::Failed { why };
                    return;
                }
                hasher.update(&chunk);
                bytes.extend_from_slice(&chunk);
                self.parts += 1;
            }
            Part::End { chunks, hash } if chunks == self.parts => {
                let state = std::mem::take(bytes).freeze();
                let right = <[u8; 32]>::from(hasher.clone().finalize()) == hash;
                self.parts += 1;
                self.state = if right {
                    Progress::Whole { state, hash }
                } else {
                    let why = "what arrived of its state is not what was sent".to_owned();
                    Progress::Failed { why }
                };
            }
            Part::Chunk { .. } | Part::End { .. } | Part::Got { .. } => {}
        }
    }

    /// Builds it once it is whole and the log says that it moves here.
    fn build(&mut self, context: &Context<'_>, shard: &ShardId, out: &mut Vec<Effect>) {
        let Progress::Whole { state, hash } = &mut self.state else {
            return;
        };
        if !going_on(context, shard, self.moving, self.from) {
            return;
        }
        let (state, hash) = (std::mem::take(state), *hash);
        self.state = Progress::Building { hash };
        out.push(Effect::Host(HostCall::Build {
            shard: shard.clone(),
            moving: self.moving,
            state,
        }));
    }

    /// The view says that this node owns the shard because this very move ended here.
    fn arrived(&self, view: &View, me: NodeId, shard: &ShardId) -> bool {
        let ready = matches!(self.state, Progress::Ready { .. });
        let mine = view.owner(shard).is_some_and(|(owner, _)| owner == me);
        ready && mine && view.arrived.get(shard) == Some(&self.moving)
    }

    fn say(&mut self, context: &Context<'_>, shard: &ShardId, out: &mut Vec<Effect>) {
        self.say = context.now + SAY_AGAIN;
        if let Progress::Ready { hash } = self.state {
            context.tell_step(shard, self.moving, MoveStep::Ready(hash), out);
        }
        self.say_failure(context, shard, out);
    }

    fn say_failure(&mut self, context: &Context<'_>, shard: &ShardId, out: &mut Vec<Effect>) {
        if let Progress::Failed { why } = &self.state {
            self.say = context.now + SAY_AGAIN;
            context.tell_step(shard, self.moving, MoveStep::Failed(why.clone()), out);
        }
    }
}

/// The log says that this move goes on, or this node has not applied so much of it yet.
fn expected(context: &Context<'_>, shard: &ShardId, moving: Epoch, from: NodeId) -> bool {
    moving.0 > context.view.applied || going_on(context, shard, moving, from)
}

fn going_on(context: &Context<'_>, shard: &ShardId, moving: Epoch, from: NodeId) -> bool {
    let Some(Placement::Moving {
        from: source,
        to,
        moving: now,
        ..
    }) = context.view.shards.get(shard)
    else {
        return false;
    };
    context.alive && *to == context.me && *source == from && *now == moving
}
