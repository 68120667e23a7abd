//! `[pure]` What the hall knows, and what follows from what it is told. How rooms and guests are
//! reached it does not know: an entry is whatever its owner says it is.

use super::places::{Place, Places};
use super::watch::Watches;
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::ids::HallRoomId;
use crate::lobby::limits::{LIST_TICK, ROOMS_MAX, ROOMS_OWNED_MAX};
use crate::lobby::protocol::{Access, Code, RoomEntry, RoomPick, RoomWish};
use crate::lobby::room::{About, Answered, wrong_wish};
use crate::lobby::shared::Shared;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// What rooms that open by themselves are called, with a number from the second on.
const HEADQUARTERS: &str = "Headquarters";

/// What the hall is told; `E` is somebody who wants in.
#[derive(Debug)]
pub enum Input<E> {
    /// Somebody wants in.
    Place(RoomPick, E),
    /// This room had no seat for somebody, who had asked for it by name, or (`any`) for none.
    Full {
        /// The room.
        room: HallRoomId,
        /// Any will do.
        any: bool,
        /// Who.
        entry: E,
    },
    /// Somebody of this name wants a room of their own.
    Create(RoomWish, Text, E),
    /// A room says how it is.
    Room(RoomEntry),
    /// A room is closed, or was lost.
    Closed(HallRoomId),
    /// A room stays open.
    Kept(HallRoomId),
    /// Who sits there since the last time, and who does not any more.
    Seats(HallRoomId, Vec<Text>, Vec<Text>),
    /// This guest is told that part of the list; a count of 0: no longer.
    Watch(SessionId, u32, u16),
    /// The socket of this guest took no more.
    Stale(SessionId),
    /// A guest is gone.
    Gone(SessionId),
    /// Time has passed.
    Tick,
}

/// What the hall does.
#[derive(Debug)]
pub enum Effect<E> {
    /// Open this room.
    Open(About),
    /// Hand somebody on to this room.
    Hand {
        /// The room.
        room: HallRoomId,
        /// Who.
        entry: E,
        /// They asked for another.
        instead: bool,
        /// Any will do.
        any: bool,
    },
    /// There is no seat for somebody: why, for programs and people, and after how many milliseconds
    /// to try again.
    Refuse(E, Code, Text, u32),
    /// This room shall close, if nobody is in it.
    Close(HallRoomId),
    /// Tell these.
    Tell(Arc<Shared>, Vec<SessionId>),
}

/// The state of the hall.
#[derive(Debug)]
pub struct HallState {
    seats: u16,
    places: Places,
    /// Where people are, by name in small letters.
    whereabouts: HashMap<String, HallRoomId>,
    next: u32,
    watches: Watches,
    ticked: Option<Instant>,
}

impl HallState {
    /// A hall without rooms, whose own rooms have so many seats.
    pub fn new(seats: u16) -> Self {
        Self {
            seats,
            places: Places::default(),
            whereabouts: HashMap::new(),
            next: 1,
            watches: Watches::default(),
            ticked: None,
        }
    }

    /// Headquarters open, if they are not.
    pub fn begin<E>(&mut self, effects: &mut Vec<Effect<E>>) {
        if self.places.headquarters_free() == 1 {
            self.open_headquarters(effects);
        }
    }

