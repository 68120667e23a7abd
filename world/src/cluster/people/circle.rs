//! `[process]` The channels of this node among those of the others: whose order is made here, where
//! that of the others is made, and which players here wait for a line of theirs.

use super::limits::SAYINGS_MAX;
use super::shards;
use crate::content::World;
use crate::event::{Event, Refusal};
use crate::ids::ChannelId;
use crate::ring::Receipt;
use crate::room::Answer;
use crate::talk::{Own, Saying, Seat};
use belay_cluster::{Epoch, Fence, NodeId, ShardReport, View};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Circle {
    owned: BTreeMap<ChannelId, Owned>,
    owners: BTreeMap<ChannelId, NodeId>,
    sayings: BTreeMap<u64, Waits>,
    last_saying: u64,
    ways: BTreeMap<ChannelId, Way>,
}

/// What is on its way between the players here and the owners of a channel. Later words wait until
/// it is known what became of earlier ones, where these might else come after them.
#[derive(Debug, Default)]
struct Way {
    /// How many words each owner has not answered.
    asked: BTreeMap<NodeId, usize>,
    /// Words on their way back to the channel.
    returning: usize,
    /// Some came back since the last time when none was on its way.
    halted: bool,
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
    channel: ChannelId,
    saying: Saying,
}

impl Circle {
    /// Where the order of the channel is made now.
    pub(super) fn seat(
        &self,
        channel: ChannelId,
        (me, wires): (NodeId, &BTreeSet<NodeId>),
        now: Instant,
    ) -> Seat {
        let owner = self.owners.get(&channel);
        if self
            .ways
            .get(&channel)
            .is_some_and(|way| !way.is_free(owner))
        {
            return Seat::Nowhere;
        }
        match self.owned.get(&channel) {
            Some(owned) if !owned.frozen && owned.fence.may_act(now) => {
                Seat::Here(owned.fence.epoch().0)
            }
            Some(_) => Seat::Nowhere,
            None => match owner {
                Some(owner) if *owner != me && wires.contains(owner) => Seat::Elsewhere,
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
        channel: ChannelId,
        saying: Saying,
    ) -> Result<u64, Saying> {
        if self.sayings.len() >= SAYINGS_MAX {
            return Err(saying);
        }
        self.last_saying += 1;
        let way = self.ways.entry(channel).or_default();
        *way.asked.entry(owner).or_default() += 1;
        let waits = Waits {
            owner,
            channel,
            saying,
        };
        self.sayings.insert(self.last_saying, waits);
        Ok(self.last_saying)
    }

    /// The owner has put the line at its place.
    pub(super) fn said(&mut self, from: NodeId, saying: u64) -> Option<Own> {
        let waits = self
            .taken(|id, waits| id == saying && waits.owner == from)
            .pop()?;
        Some(Own {
            by: waits.saying.by,
            receipt: waits.saying.receipt,
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

    /// The owner of this message is none any more, or it was not sent: the words go back to the
    /// channel here, and later ones wait until [`Circle::came_back`].
    pub(super) fn returned(
        &mut self,
        from: Option<NodeId>,
        saying: u64,
    ) -> Option<(ChannelId, Saying)> {
        let is_from = |owner: NodeId| from.is_none_or(|from| from == owner);
        let waits = self.taken(|id, waits| id == saying && is_from(waits.owner));
        let Waits {
            channel, saying, ..
        } = waits.into_iter().next()?;
        let way = self.ways.entry(channel).or_default();
        way.returning += 1;
        way.halted = true;
        Some((channel, saying))
    }

    /// Words that went back are there.
    pub(super) fn came_back(&mut self, channel: ChannelId) {
        if let Some(way) = self.ways.get_mut(&channel) {
            way.returning = way.returning.saturating_sub(1);
            way.see_free();
        }
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
        let taken: Vec<Waits> = ids
            .iter()
            .filter_map(|id| self.sayings.remove(id))
            .collect();
        for waits in &taken {
            if let Some(way) = self.ways.get_mut(&waits.channel) {
                way.answered(waits.owner);
            }
        }
        taken
    }
}

impl Way {
    /// Whether later words may go to this owner.
    fn is_free(&self, owner: Option<&NodeId>) -> bool {
        let mut asked = self.asked.keys();
        self.returning == 0 && !self.halted && asked.all(|one| Some(one) == owner)
    }

    fn answered(&mut self, owner: NodeId) {
        if let Some(asked) = self.asked.get_mut(&owner) {
            *asked = asked.saturating_sub(1);
            if *asked == 0 {
                self.asked.remove(&owner);
            }
        }
        self.see_free();
    }

    fn see_free(&mut self) {
        if self.returning == 0 && self.asked.is_empty() {
            self.halted = false;
        }
    }
}

fn told(waits: Vec<Waits>, why: Refusal) -> Vec<(Receipt, Event)> {
    let tell = |waits: Waits| (waits.saying.receipt, Event::Refused(why.clone()));
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
