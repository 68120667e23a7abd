//! `[process]` The bridge as staff and the operator use it.

use super::file::FileState;
use super::handle::Bridge;
use super::message::WatchMessage;
use super::report::BridgeReport;
use super::rules::Rules;
use super::word::Word;
use crate::event::Text;
use crate::store::{
    NetworkRule, NewNetworkRule, RuleKind, RuleSubject, StoreError, StorePort, UnixMillis,
};
use belay_gossip::Credentials;
use belay_runtime::Address;
use std::sync::Arc;

/// For staff and the operator.
impl Bridge {
    /// How the bridge is.
    pub fn report(&self) -> BridgeReport {
        BridgeReport::new(&self.shared, &*self.client)
    }

    /// Connects, unless it does already.
    pub fn on(&self) {
        self.client.on();
    }

    /// Leaves the network.
    pub fn off(&self) {
        self.client.off();
    }

    /// Tries to connect now, if it waits for that; whether it did.
    pub fn retry(&self) -> bool {
        self.client.retry()
    }

    /// The file says this now; with credentials a connection is tried at once.
    pub fn configure(&self, state: FileState, credentials: Option<Credentials>) {
        self.shared.set_file(state);
        self.client.configure(credentials);
    }

    /// From now on this process is asked when the file is to be read.
    pub fn watched_by(&self, watch: Address<WatchMessage>) {
        self.watch.get_or_init(|| watch);
    }

    /// Reads the credentials file now, changed or not, and says what it is.
    pub fn reload(&self, reply: impl FnOnce(Arc<FileState>) + Send + 'static) {
        let Some(watch) = self.watch.get() else {
            return reply(self.file());
        };
        let refused = watch.try_send(WatchMessage::Reload(Box::new(reply)));
        if let Err(refused) = refused
            && let WatchMessage::Reload(reply) = refused.into_inner()
        {
            reply(self.file());
        }
    }

    /// What became of the credentials file.
    pub fn file(&self) -> Arc<FileState> {
        self.shared.file()
    }

    /// The name of a game as it is spelt on the network, when it is there.
    pub fn spelling(&self, game: &str) -> Text {
        let roster = self.client.roster();
        let found = roster.game(game);
        found.map_or_else(|| game.into(), |game| game.name.as_str().into())
    }

    /// Adds a rule here and on record; answers whether there was room for it.
    pub fn add_rule(
        &self,
        store: &StorePort,
        rule: NewNetworkRule,
        reply: impl FnOnce(Result<bool, StoreError>) + Send + 'static,
    ) {
        let shared = self.shared.clone();
        let held = NetworkRule {
            subject: rule.subject.clone(),
            reason: rule.reason.clone(),
            by: rule.by.clone(),
            at: UnixMillis(0),
        };
        let (bridge, again) = (self.clone(), store.clone());
        store.add_network_rule(rule, move |added| {
            if matches!(added, Ok(true)) {
                let blocks = held.subject.kind == RuleKind::Block;
                let game = blocks.then(|| held.subject.name.clone());
                shared.change(|rules| rules.add(held));
                game.iter().for_each(|game| shared.forget(game));
                let game = game.map(|game| Text::from(&*game));
                bridge.joint.joint.to_all(Word::Rules(game));
                bridge.refresh(&again);
            }
            reply(added);
        });
    }

    /// Lifts a rule here and on record; answers whether there was one.
    pub fn lift_rule(
        &self,
        store: &StorePort,
        subject: RuleSubject,
        reply: impl FnOnce(Result<bool, StoreError>) + Send + 'static,
    ) {
        let bridge = self.clone();
        store.remove_network_rule(subject.clone(), move |lifted| {
            if lifted.is_ok() {
                bridge.shared.change(|rules| rules.lift(&subject));
                bridge.joint.joint.to_all(Word::Rules(None));
            }
            reply(lifted);
        });
    }

    /// Reads the rules from the record.
    pub fn refresh(&self, store: &StorePort) {
        let (bridge, again) = (self.clone(), store.clone());
        let changes = self.shared.changes();
        store.list_network_rules(move |rules| match rules {
            Ok(rules) => {
                if !bridge.shared.replace(changes, Rules::new(rules)) {
                    bridge.refresh(&again);
                }
            }
            Err(error) => {
                tracing::error!(target: "belay_world", %error, "network rules not read");
            }
        });
    }
}
