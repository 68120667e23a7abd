//! `[process]` What all processes of the wires know together.

use super::figures::WireFigures;
use super::handshake::{First, Hello, Mismatch, Ours, Versions, Whom, check};
use super::join::Place;
use super::known::Known;
use super::outbox::{Closed, Outbox};
use super::rules::Rules;
use super::seats::{Seated, Seats};
use super::troubles::Troubles;
use crate::counts::Carried;
use crate::ids::{ContentHash, Incarnation, NodeId, NodeName};
use crate::transport::{Class, Lane, Member, Transport, Unsent};
use belay_runtime::{Address, Capacity, DynamicOptions, DynamicSupervisor, Mailbox};
use bytes::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the process of a side is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideMessage {
    /// The members, or who we are, changed.
    Changed,
    /// A node's wait is over.
    Dial(NodeId),
}

/// One lane.
pub(crate) struct Side {
    pub(crate) seats: Arc<Seats>,
    /// Its connections, half-done ones included.
    pub(crate) connections: DynamicSupervisor,
    pub(crate) mailbox: Mailbox<SideMessage>,
    side: Address<SideMessage>,
}

/// What all processes of the wires know together.
pub(crate) struct Shared {
    pub(crate) rules: Rules,
    control: Side,
    play: Side,
    /// Of the process that knocks at nodes to which there is no wire.
    pub(crate) knocks: Mailbox<SideMessage>,
    knocker: Address<SideMessage>,
    state: Mutex<State>,
    troubles: Mutex<Troubles>,
    /// Tells tests that there is trouble.
    #[cfg(test)]
    pub(crate) troubled: tokio::sync::Notify,
}

struct State {
    me: Hello,
    /// Where others reach us.
    address: String,
    contents: Vec<ContentHash>,
    known: Known,
}

impl Side {
    fn new(lane: Lane, rules: &Rules) -> Self {
        let name = match lane {
            Lane::Control => "control-connections",
            Lane::Play => "play-connections",
        };
        let options = DynamicOptions {
            max_children: rules.connections_max,
            ..DynamicOptions::default()
        };
        let mailbox = Mailbox::new(Capacity::new(1));
        Self {
            seats: Arc::new(Seats::new(lane)),
            connections: DynamicSupervisor::new(name, options),
            side: mailbox.address(),
            mailbox,
        }
    }
}

impl Shared {
    pub(crate) fn new(me: Hello, rules: Rules) -> Self {
        let knocks = Mailbox::new(Capacity::new(1));
        Self {
            knocker: knocks.address(),
            knocks,
            control: Side::new(Lane::Control, &rules),
            play: Side::new(Lane::Play, &rules),
            state: Mutex::new(State {
                me,
                address: String::new(),
                contents: Vec::new(),
                known: Known::default(),
            }),
            troubles: Mutex::default(),
            #[cfg(test)]
            troubled: tokio::sync::Notify::new(),
            rules,
        }
    }

