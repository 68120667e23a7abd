//! `[pure]` Goal: whatever owners, wires and moves do, each ask ends exactly once, letters of one
//! being reach rooms in order, none twice, and with sound wires and moves none is lost. Method: a
//! model of two owners with wires that keep their order, driven by random acts; the gate is the
//! real one.

use super::*;
use crate::being::{Card, Entry};
use crate::cluster::rooms::limits::{HOLD_BYTES_MAX, HOLD_CASTS_MAX, LETTER_BYTES};
use crate::ids::{LineId, MoveSeq, RoomId, SessionId};
use crate::room::{Ask, Cast};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

const ME: NodeId = NodeId(1);
const B: NodeId = NodeId(2);

fn start() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
    Instant::now()
}

fn being(number: u64) -> Being {
    Being::Session(SessionId(number))
}

fn letter(who: u64, ask: Ask) -> Letter {
    Letter {
        being: being(who),
        room: RoomId(0),
        what: What::Ask(LineId(0), ask),
    }
}

fn say(who: u64, text: &str) -> Letter {
    letter(who, Ask::Say(text.into()))
}

fn enter(who: u64) -> Letter {
    let card = Arc::new(Card {
        name: "Ann".into(),
        description: "Plain.".into(),
        character: None,
        mob: None,
        away: false,
        linkdead: false,
    });
    let (seq, how) = (MoveSeq(2), Entry::Stay);
    letter(who, Ask::Enter { seq, card, how })
}

fn nobody() -> Vec<Being> {
    Vec::new()
}

/// An open gate of an owner elsewhere.
fn open(now: Instant) -> Gate<u32> {
    let mut gate = Gate::new(ME, now);
    let mut out = Vec::new();
    gate.opened(((B, Epoch(1)), Opening::Fresh), &nobody, now, &mut out);
    assert!(out.is_empty() && gate.is_clear());
    gate
}

