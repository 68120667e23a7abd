//! `[pure]` Goal: what a room owes to those in it. Method: steps one by one, as tables; then random
//! asks against a simple model of who stands there and where each thing is.

use super::*;
use crate::being::{Card, Entry, Item, Parting};
use crate::command::Noun;
use crate::event::{Did, Event, Refusal, Seen, Text};
use crate::ids::{Being, Direction, ItemId, MobId, MoveSeq, SessionId};
use crate::limits;
use crate::sample::{ANVIL, EDGE, HALL, LAMP, YARD, lamp, world};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const RULES: CrowdRules = CrowdRules {
    size: 3,
    gap: Duration::from_millis(50),
    size_large: 5,
    gap_large: Duration::from_millis(100),
};

const ANN: Being = Being::Session(SessionId(1));
const BOB: Being = Being::Session(SessionId(2));
const CAT: Being = Being::Mob(MobId(0));

fn session(id: u64) -> Being {
    Being::Session(SessionId(id))
}

fn name(being: Being) -> Text {
    match being {
        ANN => "Ann".into(),
        BOB => "Bob".into(),
        CAT => "Mog the cat".into(),
        Being::Session(id) => format!("Guest{}", id.0).into(),
        Being::Mob(id) => format!("mob{}", id.0).into(),
    }
}

fn card(being: Being) -> Arc<Card> {
    Arc::new(Card {
        name: name(being),
        description: "Plain.".into(),
        character: None,
        mob: None,
        away: false,
        linkdead: false,
    })
}

/// A room without its process: each step is applied, its effects are returned.
struct Stage {
    state: RoomState<u8>,
}

impl Stage {
    fn empty() -> Self {
        Self {
            state: RoomState::new(HALL),
        }
    }

    fn with(beings: &[Being]) -> Self {
        let mut stage = Self::empty();
        for being in beings {
            stage.enter(*being, 1, Entry::Stay);
        }
        stage.step(|state, _, out| decide_tick(state, out));
        stage
    }

