//! `[process]` The way to the rules about the network of games.

use super::answer::Answer;
use super::network_rule::{NetworkRule, NewNetworkRule, RuleChange, RuleSubject};
use super::outcome::StoreError;
use super::port::StorePort;
use super::request::{Read, Write};

impl StorePort {
    /// Adds a rule in place of the one that the subject may have; answers `false`, and adds
    /// nothing, when there are as many as there may be
    /// ([`NETWORK_RULES_MAX`](super::limits::NETWORK_RULES_MAX)).
    pub fn add_network_rule(
        &self,
        rule: NewNetworkRule,
        reply: impl FnOnce(Result<bool, StoreError>) + Send + 'static,
    ) {
        self.write(Write::Rule {
            change: RuleChange::Add(rule),
            answer: Answer::new(reply),
        });
    }

    /// Lifts a rule; answers whether there was one.
    pub fn remove_network_rule(
        &self,
        subject: RuleSubject,
        reply: impl FnOnce(Result<bool, StoreError>) + Send + 'static,
    ) {
        self.write(Write::Rule {
            change: RuleChange::Lift(subject),
            answer: Answer::new(reply),
        });
    }

    /// Reads all rules, by kind and name.
    pub fn list_network_rules(
        &self,
        reply: impl FnOnce(Result<Vec<NetworkRule>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::ListNetworkRules {
            answer: Answer::new(reply),
        });
    }
}
