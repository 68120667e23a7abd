//! `[pure]` The simulated world: nodes, their clocks, and what happens to them in order.

use super::host::SimHost;
use super::log::Raft;
use super::net::Net;
use super::{faults::Fault, ms, n, shard};
use crate::command::{Command, ShardSpec};
use crate::duty::io::{Effect, Input, OrderId, ProposalId};
use crate::duty::machine::{Duty, DutyConfig};
use crate::duty::message::{DutyMessage, HandOverMessage};
use crate::duty::{Note, Role};
use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::lease::{Fences, LeaseClock};
use crate::order::{Order, OrderError};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Everything there is. Time is in microseconds.
pub(super) struct World {
    pub(super) seed: u64,
    pub(super) rng: StdRng,
    pub(super) now: u64,
    base: Instant,
    queue: BTreeMap<(u64, u64), Event>,
    sequence: u64,
    pub(super) nodes: BTreeMap<NodeId, Node>,
    pub(super) net: Net,
    pub(super) raft: Raft,
    pub(super) facts: Facts,
    /// Hosts cannot always freeze and build.
    pub(super) hosts_fail: bool,
    /// What happened of late, if it is to be told.
    pub(super) trace: Option<VecDeque<String>>,
}

/// A machine with a clock and a disk, and perhaps a process.
pub(super) struct Node {
    /// Parts in a million by which its clock goes.
    pace: u64,
    ahead: u64,
    /// On its disk.
    pub(super) life: Incarnation,
    pub(super) applied: usize,
    pub(super) term: u64,
    pub(super) process: Option<Process>,
    pub(super) paused: bool,
    held: VecDeque<Event>,
    /// It applies the log so much later.
    pub(super) slow: u64,
    started: u32,
}

pub(super) struct Process {
    pub(super) run: u32,
    pub(super) duty: Duty,
    pub(super) clock: LeaseClock,
    pub(super) fences: Fences,
    pub(super) host: SimHost,
    pub(super) role: Role,
    wake: Option<u64>,
}

/// What was seen of shards from outside of all nodes.
#[derive(Default)]
pub(super) struct Facts {
    /// The highest epoch in which somebody acted.
    pub(super) acted: BTreeMap<ShardId, Epoch>,
    /// How often somebody acted, and how much of that is in the storage.
    pub(super) value: BTreeMap<ShardId, u64>,
    pub(super) stored: BTreeMap<ShardId, u64>,
    /// When somebody acted last.
    pub(super) last: BTreeMap<ShardId, u64>,
    pub(super) ran: BTreeSet<(ShardId, Epoch)>,
    pub(super) answers: BTreeMap<OrderId, Result<String, OrderError>>,
    pub(super) notes: Vec<(u64, NodeId, Note)>,
    pub(super) moves: usize,
    pub(super) moved: usize,
    pub(super) events: usize,
    pub(super) lives: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Control(Letter<DutyMessage>),
    HandOver(Letter<HandOverMessage>),
    Input(NodeId, u32, Input),
    Wake(NodeId, u32),
    Apply(NodeId, usize),
    Commit {
        by: NodeId,
        run: u32,
        term: u64,
        id: ProposalId,
        command: Command,
    },
    Members {
        by: NodeId,
        run: u32,
        effect: Effect,
    },
    Beat,
    Act,
    Fault(Fault),
}

#[derive(Clone, Debug)]
pub(super) struct Letter<T> {
    pub(super) from: NodeId,
    pub(super) life: Incarnation,
    pub(super) to: NodeId,
    /// Which wire of this pair, counted.
    pub(super) wire: u32,
    pub(super) message: T,
}

#[expect(
    clippy::disallowed_methods,
    reason = "any instant will do to count from"
)]
fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

impl World {
    /// One node leads a cluster of so many, all up, with so many shards.
    pub(super) fn new(seed: u64, nodes: u16, shards: usize) -> Self {
        let mut world = Self {
            seed,
            rng: StdRng::seed_from_u64(seed),
            now: 0,
            base: start(),
            queue: BTreeMap::new(),
            sequence: 0,
            nodes: BTreeMap::new(),
            net: Net::default(),
            raft: Raft::new(),
            facts: Facts::default(),
            hosts_fail: true,
            trace: None,
        };
        for number in 1..=nodes {
            world.join(n(number));
        }
        let specs = (0..shards).map(|number| ShardSpec {
            shard: shard(number),
            weight: 100,
        });
        world.raft.append(&Command::Declare(specs.collect()));
        world.elect(n(1));
        world.at(0, Event::Beat);
        world.at(0, Event::Act);
        world
    }

