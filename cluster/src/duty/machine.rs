//! `[pure]` A node's machine: its parts, and which of them hears of what.

use crate::duty::io::{Effect, Input};
use crate::ids::{Incarnation, NodeId};
use crate::limits::LEASE_EVERY;
use std::time::Instant;

/// What a machine must know of its node.
#[derive(Clone, Debug)]
pub(crate) struct DutyConfig {
    /// Its number.
    pub(crate) me: NodeId,
    /// Its life.
    pub(crate) incarnation: Incarnation,
    /// Where other nodes reach it, `HOST:PORT`.
    pub(crate) address: String,
}

/// What a node has to do. See the [module](super).
#[derive(Clone, Debug)]
pub(crate) struct Duty {
    config: DutyConfig,
    now: Instant,
}

impl Duty {
    /// A node that has just started.
    pub(crate) fn new(config: DutyConfig, now: Instant) -> Self {
        Self { config, now }
    }

    /// This node's present life.
    pub(crate) fn incarnation(&self) -> Incarnation {
        self.config.incarnation
    }

    /// Tells the machine something, at this moment of the node's own clock.
    pub(crate) fn step(&mut self, now: Instant, input: Input, out: &mut Vec<Effect>) {
        self.now = self.now.max(now);
        let _ = (input, out);
    }

    /// When [`Input::Tick`] is due, if nothing else is told before.
    pub(crate) fn next_due(&self) -> Instant {
        self.now + LEASE_EVERY
    }
}
