//! `[pure]` How the log has it with this node's present life.

use crate::ids::{Incarnation, NodeId};
use crate::view::{NodePhase, View};
use std::cmp::Ordering;

/// How this life stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The log does not have it yet.
    Waiting,
    /// It lives, and may own shards.
    Alive,
    /// It was given up.
    Down,
    /// A later life is known: another process runs with this node's number. For good.
    Outlived(Incarnation),
    /// The node is no member any more. For good.
    Forgotten,
}

impl Standing {
    /// How this life of this node stands when the log is so far.
    pub(super) fn next(self, view: &View, me: NodeId, life: Incarnation) -> Self {
        if matches!(self, Self::Outlived(_) | Self::Forgotten) {
            return self;
        }
        let Some(node) = view.nodes.get(&me) else {
            // A node that has only begun to read the log has not come to its own entry yet.
            return match self {
                Self::Alive => Self::Forgotten,
                Self::Waiting | Self::Down | Self::Outlived(_) | Self::Forgotten => self,
            };
        };
        match (node.incarnation.cmp(&life), node.phase) {
            (Ordering::Greater, _) => Self::Outlived(node.incarnation),
            (Ordering::Less, _) | (Ordering::Equal, NodePhase::Joining) => Self::Waiting,
            (Ordering::Equal, NodePhase::Up | NodePhase::Draining) => Self::Alive,
            (Ordering::Equal, NodePhase::Down) => Self::Down,
        }
    }

    /// Whether it asks for a lease.
    pub(super) fn asks(self) -> bool {
        match self {
            Self::Waiting | Self::Alive => true,
            Self::Down | Self::Outlived(_) | Self::Forgotten => false,
        }
    }
}
