//! Rules about the network of games.

use belay_world::store::limits::NETWORK_RULES_MAX;
use belay_world::store::{NetworkRule, NewNetworkRule, RuleKind, RuleSubject, StoreOptions};
use std::time::Duration;

use super::support::{ManualClock, Place, Running, ask};

fn subject(kind: RuleKind, name: &str) -> RuleSubject {
    RuleSubject {
        kind,
        name: name.to_owned(),
    }
}

impl Running {
    async fn add(&self, kind: RuleKind, name: &str, reason: &str) -> bool {
        let rule = NewNetworkRule {
            subject: subject(kind, name),
            reason: reason.to_owned(),
            by: "Boss".to_owned(),
        };
        ask(|reply| self.port.add_network_rule(rule, reply))
            .await
            .unwrap()
    }

    async fn remove(&self, kind: RuleKind, name: &str) -> bool {
        let subject = subject(kind, name);
        ask(|reply| self.port.remove_network_rule(subject, reply))
            .await
            .unwrap()
    }

    async fn rules(&self) -> Vec<NetworkRule> {
        ask(|reply| self.port.list_network_rules(reply))
            .await
            .unwrap()
    }
}

pub(crate) async fn a_rule_holds_over_a_restart_until_it_is_lifted_whatever_the_case(
    place: &Place,
) {
    let clock = ManualClock::default();
    let options = || StoreOptions {
        clock: clock.clock(),
        ..StoreOptions::default()
    };
    let store = Running::start(place.database(), options()).await;
    assert!(store.add(RuleKind::Mute, "Ann", "spam").await);
    clock.advance(Duration::from_secs(9));
    assert!(store.add(RuleKind::Block, "OtherGame", "").await);
    assert!(store.add(RuleKind::Mute, "ANN", "more spam").await);
    store.stop().await;

    let store = Running::start(place.database(), options()).await;
    let rules = store.rules().await;
    let shown: Vec<_> = rules
        .iter()
        .map(|rule| (rule.subject.kind, rule.subject.name.as_str(), &*rule.reason))
        .collect();
    let expected = [
        (RuleKind::Block, "OtherGame", ""),
        (RuleKind::Mute, "ANN", "more spam"),
    ];
    assert_eq!(shown, expected);
    assert!(
        rules
            .iter()
            .all(|rule| rule.by == "Boss" && rule.at.0 == 9_000)
    );

    assert!(!store.remove(RuleKind::Block, "ann").await);
    assert!(store.remove(RuleKind::Mute, "ann").await);
    assert!(!store.remove(RuleKind::Mute, "ann").await);
    assert_eq!(store.rules().await.len(), 1);
    store.stop().await;
}

pub(crate) async fn a_new_rule_is_refused_when_there_are_too_many_and_an_old_one_is_replaced(
    place: &Place,
) {
    let store = Running::start(place.database(), StoreOptions::default()).await;
    assert!(store.add(RuleKind::Mute, "Ann", "spam").await);
    assert_eq!(NETWORK_RULES_MAX, 10_000);
    let mut other = place.stranger().await;
    other
        .run(
            "WITH RECURSIVE numbers (number) AS \
             (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 9999) \
             INSERT INTO network_rules (kind, subject_key, subject, reason, made_by, made_at) \
             SELECT 'mute', 'p' || number, 'P' || number, '', 'Boss', 0 FROM numbers",
        )
        .await;
    assert!(!store.add(RuleKind::Block, "Other", "").await);
    assert!(store.add(RuleKind::Mute, "ANN", "more spam").await);
    assert_eq!(store.rules().await.len(), 10_000);
    assert!(store.remove(RuleKind::Mute, "p1").await);
    assert!(store.add(RuleKind::Block, "Other", "").await);
    store.stop().await;
}
