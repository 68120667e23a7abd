//! `[process]` The rooms of all zones as one node sees them: its own sessions write through here to
//! rooms of other nodes, and sessions of other nodes to rooms here.
//!
//! ```text
//! session ── Rooms ──► room                      (the zone is here and open: nothing comes by)
//! session ── Rooms ──► gate ──► outbox ── wire ──► deliver ──► room
//! session ◄── receipt, fan-out ◄── deliver ◄── wire ── far port ◄── room
//! ```

use super::counts::{Count, Counts};
use super::desk::{Desk, Stall, Standing};
use super::far::Far;
use super::frame::{Frame, Head, Letter, What};
use super::gate::{End, Gate, Out};
use super::outbox::{Failed, Outbox};
use crate::content::{World, Zone};
use crate::ids::{Being, RoomId, ZoneId};
use crate::ops::metrics;
use crate::ring::{BeingPort, Farewell, Receipt, RoomMessage, Rooms, SessionMessage, Undelivered};
use crate::room::{Ask, Cast, Reach};
use belay_cluster::{Cluster, Epoch, NodeId};
use belay_runtime::{Capacity, Mailbox};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use tokio::sync::Notify;

/// The rooms of a cluster, as one node sees them.
pub struct Gateway {
    pub(super) me: NodeId,
    pub(super) world: Arc<World>,
    pub(super) rooms: Rooms,
    pub(super) outbox: Outbox,
    desks: Box<[Mutex<Desk>]>,
    counts: Counts,
    /// Wakes who tells crowds.
    pub(super) fan: Mailbox<()>,
    /// The zones of which crowds are being told. Locked within a desk.
    pub(super) fanning: Mutex<BTreeSet<ZoneId>>,
    /// Told when a gate has settled.
    pub(super) settled: Notify,
    myself: Weak<Self>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("me", &self.me)
            .finish_non_exhaustive()
    }
}

/// What a step at a desk leaves to be done.
pub(super) type Outs = Vec<Out<Receipt>>;