    pub(crate) fn side(&self, lane: Lane) -> &Side {
        match lane {
            Lane::Control => &self.control,
            Lane::Play => &self.play,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Who we are.
    pub(crate) fn me(&self) -> Hello {
        self.state().me.clone()
    }

    /// Our first frame.
    pub(crate) fn first(&self, lane: Lane) -> First {
        let state = self.state();
        First {
            versions: self.rules.versions,
            lane,
            hello: state.me.clone(),
            address: state.address.clone(),
        }
    }

    /// Others reach us there.
    pub(crate) fn reached_at(&self, address: String) {
        self.state().address = address;
    }

    /// Which life of a member to reach where.
    pub(crate) fn aim(&self, node: NodeId) -> Option<(Incarnation, String)> {
        let state = self.state();
        let (life, address) = state.known.aim(node)?;
        Some((life, address.to_owned()))
    }

    /// Whether this word about a member is newer than what is known here.
    pub(crate) fn is_newer(&self, place: &Place) -> bool {
        self.state().known.is_news(place)
    }

    /// A member has shown where it is, without a wire: it is dialled there at once, if it is on
    /// us to dial, and wires of its earlier lives are closed. Tells where all members are.
    pub(crate) fn meet(&self, node: NodeId, theirs: &First) -> Result<Vec<Place>, Mismatch> {
        let (news, known) = {
            let mut state = self.state();
            state.known.check(node, &theirs.hello)?;
            let before = state
                .known
                .aim(node)
                .map(|(life, at)| (life, at.to_owned()));
            state.known.saw(node, theirs);
            let after = state.known.aim(node);
            let before = before.as_ref().map(|(life, at)| (*life, at.as_str()));
            (before != after, state.known.clone())
        };
        if news {
            self.close_past(&known);
            self.changed();
        }
        Ok(known.places())
    }

    pub(crate) fn versions(&self) -> Versions {
        self.rules.versions
    }

    /// The other members.
    pub(crate) fn members(&self) -> Vec<Member> {
        self.state().known.members().cloned().collect()
    }

    /// A member.
    pub(crate) fn member(&self, node: NodeId) -> Option<Member> {
        self.state().known.member(node).cloned()
    }

    /// Whether to go on with who is at the other end.
    pub(crate) fn check(&self, first: &First, theirs: &First, whom: &Whom) -> Result<(), Mismatch> {
        let state = self.state();
        let ours = Ours {
            first,
            contents: &state.contents,
            known: &state.known,
        };
        check(&ours, theirs, whom)
    }

    /// A wire of the node sits down. Checked again, since much may have changed since the first
    /// frame: what is known is changed only here and before those that sit are looked through.
    pub(crate) fn sit(
        &self,
        ours: &First,
        theirs: &First,
        node: NodeId,
        outbox: &Arc<Outbox>,
    ) -> Result<Seated, Mismatch> {
        let hello = &theirs.hello;
        {
            let mut state = self.state();
            state.known.check(node, hello)?;
            state.known.saw(node, theirs);
        }
        let seats = &self.side(ours.lane).seats;
        let seated = seats.take(node, hello.incarnation, outbox);
        let seated = seated.map_err(|later| Mismatch::OldLife {
            name: hello.name.clone(),
            known: later,
            theirs: hello.incarnation,
        })?;
        // Who was told to leave before it sat has not heard it.
        let state = self.state();
        if !state.known.stands(node, hello.incarnation) {
            outbox.close(Closed::NotAMember);
        }
        if state.me.incarnation != ours.hello.incarnation {
            outbox.close(Closed::NewLife);
        }
        Ok(seated)
    }

    /// An empty queue for a wire, with the mailbox of its process.
    pub(crate) fn outbox(&self, lane: Lane) -> (Arc<Outbox>, Mailbox<Bytes>) {
        let room = self.rules.lane(lane).room;
        Outbox::new(lane, room, &self.side(lane).seats.figures)
    }

    /// Whether this trouble with this peer is news.
    pub(crate) fn is_news(&self, peer: &str, trouble: &str) -> bool {
        lock(&self.troubles).is_news(peer, trouble)
    }

    /// A connection came to nothing.
    pub(crate) fn trouble(&self, lane: Lane, peer: &str, reason: &str) {
        self.side(lane).seats.figures.refused.add(1);
        if self.is_news(peer, reason) {
            tracing::warn!(peer, ?lane, reason, "no wire");
        } else {
            tracing::debug!(peer, ?lane, reason, "no wire");
        }
        #[cfg(test)]
        self.troubled.notify_waiters();
    }

    /// A wire stands.
    pub(crate) fn stands(&self, lane: Lane, peer: &NodeName) {
        lock(&self.troubles).forget(peer.as_str());
        tracing::info!(%peer, ?lane, "wire up");
    }

    /// A wire ended.
    pub(crate) fn ended(&self, lane: Lane, peer: &NodeName, reason: &str) {
        tracing::info!(%peer, ?lane, reason, "wire down");
    }

    /// The last trouble with each peer with whom all is not well, by name or address.
    pub(crate) fn troubles(&self) -> Vec<(String, String)> {
        lock(&self.troubles).list()
    }

    pub(crate) fn live_as(&self, incarnation: Incarnation) {
        {
            let mut state = self.state();
            if state.me.incarnation == incarnation {
                return;
            }
            state.me.incarnation = incarnation;
        }
        for side in [&self.control, &self.play] {
            side.seats.close(|_, _| Some(Closed::NewLife));
        }
        self.changed();
    }

    pub(crate) fn accept_contents(&self, contents: &[ContentHash]) {
        self.state().contents = contents.to_vec();
    }

    pub(crate) fn set_content(&self, content: ContentHash) {
        self.state().me.content = content;
    }

    pub(crate) fn set_members(&self, members: &[Member]) {
        let known = {
            let mut state = self.state();
            let me = state.me.node;
            let others = members.iter().filter(|member| Some(member.node) != me);
            let others: Vec<Member> = others.cloned().collect();
            state.known.set(&others);
            state.known.clone()
        };
        for side in [&self.control, &self.play] {
            side.seats
                .tell_of(known.members().map(|member| member.node));
        }
        self.close_past(&known);
        self.changed();
    }

    /// Closes the wires of lives that are over, and of those that are members no more.
    fn close_past(&self, known: &Known) {
        for side in [&self.control, &self.play] {
            let over = |node, life| (!known.stands(node, life)).then_some(Closed::NotAMember);
            side.seats.close(over);
        }
    }

    fn changed(&self) {
        for side in [&self.control, &self.play] {
            // Full: it will look anyway. Closed: it does not run.
            drop(side.side.try_send(SideMessage::Changed));
        }
        drop(self.knocker.try_send(SideMessage::Changed));
    }

    pub(crate) fn figures(&self, lane: Lane) -> WireFigures {
        let seats = &self.side(lane).seats;
        let (standing, queued) = seats.standing();
        WireFigures {
            standing,
            queued,
            ..seats.figures.read()
        }
    }
}

/// What is behind these locks is whole whenever they are free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("me", &self.me())
            .finish_non_exhaustive()
    }
}

