//! `[pure]` A shard that is handed over, at the node where it was. Nothing is lost for good by a
//! wire that fails: what the target has not confirmed is sent again, until the move is off.
//!
//! ```text
//! Freezing ──state──► Sending ──all confirmed──► Handed        any ──► Failed
//! ```

use crate::duty::context::Context;
use crate::duty::io::Effect;
use crate::duty::message::{HandOverMessage, MoveStep, Part};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::limits::{CHUNK_BYTES, CHUNKS_AHEAD, SAY_AGAIN, STATE_BYTES_MAX};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::time::Instant;

/// A hand-over that has begun.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) moving: Epoch,
    pub(super) to: NodeId,
    state: Handing,
    /// When the leader is told again how far it is.
    say: Instant,
}

#[derive(Clone, Debug)]
enum Handing {
    Freezing,
    Sending(Sending),
    Handed,
    Failed(String),
}

#[derive(Clone, Debug)]
struct Sending {
    state: Bytes,
    chunks: u32,
    /// Of the chunks before `hashed`.
    hasher: Sha256,
    hashed: u32,
    /// Parts that were sent, and those that the target has. The end is one, too.
    sent: u32,
    got: u32,
    again: Instant,
}

impl Outgoing {
    /// The host was told to freeze the shard.
    pub(super) fn new(moving: Epoch, to: NodeId, now: Instant) -> Self {
        Self {
            moving,
            to,
            state: Handing::Freezing,
            say: now + SAY_AGAIN,
        }
    }

    /// The host has answered.
    pub(super) fn frozen(
        &mut self,
        context: &Context<'_>,
        shard: &ShardId,
        state: Result<Bytes, String>,
        out: &mut Vec<Effect>,
    ) {
        if !matches!(self.state, Handing::Freezing) {
            return;
        }
        self.state = match state {
            Ok(state) if state.len() > STATE_BYTES_MAX => Handing::Failed(format!(
                "its state of {} bytes is too large to move",
                state.len()
            )),
            Ok(state) => Handing::Sending(Sending::new(state, context.now)),
            Err(why) => Handing::Failed(why),
        };
        self.say(context, shard, out);
        self.send(context.now, shard, out);
    }

    /// The target has so many parts.
    pub(super) fn got(
        &mut self,
        context: &Context<'_>,
        shard: &ShardId,
        parts: u32,
        out: &mut Vec<Effect>,
    ) {
        let Handing::Sending(sending) = &mut self.state else {
            return;
        };
        // What was not sent cannot have arrived; what was confirmed does not get lost.
        if parts > sending.got && parts <= sending.sent {
            sending.got = parts;
            sending.again = context.now + SAY_AGAIN;
        }
        if sending.got > sending.chunks {
            self.state = Handing::Handed;
            self.say(context, shard, out);
        } else {
            self.send(context.now, shard, out);
        }
    }

    /// Time has passed.
    pub(super) fn turn(&mut self, context: &Context<'_>, shard: &ShardId, out: &mut Vec<Effect>) {
        if context.now >= self.say {
            self.say(context, shard, out);
        }
        if let Handing::Sending(sending) = &mut self.state
            && context.now >= sending.again
        {
            sending.again = context.now + SAY_AGAIN;
            sending.sent = sending.got;
            self.send(context.now, shard, out);
        }
    }

    /// When [`Outgoing::turn`] has something to do.
    pub(super) fn due(&self) -> Instant {
        match &self.state {
            Handing::Sending(sending) => self.say.min(sending.again),
            Handing::Freezing | Handing::Handed | Handing::Failed(_) => self.say,
        }
    }

    fn say(&mut self, context: &Context<'_>, shard: &ShardId, out: &mut Vec<Effect>) {
        self.say = context.now + SAY_AGAIN;
        let step = match &self.state {
            Handing::Freezing => return,
            Handing::Sending(_) => MoveStep::Frozen,
            Handing::Handed => MoveStep::Handed,
            Handing::Failed(why) => MoveStep::Failed(why.clone()),
        };
        context.tell_step(shard, self.moving, step, out);
    }

    fn send(&mut self, now: Instant, shard: &ShardId, out: &mut Vec<Effect>) {
        let Handing::Sending(sending) = &mut self.state else {
            return;
        };
        while sending.sent <= sending.chunks && sending.sent < sending.got + CHUNKS_AHEAD {
            if sending.sent == sending.got {
                sending.again = now + SAY_AGAIN;
            }
            let message = HandOverMessage {
                shard: shard.clone(),
                moving: self.moving,
                part: sending.part(),
            };
            sending.sent += 1;
            out.push(Effect::HandOver(self.to, message));
        }
    }
}

impl Sending {
    fn new(state: Bytes, now: Instant) -> Self {
        let chunks = state.len().div_ceil(CHUNK_BYTES);
        Self {
            state,
            chunks: u32::try_from(chunks).unwrap_or(u32::MAX),
            hasher: Sha256::new(),
            hashed: 0,
            sent: 0,
            got: 0,
            again: now + SAY_AGAIN,
        }
    }

    /// The next part to be sent.
    fn part(&mut self) -> Part {
        let sequence = self.sent;
        if sequence == self.chunks {
            assert_eq!(self.hashed, self.chunks, "all chunks went before the end");
            return Part::End {
                chunks: self.chunks,
                hash: self.hasher.clone().finalize().into(),
            };
        }
        let from = (sequence as usize * CHUNK_BYTES).min(self.state.len());
        let to = (from + CHUNK_BYTES).min(self.state.len());
        let bytes = self.state.slice(from..to);
        if sequence == self.hashed {
            self.hasher.update(&bytes);
            self.hashed += 1;
        }
        Part::Chunk { sequence, bytes }
    }
}
