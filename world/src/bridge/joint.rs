//! `[process]` One connection to the network for all nodes of a cluster: the client of each node,
//! among those of the others.
//!
//! ```text
//! node of the socket:  client ◄─ on ─ joint ── news, status, roster ─► the joints of the others
//! other nodes:         client ─ off   joint ◄─ lines, tells of their players ── to that node
//! ```
//! A node that is alone has its socket itself, and nothing here does anything.

use super::network::{Answer, Network};
use super::remote::Remote;
use super::word::Word;
use belay_gossip::Credentials;
use belay_gossip::client::{
    ClientFigures, ClientStatus, Receipt, Roster, SayError, Tell, TellAnswer, TellOutcome,
};
use belay_runtime::ChildSpec;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Where the socket of the cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Post {
    /// On this node, or the node is alone.
    Here,
    /// On another node.
    Elsewhere,
    /// Nowhere just now.
    Nowhere,
}

/// Called once with what became of a tell from another game.
pub type Told = Box<dyn FnOnce(TellOutcome) + Send>;

/// The way to the bridges of other nodes. It must not block.
pub trait Link: Send + Sync + 'static {
    /// Where the socket is.
    fn post(&self) -> Post;
    /// Says this to all other nodes.
    fn to_all(&self, word: Word);
    /// Says this to the node of the socket.
    fn to_socket(&self, word: Word);
    /// Says this to the node where this player plays, if it is another one.
    fn to_player(&self, name: &str, word: Word);
    /// Has the node of the socket tell somebody; answered once.
    fn tell(&self, tell: Tell, answer: Answer);
    /// Has a player of another node told something; answered once, also when nobody is there.
    fn told(&self, from: &Remote, to: &str, text: &str, told: Told);
}

/// The link, once there is one, and what other nodes said.
#[derive(Default)]
pub(super) struct Joint {
    link: OnceLock<Arc<dyn Link>>,
    said: Mutex<Said>,
}

/// What the node of the socket said last, or was told.
#[derive(Default)]
struct Said {
    status: Option<ClientStatus>,
    roster: Arc<Roster>,
    switch: Option<(u64, bool)>,
    /// Whether this node's client was switched on last.
    on: Option<bool>,
}

/// The client of this node, as the bridge uses it.
pub(super) struct JointNetwork {
    pub(super) inner: Arc<dyn Network>,
    pub(super) joint: Arc<Joint>,
}

impl Joint {
    pub(super) fn link(&self) -> Option<&Arc<dyn Link>> {
        self.link.get()
    }

    /// Where the socket is.
    pub(super) fn post(&self) -> Post {
        self.link.get().map_or(Post::Here, |link| link.post())
    }

    /// Says this to all other nodes, if there are any.
    pub(super) fn to_all(&self, word: Word) {
        if let Some(link) = self.link.get() {
            link.to_all(word);
        }
    }

