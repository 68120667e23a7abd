//! `[pure]` Goal: no thing is ever lost or in two places. Method: a session plays at random against
//! two real rooms, a store in memory and another player, while asks are lost, refused and late and
//! the store fails; after each act each thing is in at most one place, and in the end in exactly
//! one, which the record names.

use super::stage::Play;
use crate::being::{Card, Entry, Item, JourneyStep};
use crate::command::Noun;
use crate::ids::{AccountId, Being, CharacterId, ItemId, LineId, MoveSeq, RoomId, SessionId};
use crate::room::{self, Answer, Ask, Cast, CrowdRules, Decision, Reach, RoomState};
use crate::sample::{HALL, YARD, lamp, world};
use crate::session::{
    Effect, Effects, Held, NotDelivered, Pending, StoreAnswer, StoreOrder, arrive, received,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

const ANN: Being = Being::Session(SessionId(1));
const BOB: Being = Being::Session(SessionId(2));
const THINGS: std::ops::RangeInclusive<i64> = 1..=4;

/// Who has a thing on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Room(RoomId),
    Ann,
    Bob,
}

/// What waits in a room's mailbox.
#[derive(Debug)]
enum Sent {
    Ask(LineId, Ask),
    Cast(Cast),
    /// The other player takes a thing.
    BobGets,
}

/// What waits in the session's mailbox.
#[derive(Debug)]
enum Came {
    Answer(LineId, Answer),
    Lost(LineId),
}

/// Everything there is.
struct Node {
    play: Play,
    rooms: Vec<RoomState<()>>,
    queues: Vec<VecDeque<Sent>>,
    busy: [bool; 2],
    inbox: VecDeque<Came>,
    orders: VecDeque<(LineId, StoreOrder)>,
    record: BTreeMap<i64, Owner>,
    bob: BTreeSet<i64>,
    bob_is_a_guest: bool,
    /// Given up; where they belong is on record.
    on_record: BTreeSet<i64>,
    over: bool,
}

/// Something that happens.
#[derive(Clone, Debug)]
enum Act {
    Type(&'static str),
    Room(usize),
    Lose(usize),
    Busy(usize, bool),
    Inbox,
    Store(bool),
    Pass(u64),
    BobGets(usize),
    BobGives,
}

fn act() -> impl Strategy<Value = Act> {
    let text = prop_oneof![
        4 => Just("get lamp"),
        3 => Just("drop lamp"),
        2 => Just("give lamp to bob"),
        2 => Just("north"),
        2 => Just("south"),
    ];
    let quit = prop_oneof![30 => text, 1 => Just("quit")];
    prop_oneof![
        8 => quit.prop_map(Act::Type),
        10 => (0..2_usize).prop_map(Act::Room),
        2 => (0..2_usize).prop_map(Act::Lose),
        1 => (0..2_usize, any::<bool>()).prop_map(|(room, busy)| Act::Busy(room, busy)),
        10 => Just(Act::Inbox),
        5 => prop_oneof![4 => Just(true), 1 => Just(false)].prop_map(Act::Store),
        2 => prop_oneof![Just(1), Just(6), Just(70)].prop_map(Act::Pass),
        2 => (0..2_usize).prop_map(Act::BobGets),
        1 => Just(Act::BobGives),
    ]
}

impl Node {
    fn new(guest: bool, bob_is_a_guest: bool) -> Self {
        let account = (!guest).then_some((AccountId(7), CharacterId(1)));
        let mut node = Self {
            play: Play::nowhere(account),
            rooms: vec![RoomState::new(HALL), RoomState::new(YARD)],
            queues: vec![VecDeque::new(), VecDeque::new()],
            busy: [false; 2],
            inbox: VecDeque::new(),
            orders: VecDeque::new(),
            record: BTreeMap::new(),
            bob: BTreeSet::new(),
            bob_is_a_guest,
            on_record: BTreeSet::new(),
            over: false,
        };
        for id in THINGS {
            let at = usize::from(id == 4);
            node.rooms[at].stock(lamp(id));
            node.record.insert(id, Owner::Room(node.rooms[at].id()));
        }
        let card = node.bobs_card();
        for at in 0..2 {
            let (card, seq, how) = (card.clone(), MoveSeq(1), Entry::Stay);
            node.decide(at, BOB, Ask::Enter { seq, card, how });
        }
        let effects = node
            .play
            .step(|state, scene, out| arrive(state, scene, (HALL, Reach::Open), out));
        node.carry_out(effects);
        node
    }

    fn bobs_card(&self) -> Arc<Card> {
        Arc::new(Card {
            name: "Bob".into(),
            description: "Plain.".into(),
            character: (!self.bob_is_a_guest).then_some(CharacterId(2)),
            mob: None,
            away: false,
            linkdead: false,
        })
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Type(text) => {
                if !self.over && self.play.state.ready() {
                    let effects = self.play.typed(text);
                    self.carry_out(effects);
                }
            }
            Act::Room(at) => self.room(at),
            Act::Lose(at) => match self.queues[at].pop_front() {
                Some(Sent::Ask(line, _)) => self.inbox.push_back(Came::Lost(line)),
                Some(kept @ Sent::Cast(_)) => self.queues[at].push_front(kept),
                Some(Sent::BobGets) | None => {}
            },
            Act::Busy(at, busy) => self.busy[at] = busy,
            Act::Inbox => self.receive(),
            Act::Store(works) => self.store(works),
            Act::Pass(seconds) => {
                let effects = self.play.after(Duration::from_secs(seconds));
                self.carry_out(effects);
            }
            Act::BobGets(at) => self.queues[at].push_back(Sent::BobGets),
            Act::BobGives => self.bob_gives(),
        }
    }

