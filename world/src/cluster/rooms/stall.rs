//! `[process]` The zones that are this node's, as their node and the others see them: they open,
//! hold still, go on, and end.

use super::desk::{Desk, Floors, Stall, Still};
use super::frame::{Frame, Head, Opening};
use super::gateway::{Gateway, now};
use super::limits::ZONE_WEIGHT;
use crate::ids::{Being, ZoneId};
use crate::ring::{BeingPort, Farewell};
use belay_cluster::{Epoch, NodeId, NodePhase, Placement, ShardId, ShardReport, View};

impl Gateway {
    /// The rooms of this zone are open here from now on.
    pub(super) fn open_zone(&self, zone: ZoneId, (epoch, how): (Epoch, Opening), stall: Stall) {
        self.step(zone, |desk, outs| {
            desk.stall = Some(stall);
            self.opened_here(desk, (epoch, how), outs);
        });
        self.tell_peers(&Frame::Open(Head { zone, epoch }, how));
    }

    fn opened_here(
        &self,
        desk: &mut Desk,
        (epoch, how): (Epoch, Opening),
        outs: &mut super::gateway::Outs,
    ) {
        // Before they stand elsewhere, or nowhere, for this node.
        self.tell_rest(desk);
        let Desk { gate, standing, .. } = desk;
        gate.opened(((self.me, epoch), how), &|| standing.beings(), now(), outs);
        if how != Opening::Fresh {
            // They stand in rooms of this very node, whose ports reach them.
            standing.clear();
        }
    }

    /// The zone ends here, at once: who stands in it waits for its next owner. What its rooms still
    /// do has no effect, for its right is over.
    pub(super) fn end_zone(&self, zone: ZoneId, epoch: Epoch) {
        let ended = self.step(zone, |desk, _| {
            let ours = |stall: &mut Stall| stall.epoch == epoch;
            let stall = desk.stall.take_if(ours)?;
            desk.gate.close(now());
            if stall.still != Still::Yes {
                stand_here(desk, &stall.floors);
            }
            Some(stall.settlers)
        });
        if let Some(settlers) = ended {
            let head = Head { zone, epoch };
            self.tell_peers(&Frame::Shut(head));
            for node in settlers {
                self.write(node, &Frame::Settled(head));
            }
        }
    }

    /// In which epoch the zone is this node's, if it is.
    pub(super) fn epoch_of(&self, zone: ZoneId) -> Option<Epoch> {
        self.lock(zone).stall.as_ref().map(|stall| stall.epoch)
    }

    /// The zone takes no letters any more. `false`: it does not run in this epoch.
    pub(super) fn freeze_zone(&self, zone: ZoneId, epoch: Epoch) -> bool {
        let frozen = self.step(zone, |desk, _| {
            let stall = desk.stall.as_mut().filter(|stall| stall.epoch == epoch);
            let stall = stall.filter(|stall| stall.acts());
            let frozen = stall.map(|stall| stall.still = Still::Soon).is_some();
            if frozen {
                desk.gate.close(now());
            }
            frozen
        });
        if frozen {
            self.tell_peers(&Frame::Shut(Head { zone, epoch }));
        }
        frozen
    }

    /// The rooms of a zone that holds still have said their last word.
    pub(super) fn zone_is_still(&self, zone: ZoneId, epoch: Epoch) {
        let settlers = self.step(zone, |desk, _| {
            let stall = desk.stall.as_mut();
            let Some(stall) = stall.filter(|stall| stall.still == Still::Soon) else {
                return Vec::new();
            };
            stall.still = Still::Yes;
            let (settlers, floors) = (std::mem::take(&mut stall.settlers), stall.floors.clone());
            stand_here(desk, &floors);
            settlers
        });
        for node in settlers {
            self.write(node, &Frame::Settled(Head { zone, epoch }));
        }
    }

    /// A zone that held still for a move goes on.
    pub(super) fn thaw_zone(&self, zone: ZoneId, epoch: Epoch) {
        let settlers = self.step(zone, |desk, _| {
            let stall = desk.stall.as_mut();
            let stall = stall.filter(|stall| stall.epoch == epoch && stall.still != Still::No);
            let stall = stall?;
            stall.still = Still::No;
            Some(std::mem::take(&mut stall.settlers))
        });
        let Some(settlers) = settlers else { return };
        for node in settlers {
            self.write(node, &Frame::Settled(Head { zone, epoch }));
        }
        self.go_on(zone);
    }

