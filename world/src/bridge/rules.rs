//! `[pure]` What staff decided: who may not speak to other games, and which games are blocked.

use super::remote::Remote;
use crate::store::{NetworkRule, RuleKind, RuleSubject};
use std::collections::BTreeMap;

/// The rules that hold.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    mutes: BTreeMap<String, NetworkRule>,
    blocks: BTreeMap<String, NetworkRule>,
}

impl Rules {
    /// These rules hold.
    pub fn new(rules: Vec<NetworkRule>) -> Self {
        let mut all = Self::default();
        rules.into_iter().for_each(|rule| all.add(rule));
        all
    }

    /// From here on this rule holds too.
    pub fn add(&mut self, rule: NetworkRule) {
        let key = rule.subject.key();
        self.of(rule.subject.kind).insert(key, rule);
    }

    /// From here on this subject has no rule.
    pub fn lift(&mut self, subject: &RuleSubject) {
        self.of(subject.kind).remove(&subject.key());
    }

    /// The rule by which this player here may not speak to other games.
    pub fn mute(&self, player: &str) -> Option<&NetworkRule> {
        self.mutes.get(&player.to_lowercase())
    }

    /// Whether nothing of this game is read here.
    pub fn blocks(&self, game: &str) -> bool {
        // Nearly always there is none, and a flood of lines is looked up here.
        !self.blocks.is_empty() && self.blocks.contains_key(&game.to_lowercase())
    }

    /// Whether nothing of this player is read here.
    pub fn blocks_player(&self, remote: &Remote) -> bool {
        self.blocks(&remote.game)
    }

    /// All mutes by name, then all blocks.
    pub fn all(&self) -> impl Iterator<Item = &NetworkRule> {
        self.mutes.values().chain(self.blocks.values())
    }

    fn of(&mut self, kind: RuleKind) -> &mut BTreeMap<String, NetworkRule> {
        match kind {
            RuleKind::Mute => &mut self.mutes,
            RuleKind::Block => &mut self.blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::UnixMillis;

    fn rule(kind: RuleKind, name: &str) -> NetworkRule {
        NetworkRule {
            subject: RuleSubject {
                kind,
                name: name.to_owned(),
            },
            reason: "spam".to_owned(),
            by: "Boss".to_owned(),
            at: UnixMillis(0),
        }
    }

    #[test]
    fn rules_hold_whatever_the_case_until_they_are_lifted() {
        let (mute, block) = (RuleKind::Mute, RuleKind::Block);
        let mut rules = Rules::new(vec![rule(mute, "Ann"), rule(block, "OtherGame")]);
        assert_eq!(rules.mute("aNN").map(|rule| &*rule.reason), Some("spam"));
        assert!(rules.mute("OtherGame").is_none());
        assert!(rules.blocks("othergame"));
        assert!(!rules.blocks("Ann"));
        rules.add(rule(mute, "ANN"));
        assert_eq!(rules.all().count(), 2);
        rules.lift(&rule(block, "OTHERGAME").subject);
        assert!(!rules.blocks("OtherGame"));
        rules.lift(&rule(block, "ann").subject);
        assert!(rules.mute("Ann").is_some());
    }
}
