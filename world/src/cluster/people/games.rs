//! `[process]` The bridge to other games among those of other nodes: where its socket is, and what
//! the bridges say to each other.

use super::exchange::Exchange;
use super::games_wire::{AnswerRecord, GamesMessage};
use super::wire::{Errand, PeopleMessage, Reply};
use crate::bridge::{Answer, Link, Post, Remote, Told, Word};
use crate::node::{Far, Found, Services};
use belay_cluster::{Epoch, Fence, NodeId, View};
use belay_gossip::client::{Tell, TellAnswer, TellOutcome};
use std::time::Instant;

/// Where the socket is.
#[derive(Debug, Default)]
pub(super) struct Socket {
    owned: Option<Fence>,
    owner: Option<NodeId>,
    /// It is on its way to another node.
    frozen: bool,
    /// The lease is about to lapse.
    suspended: bool,
}

impl Socket {
    pub(super) fn post(&self, me: NodeId, now: Instant) -> Post {
        match (&self.owned, self.owner) {
            (Some(fence), _) if !self.frozen && !self.suspended && fence.may_act(now) => Post::Here,
            (None, Some(owner)) if owner != me => Post::Elsewhere,
            (Some(_) | None, _) => Post::Nowhere,
        }
    }

    pub(super) fn run(&mut self, fence: Fence) {
        self.owned = Some(fence);
        self.frozen = false;
    }

    pub(super) fn stop(&mut self, epoch: Epoch) {
        self.owned = self.owned.take().filter(|fence| fence.epoch() != epoch);
    }

    pub(super) fn freeze(&mut self, epoch: Epoch, frozen: bool) {
        if self.epoch() == Some(epoch) {
            self.frozen = frozen;
        }
    }

    pub(super) fn suspend(&mut self, on: bool) {
        self.suspended = on;
    }

    /// In which term it is here.
    pub(super) fn epoch(&self) -> Option<Epoch> {
        self.owned.as_ref().map(Fence::epoch)
    }
}

impl Exchange {
    /// Something becomes of the socket; the client of this node is on or off accordingly.
    pub(super) fn games(&self, step: impl FnOnce(&mut Socket)) {
        self.socket(step);
        if let Some(node) = self.node() {
            node.bridge.placed();
        }
    }

    /// The cluster has changed.
    pub(super) fn games_changed(&self, node: &Services, view: &View) {
        let owner = view.owner(&super::shards::gossip());
        self.socket(|socket| socket.owner = owner.map(|(owner, _)| owner));
        node.bridge.placed();
    }

    /// A wire stands.
    pub(super) fn games_up(&self, node: &Services, peer: NodeId) {
        for word in node.bridge.words() {
            self.send(peer, &PeopleMessage::Games(GamesMessage::from(&word)));
        }
    }

    fn owner(&self) -> Option<NodeId> {
        self.socket(|socket| socket.owner)
            .filter(|owner| *owner != self.cluster.me())
    }
}

impl Link for Exchange {
    fn post(&self) -> Post {
        let (me, now) = (self.cluster.me(), tokio::time::Instant::now().into_std());
        self.socket(|socket| socket.post(me, now))
    }

    fn to_all(&self, word: Word) {
        self.send_all(&PeopleMessage::Games(GamesMessage::from(&word)));
    }

    fn to_socket(&self, word: Word) {
        if let Some(owner) = self.owner() {
            self.send(owner, &PeopleMessage::Games(GamesMessage::from(&word)));
        }
    }

    fn to_player(&self, name: &str, word: Word) {
        let found = self.node().and_then(|node| node.players.locate(name));
        if let Some(Found::There(far)) = found {
            self.send(far.node, &PeopleMessage::Games(GamesMessage::from(&word)));
        }
    }

    fn tell(&self, tell: Tell, answer: Answer) {
        let Some(node) = self.owner() else {
            return answer(TellAnswer::Offline);
        };
        let errand = Errand::ToGame {
            from_name: tell.from_name,
            to_name: tell.to_name,
            to_game: tell.to_game,
            message: tell.message,
        };
        // Whoever has the socket there, not a player.
        let far = Far {
            node,
            name: "".into(),
            guest: false,
        };
        let answered = Box::new(move |reply| match reply {
            Ok(Reply::Game(record)) => answer(TellAnswer::from(record)),
            Ok(_) | Err(_) => answer(TellAnswer::Offline),
        });
        self.ask(&far, errand, answered);
    }

    fn told(&self, from: &Remote, to: &str, text: &str, told: Told) {
        let found = self.node().and_then(|node| node.players.locate(to));
        let Some(Found::There(far)) = found else {
            return told(TellOutcome::Offline);
        };
        let errand = Errand::FromGame {
            name: from.name.to_string(),
            game: from.game.to_string(),
            text: text.to_owned(),
        };
        let answered = Box::new(move |reply| match reply {
            Ok(Reply::Read(true)) => told(TellOutcome::Shown),
            Ok(_) | Err(_) => told(TellOutcome::Offline),
        });
        self.ask(&far, errand, answered);
    }
}

/// A player of another node tells somebody in another game: the socket is here.
pub(super) fn tell(node: &Services, tell: Tell, reply: impl FnOnce(Reply) + Send + 'static) {
    let answer = Box::new(move |answer| reply(Reply::Game(AnswerRecord::from(answer))));
    node.bridge.tell_from_afar(tell, answer);
}
