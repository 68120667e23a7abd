//! `[process]` The channels of this node among those of the others: whose order is made here, where
//! that of the others is made, and which players here wait for a line of theirs.

use super::limits::SAYINGS_MAX;
use super::shards;
use crate::content::World;
use crate::event::{Event, Refusal};
use crate::ids::ChannelId;
use crate::ring::Receipt;
use crate::room::Answer;
use crate::talk::{Own, Seat};
use belay_cluster::{Epoch, Fence, NodeId, ShardReport, View};
use belay_runtime::Pid;
use std::collections::BTreeMap;
use std::time::Instant;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Circle {
    owned: BTreeMap<ChannelId, Owned>,
    owners: BTreeMap<ChannelId, NodeId>,
    sayings: BTreeMap<u64, Waits>,
    last_saying: u64,
}

/// A channel whose order is made here.
#[derive(Debug)]
struct Owned {
    fence: Fence,
    /// It is on its way to another node.
    frozen: bool,
}

/// A player here who waits for the owner's answer.
#[derive(Debug)]
struct Waits {
    owner: NodeId,
    by: Pid,
    receipt: Receipt,
}

impl Circle {
    /// Where the order of the channel is made now.
    pub(super) fn seat(&self, channel: ChannelId, me: NodeId, now: Instant) -> Seat {
        match self.owned.get(&channel) {
            Some(owned) if !owned.frozen && owned.fence.may_act(now) => {
                Seat::Here(owned.fence.epoch().0)
            }
            Some(_) => Seat::Nowhere,
            None => match self.owners.get(&channel) {
                Some(owner) if *owner != me => Seat::Elsewhere,
                Some(_) | None => Seat::Nowhere,
            },
        }
    }

    /// The node where it is made, if it is another one.
    pub(super) fn owner(&self, channel: ChannelId) -> Option<NodeId> {
        self.owners.get(&channel).copied()
    }

    /// The channels whose order is made here.
    pub(super) fn owned(&self) -> impl Iterator<Item = ChannelId> + '_ {
        self.owned.keys().copied()
    }

    /// The cluster has changed.
    pub(super) fn changed(&mut self, view: &View, world: &World) {
        let owners = world.channels_by_id().filter_map(|(id, about)| {
            let (owner, _) = view.owner(&shards::channel(&about.name))?;
            Some((id, owner))
        });
        self.owners = owners.collect();
    }

    /// The order of the channel is made here from now on.
    pub(super) fn run(&mut self, channel: ChannelId, fence: Fence) {
        let frozen = false;
        self.owned.insert(channel, Owned { fence, frozen });
    }

    /// It is not any more.
    pub(super) fn stop(&mut self, channel: ChannelId, epoch: Epoch) {
        let ends = |owned: &Owned| owned.fence.epoch() == epoch;
        if self.owned.get(&channel).is_some_and(ends) {
            self.owned.remove(&channel);
        }
    }

    /// It is on its way to another node, or stays after all.
    pub(super) fn freeze(&mut self, channel: ChannelId, epoch: Epoch, frozen: bool) {
        let owned = self.owned.get_mut(&channel);
        if let Some(owned) = owned.filter(|owned| owned.fence.epoch() == epoch) {
            owned.frozen = frozen;
        }
    }

    /// A player here waits for the answer of this owner; the number of what was said.
    ///
    /// # Errors
    /// Too many wait.
    pub(super) fn wait(
        &mut self,
        owner: NodeId,
        (by, receipt): (Pid, Receipt),
    ) -> Result<u64, Receipt> {
        if self.sayings.len() >= SAYINGS_MAX {
            return Err(receipt);
        }
        self.last_saying += 1;
        let waits = Waits { owner, by, receipt };
        self.sayings.insert(self.last_saying, waits);
        Ok(self.last_saying)
    }

    /// The owner has put the line at its place.
    pub(super) fn said(&mut self, from: NodeId, saying: u64) -> Option<Own> {
        let waits = self
            .taken(|id, waits| id == saying && waits.owner == from)
            .pop()?;
        Some(Own {
            by: waits.by,
            receipt: waits.receipt,
            remark: None,
        })
    }

    /// The owner did not take it.
    pub(super) fn refused(&mut self, from: NodeId, saying: u64) -> Vec<(Receipt, Event)> {
        let refused = self.taken(|id, waits| id == saying && waits.owner == from);
        told(refused, Refusal::ChannelBusy)
    }

    /// The node cannot be reached: whoever waits for it is told.
    pub(super) fn out_of_reach(&mut self, node: NodeId) -> Vec<(Receipt, Event)> {
        told(
            self.taken(|_, waits| waits.owner == node),
            Refusal::ChannelOut,
        )
    }

    /// The message to the owner was not sent.
    pub(super) fn unsent(&mut self, saying: u64) -> Vec<(Receipt, Event)> {
        told(self.taken(|id, _| id == saying), Refusal::ChannelOut)
    }

    /// How the channels are whose order is made here.
    pub(super) fn report(&self, world: &World, out: &mut Vec<ShardReport>) {
        for (channel, owned) in &self.owned {
            let Some(about) = world.channel(*channel) else {
                continue;
            };
            out.push(ShardReport {
                shard: shards::channel(&about.name),
                epoch: owned.fence.epoch(),
                ticked_ms_ago: 0,
                weight: 1,
                busy: false,
            });
        }
    }

    fn taken(&mut self, which: impl Fn(u64, &Waits) -> bool) -> Vec<Waits> {
        let of = |(id, waits): (&u64, &Waits)| which(*id, waits).then_some(*id);
        let ids: Vec<u64> = self.sayings.iter().filter_map(of).collect();
        ids.iter()
            .filter_map(|id| self.sayings.remove(id))
            .collect()
    }
}

fn told(waits: Vec<Waits>, why: Refusal) -> Vec<(Receipt, Event)> {
    let tell = |waits: Waits| (waits.receipt, Event::Refused(why.clone()));
    waits.into_iter().map(tell).collect()
}

/// Answers players with what is shown to them.
pub(super) fn answer_all(answers: Vec<(Receipt, Event)>) {
    for (receipt, event) in answers {
        drop(receipt.answer(Answer::Show(Box::new(event))));
    }
}

/// The channel of this name.
pub(super) fn named(world: &World, name: &str) -> Option<ChannelId> {
    let mut all = world.channels_by_id();
    let found = all.find(|(_, about)| about.name.eq_ignore_ascii_case(name));
    found.map(|(id, _)| id)
}
