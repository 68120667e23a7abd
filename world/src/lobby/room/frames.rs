//! `[pure]` The list of a room as frames: the same for all who get it with one tick.

use super::effect::Now;
use super::state::RoomState;
use crate::lobby::ids::Slot;
use crate::lobby::limits::PAGE_PLAYERS;
use crate::lobby::protocol::ServerMessage;
use crate::lobby::shared::Shared;
use std::sync::Arc;

/// Pages and history, made when the first wants them.
#[derive(Debug, Default)]
pub(super) struct Pages(Option<Vec<Arc<Shared>>>);

impl Pages {
    /// The whole of a room for the one in this place: the room, all pages, the history.
    pub(super) fn whole<P: Clone>(
        &mut self,
        room: &RoomState<P>,
        (you, instead): (Slot, bool),
        now: Now,
    ) -> Vec<Arc<Shared>> {
        let shared = self.0.get_or_insert_with(|| room.pages(now));
        let first = ServerMessage::Room {
            room: room.entry(),
            you,
            seq: room.seq(),
            instead,
        };
        let mut frames = Vec::with_capacity(1 + shared.len());
        frames.push(Arc::new(Shared::of_room(room.about().id, vec![first])));
        frames.extend(shared.iter().cloned());
        frames
    }
}

impl<P: Clone> RoomState<P> {
    fn pages(&self, now: Now) -> Vec<Arc<Shared>> {
        let id = self.about.id;
        let players: Vec<_> = self.list(now).collect();
        let mut pages: Vec<_> = players.chunks(PAGE_PLAYERS).map(<[_]>::to_vec).collect();
        if pages.is_empty() {
            pages.push(Vec::new());
        }
        let count = pages.len();
        let mut frames = Vec::with_capacity(count + 1);
        for (index, players) in pages.into_iter().enumerate() {
            let last = index + 1 == count;
            let page = ServerMessage::Players { players, last };
            frames.push(Arc::new(Shared::of_room(id, vec![page])));
        }
        if !self.history.is_empty() {
            let lines = self.history.iter().cloned().collect();
            let history = ServerMessage::History { lines };
            frames.push(Arc::new(Shared::of_room(id, vec![history])));
        }
        frames
    }
}