    /// A machine of a pace of its own joins, and starts.
    pub(super) fn join(&mut self, id: NodeId) {
        let node = Node {
            // Each is wrong by a tenth at most, and some are just that.
            pace: (self.rng.random_range(850_000..=1_150_000)).clamp(900_000, 1_100_000),
            ahead: self.rng.random_range(0..1_000_000_000),
            life: Incarnation(0),
            applied: 0,
            term: 0,
            process: None,
            paused: false,
            held: VecDeque::new(),
            slow: 0,
            started: 0,
        };
        self.nodes.insert(id, node);
        self.raft.admit(id);
        self.start(id);
    }

    /// The node's process starts, in its next life.
    pub(super) fn start(&mut self, id: NodeId) {
        let now = self.local(id);
        let views = self.raft.views.clone();
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        if node.process.is_some() {
            return;
        }
        node.started += 1;
        node.life.0 += 1;
        self.facts.lives += 1;
        let config = DutyConfig {
            me: id,
            incarnation: node.life,
            address: format!("{id}:1"),
        };
        let clock = LeaseClock::new(now);
        node.process = Some(Process {
            run: node.started,
            duty: Duty::new(config, now),
            fences: Fences::new(clock.clone()),
            clock,
            host: SimHost::default(),
            role: Role::default(),
            wake: None,
        });
        let view = views.get(node.applied).cloned().unwrap_or_default();
        self.tell(id, Input::View(view));
        self.rewire(id);
    }