    fn step(
        &mut self,
        decide: impl FnOnce(&RoomState<u8>, Scene<'_>, &mut Decision<u8>),
    ) -> Vec<Effect<u8>> {
        let world = world();
        let scene = Scene {
            world: &world,
            room: world.room(HALL).unwrap(),
            crowd: RULES,
        };
        let mut decision = Decision::default();
        decide(&self.state, scene, &mut decision);
        for change in decision.changes {
            self.state.apply(change);
        }
        decision.effects
    }

    fn ask(&mut self, being: Being, ask: Ask) -> Vec<Effect<u8>> {
        self.step(|state, scene, out| decide(state, scene, (being, &7), ask, out))
    }

    fn cast(&mut self, being: Being, cast: Cast) -> Vec<Effect<u8>> {
        self.step(|state, scene, out| decide_cast(state, scene, being, cast, out))
    }

    fn enter(&mut self, being: Being, seq: u32, how: Entry) -> Vec<Effect<u8>> {
        let card = card(being);
        let seq = MoveSeq(seq);
        self.ask(being, Ask::Enter { seq, card, how })
    }

    fn leave(&mut self, being: Being, seq: u32, way: Direction) -> Vec<Effect<u8>> {
        let seq = MoveSeq(seq);
        self.ask(being, Ask::Leave { seq, way })
    }

    fn tick(&mut self) -> (Vec<Seen>, Vec<Seen>, Vec<Being>) {
        let effects = self.step(|state, _, out| decide_tick(state, out));
        let seen = |list: &[(Option<Being>, Seen)]| list.iter().map(|(_, s)| s.clone()).collect();
        match &*effects {
            [
                Effect::Tick {
                    all,
                    newcomers,
                    fresh,
                },
            ] => (seen(all), seen(newcomers), fresh.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn floor(&self) -> Vec<i64> {
        self.state.items().iter().map(|item| item.id.0).collect()
    }
}

fn answers(effects: &[Effect<u8>]) -> Vec<&Answer> {
    let mut found = Vec::new();
    for effect in effects {
        if let Effect::Answer(answer) = effect {
            found.push(answer);
        }
    }
    found
}

fn notices(effects: &[Effect<u8>]) -> Vec<Seen> {
    let mut found = Vec::new();
    for effect in effects {
        if let Effect::Notice(_, seen) = effect {
            found.push(seen.clone());
        }
    }
    found
}

/// One ask in a room with Ann, Bob, the cat, two lamps and an anvil: the answer, and what
/// bystanders see.
fn check(ask: Ask, answer: Answer, seen: &[Seen]) {
    let mut stage = furnished();
    let effects = stage.ask(ANN, ask.clone());
    assert_eq!(answers(&effects), [&answer], "{ask:?}");
    assert_eq!(notices(&effects), seen, "{ask:?}");
}

fn furnished() -> Stage {
    let mut stage = Stage::with(&[ANN, BOB, CAT]);
    stage.state.stock(lamp(1));
    stage.state.stock(lamp(2));
    stage.state.stock(Item {
        id: ItemId(3),
        prototype: ANVIL,
    });
    stage
}

fn show(event: Event) -> Answer {
    Answer::Show(Box::new(event))
}

fn refused(why: Refusal) -> Answer {
    show(Event::Refused(why))
}

fn not_here(word: &str) -> Answer {
    refused(Refusal::NotHere(word.into()))
}

fn thing(name: &str, description: &str) -> Answer {
    show(Event::ThingSeen {
        name: name.into(),
        description: description.into(),
    })
}

#[test]
fn each_look_has_its_answer() {
    let way = |way, room| show(Event::WaySeen { way, room });
    let exits = vec![(Direction::North, YARD), (Direction::Up, EDGE)];
    let look = |word| Ask::LookAt(Noun::first(word));
    let table = [
        (Ask::Exits, show(Event::ExitsListed(exits))),
        (
            Ask::LookWay(Direction::North),
            way(Direction::North, Some(YARD)),
        ),
        (Ask::LookWay(Direction::Down), way(Direction::Down, None)),
        (look("fire"), thing("hearth", "It is cold.")),
        (look("lamp"), thing("a brass lamp", "It is lit.")),
        (look("bob"), thing("Bob", "Plain.")),
        (look("ann"), not_here("ann")),
    ];
    for (ask, answer) in table {
        check(ask, answer, &[]);
    }
}

#[test]
fn each_deed_has_its_answer_and_what_bystanders_see() {
    let says = Seen::Says {
        who: "Ann".into(),
        text: "hm".into(),
    };
    let said = show(Event::Did(Did::Say("hm".into())));
    check(Ask::Say("hm".into()), said, &[says]);
    let emotes = Seen::Emotes {
        who: "Ann".into(),
        text: "nods.".into(),
    };
    let own = show(Event::Seen(emotes.clone()));
    check(Ask::Emote("nods.".into()), own, &[emotes]);
    let drops = Seen::Drops {
        who: "Ann".into(),
        item: "a brass lamp".into(),
    };
    let placed = |id| Answer::Placed(ItemId(id));
    check(Ask::Place(lamp(9)), placed(9), &[drops]);
    check(Ask::Place(lamp(1)), placed(1), &[]);
}

#[test]
fn things_and_people_are_found_or_not() {
    let noun = Noun::first;
    let too_heavy = refused(Refusal::NotTakeable("an anvil".into()));
    let person = Answer::Person {
        being: BOB,
        card: card(BOB),
    };
    let crashed = show(Event::Did(Did::Crash("Mog the cat".into())));
    let table = [
        (Ask::Get(noun("lamp")), Answer::Handed(HALL, lamp(1))),
        (Ask::Get(noun("anvil")), too_heavy),
        (Ask::Get(noun("sword")), not_here("sword")),
        (Ask::Who(noun("bob")), person),
        (Ask::Who(noun("ann")), not_here("ann")),
        (Ask::CrashMob(noun("mog")), crashed),
        (Ask::CrashMob(noun("bob")), not_here("bob")),
    ];
    for (ask, answer) in table {
        check(ask, answer, &[]);
    }
}

#[test]
fn nobody_is_let_out_where_there_is_no_way_or_with_another_number() {
    let leave = |seq, way| Ask::Leave {
        seq: MoveSeq(seq),
        way,
    };
    let stayed = Answer::Stayed {
        seq: MoveSeq(1),
        way: Direction::Down,
    };
    check(leave(1, Direction::Down), stayed, &[]);
    let unknown = Answer::Unknown(MoveSeq(9));
    check(leave(9, Direction::North), unknown, &[]);
}

#[test]
fn a_crash_is_not_answered_and_changes_nothing() {
    let mut stage = furnished();
    assert_eq!(stage.ask(ANN, Ask::Crash), [Effect::Crash]);
    assert_eq!(stage.floor(), [1, 2, 3]);
    assert_eq!(stage.state.occupants().len(), 3);
}

#[test]
fn who_is_not_there_is_told_so_and_moves_nothing() {
    let mut stage = furnished();
    let asks = [
        Ask::Look,
        Ask::Say("hm".into()),
        Ask::Get(Noun::first("lamp")),
        Ask::Who(Noun::first("bob")),
        Ask::Crash,
    ];
    for ask in asks {
        let effects = stage.ask(session(9), ask);
        assert_eq!(effects, [Effect::Answer(Answer::Unknown(MoveSeq(0)))]);
    }
    assert_eq!(
        stage.leave(session(9), 4, Direction::North),
        [Effect::Answer(Answer::Unknown(MoveSeq(4)))]
    );
    assert_eq!(stage.floor(), [1, 2, 3]);
}

#[test]
fn regression_a_thing_is_laid_down_although_who_dropped_it_has_gone_on() {
    let mut stage = furnished();
    stage.leave(ANN, 1, Direction::North);
    let effects = stage.ask(ANN, Ask::Place(lamp(9)));
    assert_eq!(answers(&effects), [&Answer::Placed(ItemId(9))]);
    assert_eq!(stage.floor(), [1, 2, 3, 9]);
}

#[test]
fn a_thing_taken_is_gone_for_the_next_and_comes_back_once() {
    let mut stage = furnished();
    let get = |nth| Noun {
        words: "lamp".into(),
        nth,
    };
    let second = stage.ask(ANN, Ask::Get(get(2)));
    assert_eq!(answers(&second), [&Answer::Handed(HALL, lamp(2))]);
    let gone = stage.ask(BOB, Ask::Get(get(2)));
    assert_eq!(answers(&gone), [&refused(Refusal::NotHere("lamp".into()))]);
    for _ in 0..2 {
        assert_eq!(stage.cast(ANN, Cast::PutBack(lamp(2))), []);
    }
    assert_eq!(stage.floor(), [1, 3, 2]);
}

#[test]
fn coming_and_going_is_seen_by_others_only() {
    let mut stage = Stage::with(&[ANN]);
    let arrives = stage.enter(BOB, 1, Entry::Walk(Direction::South));
    let seen = Seen::Arrives {
        who: "Bob".into(),
        went: Some(Direction::South),
    };
    assert!(
        arrives.contains(&Effect::Notice(Some(BOB), seen)),
        "{arrives:?}"
    );
    match *answers(&arrives) {
        [Answer::Entered { seq, seen }] => {
            assert_eq!(*seq, MoveSeq(1));
            assert_eq!(seen.people, [card(ANN).seen()]);
            assert_eq!(seen.people_more, 0);
        }
        ref other => panic!("{other:?}"),
    }
    let leaves = stage.leave(BOB, 1, Direction::North);
    let left = Answer::Left {
        seq: MoveSeq(1),
        to: YARD,
        way: Direction::North,
    };
    assert_eq!(answers(&leaves), [&left]);
    let seen = Seen::Leaves {
        who: "Bob".into(),
        went: Some(Direction::North),
    };
    assert_eq!(notices(&leaves), [seen]);
    assert_eq!(stage.state.sessions(), 1);
    // Alone: nobody is told anything.
    assert_eq!(notices(&stage.leave(ANN, 1, Direction::North)), []);
    assert_eq!(stage.state.sessions(), 0);
}

#[test]
fn an_older_number_is_refused_whether_its_bearer_is_there_or_left() {
    let mut stage = Stage::with(&[BOB]);
    stage.enter(ANN, 5, Entry::Wake);
    for seq in [4, 5] {
        let effects = stage.enter(ANN, seq, Entry::Wake);
        assert_eq!(effects, [Effect::Answer(Answer::Unknown(MoveSeq(seq)))]);
    }
    stage.leave(ANN, 5, Direction::North);
    for seq in [4, 5] {
        let effects = stage.enter(ANN, seq, Entry::Wake);
        assert_eq!(effects, [Effect::Answer(Answer::Unknown(MoveSeq(seq)))]);
    }
    assert!(!stage.state.occupants().contains_key(&ANN));
    let again = stage.enter(ANN, 6, Entry::Wake);
    assert_eq!(notices(&again), [Seen::Wakes("Ann".into())]);
}

#[test]
fn an_undone_attempt_is_refused_when_it_comes_late() {
    let mut stage = Stage::with(&[BOB]);
    let undo = Cast::Gone {
        seq: MoveSeq(3),
        how: Parting::Undo,
    };
    assert_eq!(stage.cast(ANN, undo), []);
    let late = stage.enter(ANN, 3, Entry::Wake);
    assert_eq!(late, [Effect::Answer(Answer::Unknown(MoveSeq(3)))]);
    stage.enter(ANN, 7, Entry::Wake);
    let older = Cast::Gone {
        seq: MoveSeq(6),
        how: Parting::Sleep,
    };
    assert_eq!(stage.cast(ANN, older), []);
    assert!(stage.state.occupants().contains_key(&ANN));
}

#[test]
fn the_departed_are_remembered_up_to_the_bound() {
    let mut stage = Stage::empty();
    let count = u64::try_from(limits::ROOM_DEPARTED_MAX).unwrap();
    for id in 0..=count {
        stage.enter(session(id), 1, Entry::Wake);
        stage.leave(session(id), 1, Direction::North);
    }
    assert_eq!(stage.state.newest_seq(session(0)), None);
    assert_eq!(stage.state.newest_seq(session(1)), Some(MoveSeq(1)));
    assert_eq!(stage.state.newest_seq(session(count)), Some(MoveSeq(1)));
}

#[test]
fn regression_a_room_that_opens_again_takes_in_who_counts_from_one_again() {
    let mut stage = Stage::empty();
    stage.enter(CAT, 57, Entry::Appear);
    stage.leave(CAT, 57, Direction::North);
    assert!(stage.state.empty().is_empty());
    let effects = stage.enter(CAT, 1, Entry::Appear);
    assert!(
        matches!(*answers(&effects), [Answer::Entered { .. }]),
        "{effects:?}"
    );
}

#[test]
fn words_and_cards_of_those_there_are_passed_on() {
    let mut stage = Stage::with(&[ANN, BOB]);
    let announced = Seen::Gets {
        who: "Ann".into(),
        item: "a brass lamp".into(),
    };
    let mut dead = Card::clone(&card(ANN));
    dead.linkdead = true;
    let dead = Arc::new(dead);
    let gone = |how| Cast::Gone {
        seq: MoveSeq(1),
        how,
    };
    let table = [
        (Cast::Announce(announced.clone()), vec![announced]),
        (
            Cast::Card(dead.clone(), Some(CardNews::LostLink)),
            vec![Seen::LosesLink("Ann".into())],
        ),
        (
            Cast::Card(dead.clone(), Some(CardNews::RegainedLink)),
            vec![Seen::RegainsLink("Ann".into())],
        ),
        (Cast::Card(dead, None), vec![]),
        (gone(Parting::Sleep), vec![Seen::Sleeps("Ann".into())]),
    ];
    for (cast, seen) in table {
        let effects = stage.cast(ANN, cast.clone());
        assert_eq!(notices(&effects), seen, "{cast:?}");
    }
    // Gone already: nothing is said again, and no card comes up.
    assert_eq!(stage.cast(ANN, gone(Parting::Vanish)), []);
    let card = Cast::Card(card(ANN), Some(CardNews::LostLink));
    assert_eq!(stage.cast(ANN, card), []);
    let vanish = Cast::Gone {
        seq: MoveSeq(1),
        how: Parting::Vanish,
    };
    stage.enter(ANN, 2, Entry::Wake);
    assert_eq!(stage.cast(ANN, vanish), [], "an older stay");
}

fn crowd() -> (Stage, Vec<Being>) {
    let beings: Vec<Being> = (1..=4).map(session).collect();
    (Stage::with(&beings), beings)
}

fn say(text: &str) -> Ask {
    Ask::Say(text.into())
}

fn heard(who: Being, text: &str) -> Seen {
    Seen::Says {
        who: name(who),
        text: text.into(),
    }
}

#[test]
fn a_crowd_gathers_until_its_tick() {
    let (mut stage, beings) = crowd();
    let first = stage.ask(beings[0], say("one"));
    let own = Effect::Answer(show(Event::Did(Did::Say("one".into()))));
    assert_eq!(first, [Effect::Arm(RULES.gap), own]);
    let second = stage.ask(beings[1], say("two"));
    assert_eq!(second.len(), 1, "armed once: {second:?}");
    let both = vec![heard(beings[0], "one"), heard(beings[1], "two")];
    assert_eq!(stage.tick(), (both.clone(), both, vec![]));
    let next = stage.ask(beings[0], say("three"));
    assert!(next.contains(&Effect::Arm(RULES.gap)), "{next:?}");
}

#[test]
fn a_large_crowd_gathers_longer() {
    let beings: Vec<Being> = (1..=6).map(session).collect();
    let mut stage = Stage::with(&beings);
    let effects = stage.ask(beings[0], say("one"));
    assert!(
        effects.contains(&Effect::Arm(RULES.gap_large)),
        "{effects:?}"
    );
}

#[test]
fn what_waits_is_told_in_order_though_the_crowd_has_shrunk() {
    let (mut stage, beings) = crowd();
    stage.ask(beings[0], say("one"));
    stage.leave(beings[3], 1, Direction::North);
    let now = stage.ask(beings[1], say("two"));
    assert_eq!(notices(&now), []);
    let leaves = Seen::Leaves {
        who: name(beings[3]),
        went: Some(Direction::North),
    };
    let all = vec![heard(beings[0], "one"), heard(beings[1], "two"), leaves];
    assert_eq!(stage.tick(), (all.clone(), all, vec![]));
    let later = stage.ask(beings[1], say("three"));
    assert_eq!(notices(&later), [heard(beings[1], "three")]);
}

#[test]
fn newcomers_of_a_tick_do_not_hear_of_their_own_arrival() {
    let (mut stage, beings) = crowd();
    let entered = stage.enter(session(9), 1, Entry::Wake);
    assert_eq!(notices(&entered), []);
    stage.ask(beings[0], say("one"));
    let says = heard(beings[0], "one");
    let woke = Seen::Wakes("Guest9".into());
    assert_eq!(
        stage.tick(),
        (vec![says.clone(), woke], vec![says], vec![session(9)])
    );
    assert_eq!(stage.tick(), (vec![], vec![], vec![]));
}

#[test]
fn regression_who_came_before_it_was_a_crowd_hears_of_arrivals() {
    let mut stage = Stage::empty();
    for id in 1..=4 {
        stage.enter(session(id), 1, Entry::Wake);
    }
    stage.enter(session(5), 1, Entry::Wake);
    let (all, _, fresh) = stage.tick();
    assert_eq!(all, [Seen::Wakes("Guest5".into())]);
    assert_eq!(fresh, [session(5)]);
}

#[test]
fn a_full_tick_drops_what_is_ambient_and_answers_all_the_same() {
    let (mut stage, beings) = crowd();
    for _ in 0..limits::ROOM_GATHERED_MAX {
        stage.ask(beings[0], say("again"));
    }
    let own = Effect::Answer(show(Event::Did(Did::Say("more".into()))));
    assert_eq!(stage.ask(beings[0], say("more")), [Effect::Dropped, own]);
    assert_eq!(stage.state.gathered().len(), limits::ROOM_GATHERED_MAX);
}

#[test]
fn after_a_crash_the_tick_is_set_anew() {
    let (mut stage, beings) = crowd();
    stage.ask(beings[0], say("one"));
    assert!(stage.state.armed());
    stage.state.disarm();
    let effects = stage.ask(beings[1], say("two"));
    assert!(effects.contains(&Effect::Arm(RULES.gap)), "{effects:?}");
}

#[test]
fn a_look_names_some_and_counts_the_rest() {
    let beings: Vec<Being> = (1..=20).map(session).collect();
    let mut stage = Stage::with(&beings);
    stage.state.stock(lamp(1));
    stage.state.stock(lamp(2));
    let effects = stage.ask(session(1), Ask::Look);
    let [Answer::Show(event)] = *answers(&effects) else {
        panic!("{effects:?}");
    };
    let Event::RoomSeen(seen) = &**event else {
        panic!("{event:?}");
    };
    assert_eq!(seen.people.len(), 15);
    assert_eq!(seen.people_more, 4);
    assert_eq!(seen.items, [("A brass lamp stands here.".into(), 2)]);
}

/// Something that one of a few beings does.
#[derive(Clone, Debug)]
enum Act {
    Enter,
    Leave(Direction),
    Get(u16),
    Place(i64),
    PutBack(i64),
    Gone,
    Say,
    Look,
    Tick,
    Crash,
}

fn act() -> impl Strategy<Value = (u64, Act)> {
    let act = prop_oneof![
        4 => Just(Act::Enter),
        2 => prop_oneof![Just(Direction::North), Just(Direction::Down)].prop_map(Act::Leave),
        4 => (1..4_u16).prop_map(Act::Get),
        3 => (0..6_i64).prop_map(Act::Place),
        2 => (0..6_i64).prop_map(Act::PutBack),
        1 => Just(Act::Gone),
        2 => Just(Act::Say),
        1 => Just(Act::Look),
        1 => Just(Act::Tick),
        1 => Just(Act::Crash),
    ];
    (0..7_u64, act)
}

/// What a room is, told as simply as can be.
#[derive(Default)]
struct Model {
    newest: BTreeMap<u64, u32>,
    here: BTreeSet<u64>,
    floor: BTreeSet<i64>,
    handed: BTreeSet<i64>,
}

impl Model {
    /// Carries an act out on the room and on the model; the effects, and how many answers are due.
    fn act(&mut self, stage: &mut Stage, id: u64, act: &Act) -> (Vec<Effect<u8>>, usize) {
        let being = session(id);
        let here = self.here.contains(&id);
        let newest = self.newest.entry(id).or_default();
        let effects = match *act {
            Act::Enter => {
                *newest += 1;
                self.here.insert(id);
                stage.enter(being, *newest, Entry::Wake)
            }
            Act::Leave(way) => {
                if way == Direction::North {
                    self.here.remove(&id);
                }
                stage.leave(being, *newest, way)
            }
            Act::Gone => {
                self.here.remove(&id);
                let seq = MoveSeq(*newest);
                let how = Parting::Sleep;
                return (stage.cast(being, Cast::Gone { seq, how }), 0);
            }
            Act::Get(nth) => {
                let words = "lamp".into();
                stage.ask(being, Ask::Get(Noun { words, nth }))
            }
            Act::Place(item) => {
                self.lay(item);
                stage.ask(being, Ask::Place(lamp(item)))
            }
            Act::PutBack(item) => {
                self.lay(item);
                return (stage.cast(being, Cast::PutBack(lamp(item))), 0);
            }
            Act::Say => stage.ask(being, say("hm")),
            Act::Look => stage.ask(being, Ask::Look),
            Act::Tick => return (stage.step(|state, _, out| decide_tick(state, out)), 0),
            Act::Crash => return (stage.ask(being, Ask::Crash), usize::from(!here)),
        };
        (effects, 1)
    }

    /// A thing comes back to the floor; it was handed out, or comes from elsewhere.
    fn lay(&mut self, item: i64) {
        self.handed.remove(&item);
        self.floor.insert(item);
    }
}

proptest! {
    #[test]
    fn whatever_is_asked_things_and_people_are_counted(
        acts in prop::collection::vec(act(), 1..80),
    ) {
        let mut stage = Stage::empty();
        let mut model = Model::default();
        for (id, act) in acts {
            let (effects, due) = model.act(&mut stage, id, &act);
            let given = answers(&effects);
            prop_assert_eq!(given.len(), due, "{:?} {:?}", act, effects);
            if let [Answer::Handed(room, item)] = *given {
                prop_assert_eq!((*room, item.prototype), (HALL, LAMP));
                prop_assert!(model.floor.remove(&item.id.0), "{} was not there", item.id.0);
                prop_assert!(model.handed.insert(item.id.0), "{} handed twice", item.id.0);
            }
            let floor = stage.floor();
            prop_assert_eq!(floor.len(), model.floor.len());
            prop_assert_eq!(floor.into_iter().collect::<BTreeSet<_>>(), model.floor.clone());
            let here: Vec<Being> = model.here.iter().map(|id| session(*id)).collect();
            let stand: Vec<Being> = stage.state.occupants().keys().copied().collect();
            prop_assert_eq!(stand, here);
            prop_assert_eq!(stage.state.sessions(), model.here.len());
            prop_assert!(stage.state.gathered().is_empty() || stage.state.armed());
        }
    }
}
