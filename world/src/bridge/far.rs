//! `[process]` The bridge as other nodes of a cluster use it.

use super::handle::Bridge;
use super::joint::{Link, Told};
use super::network::Answer;
use super::remote::Remote;
use super::word::Word;
use crate::event::Text;
use crate::store::StorePort;
use belay_gossip::client::{News, Tell, TellAnswer};
use std::sync::Arc;

impl Bridge {
    /// From now on the bridge is one of those of a cluster, which has one connection; whether it is
    /// the first time. To be called before the bridge runs.
    pub fn link(&self, link: Arc<dyn Link>) -> bool {
        let first = self.joint.joint.set(link);
        self.joint.settle();
        first
    }

    /// The connection of the cluster came to this node, or left it.
    pub fn placed(&self) {
        self.joint.settle();
    }

    /// What a node whose wire came up is to know.
    pub fn words(&self) -> Vec<Word> {
        self.joint.words()
    }

    /// Another node says this.
    pub fn from_afar(&self, word: Word, store: &StorePort) {
        match &word {
            Word::News(news) => self.inlet.take(news.clone()),
            Word::Status(status) => {
                self.joint.note(word.clone());
                self.inlet.take(News::Status(status.clone()));
            }
            Word::Rules(game) => {
                self.refresh(store);
                game.iter().for_each(|game| self.shared.forget(game));
            }
            Word::Unread { from, to } => self.inlet.unread(from, to.clone()),
            Word::Roster(_) | Word::Switch(..) | Word::Say { .. } | Word::Retry => {
                self.joint.note(word);
            }
        }
    }

    /// A player of another node tells somebody in another game; the answer comes once.
    pub fn tell_from_afar(&self, tell: Tell, answer: Answer) {
        if self.joint.joint.post() == super::joint::Post::Here {
            self.client.tell(tell, answer);
        } else {
            answer(TellAnswer::Offline);
        }
    }

    /// Somebody in another game tells a player here, says the node of the connection.
    pub fn told_from_afar(&self, from: Remote, to: &str, text: &str, told: Told) {
        self.inlet.tell_here(from, to, text, Some(told));
    }

    /// Players came and went on other nodes.
    pub fn signed_elsewhere(&self, changes: &[(Text, bool)]) {
        for (name, came) in changes {
            if *came {
                self.client.sign_in(name);
            } else if self.shared.players.find_exactly(name).is_none() {
                self.client.sign_out(name);
            }
        }
    }
}
