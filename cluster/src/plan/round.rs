//! `[pure]` The plan as a whole, and how much of it may be for balance alone.

use super::balance::Next;
use super::loads::Loads;
use super::observed::Observed;
use super::{balance, repair};
use crate::command::Command;
use crate::view::{NodePhase, Placement, View};
use std::time::Instant;

/// What is left to do of evening the load out. Open one once in a while
/// ([`REBALANCE_EVERY`](crate::limits::REBALANCE_EVERY)), when a node has come up and when an
/// operator says so, and keep it from one plan to the next: a few moves go on at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Round {
    moves_left: usize,
}

impl Round {
    /// No round: shards move only off nodes that are being emptied.
    pub(crate) fn closed() -> Self {
        Self::default()
    }

    /// A round with a node's fair share of moves: shards over nodes, rounded up.
    pub(crate) fn open(view: &View) -> Self {
        let up = view.nodes.values();
        let up = up.filter(|node| node.phase == NodePhase::Up).count();
        let moves_left = view.shards.len().div_ceil(up.max(1));
        Self { moves_left }
    }

    /// Whether there may be moves yet.
    pub(crate) fn is_open(self) -> bool {
        self.moves_left > 0
    }

    /// The next moves for the balance. A round in which there is something to move, but not just
    /// now, stays open.
    fn go_on(&mut self, loads: &mut Loads<'_>, commands: &mut Vec<Command>) {
        while self.is_open() {
            match balance::even_out(loads) {
                Next::Move(command) => {
                    self.moves_left -= 1;
                    commands.push(command);
                }
                Next::Later => return,
                Next::Even => {
                    let mut shards = loads.view.shards.values();
                    let moving = |at: &Placement| matches!(at, Placement::Moving { .. });
                    if commands.is_empty() && !shards.any(moving) {
                        *self = Self::closed();
                    }
                    return;
                }
            }
        }
    }
}

/// What should be committed now. Follow the view first ([`Observed::follow`]), carry all of it out
/// and ask again when the log has it; a command that is overtaken meanwhile is refused by the log.
/// Ask again too whenever a move has ended, or the next ones wait for the next round.
///
/// In this order: moves that cannot end well are called off; shards that stand still are begun
/// anew, once where they are and then elsewhere; shards that nobody owns are placed, the heaviest
/// first, each on the node with the least load; nodes that are being emptied give theirs away. If
/// there is none of this, load is evened out as far as `round` goes, which is closed when it is.
pub(crate) fn plan(
    view: &View,
    observed: &Observed,
    now: Instant,
    round: &mut Round,
) -> Vec<Command> {
    let mut loads = Loads::new(view, observed, now);
    let mut commands = Vec::new();
    repair::call_off(&loads, &mut commands);
    repair::begin_anew(&loads, &mut commands);
    repair::place(&mut loads, &mut commands);
    balance::empty(&mut loads, &mut commands);
    if commands.is_empty() && loads.all_are_fresh() {
        round.go_on(&mut loads, &mut commands);
    }
    commands
}