    /// The node's process is gone, at once.
    pub(super) fn kill(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.process = None;
            node.paused = false;
            node.held.clear();
        }
        self.rewire(id);
    }

    pub(super) fn pause(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.paused = true;
        }
    }

    /// What came for it meanwhile comes now, one after the other.
    pub(super) fn resume(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        node.paused = false;
        for event in std::mem::take(&mut node.held) {
            self.at(self.now, event);
        }
    }

    /// All wires of this node go down, and those that can stand again.
    pub(super) fn rewire(&mut self, id: NodeId) {
        for other in self.nodes.keys().copied().collect::<Vec<_>>() {
            if other != id {
                self.break_wire(id, other);
            }
        }
    }

    pub(super) fn at(&mut self, time: u64, event: Event) {
        self.sequence += 1;
        self.queue.insert((time, self.sequence), event);
    }

    pub(super) fn after(&mut self, range: std::ops::Range<u64>, event: Event) {
        let delay = self.rng.random_range(range);
        self.at(self.now + delay, event);
    }

    /// The node's own clock.
    pub(super) fn local(&self, id: NodeId) -> Instant {
        let (pace, ahead) = self.clock(id);
        self.base + Duration::from_micros(ahead + self.now * pace / 1_000_000)
    }

    fn clock(&self, id: NodeId) -> (u64, u64) {
        let node = self.nodes.get(&id);
        node.map_or((1_000_000, 0), |node| (node.pace, node.ahead))
    }

    /// When the node's own clock shows this.
    fn real(&self, id: NodeId, at: Instant) -> u64 {
        let (pace, ahead) = self.clock(id);
        let since = at.saturating_duration_since(self.base);
        let micros = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        (micros + 1).saturating_sub(ahead) * 1_000_000 / pace + 1
    }

    /// Lets everything happen up to then.
    pub(super) fn run_until(&mut self, time: u64) {
        while let Some(((at, _), _)) = self.queue.first_key_value() {
            if *at > time {
                break;
            }
            self.step();
        }
        self.now = self.now.max(time);
    }

    pub(super) fn run_for(&mut self, time: u64) {
        self.run_until(self.now + time);
    }

    /// Lets things happen until this is so, for so long at most. How long it took.
    pub(super) fn until(&mut self, most: u64, so: impl Fn(&Self) -> bool) -> Option<u64> {
        let from = self.now;
        while !so(self) {
            if self.now > from + most {
                return None;
            }
            self.step();
        }
        Some(self.now - from)
    }

    fn step(&mut self) {
        let Some(((at, _), event)) = self.queue.pop_first() else {
            return;
        };
        self.now = self.now.max(at);
        self.facts.events += 1;
        self.happen(event);
        self.look();
    }

    fn happen(&mut self, event: Event) {
        let to = match &event {
            Event::Control(letter) => Some(letter.to),
            Event::HandOver(letter) => Some(letter.to),
            Event::Input(to, ..) | Event::Wake(to, _) | Event::Apply(to, _) => Some(*to),
            Event::Commit { .. }
            | Event::Members { .. }
            | Event::Beat
            | Event::Act
            | Event::Fault(_) => None,
        };
        if let Some(node) = to.and_then(|to| self.nodes.get_mut(&to))
            && node.paused
        {
            node.held.push_back(event);
            return;
        }
        match event {
            Event::Control(letter) => {
                if self.stands(letter.from, letter.to, letter.wire) {
                    let input = Input::Control {
                        from: letter.from,
                        incarnation: letter.life,
                        message: letter.message,
                    };
                    self.tell(letter.to, input);
                }
            }
            Event::HandOver(letter) => {
                if self.stands(letter.from, letter.to, letter.wire) {
                    let input = Input::HandOver {
                        from: letter.from,
                        incarnation: letter.life,
                        message: letter.message,
                    };
                    self.tell(letter.to, input);
                }
            }
            Event::Input(to, run, input) => {
                if self.run_of(to) == Some(run) {
                    self.tell(to, input);
                }
            }
            Event::Wake(node, run) => {
                if self.run_of(node) == Some(run) {
                    if let Some(process) = self.process(node) {
                        process.wake = None;
                    }
                    self.tell(node, Input::Tick);
                }
            }
            Event::Apply(node, index) => self.apply(node, index),
            Event::Commit {
                by,
                run,
                term,
                id,
                command,
            } => self.commit((by, run, term), id, &command),
            Event::Members { by, run, effect } => self.change_members(by, run, &effect),
            Event::Beat => self.beat(),
            Event::Act => self.act(),
            Event::Fault(fault) => self.befall(fault),
        }
    }

    pub(super) fn process(&mut self, id: NodeId) -> Option<&mut Process> {
        self.nodes.get_mut(&id)?.process.as_mut()
    }

    pub(super) fn run_of(&self, id: NodeId) -> Option<u32> {
        let process = self.nodes.get(&id)?.process.as_ref()?;
        Some(process.run)
    }

    /// Tells a node's machine something, and does what it says.
    pub(super) fn tell(&mut self, id: NodeId, input: Input) {
        let now = self.local(id);
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let mut out = Vec::new();
            if self.trace.is_some() {
                self.note(format!("{id} <- {}", brief(&format!("{input:?}"))));
            }
            let Some(process) = self.process(id) else {
                return;
            };
            process.duty.step(now, input, &mut out);
            for effect in out {
                self.carry_out(id, effect, &mut inputs);
            }
        }
        let Some(process) = self.process(id) else {
            return;
        };
        let (due, run, wake) = (process.duty.next_due(), process.run, process.wake);
        assert!(
            due > now,
            "node {id} has something to do that it does not do"
        );
        let due = self.real(id, due);
        if wake.is_none_or(|wake| due < wake) {
            self.at(due, Event::Wake(id, run));
            if let Some(process) = self.process(id) {
                process.wake = Some(due);
            }
        }
    }

    fn carry_out(&mut self, id: NodeId, effect: Effect, inputs: &mut VecDeque<Input>) {
        if self.trace.is_some() {
            self.note(format!("{id} -> {}", brief(&format!("{effect:?}"))));
        }
        let run = self.run_of(id).unwrap_or(0);
        match effect {
            Effect::Send(to, message) => self.send(id, to, message),
            Effect::HandOver(to, message) => self.hand(id, to, message),
            Effect::Lease(until) => {
                if let Some(process) = self.process(id) {
                    process.clock.set(until);
                }
            }
            Effect::Lapse => {
                if let Some(process) = self.process(id) {
                    process.clock.lapse();
                }
            }
            Effect::Host(call) => self.host(id, call),
            Effect::AskReports => {
                let now = self.local(id);
                let reports = self.process(id).map(|process| process.host.report(now));
                inputs.push_back(Input::Reports(reports.unwrap_or_default()));
            }
            Effect::Propose(proposal, command) => self.propose((id, run), proposal, command),
            Effect::AddLearner(_) | Effect::SetVoters(_) | Effect::RemoveLearner(_) => {
                let by = id;
                self.after(ms(1)..ms(20), Event::Members { by, run, effect });
            }
            Effect::Ordered(order, result) => {
                let twice = self.facts.answers.insert(order, result);
                assert!(twice.is_none(), "an order is answered once");
            }
            Effect::NewLife(life) => {
                self.facts.lives += 1;
                if let Some(node) = self.nodes.get_mut(&id) {
                    node.life = life;
                }
                self.rewire(id);
            }
            Effect::Outlived(life) => panic!("node {id} was outlived by {life:?}"),
            Effect::Forgotten => self.kill(id),
            Effect::Note(note) => self.facts.notes.push((self.now, id, note)),
        }
    }

    /// An operator on this node wants something.
    pub(super) fn order(&mut self, on: NodeId, order: Order) -> OrderId {
        self.sequence += 1;
        let id = OrderId(self.sequence);
        self.tell(on, Input::Order(id, order));
        id
    }

    pub(super) fn view(&self) -> Arc<crate::view::View> {
        self.raft.state.view()
    }

    pub(super) fn note(&mut self, what: String) {
        let now = self.now;
        if let Some(trace) = &mut self.trace {
            if trace.len() >= 4_000 {
                trace.pop_front();
            }
            trace.push_back(format!("{:>9} {what}", now / 1_000));
        }
    }
}

fn brief(text: &str) -> String {
    let mut text = text.to_owned();
    text.truncate(text.floor_char_boundary(300));
    text
}
