//! `[process]` What this node has said to the others, and what it waits for.
//!
//! Whoever has something to say decides it under the lock and leaves it as a job; the jobs are done
//! one after the other, without the lock, by whoever came first. So what one node is told is in the
//! order of the decisions, whoever made them, and a job may decide something in turn.

use super::circle::Circle;
use super::counter::{Counter, Out};
use super::games::Socket;
use super::gifts::Gifts;
use super::local;
use super::port::OutOfReach;
use super::state::{Answered, Depends, Job, State};
use super::wire::{Errand, PeopleMessage, PersonRecord};
use crate::bridge::Word;
use crate::cluster::Department;
use crate::event::Text;
use crate::ids::ChannelId;
use crate::node::{Far, Herald, Person, Presence, Services};
use crate::talk::Seat;
use belay_cluster::{Class, Cluster, NodeId, NodePhase, PeerNews, View};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::time::Instant;

/// See the module.
pub(super) struct Exchange {
    pub(super) cluster: Cluster,
    node: Weak<Services>,
    me: Weak<Self>,
    state: Mutex<State>,
}

impl Exchange {
    pub(super) fn new(cluster: Cluster, node: Weak<Services>) -> Arc<Self> {
        let state = State::new();
        Arc::new_cyclic(|me| Self {
            cluster,
            node,
            me: me.clone(),
            state: Mutex::new(state),
        })
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

    /// Has something done about gifts.
    pub(super) fn gifts<R>(&self, step: impl FnOnce(&mut Gifts) -> R) -> R {
        step(&mut self.lock().gifts)
    }

    /// For answers that come later.
    pub(super) fn myself(&self) -> Weak<Self> {
        self.me.clone()
    }

    /// Where the order of a channel is made now.
    pub(super) fn seat_of(&self, channel: ChannelId, me: NodeId, now: std::time::Instant) -> Seat {
        let state = self.lock();
        state.circle.seat(channel, (me, &state.wires), now)
    }

    /// Has something done about the socket to other games.
    pub(super) fn socket<R>(&self, step: impl FnOnce(&mut Socket) -> R) -> R {
        step(&mut self.lock().socket)
    }

    /// Notes who plays elsewhere; the network hears who came and went, if its socket is here.
    fn note(&self, node: &Services, change: impl FnOnce(&mut Presence)) {
        let changes = node.players.note(change);
        if !changes.is_empty() {
            node.bridge.signed_elsewhere(&changes);
        }
    }

    /// The node, while it is there.
    pub(super) fn node(&self) -> Option<Arc<Services>> {
        self.node.upgrade()
    }

    /// A wire came or went.
    pub(super) fn peer(&self, node: NodeId, news: PeerNews) {
        let life = match news {
            PeerNews::Up(life) => Some(life),
            PeerNews::Down => None,
        };
        let stands = life.is_some();
        let services = self.node.upgrade();
        if let Some(services) = &services {
            self.note(services, |presence| presence.wire(node, stands));
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
                self.games_up(services, node);
            }
            Some(_) | None => self.channels_down(node),
        }
        if let Some(life) = life {
            self.gifts_up(node, life);
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
        self.note(&services, |presence| presence.members(&living));
        for (node, known) in &view.nodes {
            if known.phase == NodePhase::Down {
                self.gifts_lost(*node);
            }
        }
        self.claims(|counter, out| counter.changed(view, out));
        self.channels_changed(&services, view);
        self.games_changed(&services, view);
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
        match message {
            PeopleMessage::List {
                first,
                last,
                people,
            } => {
                let people = people.into_iter().map(Person::from).collect();
                self.note(&services, |presence| {
                    presence.list(from, (first, last), people)
                });
            }
            PeopleMessage::Plays(person) => {
                self.note(&services, |presence| presence.plays(from, person.into()));
            }
            PeopleMessage::Left { name, entry } => {
                self.note(&services, |presence| presence.left(from, &name, entry));
            }
            PeopleMessage::Ask {
                question,
                to,
                errand: errand @ Errand::Receive { .. },
            } => {
                let reply = self.receive_gift(&services, from, &to, errand);
                self.send(from, &PeopleMessage::Answer { question, reply });
            }
            PeopleMessage::Ask {
                question,
                to,
                errand,
            } => {
                let me = self.me.clone();
                local::obey(&services, &to, errand, move |reply| {
                    if let Some(exchange) = me.upgrade() {
                        exchange.send(from, &PeopleMessage::Answer { question, reply });
                    }
                });
            }
            PeopleMessage::Answer { question, reply } => {
                self.work(|state| state.answer(question, Ok(reply)));
            }
            other @ (PeopleMessage::Gift { .. }
            | PeopleMessage::Banned(_)
            | PeopleMessage::Lifted { .. }
            | PeopleMessage::Staff { .. }) => local::note(&services, other),
            PeopleMessage::Games(message) => {
                let store = &services.store;
                services.bridge.from_afar(Word::from(message), store);
            }
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
                if let Some(node) = self.node() {
                    self.return_words(&node, None, saying);
                }
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
