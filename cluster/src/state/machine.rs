//! `[pure]` The state that the log amounts to, and the one way to change it.

use super::nodes::Standing;
use crate::command::{Command, Outcome, Refusal};
use crate::ids::{ContentHash, Epoch, NodeId};
use crate::limits::EPOCHS_PER_GENERATION;
use crate::view::View;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All that the log decides.
///
/// What others may see of it is its [`View`]; it is shared with whoever asked for it, and copied
/// only when it changes while somebody still holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterState {
    pub(super) view: Arc<View>,
    /// What the members have in common.
    pub(super) content: ContentHash,
    /// What the view does not show of each member.
    pub(super) standing: BTreeMap<NodeId, Standing>,
    /// The last number given to a node; 0 before the cluster is founded.
    pub(super) last_node: u16,
    /// How many clusters were founded on the same storage before.
    pub(super) generation: u32,
    /// The epoch in which a shard was last retired; 0 if none was. A shard that is declared after
    /// that may be one of those, so that its last owner must be waited for.
    pub(super) retired: Epoch,
}

impl ClusterState {
    /// The state before the first entry.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Applies the log's entry `index`. Whether it does something and what depends on nothing but
    /// the entries before. A refused command changes nothing but [`View::applied`].
    ///
    /// # Panics
    /// The index is not above that of each entry before, or an invariant is broken afterwards:
    /// **bugs** after which this node's state is worth nothing.
    pub(crate) fn apply(&mut self, index: u64, command: &Command) -> Outcome {
        assert!(
            index > self.view.applied,
            "entry {index} is applied after entry {}",
            self.view.applied
        );
        let outcome = match self.change(index, command) {
            Ok(outcome) => outcome,
            Err(refusal) => Outcome::Refused(refusal),
        };
        self.skip(index);
        self.assert_sound(command);
        outcome
    }

    /// The log's entry `index` holds no command (it is raft's own): it counts as applied.
    pub(crate) fn skip(&mut self, index: u64) {
        if index > self.view.applied {
            Arc::make_mut(&mut self.view).applied = index;
        }
    }

    /// The epoch that begins with the log's entry `index`: the one place where they are made.
    pub(super) fn epoch(&self, index: u64) -> Result<Epoch, Refusal> {
        if index < EPOCHS_PER_GENERATION {
            Ok(self.epoch_at(index))
        } else {
            Err(Refusal::Spent)
        }
    }

    /// The highest epoch that can have begun up to this entry.
    pub(super) fn epoch_at(&self, index: u64) -> Epoch {
        let base = u64::from(self.generation).saturating_mul(EPOCHS_PER_GENERATION);
        Epoch(base.saturating_add(index.min(EPOCHS_PER_GENERATION - 1)))
    }

    /// What there is to see. Cheap.
    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    /// What the content of every member hashes to.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the door asks it, which is to come")
    )]
    pub(crate) fn content(&self) -> ContentHash {
        self.content
    }

    /// Refuses before it changes anything.
    fn change(&mut self, index: u64, command: &Command) -> Result<Outcome, Refusal> {
        let founding = matches!(command, Command::Found { .. } | Command::FoundIn { .. });
        if !founding && self.last_node == 0 {
            return Err(Refusal::NotFounded);
        }
        match command {
            Command::Found { cluster, first } => self.found(cluster, first, 0),
            Command::FoundIn {
                cluster,
                first,
                generation,
            } => self.found(cluster, first, *generation),
            Command::Join(candidate) => self.join(candidate),
            Command::Up {
                node,
                incarnation,
                address,
            } => self.up(*node, *incarnation, address),
            Command::Expire { node, incarnation } => self.expire(*node, *incarnation),
            Command::Drain { node, on } => self.drain(*node, *on),
            Command::Forget { node } => self.forget(*node),
            Command::Declare(specs) => self.declare(specs),
            Command::Place { shard, last, to } => self.place(index, shard, *last, *to),
            Command::Restart { shard, epoch } => self.restart(index, shard, *epoch),
            Command::Release { shard, epoch } => self.release(shard, *epoch),
            Command::BeginMove { shard, epoch, to } => self.begin_move(index, shard, *epoch, *to),
            Command::FinishMove { shard, moving } => self.finish_move(index, shard, *moving),
            Command::AbortMove { shard, moving } => self.abort_move(shard, *moving),
            Command::Retire { shard, last } => self.retire(index, shard, *last),
            Command::Content(hash) => {
                self.content = *hash;
                Ok(Outcome::Done)
            }
        }
    }
}