    pub(super) fn set(&self, link: Arc<dyn Link>) -> bool {
        self.link.set(link).is_ok()
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JointNetwork {
    /// Another node says this of the network.
    pub(super) fn note(&self, word: Word) {
        match word {
            Word::Status(status) => self.joint.said().status = Some(status),
            Word::Roster(roster) => self.joint.said().roster = roster,
            Word::Switch(number, on) => {
                let mut said = self.joint.said();
                let newer = said.switch.is_none_or(|(before, _)| number > before);
                if newer {
                    said.switch = Some((number, on));
                }
                drop(said);
                self.settle();
            }
            Word::Say {
                channel,
                name,
                message,
            } => {
                if self.joint.post() == Post::Here {
                    // The node of the player saw the network in reach: that was a moment ago.
                    if let Err(error) = self.inner.say(&channel, &name, &message) {
                        tracing::debug!(target: "belay_world", %error, "not said elsewhere");
                    }
                }
            }
            Word::Retry => {
                if self.joint.post() == Post::Here {
                    self.inner.retry();
                }
            }
            Word::News(_) | Word::Rules(_) | Word::Unread { .. } => {}
        }
    }

    /// What a node that comes back is to know.
    pub(super) fn words(&self) -> Vec<Word> {
        let switch = self.joint.said().switch;
        let mut words: Vec<Word> = switch
            .map(|(number, on)| Word::Switch(number, on))
            .into_iter()
            .collect();
        if self.joint.post() == Post::Here {
            words.push(Word::Status(self.inner.status()));
            words.push(Word::Roster(self.inner.roster()));
        }
        words
    }

    /// The client is on where the socket is to be, and nowhere else.
    pub(super) fn settle(&self) {
        let here = self.joint.post() == Post::Here;
        let mut said = self.joint.said();
        let on = here && said.switch.is_none_or(|(_, on)| on);
        if said.on.replace(on) != Some(on) {
            drop(said);
            self.turn(on);
        }
    }

    fn turn(&self, on: bool) {
        if on {
            self.inner.on();
        } else {
            self.inner.off();
        }
    }

    fn switch(&self, on: bool) {
        let Some(link) = self.joint.link() else {
            return if on {
                self.inner.on()
            } else {
                self.inner.off()
            };
        };
        let number = {
            let mut said = self.joint.said();
            let number = said
                .switch
                .map_or(1, |(number, _)| number.saturating_add(1));
            said.switch = Some((number, on));
            number
        };
        link.to_all(Word::Switch(number, on));
        // Also when it is: somebody wants it to try now.
        self.joint.said().on = None;
        self.settle();
    }
}

impl Network for JointNetwork {
    fn spec(&self) -> ChildSpec {
        self.inner.spec()
    }

    fn configure(&self, credentials: Option<Credentials>) {
        self.inner.configure(credentials);
    }

    fn on(&self) {
        self.switch(true);
    }

    fn off(&self) {
        self.switch(false);
    }

    fn retry(&self) -> bool {
        match (self.joint.post(), self.joint.link()) {
            (Post::Elsewhere, Some(link)) => {
                let waits = matches!(
                    self.status(),
                    ClientStatus::Waiting { .. } | ClientStatus::Rejected { .. }
                );
                if waits {
                    link.to_socket(Word::Retry);
                }
                waits
            }
            (Post::Here | Post::Elsewhere | Post::Nowhere, _) => self.inner.retry(),
        }
    }

    fn subscribe(&self, channel: &str) {
        self.inner.subscribe(channel);
    }

    fn say(&self, channel: &str, name: &str, message: &str) -> Result<(), SayError> {
        match (self.joint.post(), self.joint.link()) {
            (Post::Elsewhere, Some(link)) if self.status().is_online() => {
                link.to_socket(Word::Say {
                    channel: channel.to_owned(),
                    name: name.to_owned(),
                    message: message.to_owned(),
                });
                Ok(())
            }
            (Post::Here, _) => self.inner.say(channel, name, message),
            (Post::Elsewhere | Post::Nowhere, _) => Err(SayError::Offline),
        }
    }

    fn sign_in(&self, name: &str) {
        if self.joint.post() == Post::Here {
            self.inner.sign_in(name);
        }
    }

    fn sign_out(&self, name: &str) {
        if self.joint.post() == Post::Here {
            self.inner.sign_out(name);
        }
    }

    fn tell(&self, tell: Tell, answer: Answer) {
        match (self.joint.post(), self.joint.link()) {
            (Post::Elsewhere, Some(link)) => link.tell(tell, answer),
            (Post::Here, _) => self.inner.tell(tell, answer),
            (Post::Elsewhere | Post::Nowhere, _) => answer(TellAnswer::Offline),
        }
    }

    fn receipt(&self, receipt: Receipt, outcome: TellOutcome) {
        self.inner.receipt(receipt, outcome);
    }

    fn roster(&self) -> Arc<Roster> {
        match self.joint.post() {
            Post::Here => self.inner.roster(),
            Post::Elsewhere => self.joint.said().roster.clone(),
            Post::Nowhere => Arc::default(),
        }
    }

    fn status(&self) -> ClientStatus {
        let nowhere = || ClientStatus::Waiting {
            reason: "no node of the cluster holds the connection just now".to_owned(),
            next_try_ms: 0,
        };
        match self.joint.post() {
            Post::Here => self.inner.status(),
            Post::Elsewhere => self.joint.said().status.clone().unwrap_or_else(nowhere),
            Post::Nowhere => match self.inner.status() {
                ClientStatus::Unconfigured => ClientStatus::Unconfigured,
                ClientStatus::Off
                | ClientStatus::Waiting { .. }
                | ClientStatus::Connecting
                | ClientStatus::Authenticating
                | ClientStatus::Online { .. }
                | ClientStatus::Rejected { .. } => nowhere(),
            },
        }
    }

    fn figures(&self) -> ClientFigures {
        self.inner.figures()
    }

    /// Tells the others what has changed since they were told last.
    fn tick(&self) {
        let Some(link) = self.joint.link() else {
            return;
        };
        if link.post() != Post::Here {
            return;
        }
        let (status, roster) = (self.inner.status(), self.inner.roster());
        let (news, known) = {
            let mut said = self.joint.said();
            let like = said
                .status
                .as_ref()
                .is_some_and(|told| told.is_like(&status));
            let known = Arc::ptr_eq(&said.roster, &roster);
            said.status = Some(status.clone());
            said.roster = roster.clone();
            (!like, known)
        };
        if news {
            link.to_all(Word::Status(status));
        }
        if !known {
            link.to_all(Word::Roster(roster));
        }
    }
}

impl fmt::Debug for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joint")
            .field("post", &self.post())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for JointNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JointNetwork")
            .field("joint", &self.joint)
            .finish_non_exhaustive()
    }
}