    /// All zones of this node hold still while the lease is about to lapse, or go on.
    pub(super) fn suspend_zones(&self, on: bool) {
        for zone in self.zones() {
            let changed = self.step(zone, |desk, _| {
                let stall = desk.stall.as_mut().filter(|stall| stall.suspended != on)?;
                stall.suspended = on;
                stall.right.suspend(on);
                let epoch = stall.epoch;
                if on {
                    desk.gate.close(now());
                }
                Some(epoch)
            });
            match changed {
                Some(epoch) if on => self.tell_peers(&Frame::Shut(Head { zone, epoch })),
                Some(_) => self.go_on(zone),
                None => {}
            }
        }
    }

    /// A zone takes letters again, if nothing keeps it from that any more.
    fn go_on(&self, zone: ZoneId) {
        let goes_on = self.step(zone, |desk, outs| {
            let stall = desk.stall.as_mut().filter(|stall| stall.acts())?;
            let (epoch, missed) = (stall.epoch, std::mem::take(&mut stall.missed));
            self.opened_here(desk, (epoch, Opening::Thawed), outs);
            Some((epoch, missed))
        });
        let Some((epoch, missed)) = goes_on else {
            return;
        };
        for node in &missed {
            self.forget(zone, *node, Farewell::Silent);
        }
        for node in self.outbox.peers() {
            let how = if missed.contains(&node) {
                Opening::Fresh
            } else {
                Opening::Thawed
            };
            self.write(node, &Frame::Open(Head { zone, epoch }, how));
            if how == Opening::Fresh {
                self.ask_again(zone, node);
            }
        }
    }

    /// The wire to a node stands: it learns which zones are here, and begins anew in each.
    pub(super) fn wire_up(&self, node: NodeId) {
        self.wire_down(node);
        self.outbox.set_up(node, true);
        for zone in self.zones() {
            let open = self.step(zone, |desk, _| {
                let stall = desk.stall.as_mut()?;
                stall.settle(node);
                if stall.acts() {
                    return Some(stall.epoch);
                }
                stall.missed.push(node);
                None
            });
            if let Some(epoch) = open {
                self.forget(zone, node, Farewell::Silent);
                self.write(node, &Frame::Open(Head { zone, epoch }, Opening::Fresh));
                self.ask_again(zone, node);
            }
        }
    }

    /// The cluster has changed.
    pub(super) fn changed(&self, shards: &[ShardId], view: &View) {
        for (zone, shard) in self.zones().zip(shards) {
            let placed = match view.shards.get(shard) {
                Some(Placement::Unplaced { last }) => Err(*last),
                None => Err(Epoch(0)),
                Some(placement) => placement.owner().ok_or(Epoch(0)),
            };
            self.step(zone, |desk, _| desk.gate.placed(placed, now()));
        }
        for (node, known) in &view.nodes {
            if known.phase == NodePhase::Down && *node != self.me {
                self.node_gone(*node);
            }
        }
    }

    /// A node is given up: its players are gone from the rooms here.
    fn node_gone(&self, node: NodeId) {
        for zone in self.zones() {
            let has_some = self.step(zone, |desk, _| {
                let stall = desk.stall.as_mut()?;
                stall.far.remove(&node)
            });
            if has_some.is_some() {
                self.forget(zone, node, Farewell::Told);
            }
            self.take_back(zone, node);
        }
    }

    /// What each zone of this node has done of late.
    pub(super) fn report(&self, shards: &[ShardId], out: &mut Vec<ShardReport>) {
        for (zone, shard) in self.zones().zip(shards) {
            let desk = self.lock(zone);
            let Some(stall) = &desk.stall else { continue };
            out.push(ShardReport {
                shard: shard.clone(),
                epoch: stall.epoch,
                ticked_ms_ago: stall.right.beaten_ms_ago(now()),
                weight: ZONE_WEIGHT.saturating_add(stall.right.weight()),
                busy: false,
            });
        }
    }

    fn tell_peers(&self, frame: &Frame) {
        for node in self.outbox.peers() {
            self.write(node, frame);
        }
    }
}

/// Notes which sessions of this node stand in rooms that were here.
fn stand_here(desk: &mut Desk, floors: &Floors) {
    for (room, heir) in floors.iter() {
        heir.with(|state| {
            for (being, occupant) in state.occupants() {
                if let (Being::Session(session), BeingPort::Session(port)) = (being, &occupant.port)
                {
                    desk.standing.enter(*room, *session, port.clone());
                }
            }
        });
    }
}
