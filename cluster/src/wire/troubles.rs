//! `[pure]` The last trouble with each peer, so that it is logged once and not at each try.

use super::limits::TROUBLES_MAX;
use std::collections::BTreeMap;

/// The last trouble with each peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Troubles {
    /// With the count of the trouble, so that the oldest can be forgotten.
    by_peer: BTreeMap<String, (u64, String)>,
    count: u64,
}

impl Troubles {
    /// Whether this trouble with this peer is another than the last one.
    pub(crate) fn is_news(&mut self, peer: &str, trouble: &str) -> bool {
        if self
            .by_peer
            .get(peer)
            .is_some_and(|(_, last)| last == trouble)
        {
            return false;
        }
        self.count += 1;
        let last = (self.count, trouble.to_owned());
        self.by_peer.insert(peer.to_owned(), last);
        if self.by_peer.len() > TROUBLES_MAX {
            let oldest = self.by_peer.iter().min_by_key(|(_, (count, _))| *count);
            if let Some(oldest) = oldest.map(|(peer, _)| peer.clone()) {
                self.by_peer.remove(&oldest);
            }
        }
        true
    }

    /// All is well with this peer.
    pub(crate) fn forget(&mut self, peer: &str) {
        self.by_peer.remove(peer);
    }

    /// Peers and their troubles.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        let all = self.by_peer.iter();
        all.map(|(peer, (_, trouble))| (peer.clone(), trouble.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_news_once_and_again_after_a_change_or_after_all_was_well() {
        let mut troubles = Troubles::default();
        assert!(troubles.is_news("n1", "cut"));
        assert!(!troubles.is_news("n1", "cut"));
        assert!(troubles.is_news("n2", "cut"));
        assert!(troubles.is_news("n1", "other"));
        assert!(troubles.is_news("n1", "cut"));
        troubles.forget("n1");
        assert_eq!(troubles.list(), [("n2".to_owned(), "cut".to_owned())]);
        assert!(troubles.is_news("n1", "cut"));
    }

    #[test]
    fn the_oldest_trouble_is_forgotten_when_there_are_too_many() {
        let mut troubles = Troubles::default();
        for peer in 0..=TROUBLES_MAX {
            assert!(troubles.is_news(&peer.to_string(), "cut"));
        }
        assert_eq!(troubles.list().len(), TROUBLES_MAX);
        assert!(!troubles.is_news("1", "cut"));
        assert!(troubles.is_news("0", "cut"));
    }
}
