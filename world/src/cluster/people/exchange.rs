//! `[process]` What this node has said to the others, and what it waits for.
//!
//! Whoever has something to say decides it under the lock and leaves it as a job; the jobs are done
//! one after the other, without the lock, by whoever came first. So what one node is told is in the
//! order of the decisions, whoever made them, and a job may decide something in turn.

use super::circle::{Circle, answer_all};
use super::counter::{Counter, Out};
use super::limits;
use super::local;
use super::port::OutOfReach;
use super::wire::{Errand, PeopleMessage, PersonRecord, Reply};
use crate::cluster::Department;
use crate::event::Text;
use crate::node::{Far, Herald, Person, Services};
use crate::ring::{SessionMessage, SessionPort};
use belay_cluster::{Class, Cluster, NodeId, PeerNews, View};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::time::Instant;

/// See the module.
pub(super) struct Exchange {
    pub(super) cluster: Cluster,
    node: Weak<Services>,
    state: Mutex<State>,
}

/// Called once with the answer to a question.
type Answered = Box<dyn FnOnce(Result<Reply, OutOfReach>) + Send>;

pub(super) struct State {
    /// To whom wires stand.
    wires: BTreeSet<NodeId>,
    /// Who plays here, as the others were told.
    mine: BTreeMap<Text, Person>,
    questions: BTreeMap<u64, Question>,
    last_question: u64,
    counter: Counter,
    circle: Circle,
    jobs: VecDeque<Job>,
    /// Somebody does the jobs.
    busy: bool,
}

struct Question {
    to: NodeId,
    answered: Answered,
}

/// What is to be done without the lock.
enum Job {
    /// To be sent; this depends on it.
    Send(NodeId, Arc<[u8]>, Depends),
    /// A question has its answer.
    Answer(Answered, Result<Reply, OutOfReach>),
    /// A session is told what became of its account.
    Tell(SessionPort, SessionMessage),
}

/// What is to be told when a message is not sent.
#[derive(Clone, Copy, Debug)]
enum Depends {
    /// Nothing: it is said again, or may be lost.
    Nothing,
    /// The answer to this question.
    Question(u64),
    /// The answer to what a player said on a channel.
    Saying(u64),
}

impl Exchange {
    pub(super) fn new(cluster: Cluster, node: Weak<Services>) -> Self {
        let state = State {
            wires: BTreeSet::new(),
            mine: BTreeMap::new(),
            questions: BTreeMap::new(),
            last_question: 0,
            counter: Counter::new(),
            circle: Circle::default(),
            jobs: VecDeque::new(),
            busy: false,
        };
        Self {
            cluster,
            node,
            state: Mutex::new(state),
        }
    }

    /// Has something done about claims, and says what follows.
    pub(super) fn claims(&self, step: impl FnOnce(&mut Counter, &mut Vec<Out>)) {
        self.work(|state| {
            let mut out = Vec::new();
            step(&mut state.counter, &mut out);
            for one in out {
                match one {
                    Out::Send(to, message) => state.send(to, &PeopleMessage::Claims(message)),
                    Out::Tell(session, message) => {
                        state.jobs.push_back(Job::Tell(session, message));
                    }
                }
            }
        });
    }

    /// Asks something of a player on another node. It is answered exactly once, at the latest when
    /// the wire is gone.
    pub(super) fn ask(&self, far: &Far, errand: Errand, answered: Answered) {
        self.work(|state| state.ask(far, errand, answered));
    }

    /// Tells one node something; it may be lost with the wire.
    pub(super) fn send(&self, to: NodeId, message: &PeopleMessage) {
        self.work(|state| state.send(to, message));
    }

    /// Tells all nodes something; it may be lost with a wire.
    pub(super) fn send_all(&self, message: &PeopleMessage) {
        self.work(|state| state.send_all(message));
    }

    /// The same, but this node is told this instead.
    pub(super) fn send_each(&self, message: &PeopleMessage, but: Option<(NodeId, &PeopleMessage)>) {
        self.work(|state| {
            let body: Arc<[u8]> = message.encode().into();
            for to in state.wires.clone() {
                match but {
                    Some((node, other)) if node == to => state.send(to, other),
                    Some(_) | None => {
                        let job = Job::Send(to, body.clone(), Depends::Nothing);
                        state.jobs.push_back(job);
                    }
                }
            }
        });
    }

    /// Tells the owner of a channel what a player here says; if it is not sent, the player is told.
    pub(super) fn say(&self, to: NodeId, saying: u64, message: &PeopleMessage) {
        self.work(|state| {
            let job = Job::Send(to, message.encode().into(), Depends::Saying(saying));
            state.jobs.push_back(job);
        });
    }

    /// Has something done about channels.
    pub(super) fn circle<R>(&self, step: impl FnOnce(&mut Circle) -> R) -> R {
        step(&mut self.lock().circle)
    }

    /// The node, while it is there.
    pub(super) fn node(&self) -> Option<Arc<Services>> {
        self.node.upgrade()
    }

    /// A wire came or went.
    pub(super) fn peer(&self, node: NodeId, news: PeerNews) {
        let stands = matches!(news, PeerNews::Up(_));
        let services = self.node.upgrade();
        if let Some(services) = &services {
            services
                .players
                .note(|presence| presence.wire(node, stands));
        }
        self.work(|state| {
            if stands {
                state.wires.insert(node);
                state.list_to(node);
            } else {
                state.wires.remove(&node);
                state.out_of_reach(node);
            }
        });
        match &services {
            Some(services) if stands => {
                self.claims(|counter, out| counter.wired(node, out));
                self.channels_up(services, node);
            }
            Some(_) | None => self.channels_down(node),
        }
        // A ban that was said while the wire was down is on record.
        if let Some(services) = services.filter(|_| stands) {
            services.refresh_bans();
        }
    }

