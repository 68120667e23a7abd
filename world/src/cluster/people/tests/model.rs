//! `[pure]` Goal: whatever is lost, late, cut or dead, at no moment two sessions hold an account,
//! and in the end each login is in or was told. Method: the desks of three nodes and the registers
//! of the owners of one partition, with queues between them, under random steps.

use crate::cluster::people::desk::{Desk, Notice, Partition, Question};
use crate::cluster::people::register::{Holding, Register, Seat, Word};
use crate::cluster::people::shards;
use crate::ids::AccountId;
use belay_cluster::{Epoch, Incarnation, NodeId, NodeName, NodePhase, NodeView, Placement, View};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const PARTITION: Partition = Partition(0);
const NODES: u16 = 3;

/// Accounts of the same partition.
const ACCOUNTS: [AccountId; 2] = [AccountId(16), AccountId(32)];

#[derive(Clone, Debug)]
enum Message {
    Claim(AccountId, u64),
    Released(AccountId, u64),
    Recall(Epoch, u64),
    Holds(Epoch, u64, Vec<Holding>),
    Granted(Epoch, Holding),
    MakeWay(Epoch, AccountId, u64),
    GivenUp(Epoch, AccountId, u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Session {
    Waits,
    Plays,
    /// It plays, and was told to end.
    Ends,
}

struct Cluster {
    desks: BTreeMap<NodeId, Desk<u64>>,
    /// Owners, also some of before who do not know yet that they are.
    registers: BTreeMap<(NodeId, Epoch), Register>,
    queues: BTreeMap<(NodeId, NodeId), VecDeque<Message>>,
    /// Sessions by node and account, with what they are.
    sessions: BTreeMap<(NodeId, AccountId), (u64, Session)>,
    cut: BTreeSet<(NodeId, NodeId)>,
    view: View,
    last_session: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Login(u16, usize),
    HangUp(u16, usize),
    Again(u16, usize),
    Deliver(u16, u16),
    Own(u16),
    Stop,
    Cut(u16, u16),
    Heal(u16, u16),
    Kill(u16),
}

impl Cluster {
    fn new() -> Self {
        let nodes = (1..=NODES).map(|number| {
            let node = NodeView {
                name: NodeName::new(&format!("n{number}")).unwrap(),
                address: String::new(),
                incarnation: Incarnation(1),
                phase: NodePhase::Up,
            };
            (NodeId(number), node)
        });
        let view = View {
            nodes: nodes.collect(),
            ..View::default()
        };
        let desks = view.nodes.keys().map(|node| (*node, Desk::new()));
        Self {
            desks: desks.collect(),
            registers: BTreeMap::new(),
            queues: BTreeMap::new(),
            sessions: BTreeMap::new(),
            cut: BTreeSet::new(),
            view,
            last_session: 0,
        }
    }

    fn send(&mut self, from: NodeId, to: NodeId, message: Message) {
        let lost = self.cut.contains(&(from, to)) || !self.desks.contains_key(&to);
        if !lost {
            self.queues
                .entry((from, to))
                .or_default()
                .push_back(message);
        }
    }

    fn notices(&mut self, node: NodeId, notices: Vec<Notice<u64>>) {
        for notice in notices {
            match notice {
                Notice::Claim(to, account, session) => {
                    self.send(node, to, Message::Claim(account, session));
                }
                Notice::Released(to, account, session) => {
                    self.send(node, to, Message::Released(account, session));
                }
                Notice::Holds(to, question, holdings) => {
                    let (epoch, number) = (question.epoch, question.number);
                    self.send(node, to, Message::Holds(epoch, number, holdings));
                }
                Notice::Granted(session, _) => self.turns(node, session, Session::Plays),
                Notice::MakeWay(session) if self.waits(node, session) => self.ends(node, session),
                Notice::MakeWay(session) => self.turns(node, session, Session::Ends),
                Notice::GivenUp(session) => self.ends(node, session),
            }
        }
    }

    fn turns(&mut self, node: NodeId, session: u64, into: Session) {
        let mut all = self.sessions.iter_mut();
        if let Some((_, (_, what))) = all.find(|((at, _), (id, _))| *at == node && *id == session) {
            *what = match (*what, into) {
                // What is asked for again is granted once.
                (Session::Plays | Session::Ends, Session::Plays) => *what,
                (_, into) => into,
            };
        }
    }

    /// A session that is not in yet ends at once.
    fn waits(&self, node: NodeId, session: u64) -> bool {
        let all = self.sessions.iter();
        let mut waiting = all.filter(|(_, (_, what))| *what == Session::Waits);
        waiting.any(|((at, _), (id, _))| *at == node && *id == session)
    }

    /// The session is over.
    fn ends(&mut self, node: NodeId, session: u64) {
        let mut all = self.sessions.iter();
        let found = all.find(|((at, _), (id, _))| *at == node && *id == session);
        let Some(((_, account), _)) = found else {
            return;
        };
        let account = *account;
        self.sessions.remove(&(node, account));
        let mut notices = Vec::new();
        let desk = self.desks.get_mut(&node).unwrap();
        desk.release(account, session, &mut notices);
        self.notices(node, notices);
    }

    fn words(&mut self, from: NodeId, epoch: Epoch, words: Vec<Word>) {
        for word in words {
            match word {
                Word::Granted(seat, holding) => {
                    self.send(from, seat.node, Message::Granted(epoch, holding));
                }
                Word::MakeWay(seat, account) => {
                    let message = Message::MakeWay(epoch, account, seat.session);
                    self.send(from, seat.node, message);
                }
                Word::GivenUp(seat, account) => {
                    let message = Message::GivenUp(epoch, account, seat.session);
                    self.send(from, seat.node, message);
                }
            }
        }
    }

    /// The owners on this node, the newest last: a node hands what comes to the newest.
    fn owner_at(&self, node: NodeId) -> Option<Epoch> {
        let here = self.registers.keys().filter(|(at, _)| *at == node);
        here.map(|(_, epoch)| *epoch).max()
    }

    fn deliver(&mut self, from: NodeId, to: NodeId) -> bool {
        let queue = self.queues.entry((from, to)).or_default();
        let Some(message) = queue.pop_front() else {
            return false;
        };
        let (mut words, mut notices) = (Vec::new(), Vec::new());
        let owner = self.owner_at(to);
        let register = owner.and_then(|epoch| self.registers.get_mut(&(to, epoch)));
        let desk = self.desks.get_mut(&to).unwrap();
        let seat = |session| Seat {
            node: from,
            session,
        };
        match (message, register) {
            (Message::Claim(account, session), Some(register)) => {
                register.claim(account, seat(session), &mut words);
            }
            (Message::Released(account, session), Some(register)) => {
                register.released(account, seat(session), &mut words);
            }
            (Message::Holds(epoch, number, holdings), Some(register))
                if register.epoch() == epoch =>
            {
                register.holds((from, number), &holdings, &mut words);
            }
            (Message::Recall(epoch, number), _) => {
                let question = Question {
                    partition: PARTITION,
                    epoch,
                    number,
                };
                desk.recall(from, question, &mut notices);
            }
            (Message::Granted(epoch, holding), _) => {
                desk.granted((from, epoch), holding, &mut notices);
            }
            (Message::MakeWay(epoch, account, session), _) => {
                desk.make_way((from, epoch), (account, session), &mut notices);
            }
            (Message::GivenUp(epoch, account, session), _) => {
                desk.given_up(epoch, (account, session), &mut notices);
            }
            (Message::Claim(..) | Message::Released(..) | Message::Holds(..), _) => {}
        }
        self.notices(to, notices);
        self.words(to, owner.unwrap_or_default(), words);
        true
    }

    fn changed(&mut self) {
        for node in self.desks.keys().copied().collect::<Vec<_>>() {
            let mut notices = Vec::new();
            let view = self.view.clone();
            self.desks
                .get_mut(&node)
                .unwrap()
                .changed(&view, &mut notices);
            self.notices(node, notices);
        }
    }

    /// A node owns the partition from now on; who did before does not know it yet.
    fn own(&mut self, node: NodeId) {
        if !self.desks.contains_key(&node) {
            return;
        }
        self.view.applied += 1;
        let epoch = Epoch(self.view.applied);
        let placed = Placement::Placed { node, epoch };
        self.view
            .shards
            .insert(shards::accounts(PARTITION.0), placed);
        let living: BTreeSet<NodeId> = self.desks.keys().copied().collect();
        let mut register = Register::begin(epoch, &living);
        for one in &living {
            self.send(node, *one, Message::Recall(epoch, register.recall()));
        }
        self.registers.insert((node, epoch), register);
        self.changed();
    }

    /// Owners of before take their hands off.
    fn stop(&mut self) {
        let owner = self.view.owner(&shards::accounts(PARTITION.0));
        self.registers.retain(|at, _| Some(*at) == owner);
    }

    fn heal(&mut self, one: NodeId, other: NodeId) {
        if !self.cut.remove(&(one, other)) {
            return;
        }
        self.cut.remove(&(other, one));
        for (from, to) in [(one, other), (other, one)] {
            if let Some(epoch) = self.owner_at(from) {
                let register = self.registers.get_mut(&(from, epoch)).unwrap();
                let number = register.recall();
                self.send(from, to, Message::Recall(epoch, number));
            }
        }
    }

    fn kill(&mut self, node: NodeId) {
        if self.desks.len() == 1 || self.desks.remove(&node).is_none() {
            return;
        }
        self.view.nodes.get_mut(&node).unwrap().phase = NodePhase::Down;
        self.sessions.retain(|(at, _), _| *at != node);
        self.queues
            .retain(|(from, to), _| *from != node && *to != node);
        self.registers.retain(|(at, _), _| *at != node);
        for at in self.registers.keys().copied().collect::<Vec<_>>() {
            let mut words = Vec::new();
            let register = self.registers.get_mut(&at).unwrap();
            register.lost(|lost| lost == node, &mut words);
            self.words(at.0, at.1, words);
        }
        let owner = self.view.owner(&shards::accounts(PARTITION.0));
        if owner.is_some_and(|(owner, _)| owner == node) {
            let next = *self.desks.keys().next().unwrap();
            self.own(next);
        }
    }

    fn claim(&mut self, node: NodeId, account: AccountId, session: u64) {
        let mut notices = Vec::new();
        let desk = self.desks.get_mut(&node).unwrap();
        desk.claim(account, (session, session), &mut notices);
        self.notices(node, notices);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Login(node, account) => {
                let (node, account) = (NodeId(node), ACCOUNTS[account]);
                let free = !self.sessions.contains_key(&(node, account));
                if free && self.desks.contains_key(&node) {
                    self.last_session += 1;
                    let session = self.last_session;
                    self.sessions
                        .insert((node, account), (session, Session::Waits));
                    self.claim(node, account, session);
                }
            }
            Step::HangUp(node, account) => {
                let at = (NodeId(node), ACCOUNTS[account]);
                if let Some((session, _)) = self.sessions.get(&at).copied() {
                    self.ends(at.0, session);
                }
            }
            Step::Again(node, account) => {
                let at = (NodeId(node), ACCOUNTS[account]);
                if let Some((session, Session::Waits)) = self.sessions.get(&at).copied() {
                    self.claim(at.0, at.1, session);
                }
            }
            Step::Deliver(from, to) => {
                if self.desks.contains_key(&NodeId(to)) {
                    self.deliver(NodeId(from), NodeId(to));
                }
            }
            Step::Own(node) => self.own(NodeId(node)),
            Step::Stop => self.stop(),
            Step::Cut(one, other) if one != other => {
                for pair in [(NodeId(one), NodeId(other)), (NodeId(other), NodeId(one))] {
                    self.cut.insert(pair);
                    self.queues.remove(&pair);
                }
            }
            Step::Cut(..) => {}
            Step::Heal(one, other) => self.heal(NodeId(one), NodeId(other)),
            Step::Kill(node) => self.kill(NodeId(node)),
        }
    }

    /// How many sessions have the account.
    fn holders(&self, account: AccountId) -> usize {
        let all = self.sessions.iter();
        let held = all.filter(|((_, of), (_, what))| *of == account && *what != Session::Waits);
        held.count()
    }

    /// All is well again: everything comes through, and who is to end ends.
    fn settle(&mut self) {
        for (one, other) in self.cut.clone() {
            self.heal(one, other);
        }
        self.stop();
        for _ in 0..20 {
            for at in self.sessions.keys().copied().collect::<Vec<_>>() {
                match self.sessions.get(&at).copied() {
                    Some((session, Session::Waits)) => self.claim(at.0, at.1, session),
                    Some((session, Session::Ends)) => self.ends(at.0, session),
                    Some((_, Session::Plays)) | None => {}
                }
            }
            let nodes: Vec<NodeId> = self.desks.keys().copied().collect();
            let pairs = nodes
                .iter()
                .flat_map(|from| nodes.iter().map(move |to| (*from, *to)));
            for (from, to) in pairs.collect::<Vec<_>>() {
                while self.deliver(from, to) {}
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (node, account) = (1..=NODES, 0..ACCOUNTS.len());
    let pair = (1..=NODES, 1..=NODES);
    let step = prop_oneof![
        4 => (node.clone(), account.clone()).prop_map(|(n, a)| Step::Login(n, a)),
        1 => (node.clone(), account.clone()).prop_map(|(n, a)| Step::HangUp(n, a)),
        2 => (node.clone(), account).prop_map(|(n, a)| Step::Again(n, a)),
        20 => pair.clone().prop_map(|(from, to)| Step::Deliver(from, to)),
        1 => node.clone().prop_map(Step::Own),
        1 => Just(Step::Stop),
        1 => pair.clone().prop_map(|(one, other)| Step::Cut(one, other)),
        1 => pair.prop_map(|(one, other)| Step::Heal(one, other)),
        1 => node.prop_map(Step::Kill),
    ];
    prop::collection::vec(step, 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn an_account_has_one_session_at_every_moment_and_in_the_end_nobody_waits(steps in steps()) {
        let mut cluster = Cluster::new();
        cluster.own(NodeId(1));
        for step in &steps {
            cluster.step(step);
            for account in ACCOUNTS {
                prop_assert!(cluster.holders(account) <= 1, "after {:?}", step);
            }
        }
        cluster.settle();
        for account in ACCOUNTS {
            let of = |((_, of), _): &(&(NodeId, AccountId), &(u64, Session))| *of == account;
            let all: Vec<_> = cluster.sessions.iter().filter(of).collect();
            prop_assert!(all.len() <= 1, "{:?}", all);
            for (_, (_, what)) in all {
                prop_assert_eq!(*what, Session::Plays);
            }
        }
    }
}

#[test]
fn claims_of_a_register_that_is_not_open_wait_and_the_last_one_wins() {
    let (account, epoch) = (ACCOUNTS[0], Epoch(3));
    let seat = |node, session| Seat {
        node: NodeId(node),
        session,
    };
    let mut register = Register::begin(epoch, &[NodeId(1), NodeId(2)].into());
    let mut words = Vec::new();
    register.claim(account, seat(1, 10), &mut words);
    assert_eq!(words, []);
    register.claim(account, seat(2, 20), &mut words);
    assert_eq!(words, [Word::GivenUp(seat(1, 10), account)]);
    words.clear();
    // It says it again before it hears that it was given up.
    register.claim(account, seat(1, 10), &mut words);
    assert_eq!(words, [Word::GivenUp(seat(1, 10), account)]);
    words.clear();
    register.holds((NodeId(1), 1), &[], &mut words);
    assert!(!register.is_open());
    register.holds((NodeId(2), 2), &[], &mut words);
    assert!(register.is_open());
    let number = (3 << 24) + 1;
    let holding = Holding {
        account,
        session: 20,
        number,
    };
    assert_eq!(words, [Word::Granted(seat(2, 20), holding)]);
    words.clear();
    // A node that was given up is back with what it held before.
    let old = Holding {
        session: 5,
        number: 7,
        ..holding
    };
    register.holds((NodeId(1), 3), &[old], &mut words);
    assert_eq!(words, [Word::MakeWay(seat(1, 5), account)]);
    words.clear();
    let newer = Holding {
        session: 6,
        number: number + 1,
        ..holding
    };
    register.holds((NodeId(1), 4), &[newer], &mut words);
    assert_eq!(words, [Word::MakeWay(seat(2, 20), account)]);
    assert_eq!(register.len(), 1);
}