/// The time, as processes see it.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Gateway {
    /// A node's gateway; from now on `rooms` sends by it what it cannot deliver here.
    pub fn new(cluster: Cluster, world: Arc<World>, rooms: Rooms) -> Arc<Self> {
        let (me, at) = (cluster.me(), now());
        let desk = |_| {
            Mutex::new(Desk {
                gate: Gate::new(me, at),
                standing: Standing::default(),
                tellings: VecDeque::new(),
                stall: None,
                taken: BTreeSet::new(),
                direct: false,
            })
        };
        let gateway = Arc::new_cyclic(|myself| Self {
            me,
            desks: (0..world.zones().len()).map(desk).collect(),
            world,
            rooms: rooms.clone(),
            outbox: Outbox::new(cluster),
            counts: Counts::default(),
            fan: Mailbox::new(Capacity::new(1)),
            fanning: Mutex::default(),
            settled: Notify::new(),
            myself: myself.clone(),
        });
        rooms.across(&gateway);
        gateway
    }

    /// What was counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Whether the room takes newcomers, as far as this node knows.
    pub fn reach(&self, room: RoomId) -> Reach {
        let reach = self.at(room, |desk| match &desk.stall {
            _ if !desk.gate.is_open() => Reach::Awaited,
            Some(_) if !self.rooms.is_here(room) => Reach::Closed,
            Some(_) | None => Reach::Open,
        });
        reach.unwrap_or(Reach::Closed)
    }

    /// Whether letters to this room go through at once.
    #[cfg(test)]
    pub(super) fn takes_letters(&self, room: RoomId) -> bool {
        self.at(room, |desk| desk.gate.is_clear()).unwrap_or(false)
    }

    /// An ask for a room that is not open here.
    ///
    /// # Errors
    /// The room is closed; the receipt is withdrawn.
    pub fn ask(
        &self,
        room: RoomId,
        being: Being,
        ask: Ask,
        receipt: Receipt,
    ) -> Result<(), Undelivered> {
        let Some(zone) = self.zone_of(room) else {
            receipt.withdraw();
            return Err(Undelivered::Closed);
        };
        self.step(zone, |desk, outs| {
            let here = desk.stall.is_some() && (desk.gate.is_clear() || mob(being));
            if here || mob(being) {
                let sent = self.rooms.ask_here(room, (being, ask), receipt);
                return sent.map_err(|(receipt, why)| {
                    receipt.withdraw();
                    why
                });
            }
            let line = receipt.line();
            let letter = Letter {
                being,
                room,
                what: What::Ask(line, ask),
            };
            self.post(desk, letter, Some(receipt), outs);
            Ok(())
        })
    }

    /// Something for a room that is not open here.
    ///
    /// # Errors
    /// The room is closed or busy.
    pub fn cast(&self, room: RoomId, being: Being, cast: Cast) -> Result<(), Undelivered> {
        let zone = self.zone_of(room).ok_or(Undelivered::Closed)?;
        self.step(zone, |desk, outs| {
            if (desk.stall.is_some() && desk.gate.is_clear()) || mob(being) {
                let message = RoomMessage::Cast(being, cast);
                return self.rooms.tell_here(room, message);
            }
            if let (Cast::Gone { .. }, Being::Session(session)) = (&cast, being) {
                desk.standing.leave(room, session);
            }
            let what = What::Cast(cast);
            self.post(desk, Letter { being, room, what }, None, outs);
            Ok(())
        })
    }

    fn post(&self, desk: &mut Desk, letter: Letter, receipt: Option<Receipt>, outs: &mut Outs) {
        let waiting = desk.gate.waiting();
        desk.gate.post(letter, receipt, now(), outs);
        if desk.gate.waiting() > waiting {
            self.counts.add(Count::Held, 1);
        }
    }

    /// Whether there is a wire to this node.
    pub(super) fn reaches(&self, node: NodeId) -> bool {
        self.outbox.is_up(node)
    }

    /// Sends a frame. No lock may be held.
    pub(super) fn write(&self, node: NodeId, frame: &Frame) {
        self.outbox.put(node, frame);
        self.flush(node);
    }

    /// Sends what waits for this node. No lock may be held.
    pub(super) fn flush(&self, node: NodeId) {
        if let Err(Failed(node)) = self.outbox.send(node, &self.counts) {
            self.wire_down(node);
        }
    }

    /// The wire to this node is gone: nobody knows what of all that was sent has arrived.
    pub(super) fn wire_down(&self, node: NodeId) {
        self.outbox.set_up(node, false);
        for zone in self.zones() {
            self.step(zone, |desk, outs| {
                let Desk { gate, standing, .. } = desk;
                gate.down(node, &|| standing.beings(), now(), outs);
            });
        }
        self.settled.notify_waiters();
    }

    /// Ends what has waited too long; to be called again and again.
    pub fn tick(&self) {
        for zone in self.zones() {
            self.step(zone, |desk, outs| {
                let Desk { gate, standing, .. } = desk;
                gate.tick(&|| standing.beings(), now(), outs);
            });
        }
        self.settled.notify_waiters();
    }

    /// One step at a desk, and then what it leaves to be done.
    pub(super) fn step<R>(&self, zone: ZoneId, step: impl FnOnce(&mut Desk, &mut Outs) -> R) -> R {
        let mut outs = Vec::new();
        let mut nodes = Vec::new();
        let result = {
            let mut desk = self.lock(zone);
            let result = step(&mut desk, &mut outs);
            for out in outs.drain(..) {
                self.carry_out(&desk, zone, out, &mut nodes);
            }
            self.see_direct(&mut desk, zone);
            result
        };
        for node in nodes {
            self.flush(node);
        }
        result
    }

    fn carry_out(&self, desk: &Desk, zone: ZoneId, out: Out<Receipt>, nodes: &mut Vec<NodeId>) {
        let mut put = |node, frame| {
            self.outbox.put(node, &frame);
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        };
        match out {
            Out::Pass((node, _), _, letter, receipt) if node == self.me => {
                self.pass_here(letter, receipt);
            }
            Out::Pass((node, epoch), number, letter, _) => {
                self.counts.add(Count::LettersOut, 1);
                put(node, Frame::Post(Head { zone, epoch }, number, letter));
            }
            Out::End(receipt, End::Lost) => drop(receipt),
            Out::End(receipt, End::Undelivered(why)) => {
                self.counts.add(Count::Refused, 1);
                receipt.refuse(why);
            }
            Out::Settle((node, epoch)) => put(node, Frame::Settle(Head { zone, epoch })),
            Out::Anew((node, _)) if node == self.me => self.forget(zone, node, Farewell::Silent),
            Out::Anew((node, epoch)) => put(node, Frame::Anew(Head { zone, epoch })),
            Out::Return(Being::Session(session)) => {
                self.counts.add(Count::Returns, 1);
                if let Some((room, port)) = desk.standing.find(session) {
                    drop(port.try_send_owed(SessionMessage::Forgotten(room)));
                }
            }
            Out::Waits(being) => {
                let port = desk.gate.token(being).map(Receipt::port);
                if let Some(BeingPort::Session(port)) = port
                    && port.try_send(SessionMessage::Waits).is_err()
                {
                    metrics::ambient_dropped(1);
                }
            }
            Out::Return(Being::Mob(_)) => {}
        }
    }

    /// A letter that waited reaches its room, which is here.
    fn pass_here(&self, letter: Letter, receipt: Option<Receipt>) {
        let Letter { being, room, what } = letter;
        match (what, receipt) {
            (What::Ask(_, ask), Some(receipt)) => {
                let sent = self.rooms.ask_here(room, (being, ask), receipt);
                if let Err((receipt, why)) = sent {
                    receipt.refuse(why);
                }
            }
            (What::Cast(cast), _) => {
                self.rooms
                    .tell_if_here(room, RoomMessage::Cast(being, cast));
            }
            (What::Ask(..), None) => {}
        }
    }

    /// Letters need not come by while the zone is here and nothing waits.
    fn see_direct(&self, desk: &mut Desk, zone: ZoneId) {
        let direct = desk.stall.is_some() && desk.gate.is_clear();
        if direct != desk.direct {
            desk.direct = direct;
            self.rooms.set_shut(self.rooms_of(zone), !direct);
        }
    }

    /// The players of this node are not in the rooms of this zone, which is here.
    pub(super) fn forget(&self, zone: ZoneId, node: NodeId, farewell: Farewell) {
        for room in self.rooms_of(zone) {
            self.rooms
                .tell_if_here(room, RoomMessage::Forget(node, farewell));
        }
    }

    /// How this zone reaches the sessions of another node.
    pub(super) fn far(&self, zone: ZoneId, stall: &mut Stall, node: NodeId) -> Arc<Far> {
        stall.far(node, |epoch| self.new_far(zone, node, epoch))
    }

    pub(super) fn new_far(&self, zone: ZoneId, node: NodeId, epoch: Epoch) -> Far {
        Far::new(self.myself.clone(), node, Head { zone, epoch })
    }

    pub(super) fn zones(&self) -> impl Iterator<Item = ZoneId> + use<> {
        (0..u16::try_from(self.desks.len()).unwrap_or(u16::MAX)).map(ZoneId)
    }

    pub(super) fn rooms_of(&self, zone: ZoneId) -> impl Iterator<Item = RoomId> + use<> {
        let zone = self.world.zone(zone);
        zone.into_iter()
            .flat_map(Zone::rooms)
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn zone_of(&self, room: RoomId) -> Option<ZoneId> {
        self.world.room(room).map(|room| room.zone)
    }

    /// Looks at the desk of a room's zone.
    fn at<R>(&self, room: RoomId, look: impl FnOnce(&Desk) -> R) -> Option<R> {
        let zone = self.zone_of(room)?;
        Some(look(&self.lock(zone)))
    }

    pub(super) fn lock(&self, zone: ZoneId) -> MutexGuard<'_, Desk> {
        // Zones come from the same content as the desks.
        let desk = self.desks.get(usize::from(zone.0));
        #[expect(
            clippy::expect_used,
            reason = "there is a desk for each zone of the content"
        )]
        let desk = desk.expect("a desk for each zone");
        desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mob(being: Being) -> bool {
    matches!(being, Being::Mob(_))
}
