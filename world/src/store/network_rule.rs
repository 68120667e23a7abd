//! `[pure]` What staff decided about the network of games: who may not speak there, and which games
//! are not read here.

use std::fmt;

use super::record::UnixMillis;

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKind {
    /// A player here may not speak to other games.
    Mute,
    /// Nothing of another game is read here, and nobody here speaks to its players.
    Block,
}

impl RuleKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Mute => "mute",
            Self::Block => "block",
        }
    }

    pub(super) fn from_stored(text: &str) -> Option<Self> {
        [Self::Mute, Self::Block]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// Whom a rule is about. Two subjects are the same whatever their case.
#[derive(Clone, Debug)]
pub struct RuleSubject {
    /// What it does to them.
    pub kind: RuleKind,
    /// The name of a player here, or of another game.
    pub name: String,
}

impl RuleSubject {
    /// The form that is compared.
    pub fn key(&self) -> String {
        self.name.to_lowercase()
    }
}

impl PartialEq for RuleSubject {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.key() == other.key()
    }
}

impl Eq for RuleSubject {}

impl fmt::Display for RuleSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A rule to be made. One that exists for the same subject is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNetworkRule {
    /// Whom it is about.
    pub subject: RuleSubject,
    /// Why; a muted player is told.
    pub reason: String,
    /// By whom.
    pub by: String,
}

/// What is to become of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RuleChange {
    Add(NewNetworkRule),
    Lift(RuleSubject),
}

/// A rule as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkRule {
    /// Whom it is about.
    pub subject: RuleSubject,
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
    /// Since when.
    pub at: UnixMillis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_back_from_their_stored_form() {
        for kind in [RuleKind::Mute, RuleKind::Block] {
            assert_eq!(RuleKind::from_stored(kind.as_str()), Some(kind));
        }
        assert_eq!(RuleKind::from_stored("praise"), None);
    }

    #[test]
    fn subjects_are_the_same_whatever_their_case() {
        let subject = |kind, name: &str| RuleSubject {
            kind,
            name: name.to_owned(),
        };
        assert_eq!(
            subject(RuleKind::Mute, "Ann"),
            subject(RuleKind::Mute, "aNN")
        );
        assert_ne!(
            subject(RuleKind::Mute, "Ann"),
            subject(RuleKind::Block, "Ann")
        );
    }
}