/// Sends over wires. A clone is the same.
#[derive(Clone, Debug)]
pub struct WireTransport(pub(crate) Arc<Shared>);

impl Transport for WireTransport {
    fn send(&self, to: NodeId, lane: Lane, class: Class, body: Bytes) -> Result<(), Unsent> {
        self.0.side(lane).seats.send(to, class, body)
    }

    fn members(&self, members: &[Member]) {
        self.0.set_members(members);
    }

    fn counts(&self, lane: Lane) -> Carried {
        let seats = &self.0.side(lane).seats;
        Carried {
            total: seats.figures.of_peer(None).frames,
            peers: seats.peers(),
        }
    }
}

impl WireTransport {
    /// This node lives this life from now on: its wires are closed, and opened anew as the new
    /// life.
    pub fn live_as(&self, incarnation: Incarnation) {
        self.0.live_as(incarnation);
    }

    /// This node has this content from now on. Wires that stand are left alone.
    pub fn set_content(&self, content: ContentHash) {
        self.0.set_content(content);
    }

    /// Nodes of these contents are accepted besides those of our own: while the content is changed
    /// from node to node. Wires that stand are left alone.
    pub fn accept_contents(&self, contents: &[ContentHash]) {
        self.0.accept_contents(contents);
    }

    /// What the wires of a lane have done.
    pub fn figures(&self, lane: Lane) -> WireFigures {
        self.0.figures(lane)
    }

    /// What is wrong with each peer to which there is no wire, or from which connections are
    /// refused, by its name or address.
    pub fn troubles(&self) -> Vec<(String, String)> {
        self.0.troubles()
    }
}