    fn carry_out(&mut self, effects: Effects) {
        if self.over {
            return;
        }
        for effect in effects {
            match effect {
                Effect::Ask(line, room, ask) => self.ask(line, room, ask),
                Effect::Travel(line, JourneyStep::Enter(room, seq, how)) => {
                    let card = self.play.state.card.clone();
                    self.ask(line, room, Ask::Enter { seq, card, how });
                }
                Effect::Travel(line, JourneyStep::Leave(room, seq, way)) => {
                    self.ask(line, room, Ask::Leave { seq, way });
                }
                Effect::Travel(_, JourneyStep::Gone(room, seq, how)) => {
                    self.cast(room, Cast::Gone { seq, how });
                }
                Effect::Cast(room, cast) => self.cast(room, cast),
                Effect::Store(line, order) => self.orders.push_back((line, order)),
                Effect::Deliver(gift) => {
                    self.bob.insert(gift.held.item.id.0);
                }
                Effect::LeftOnRecord(item) => {
                    self.on_record.insert(item.id.0);
                }
                Effect::End(_) => {
                    self.over = true;
                    for ask in &self.play.state.asks {
                        self.on_record.extend(on_its_way(&ask.what));
                    }
                }
                Effect::Show(_)
                | Effect::Tell { .. }
                | Effect::Who(_)
                | Effect::Talk(_)
                | Effect::Network(_)
                | Effect::Save(_)
                | Effect::Hide(_)
                | Effect::Color(_)
                | Effect::ShowColor
                | Effect::ScreenReader(_)
                | Effect::ShowScreenReader
                | Effect::Roster
                | Effect::Goto(_)
                | Effect::Kick { .. }
                | Effect::Ban(_)
                | Effect::CrashSession(_)
                | Effect::Shutdown
                | Effect::Done { .. } => {}
            }
        }
    }

    fn ask(&mut self, line: LineId, room: RoomId, ask: Ask) {
        if self.busy[index(room)] {
            let effects = self.play.refused(line.0, NotDelivered::Busy);
            self.carry_out(effects);
        } else {
            self.queues[index(room)].push_back(Sent::Ask(line, ask));
        }
    }

    fn cast(&mut self, room: RoomId, cast: Cast) {
        self.queues[index(room)].push_back(Sent::Cast(cast));
    }

    /// A room handles its next message.
    fn room(&mut self, at: usize) {
        match self.queues[at].pop_front() {
            Some(Sent::Ask(line, ask)) => {
                for answer in self.decide(at, ANN, ask) {
                    self.inbox.push_back(Came::Answer(line, answer));
                }
            }
            Some(Sent::Cast(cast)) => {
                self.step(at, |state, scene, out| {
                    room::decide_cast(state, scene, ANN, cast, out);
                });
            }
            Some(Sent::BobGets) => {
                for answer in self.decide(at, BOB, Ask::Get(Noun::first("lamp"))) {
                    if let Answer::Handed(_, item) = answer {
                        assert!(self.bob.insert(item.id.0), "{item:?} is in two places");
                        self.record.insert(item.id.0, Owner::Bob);
                    }
                }
            }
            None => {}
        }
    }

    fn decide(&mut self, at: usize, being: Being, ask: Ask) -> Vec<Answer> {
        let mut answers = Vec::new();
        let effects = self.step(at, |state, scene, out| {
            room::decide(state, scene, (being, &()), ask, out);
        });
        for effect in effects {
            if let room::Effect::Answer(answer) = effect {
                answers.push(answer);
            }
        }
        answers
    }