    /// When the next [`Input::Tick`] has something to do.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        let after = self.ticked.map_or(now, |ticked| ticked + LIST_TICK);
        self.watches.is_pending().then_some(after)
    }

    /// All rooms, in the order of their numbers.
    pub fn rooms(&self) -> impl Iterator<Item = &RoomEntry> {
        self.places.iter().map(|place| &place.entry)
    }

    /// Decides what follows from `input`, and remembers it.
    pub fn step<E>(&mut self, input: Input<E>, now: Instant, effects: &mut Vec<Effect<E>>) {
        match input {
            Input::Place(pick, entry) => self.place(pick, entry, effects),
            Input::Full { room, any, entry } => {
                // Until it says otherwise.
                self.places.change(room, |place| {
                    place.entry.players = place.entry.players.max(place.entry.seats);
                });
                self.watches.changed(room);
                self.elsewhere(entry, any, effects);
            }
            Input::Create(wish, owner, entry) => self.create(wish, &owner, entry, effects),
            Input::Room(entry) => {
                let room = entry.room;
                self.places.change(room, |place| {
                    place.entry = entry;
                    place.sent = 0;
                });
                self.watches.changed(room);
            }
            Input::Closed(room) => self.closed(room, effects),
            Input::Kept(room) => self.places.change(room, |place| place.is_closing = false),
            Input::Seats(room, came, left) => self.seats(room, &came, &left),
            Input::Watch(guest, from, count) => self.watches.watch(guest, from, count),
            Input::Stale(guest) => self.watches.stale(guest),
            Input::Gone(guest) => self.watches.gone(guest),
            Input::Tick => self.tick(now, effects),
        }
        self.close_needless(effects);
    }

    fn tick<E>(&mut self, now: Instant, effects: &mut Vec<Effect<E>>) {
        let is_due = self.ticked.is_none_or(|ticked| now >= ticked + LIST_TICK);
        if is_due && self.watches.is_pending() {
            self.ticked = Some(now);
            let told = self.watches.tick(&self.places);
            effects.extend(told.into_iter().map(|(frame, to)| Effect::Tell(frame, to)));
        }
    }

    fn place<E>(&mut self, pick: RoomPick, entry: E, effects: &mut Vec<Effect<E>>) {
        let room = match pick {
            RoomPick::Any => return self.elsewhere(entry, true, effects),
            RoomPick::Room(room) => Some(room),
            RoomPick::Player(name) => self.whereabouts.get(&name.to_lowercase()).copied(),
        };
        let known = room.and_then(|room| Some((room, self.places.get(room)?)));
        match known {
            None => {
                let text = "There is no such room, or nobody of that name is in one.".into();
                effects.push(Effect::Refuse(entry, Code::Gone, text, 0));
            }
            Some((room, place)) if place.has_seat() => {
                self.hand(room, entry, (false, false), effects);
            }
            Some(_) => self.elsewhere(entry, false, effects),
        }
    }

    /// Into whichever room has a seat; into a new one if none has.
    fn elsewhere<E>(&mut self, entry: E, any: bool, effects: &mut Vec<Effect<E>>) {
        let best = self.places.best();
        match best.or_else(|| self.open_headquarters(effects)) {
            Some(room) => self.hand(room, entry, (!any, any), effects),
            None => {
                let text = "All rooms are full.".into();
                effects.push(Effect::Refuse(entry, Code::Full, text, 5_000));
            }
        }
    }

    fn hand<E>(
        &mut self,
        room: HallRoomId,
        entry: E,
        (instead, any): (bool, bool),
        effects: &mut Vec<Effect<E>>,
    ) {
        self.places.change(room, |place| {
            place.sent = place.sent.saturating_add(1);
        });
        effects.push(Effect::Hand {
            room,
            entry,
            instead,
            any,
        });
    }

    fn open_headquarters<E>(&mut self, effects: &mut Vec<Effect<E>>) -> Option<HallRoomId> {
        let number = self.places.headquarters_free();
        let name = if number == 1 {
            HEADQUARTERS.to_owned()
        } else {
            format!("{HEADQUARTERS} {number}")
        };
        let about = About {
            id: HallRoomId(self.next),
            name: name.into(),
            seats: self.seats,
            access: Access::Open,
            owner: None,
        };
        self.open(about, Some(number), effects)
    }

    fn open<E>(
        &mut self,
        about: About,
        headquarters: Option<u32>,
        effects: &mut Vec<Effect<E>>,
    ) -> Option<HallRoomId> {
        let room = about.id;
        if self.places.len() >= ROOMS_MAX as usize {
            return None;
        }
        self.next += 1;
        let entry = RoomEntry {
            room,
            name: about.name.clone(),
            players: 0,
            seats: about.seats,
            access: about.access,
        };
        self.places.insert(Place {
            entry,
            headquarters,
            owner: about.owner.clone(),
            sent: 0,
            is_closing: false,
        });
        self.watches.changed(room);
        effects.push(Effect::Open(about));
        Some(room)
    }

    fn create<E>(&mut self, wish: RoomWish, owner: &Text, entry: E, effects: &mut Vec<Effect<E>>) {
        if let Some((code, text)) = self.cannot_create(&wish, owner) {
            return effects.push(Effect::Refuse(entry, code, text, 0));
        }
        let name = wish.name.unwrap_or_else(|| usual_name(owner));
        let about = About {
            id: HallRoomId(self.next),
            name,
            seats: wish.seats.unwrap_or(self.seats),
            access: wish.access.unwrap_or(Access::Open),
            owner: Some(owner.clone()),
        };
        match self.open(about, None, effects) {
            Some(room) => self.hand(room, entry, (false, false), effects),
            None => {
                let text = "There are as many rooms as there can be.".into();
                effects.push(Effect::Refuse(entry, Code::Full, text, 5_000));
            }
        }
    }

    fn cannot_create(&self, wish: &RoomWish, owner: &Text) -> Option<(Code, Text)> {
        if let Some(Answered::Refused(code, text, _)) = wrong_wish(wish) {
            return Some((code, text));
        }
        let name = wish.name.clone().unwrap_or_else(|| usual_name(owner));
        let name = name.to_lowercase();
        let mut names = self.rooms().map(|entry| entry.name.to_lowercase());
        if name.starts_with(&HEADQUARTERS.to_lowercase()) || names.any(|taken| taken == name) {
            return Some((Code::Text, "A room of that name is there already.".into()));
        }
        let own = self.places.iter().filter(|place| {
            let theirs = place.owner.as_ref();
            theirs.is_some_and(|theirs| theirs.to_lowercase() == owner.to_lowercase())
        });
        (own.count() >= ROOMS_OWNED_MAX).then(|| {
            let text = format!("One owns at most {ROOMS_OWNED_MAX} rooms.");
            (Code::Full, text.into())
        })
    }

    fn closed<E>(&mut self, room: HallRoomId, effects: &mut Vec<Effect<E>>) {
        if self.places.remove(room).is_some() {
            self.whereabouts.retain(|_, at| *at != room);
            self.watches.changed(room);
            self.begin(effects);
        }
    }

    fn seats(&mut self, room: HallRoomId, came: &[Text], left: &[Text]) {
        // A mover may have come elsewhere before the leaving is heard of.
        for name in left {
            let name = name.to_lowercase();
            if self.whereabouts.get(&name) == Some(&room) {
                self.whereabouts.remove(&name);
            }
        }
        if self.places.get(room).is_some() {
            let came = came.iter().map(|name| (name.to_lowercase(), room));
            self.whereabouts.extend(came);
        }
    }

    fn close_needless<E>(&mut self, effects: &mut Vec<Effect<E>>) {
        while let Some(room) = self.places.needless() {
            self.places.change(room, |place| place.is_closing = true);
            effects.push(Effect::Close(room));
        }
    }
}

/// What a room is called whose owner does not say.
fn usual_name(owner: &Text) -> Text {
    format!("Room of {owner}").into()
}
