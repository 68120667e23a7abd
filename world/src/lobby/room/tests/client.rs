//! `[pure]` A client that believes only what it is told, and fails on nonsense.

use crate::lobby::ids::{Seq, Slot};
use crate::lobby::protocol::{
    Change, Chat, Field, PlayerEntry, RoomEntry, ServerMessage, Status, TickBody,
};
use crate::lobby::shared::Shared;
use std::collections::BTreeMap;

/// In longer lists names are not compared with all others.
const NAMES_CHECKED: usize = 20;

/// What a client knows of its room.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    pub(super) players: BTreeMap<Slot, PlayerEntry>,
    pub(super) room: Option<RoomEntry>,
    pub(super) you: Slot,
    pub(super) seq: Seq,
    pub(super) heard: Vec<Chat>,
    pub(super) history: Vec<Chat>,
    pub(super) snapshots: usize,
    list_is_whole: bool,
}

impl Client {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever else there is, a room does not say it"
    )]
    pub(super) fn apply(&mut self, frame: &Shared) {
        for message in frame.messages() {
            match message {
                ServerMessage::Room { room, you, seq, .. } => {
                    let snapshots = self.snapshots + 1;
                    *self = Self {
                        room: Some(room.clone()),
                        you: *you,
                        seq: *seq,
                        snapshots,
                        ..Self::default()
                    };
                }
                ServerMessage::Players { players, last } => {
                    assert!(!self.list_is_whole, "a page after the last");
                    self.list_is_whole = *last;
                    players.iter().for_each(|player| self.add(player));
                }
                ServerMessage::History { lines } => self.history.clone_from(lines),
                ServerMessage::Resumed { seq, .. } => {
                    assert_eq!(*seq, self.seq, "resumed at another tick");
                }
                ServerMessage::Tick(body) => self.tick(body),
                other => panic!("a room does not say {other:?}"),
            }
        }
    }

    fn tick(&mut self, body: &TickBody) {
        assert!(self.list_is_whole, "a tick before the list");
        assert_eq!(body.seq.0, self.seq.0 + 1, "a gap, or a tick twice");
        self.seq = body.seq;
        for left in &body.left {
            let gone = self.players.remove(&left.slot);
            assert!(gone.is_some(), "{left:?} was not there");
        }
        body.joined.iter().for_each(|player| self.add(player));
        body.changed.iter().for_each(|change| self.change(change));
        for chat in &body.chat {
            let named = !chat.name.is_empty();
            assert!(named != chat.slot.is_some(), "who said {chat:?}?");
            if let Some(slot) = chat.slot {
                assert!(self.players.contains_key(&slot), "nobody sits at {slot:?}");
            }
        }
        self.heard.extend(body.chat.iter().cloned());
        if let Some(room) = &body.room {
            self.room = Some(room.clone());
        }
    }

    fn add(&mut self, player: &PlayerEntry) {
        let before = self.players.insert(player.slot, player.clone());
        assert_eq!(before, None, "added twice: {player:?}");
        if self.players.len() > NAMES_CHECKED {
            return;
        }
        let same = |other: &&PlayerEntry| other.name == player.name;
        assert_eq!(self.players.values().filter(same).count(), 1, "{player:?}");
    }

    fn change(&mut self, change: &Change) {
        let player = self.players.get_mut(&change.slot);
        let player = player.unwrap_or_else(|| panic!("nobody sits there: {change:?}"));
        assert!(!change.fields.is_empty(), "a change of nothing");
        for field in &change.fields {
            match field.clone() {
                Field::Status(status) => player.status = status,
                Field::Wins(wins) => player.wins = wins,
                Field::Losses(losses) => player.losses = losses,
                Field::PlayedS(played_s) => player.played_s = played_s,
                Field::Flags(flags) => player.flags = flags,
                Field::Score(score) => player.score = score,
            }
        }
    }

    /// The players as it knows them; how long somebody is idle grows by itself.
    pub(super) fn list(&self) -> Vec<PlayerEntry> {
        self.players.values().cloned().map(without_idle).collect()
    }
}

/// The same, with idle times that do not differ.
pub(super) fn without_idle(mut player: PlayerEntry) -> PlayerEntry {
    if let Status::Idle(for_s) = &mut player.status {
        *for_s = 0;
    }
    player
}