    fn step(
        &mut self,
        at: usize,
        decide: impl FnOnce(&RoomState<()>, room::Scene<'_>, &mut Decision<()>),
    ) -> Vec<room::Effect<()>> {
        let world = world();
        let scene = room::Scene {
            world: &world,
            room: world.room(self.rooms[at].id()).unwrap(),
            crowd: CrowdRules {
                size: 100,
                gap: Duration::ZERO,
                size_large: 100,
                gap_large: Duration::ZERO,
            },
        };
        let mut decision = Decision::default();
        decide(&self.rooms[at], scene, &mut decision);
        for change in decision.changes {
            self.rooms[at].apply(change);
        }
        decision.effects
    }

    /// The session handles its next message; when it is over, as its process does.
    fn receive(&mut self) {
        let Some(came) = self.inbox.pop_front() else {
            return;
        };
        if self.over {
            if let Came::Answer(_, Answer::Handed(room, item)) = came {
                self.cast(room, Cast::PutBack(item));
            }
            return;
        }
        let effects = match came {
            Came::Answer(line, answer) => self.play.answer(line.0, answer),
            Came::Lost(line) => self.play.lost(line.0),
        };
        self.carry_out(effects);
    }

    /// The store handles its next order.
    fn store(&mut self, works: bool) {
        let Some((line, order)) = self.orders.pop_front() else {
            return;
        };
        let room = |room: Option<RoomId>| room.map(Owner::Room);
        let (item, from, to) = match order {
            StoreOrder::Take { from, item } => (item, Owner::Room(from), Owner::Ann),
            StoreOrder::Lay { to, item, recorded } => {
                let from = room(recorded).unwrap_or(Owner::Ann);
                (item, from, Owner::Room(to))
            }
            StoreOrder::Give(gift) => {
                let from = room(gift.held.recorded).unwrap_or(Owner::Ann);
                let to = room(gift.recorded).unwrap_or(Owner::Bob);
                (gift.held.item, from, to)
            }
            StoreOrder::CheckPassword(_) | StoreOrder::SetPassword(_) | StoreOrder::Token => {
                return;
            }
        };
        let owner = self.record.get_mut(&item.id.0).unwrap();
        assert_eq!(*owner, from, "{item:?} is given by who does not have it");
        let answer = if works {
            *owner = to;
            StoreAnswer::Recorded
        } else {
            StoreAnswer::Failed
        };
        if !self.over {
            let effects = self.play.stored(line.0, answer);
            self.carry_out(effects);
        }
    }

    /// The other player hands a thing back, as a gift that is on record.
    fn bob_gives(&mut self) {
        let mine = |id: &i64| self.record[id] == Owner::Bob;
        let Some(id) = self.bob.iter().copied().find(mine) else {
            return;
        };
        let guest = self.play.state.guest();
        if self.over || guest {
            return;
        }
        self.bob.remove(&id);
        self.record.insert(id, Owner::Ann);
        let held = Held {
            item: lamp(id),
            recorded: None,
        };
        let effects = self
            .play
            .step(|state, scene, out| received(state, scene, "Bob".into(), held, out));
        self.carry_out(effects);
    }

    /// In which places a thing is, and who should have it on record then.
    fn places(&self, id: i64) -> Vec<Owner> {
        let mut places = Vec::new();
        for room in &self.rooms {
            let here = room.items().iter().filter(|item| item.id == ItemId(id));
            places.extend(here.map(|_| Owner::Room(room.id())));
        }
        if !self.over {
            let held = self.play.state.inventory.iter();
            let held = held.filter(|held| held.item.id == ItemId(id));
            places.extend(held.map(|held| held.recorded.map_or(Owner::Ann, Owner::Room)));
        }
        if self.bob.contains(&id) {
            // A guest's things are on record where they came from.
            places.push(match self.record[&id] {
                Owner::Room(room) => Owner::Room(room),
                Owner::Ann | Owner::Bob => Owner::Bob,
            });
        }
        places
    }

    /// Everything that waits is done, and time passes.
    fn come_to_rest(&mut self) {
        self.busy = [false; 2];
        for round in 0..200 {
            for at in 0..2 {
                self.room(at);
            }
            self.receive();
            self.store(true);
            if round % 20 == 19 {
                self.act(&Act::Pass(6));
            }
        }
    }
}

fn index(room: RoomId) -> usize {
    usize::try_from(room.0).unwrap()
}

/// The thing that a pending ask carries.
fn on_its_way(what: &Pending) -> Option<i64> {
    let item: Item = match what {
        Pending::GetRecorded { item, .. } | Pending::Place { item, .. } => *item,
        Pending::DropRecorded { held, .. } => held.item,
        Pending::GiveRecorded(gift) => gift.held.item,
        Pending::Show(_)
        | Pending::Talk
        | Pending::Leave
        | Pending::Enter
        | Pending::Return
        | Pending::Get
        | Pending::GiveTo(_)
        | Pending::Password
        | Pending::Token => return None,
    };
    Some(item.id.0)
}

proptest! {
    #[test]
    fn things_are_never_lost_nor_doubled(
        guest in any::<bool>(),
        bob_is_a_guest in any::<bool>(),
        acts in prop::collection::vec(act(), 1..120),
    ) {
        let mut node = Node::new(guest, bob_is_a_guest);
        for act in &acts {
            node.act(act);
            for id in THINGS {
                let places = node.places(id);
                prop_assert!(places.len() <= 1, "{} after {:?}: {:?}", id, act, places);
            }
        }
        node.come_to_rest();
        prop_assert!(node.over || !node.play.state.moves_things(), "{:?}", node.play.state.asks);
        for id in THINGS {
            let places = node.places(id);
            if node.on_record.contains(&id) {
                prop_assert!(places.len() <= 1, "{}: {:?}", id, places);
            } else {
                // Who has left has what is on record, until the next login.
                let owner = [node.record[&id]];
                let left = node.over && owner == [Owner::Ann];
                prop_assert_eq!(&places[..], if left { &[] } else { &owner[..] }, "{}", id);
            }
        }
    }
}