#[test]
fn letters_wait_for_a_zone_without_an_owner_and_then_go_in_order() {
    let now = start();
    let mut gate = Gate::new(ME, now);
    let mut out = Vec::new();
    for token in 0..3 {
        gate.post(say(1, "hm"), Some(token), now, &mut out);
    }
    assert!(out.is_empty());
    gate.opened(((ME, Epoch(4)), Opening::Fresh), &nobody, now, &mut out);
    let tokens = out.iter().map(|out| match out {
        Out::Pass((ME, Epoch(4)), _, _, Some(token)) => *token,
        Out::Pass(..)
        | Out::End(..)
        | Out::Settle(_)
        | Out::Anew(_)
        | Out::Return(_)
        | Out::Waits(_) => {
            panic!("{out:?}")
        }
    });
    assert_eq!(tokens.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_letter_that_waits_too_long_is_refused_and_later_ones_at_once() {
    let now = start();
    let mut gate = Gate::new(ME, now);
    let mut out = Vec::new();
    gate.post(say(1, "hm"), Some(1), now, &mut out);
    gate.tick(&nobody, now + HOLD_MAX - Duration::from_millis(1), &mut out);
    assert_eq!(out, [Out::Waits(being(1))], "told that it waits, once");
    out.clear();
    let late = now + HOLD_MAX;
    gate.tick(&nobody, late, &mut out);
    gate.post(say(1, "hm"), Some(2), late, &mut out);
    let refused = End::Undelivered(Undelivered::OutOfReach);
    assert_eq!(out, [Out::End(1, refused), Out::End(2, refused)]);
    assert!(!gate.is_open());
}

#[test]
fn more_letters_than_a_zone_may_have_waiting_are_refused_and_none_is_dropped() {
    let now = start();
    let mut gate = Gate::new(ME, now);
    let mut out = Vec::new();
    let text = "x".repeat(4_000);
    let fit = HOLD_BYTES_MAX / (4_000 + LETTER_BYTES);
    for token in 0..=u32::try_from(fit).unwrap() {
        gate.post(say(1, &text), Some(token), now, &mut out);
    }
    let crowded = End::Undelivered(Undelivered::Busy);
    assert_eq!(out, [Out::End(u32::try_from(fit).unwrap(), crowded)]);
    assert_eq!(gate.waiting(), fit);
}

#[test]
fn casts_over_the_bound_put_all_that_stand_there_in_doubt() {
    let now = start();
    let mut gate: Gate<u32> = Gate::new(ME, now);
    let mut out = Vec::new();
    for _ in 0..=HOLD_CASTS_MAX {
        let cast = Letter {
            being: being(1),
            room: RoomId(0),
            what: What::Cast(Cast::Announce(crate::event::Seen::Trembles)),
        };
        gate.post(cast, None, now, &mut out);
    }
    assert!(out.is_empty());
    let standing = || vec![being(7)];
    gate.opened(((B, Epoch(1)), Opening::Moved), &standing, now, &mut out);
    assert_eq!(out[..2], [Out::Anew((B, Epoch(1))), Out::Return(being(7))]);
}

#[test]
fn a_wire_that_goes_down_loses_what_was_asked_once() {
    let now = start();
    let mut gate = open(now);
    let mut out = Vec::new();
    gate.post(say(1, "hm"), Some(1), now, &mut out);
    gate.post(enter(2), Some(2), now, &mut out);
    out.clear();
    gate.down(B, &nobody, now, &mut out);
    let not_in = End::Undelivered(Undelivered::OutOfReach);
    assert_eq!(out, [Out::End(1, End::Lost), Out::End(2, not_in)]);
    assert_eq!(gate.answered((B, Epoch(1)), 1), None);
    assert!(!gate.is_open());
}

#[test]
fn after_a_move_nothing_goes_to_the_new_owner_until_the_old_one_has_settled() {
    let now = start();
    let mut gate = open(now);
    let (old, new) = ((B, Epoch(1)), (NodeId(3), Epoch(5)));
    let mut out = Vec::new();
    gate.post(say(1, "one"), Some(1), now, &mut out);
    gate.post(say(1, "two"), Some(2), now, &mut out);
    out.clear();
    gate.shut(old, now, &mut out);
    assert_eq!(out, [Out::Settle(old)]);
    gate.post(say(1, "three"), Some(3), now, &mut out);
    gate.opened((new, Opening::Moved), &nobody, now, &mut out);
    assert_eq!(out.len(), 1, "{out:?}");
    assert!(gate.accepts(Epoch(1)), "the old owner may still answer");
    assert_eq!(gate.answered(old, 1), Some((being(1), 1)));
    gate.bounced(old, (2, say(1, "two")), now, &mut out);
    gate.settled(old, &mut out);
    assert!(!gate.accepts(Epoch(1)));
    let texts = out.iter().skip(1).map(|out| match out {
        Out::Pass(to, _, letter, None) if *to == new => letter.clone(),
        Out::Pass(..)
        | Out::End(..)
        | Out::Settle(_)
        | Out::Anew(_)
        | Out::Return(_)
        | Out::Waits(_) => {
            panic!("{out:?}")
        }
    });
    assert_eq!(texts.collect::<Vec<_>>(), [say(1, "two"), say(1, "three")]);
}

#[test]
fn an_owner_that_does_not_settle_in_time_counts_as_gone() {
    let now = start();
    let mut gate = open(now);
    let new = (NodeId(3), Epoch(5));
    let mut out = Vec::new();
    gate.post(say(1, "one"), Some(1), now, &mut out);
    gate.shut((B, Epoch(1)), now, &mut out);
    gate.opened((new, Opening::Moved), &nobody, now, &mut out);
    out.clear();
    gate.tick(&|| vec![being(9)], now + SETTLE_MAX, &mut out);
    let expected = [
        Out::End(1, End::Lost),
        Out::Anew(new),
        Out::Return(being(9)),
    ];
    assert_eq!(out, expected);
}

#[test]
fn who_stood_in_a_zone_that_begins_anew_enters_first_and_then_does_what_they_typed() {
    let now = start();
    let mut gate = open(now);
    let mut out = Vec::new();
    gate.down(B, &nobody, now, &mut out);
    gate.post(say(1, "one"), Some(1), now, &mut out);
    gate.post(say(2, "other"), Some(2), now, &mut out);
    let new = (NodeId(3), Epoch(5));
    gate.opened((new, Opening::Fresh), &|| vec![being(1)], now, &mut out);
    let texts = |out: &[Out<u32>]| -> Vec<Letter> {
        let passed = out.iter().filter_map(|out| match out {
            Out::Pass(_, _, letter, _) => Some(letter.clone()),
            Out::End(..) | Out::Settle(_) | Out::Anew(_) | Out::Return(_) | Out::Waits(_) => None,
        });
        passed.collect()
    };
    assert_eq!(texts(&out), [say(2, "other")]);
    assert!(out.contains(&Out::Return(being(1))));
    out.clear();
    gate.post(say(1, "two"), Some(3), now, &mut out);
    assert!(out.is_empty());
    gate.post(enter(1), Some(4), now, &mut out);
    assert_eq!(texts(&out), [enter(1), say(1, "one"), say(1, "two")]);
    assert!(gate.is_clear());
}

#[test]
fn a_stale_owner_opens_nothing() {
    let now = start();
    let mut gate = open(now);
    let mut out = Vec::new();
    gate.placed(Ok((NodeId(3), Epoch(9))), now);
    assert!(!gate.opened(((B, Epoch(1)), Opening::Thawed), &nobody, now, &mut out));
    assert!(!gate.is_open());
    gate.placed(Err(Epoch(9)), now);
    assert!(!gate.is_open());
}

/// A letter on a wire, or what an owner sends back, in order.
#[derive(Clone, Debug)]
enum Sent {
    Post(u64, Letter),
    Settle(Epoch),
}

#[derive(Clone, Debug)]
enum Back {
    Answer(Epoch, u64),
    Bounced(Epoch, u64, Letter),
    Open(Epoch, Opening),
    Shut(Epoch),
    Settled(Epoch),
}

/// An owner and its wires to and from the gate.
#[derive(Clone, Debug, Default)]
struct Node {
    to: VecDeque<Sent>,
    from: VecDeque<Back>,
    runs: Option<Epoch>,
    frozen: bool,
    /// A letter went back; those sent before the gate knew it go back too.
    unsettled: bool,
    queue: VecDeque<(u64, Letter)>,
}

/// The world around the gate.
#[derive(Debug)]
struct Model {
    gate: Gate<u32>,
    nodes: [Node; 2],
    now: Instant,
    epoch: u64,
    next: u32,
    /// Texts that rooms have handled, in order.
    handled: Vec<u32>,
    /// Tokens that ended, with whether the ask was answered.
    ended: BTreeMap<u32, bool>,
    /// The owner froze for a move that is not finished.
    moving: bool,
}

#[derive(Clone, Debug)]
enum Act {
    Say,
    Arrive(usize),
    Work(usize),
    Come(usize),
    Freeze,
    Finish,
    Thaw,
    Place,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => Just(Act::Say),
        6 => (0..2_usize).prop_map(Act::Arrive),
        4 => (0..2_usize).prop_map(Act::Work),
        6 => (0..2_usize).prop_map(Act::Come),
        2 => Just(Act::Freeze),
        2 => Just(Act::Finish),
        1 => Just(Act::Thaw),
        2 => Just(Act::Place),
    ]
}

impl Model {
    fn new() -> Self {
        let now = start();
        let mut model = Self {
            gate: Gate::new(ME, now),
            nodes: Default::default(),
            now,
            epoch: 1,
            next: 0,
            handled: Vec::new(),
            ended: BTreeMap::new(),
            moving: false,
        };
        model.nodes[0].runs = Some(Epoch(1));
        model.nodes[0]
            .from
            .push_back(Back::Open(Epoch(1), Opening::Fresh));
        model
    }

    fn owner(&mut self) -> Option<(usize, Epoch)> {
        let mut nodes = self.nodes.iter().enumerate();
        nodes.find_map(|(at, node)| Some((at, node.runs?)))
    }

    fn act(&mut self, act: Act) {
        let mut out = Vec::new();
        match act {
            Act::Say => {
                let text = say(1, &self.next.to_string());
                self.gate.post(text, Some(self.next), self.now, &mut out);
                self.next += 1;
            }
            Act::Arrive(at) => self.arrive(at),
            Act::Work(at) => self.work(at),
            Act::Come(at) => self.come(at, &mut out),
            Act::Freeze => {
                if let (false, Some((at, epoch))) = (self.moving, self.owner()) {
                    self.moving = true;
                    self.nodes[at].frozen = true;
                    self.nodes[at].from.push_back(Back::Shut(epoch));
                }
            }
            Act::Finish => self.finish(),
            Act::Thaw => self.thaw(),
            // The log of the gate's node may be ahead of the wires.
            Act::Place => {
                if let Some((at, epoch)) = self.owner() {
                    self.gate.placed(Ok((node(at), epoch)), self.now);
                }
            }
        }
        self.carry_out(out);
    }

    fn arrive(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        match node.to.pop_front() {
            Some(Sent::Post(number, letter))
                if node.runs == Some(Epoch(number >> 32)) && !node.frozen && !node.unsettled =>
            {
                node.queue.push_back((number, letter));
            }
            Some(Sent::Post(number, letter)) => {
                // Not of this epoch, or not now.
                let epoch = Epoch(number >> 32);
                let number = number & 0xffff_ffff;
                node.unsettled |= node.runs == Some(epoch);
                node.from.push_back(Back::Bounced(epoch, number, letter));
            }
            Some(Sent::Settle(epoch)) => {
                node.unsettled = false;
                // What was queued before the freeze is done before this is said.
                while !self.nodes[at].queue.is_empty() {
                    self.work(at);
                }
                self.nodes[at].from.push_back(Back::Settled(epoch));
            }
            None => {}
        }
    }

    fn work(&mut self, at: usize) {
        let Some((number, letter)) = self.nodes[at].queue.pop_front() else {
            return;
        };
        let What::Ask(_, Ask::Say(text)) = &letter.what else {
            return;
        };
        self.handled.push(text.parse().unwrap());
        let (epoch, number) = (Epoch(number >> 32), number & 0xffff_ffff);
        self.nodes[at].from.push_back(Back::Answer(epoch, number));
    }

    fn come(&mut self, at: usize, out: &mut Vec<Out<u32>>) {
        let Some(back) = self.nodes[at].from.pop_front() else {
            return;
        };
        let (from, now) = (node(at), self.now);
        match back {
            Back::Answer(epoch, number) => {
                if let Some((_, token)) = self.gate.answered((from, epoch), number) {
                    assert_eq!(self.ended.insert(token, true), None);
                }
            }
            Back::Bounced(epoch, number, letter) => {
                self.gate.bounced((from, epoch), (number, letter), now, out);
            }
            Back::Open(epoch, how) => {
                self.gate.opened(((from, epoch), how), &nobody, now, out);
            }
            Back::Shut(epoch) => self.gate.shut((from, epoch), now, out),
            Back::Settled(epoch) => self.gate.settled((from, epoch), out),
        }
    }

    /// The move is done: the zone is at the other node.
    fn finish(&mut self) {
        let Some((at, _)) = self.owner().filter(|_| self.moving) else {
            return;
        };
        while !self.nodes[at].queue.is_empty() {
            self.work(at);
        }
        self.moving = false;
        self.epoch += 1;
        let epoch = Epoch(self.epoch);
        self.nodes[at].runs = None;
        self.nodes[at].frozen = false;
        self.nodes[1 - at].runs = Some(epoch);
        self.nodes[1 - at].unsettled = false;
        self.nodes[1 - at]
            .from
            .push_back(Back::Open(epoch, Opening::Moved));
    }

    fn thaw(&mut self) {
        let Some((at, epoch)) = self.owner().filter(|_| self.moving) else {
            return;
        };
        self.moving = false;
        self.nodes[at].frozen = false;
        self.nodes[at]
            .from
            .push_back(Back::Open(epoch, Opening::Thawed));
    }

    fn carry_out(&mut self, out: Vec<Out<u32>>) {
        for out in out {
            match out {
                Out::Pass((to, epoch), number, letter, None) => {
                    let tagged = epoch.0 << 32 | number;
                    self.nodes[index(to)]
                        .to
                        .push_back(Sent::Post(tagged, letter));
                }
                Out::Pass(_, _, _, Some(_)) => panic!("this node owns nothing"),
                Out::End(token, _) => assert_eq!(self.ended.insert(token, false), None),
                Out::Settle((to, epoch)) => {
                    self.nodes[index(to)].to.push_back(Sent::Settle(epoch));
                }
                Out::Anew(_) | Out::Return(_) | Out::Waits(_) => {}
            }
        }
    }

    /// Everything arrives.
    fn calm_down(&mut self) {
        self.act(Act::Finish);
        for _ in 0..4 * (self.next as usize + 20) {
            for at in [0, 1] {
                self.act(Act::Arrive(at));
                self.act(Act::Work(at));
                self.act(Act::Come(at));
            }
        }
    }
}

fn node(at: usize) -> NodeId {
    NodeId(u16::try_from(at).unwrap() + 2)
}

fn index(node: NodeId) -> usize {
    usize::from(node.0) - 2
}

proptest! {
    #[test]
    fn with_sound_wires_every_ask_is_handled_once_in_order_and_answered(
        acts in prop::collection::vec(act(), 0..200),
    ) {
        let mut model = Model::new();
        for act in acts {
            model.act(act);
        }
        model.calm_down();
        let expected: Vec<u32> = (0..model.next).collect();
        prop_assert_eq!(&model.handled, &expected, "{:?}", model);
        prop_assert!(model.ended.values().all(|answered| *answered));
        prop_assert_eq!(model.ended.len(), expected.len());
        prop_assert!(model.gate.is_clear());
    }

    #[test]
    fn with_broken_wires_every_ask_ends_once_and_none_is_handled_twice(
        acts in prop::collection::vec((act(), prop::option::weighted(0.1, 0..2_usize)), 0..200),
    ) {
        let mut model = Model::new();
        for (act, broken) in acts {
            model.act(act);
            let Some(at) = broken else { continue };
            // The wire breaks with all that is on it, and stands again.
            model.nodes[at].to.clear();
            model.nodes[at].from.clear();
            model.nodes[at].unsettled = false;
            let mut out = Vec::new();
            model.gate.down(node(at), &nobody, model.now, &mut out);
            model.carry_out(out);
            if let (Some(epoch), false) = (model.nodes[at].runs, model.nodes[at].frozen) {
                model.nodes[at].from.push_back(Back::Open(epoch, Opening::Fresh));
            }
        }
        model.calm_down();
        let mut seen = model.handled.clone();
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), model.handled.len(), "none twice");
        prop_assert_eq!(model.ended.len(), usize::try_from(model.next).unwrap());
    }
}