    /// The cluster has changed.
    pub(super) fn changed(&self, view: &View) {
        let Some(services) = self.node.upgrade() else {
            return;
        };
        let living: BTreeSet<NodeId> = view.living().collect();
        services.players.note(|presence| presence.members(&living));
        self.claims(|counter, out| counter.changed(view, out));
        self.channels_changed(&services, view);
    }

    /// Another node says something.
    pub(super) fn receive(&self, from: NodeId, body: &[u8]) {
        let Some(services) = self.node.upgrade() else {
            return;
        };
        let Ok(message) = PeopleMessage::decode(body) else {
            tracing::debug!(target: "belay_world", peer = from.0, "message not understood");
            return;
        };
        let players = &services.players;
        match message {
            PeopleMessage::List {
                first,
                last,
                people,
            } => {
                let people = people.into_iter().map(Person::from).collect();
                players.note(|presence| presence.list(from, (first, last), people));
            }
            PeopleMessage::Plays(person) => {
                players.note(|presence| presence.plays(from, person.into()));
            }
            PeopleMessage::Left { name, entry } => {
                players.note(|presence| presence.left(from, &name, entry));
            }
            PeopleMessage::Ask {
                question,
                to,
                errand,
            } => {
                let reply = local::obey(&services, &to, errand);
                self.send(from, &PeopleMessage::Answer { question, reply });
            }
            PeopleMessage::Answer { question, reply } => {
                self.work(|state| state.answer(question, Ok(reply)));
            }
            other @ (PeopleMessage::Gift { .. }
            | PeopleMessage::Banned(_)
            | PeopleMessage::Lifted { .. }
            | PeopleMessage::Staff { .. }) => local::note(&services, other),
            PeopleMessage::Talk(message) => self.talk(&services, from, message),
            PeopleMessage::Claims(claims) => {
                let now = Instant::now().into_std();
                self.claims(|counter, out| counter.receive(from, claims, now, out));
            }
        }
    }

    fn work<R>(&self, step: impl FnOnce(&mut State) -> R) -> R {
        let done = step(&mut self.lock());
        self.do_jobs();
        done
    }

    fn do_jobs(&self) {
        loop {
            let job = {
                let mut state = self.lock();
                if state.busy {
                    return;
                }
                let Some(job) = state.jobs.pop_front() else {
                    return;
                };
                state.busy = true;
                job
            };
            let _free = Free(self);
            self.carry_out(job);
        }
    }

    fn carry_out(&self, job: Job) {
        match job {
            Job::Answer(answered, reply) => answered(reply),
            // A session that has no room for it asks again, or is told again.
            Job::Tell(session, message) => drop(session.try_send_owed(message)),
            Job::Send(to, body, _) if to == self.cluster.me() => self.receive(to, &body),
            Job::Send(to, body, depends) => {
                let sent = Department::People.send(&self.cluster, to, Class::Owed, &body);
                if let Err(why) = sent {
                    tracing::debug!(target: "belay_world", peer = to.0, reason = %why, "not sent");
                    self.unsent(depends);
                }
            }
        }
    }

    fn unsent(&self, depends: Depends) {
        match depends {
            Depends::Nothing => {}
            Depends::Question(question) => self.lock().answer(question, Err(OutOfReach)),
            Depends::Saying(saying) => {
                let answers = self.lock().circle.unsent(saying);
                answer_all(answers);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The next may do jobs, whatever became of this one.
struct Free<'a>(&'a Exchange);

impl Drop for Free<'_> {
    fn drop(&mut self) {
        self.0.lock().busy = false;
    }
}

impl State {
    fn ask(&mut self, far: &Far, errand: Errand, answered: Answered) {
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

    fn answer(&mut self, question: u64, reply: Result<Reply, OutOfReach>) {
        if let Some(Question { answered, .. }) = self.questions.remove(&question) {
            self.jobs.push_back(Job::Answer(answered, reply));
        }
    }

    fn out_of_reach(&mut self, node: NodeId) {
        let asked = |question: &Question| question.to == node;
        let open = self.questions.iter().filter(|(_, one)| asked(one));
        for question in open.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.answer(question, Err(OutOfReach));
        }
    }

    fn send(&mut self, to: NodeId, message: &PeopleMessage) {
        self.jobs
            .push_back(Job::Send(to, message.encode().into(), Depends::Nothing));
    }

    fn send_all(&mut self, message: &PeopleMessage) {
        let body: Arc<[u8]> = message.encode().into();
        let to_each = |to: &NodeId| Job::Send(*to, body.clone(), Depends::Nothing);
        self.jobs.extend(self.wires.iter().map(to_each));
    }

    /// The whole list, in pieces.
    fn list_to(&mut self, node: NodeId) {
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

impl Herald for Exchange {
    fn plays(&self, person: Person) {
        self.work(|state| {
            state.send_all(&PeopleMessage::Plays(PersonRecord::from(&person)));
            state.mine.insert(person.name.clone(), person);
        });
    }

    fn left(&self, name: &Text, entry: u64) {
        self.work(|state| {
            if state.mine.get(name).is_some_and(|one| one.entry == entry) {
                state.mine.remove(name);
                let name = name.to_string();
                state.send_all(&PeopleMessage::Left { name, entry });
            }
        });
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("cluster", &self.cluster)
            .finish_non_exhaustive()
    }
}
