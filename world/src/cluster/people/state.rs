//! `[process]` What an exchange remembers, and what it is still to do.

use super::circle::Circle;
use super::counter::Counter;
use super::games::Socket;
use super::gifts::Gifts;
use super::limits;
use super::port::OutOfReach;
use super::wire::{Errand, PeopleMessage, PersonRecord, Reply};
use crate::event::Text;
use crate::node::{Far, Person};
use crate::ring::{SessionMessage, SessionPort};
use belay_cluster::NodeId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Called once with the answer to a question.
pub(super) type Answered = Box<dyn FnOnce(Result<Reply, OutOfReach>) + Send>;

pub(super) struct State {
    /// To whom wires stand.
    pub(super) wires: BTreeSet<NodeId>,
    /// Who plays here, as the others were told.
    pub(super) mine: BTreeMap<Text, Person>,
    pub(super) questions: BTreeMap<u64, Question>,
    pub(super) last_question: u64,
    pub(super) counter: Counter,
    pub(super) circle: Circle,
    pub(super) socket: Socket,
    pub(super) gifts: Gifts,
    pub(super) jobs: VecDeque<Job>,
    /// Somebody does the jobs.
    pub(super) busy: bool,
}

pub(super) struct Question {
    pub(super) to: NodeId,
    pub(super) answered: Answered,
}

/// What is to be done without the lock.
pub(super) enum Job {
    /// To be sent; this depends on it.
    Send(NodeId, Arc<[u8]>, Depends),
    /// A question has its answer.
    Answer(Answered, Result<Reply, OutOfReach>),
    /// A session is told what became of its account.
    Tell(SessionPort, SessionMessage),
}

/// What is to be told when a message is not sent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Depends {
    /// Nothing: it is said again, or may be lost.
    Nothing,
    /// The answer to this question.
    Question(u64),
    /// The answer to what a player said on a channel.
    Saying(u64),
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            wires: BTreeSet::new(),
            mine: BTreeMap::new(),
            questions: BTreeMap::new(),
            last_question: 0,
            counter: Counter::new(),
            circle: Circle::default(),
            socket: Socket::default(),
            gifts: Gifts::default(),
            jobs: VecDeque::new(),
            busy: false,
        }
    }

    pub(super) fn ask(&mut self, far: &Far, errand: Errand, answered: Answered) {
        if !self.wires.contains(&far.node) || self.questions.len() >= limits::QUESTIONS_MAX {
            return self.jobs.push_back(Job::Answer(answered, Err(OutOfReach)));
        }
        self.last_question += 1;
        let question = self.last_question;
        let message = PeopleMessage::Ask {
            question,
            to: far.name.to_string(),
            errand,
        };
        let to = far.node;
        self.questions.insert(question, Question { to, answered });
        let body = message.encode().into();
        self.jobs
            .push_back(Job::Send(to, body, Depends::Question(question)));
    }

    pub(super) fn answer(&mut self, question: u64, reply: Result<Reply, OutOfReach>) {
        if let Some(Question { answered, .. }) = self.questions.remove(&question) {
            self.jobs.push_back(Job::Answer(answered, reply));
        }
    }

    pub(super) fn out_of_reach(&mut self, node: NodeId) {
        let asked = |question: &Question| question.to == node;
        let open = self.questions.iter().filter(|(_, one)| asked(one));
        for question in open.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.answer(question, Err(OutOfReach));
        }
    }

    pub(super) fn send(&mut self, to: NodeId, message: &PeopleMessage) {
        self.jobs
            .push_back(Job::Send(to, message.encode().into(), Depends::Nothing));
    }

    pub(super) fn send_all(&mut self, message: &PeopleMessage) {
        let body: Arc<[u8]> = message.encode().into();
        let to_each = |to: &NodeId| Job::Send(*to, body.clone(), Depends::Nothing);
        self.jobs.extend(self.wires.iter().map(to_each));
    }

    /// The whole list, in pieces.
    pub(super) fn list_to(&mut self, node: NodeId) {
        let people: Vec<PersonRecord> = self.mine.values().map(PersonRecord::from).collect();
        let pieces = people.len().div_ceil(limits::LIST_PIECE).max(1);
        for piece in 0..pieces {
            let some = people.iter().skip(piece * limits::LIST_PIECE);
            let list = PeopleMessage::List {
                first: piece == 0,
                last: piece + 1 == pieces,
                people: some.take(limits::LIST_PIECE).cloned().collect(),
            };
            self.send(node, &list);
        }
    }
}
