//! `[process]` Deaths, cuts, restarts and late packets. Each scenario is one in which an earlier
//! library lost what it had acknowledged, or stood still.

use super::net::{Net, declare, n, now, pass, set, shard};
use crate::command::{Command, Outcome, ShardSpec};
use crate::raft::ProposeError;
use futures_util::future::join_all;
use std::time::Duration;

/// Within this another node commits after its leader has died.
const FAILOVER: Duration = Duration::from_millis(1_500);

async fn commit_all(net: &Net, names: &[String]) {
    let all = join_all(names.iter().map(|name| net.commit(declare(name)))).await;
    assert!(all.iter().all(|outcome| *outcome == Outcome::Done));
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|index| format!("{prefix}:{index}"))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_dies_under_load_takes_nothing_acknowledged_with_it() {
    for trial in 0..20 {
        let net = Net::default().three().await;
        let mut acknowledged = Vec::new();
        // Dies while some are acknowledged and some are not.
        let raft = net.raft(n(1));
        let before = names("before", 40);
        let writes = before.iter().map(|name| {
            let raft = raft.clone();
            async move { (name, raft.propose(declare(name)).await) }
        });
        let killer = async {
            pass(Duration::from_micros(500 * trial)).await;
            net.kill(n(1));
        };
        let raft_gone = raft.clone();
        let stop = async {
            killer.await;
            raft_gone.stop().await;
        };
        let (written, ()) = futures_util::future::join(join_all(writes), stop).await;
        for (name, outcome) in written {
            if outcome.is_ok() {
                acknowledged.push(name.clone());
            }
        }
        let died = now();
        net.commit(declare("after")).await;
        assert!(now() - died < FAILOVER, "{:?}", now() - died);
        acknowledged.push("after".to_owned());
        net.agree(&acknowledged).await;
        net.start(n(1)).await;
        net.agree(&acknowledged).await;
    }
}

#[tokio::test(start_paused = true)]
async fn another_leads_within_the_budget_whoever_dies() {
    let mut worst = Duration::ZERO;
    for trial in 0..60 {
        let net = Net::default().three().await;
        pass(Duration::from_millis(7 * trial)).await;
        let died = now();
        net.kill(n(1));
        net.commit(declare("after")).await;
        worst = worst.max(now() - died);
    }
    assert!(worst < FAILOVER, "{worst:?}");
}

#[tokio::test(start_paused = true)]
async fn a_late_duplicate_takes_nothing_back() {
    let net = Net::default().three().await;
    net.isolate(n(3));
    net.record();
    let written = names("kept", 20);
    for name in &written {
        net.commit(declare(name)).await;
    }
    let old = net.recorded(n(1), n(2));
    net.kill(n(1));
    let before = net.raft(n(2)).figures().last_log;
    for body in &old {
        net.raft(n(2)).receive(n(1), body);
    }
    pass(Duration::from_millis(50)).await;
    assert_eq!(net.raft(n(2)).figures().last_log, before);
    net.heal();
    net.agree(&written).await;
    net.commit(declare("more")).await;
    // Again, when a later leader is known.
    for body in &old {
        net.raft(n(2)).receive(n(1), body);
        net.raft(n(3)).receive(n(1), body);
    }
    net.commit(declare("most")).await;
    net.agree(&written).await;
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_comes_back_with_entries_nobody_else_has_drops_them() {
    for (stale, newer) in [(20, 40), (60, 20)] {
        let net = Net::default().three().await;
        net.isolate(n(1));
        let cut_off = net.raft(n(1));
        let lost = names("lost", stale);
        let asked = now();
        let outcomes = join_all(lost.iter().map(|name| cut_off.propose(declare(name)))).await;
        assert!(
            outcomes
                .iter()
                .all(|outcome| *outcome == Err(ProposeError::Unknown))
        );
        assert!(now() - asked < Duration::from_secs(6));
        let kept = names("kept", newer);
        commit_all(&net, &kept).await;
        let second = net.leader().unwrap();
        assert_ne!(second, n(1));
        net.kill(second);
        net.heal();
        let back = now();
        net.commit(declare("after")).await;
        assert!(now() - back < Duration::from_secs(3), "{:?}", now() - back);
        let view = net.agree(&kept).await;
        for name in &lost {
            assert!(
                !view.shards.contains_key(&shard(name)),
                "{name} never committed"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_leads_no_more_and_confirms_nothing() {
    let net = Net::default().three().await;
    net.isolate(n(1));
    let cut = now();
    net.until("it gives up", |net| !net.seen(n(1)).leads).await;
    assert!(now() - cut < Duration::from_secs(2));
    net.until("another leads", |net| net.leader().is_some())
        .await;
    assert_eq!(net.raft(n(1)).confirm().await, Err(ProposeError::Unknown));
    let age = net.raft(n(1)).quorum(now()).map(|at| now() - at);
    assert!(
        age.is_none_or(|age| age > Duration::from_secs(1)),
        "{age:?}"
    );
    net.heal();
    net.until("it follows", |net| net.seen(n(1)).leader == net.leader())
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_hears_nobody_but_is_heard_leads_no_more() {
    let net = Net::default().three().await;
    net.deafen(n(2), n(1));
    net.deafen(n(3), n(1));
    net.until("it gives up", |net| !net.seen(n(1)).leads).await;
    let refused = net.raft(n(1)).propose(declare("zone:a")).await;
    assert_eq!(refused, Err(ProposeError::Unknown));
    net.heal();
    net.until("it leads again", |net| net.leader().is_some())
        .await;
    net.commit(declare("zone:b")).await;
    net.agree(&["zone:b".to_owned()]).await;
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_starts_anew_leads_when_a_majority_has_answered_it() {
    let net = Net::default().three().await;
    net.commit(declare("zone:a")).await;
    for node in [1, 2, 3].map(n) {
        net.kill(node);
    }
    net.start(n(1)).await;
    pass(Duration::from_secs(2)).await;
    let seen = net.seen(n(1));
    assert_eq!(
        (seen.leader, seen.leads),
        (Some(n(1)), false),
        "it remembers, and may be wrong"
    );
    net.start(n(2)).await;
    net.until("it leads", |net| net.seen(n(1)).leads).await;
    net.start(n(3)).await;
    net.agree(&["zone:a".to_owned()]).await;
}

#[tokio::test(start_paused = true)]
async fn all_three_start_anew_and_go_on_at_once() {
    let net = Net::default().three().await;
    let written = names("kept", 30);
    commit_all(&net, &written).await;
    for node in [1, 2, 3].map(n) {
        net.kill(node);
    }
    let down = now();
    for node in [3, 2, 1].map(n) {
        net.start(node).await;
    }
    net.commit(declare("after")).await;
    assert!(now() - down < Duration::from_secs(1), "{:?}", now() - down);
    net.agree(&written).await;
}

#[tokio::test(start_paused = true)]
async fn followers_start_anew_one_after_the_other_and_then_the_leader_dies() {
    let net = Net::default().three().await;
    for node in [2, 3].map(n) {
        let term = net.seen(n(1)).term;
        net.kill(node);
        net.commit(declare("meanwhile")).await;
        net.start(node).await;
        net.agree(&["meanwhile".to_owned()]).await;
        pass(Duration::from_secs(3)).await;
        assert_eq!(
            net.seen(n(1)).term,
            term,
            "a node that returns forces no election"
        );
        assert!(net.seen(n(1)).leads);
    }
    net.kill(n(1));
    let died = now();
    net.commit(declare("after")).await;
    assert!(now() - died < FAILOVER, "{:?}", now() - died);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_lacks_more_than_the_log_has_gets_a_snapshot() {
    let net = Net::with_cuts(50, 10).three().await;
    net.kill(n(3));
    let written = names("kept", 200);
    commit_all(&net, &written).await;
    net.until("the log is cut", |net| {
        net.log(n(1)).image().purged.is_some()
    })
    .await;
    net.start(n(3)).await;
    net.agree(&written).await;
    assert!(net.raft(n(3)).figures().snapshot > 50);
    // And from what it has kept it begins anew.
    net.kill(n(3));
    net.kill(n(2));
    net.start(n(3)).await;
    net.commit(declare("after")).await;
    net.agree(&["after".to_owned()]).await;
    let image = net.log(n(3)).image().clone();
    assert!(image.entries.len() < 200, "{}", image.entries.len());
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_longer_than_a_message_goes_in_pieces() {
    let net = Net::with_cuts(50, 10).three().await;
    net.kill(n(3));
    let mut written = Vec::new();
    for round in 0..60 {
        let name = |index| format!("{round}:{index}:{}", "x".repeat(80));
        let some: Vec<String> = (0..150).map(name).collect();
        let specs = some.iter().map(|name| ShardSpec {
            shard: shard(name),
            weight: 1,
        });
        net.commit(Command::Declare(specs.collect())).await;
        written.extend(some);
    }
    written.push("small".to_owned());
    net.commit(declare("small")).await;
    net.until("the log is cut", |net| {
        net.log(n(1)).image().purged.is_some()
    })
    .await;
    net.record();
    net.start(n(3)).await;
    net.agree(&written).await;
    let pieces = net.recorded(n(1), n(3));
    let long = pieces
        .iter()
        .filter(|body| body.len() > crate::limits::CHUNK_BYTES / 2);
    assert!(long.count() >= 3);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_gone_is_asked_seldom() {
    let net = Net::default().three().await;
    net.deafen(n(1), n(3));
    pass(Duration::from_secs(1)).await;
    let before = net.sent();
    pass(Duration::from_secs(10)).await;
    let a_second = (net.sent() - before) / 10;
    assert!(a_second < 60, "{a_second} messages a second");
}

#[tokio::test(start_paused = true)]
async fn nobody_leads_on_the_smaller_side() {
    let net = Net::default().three().await;
    net.cut(n(1), n(2));
    net.cut(n(1), n(3));
    net.cut(n(2), n(3));
    net.until("nobody leads", |net| net.leader().is_none())
        .await;
    pass(Duration::from_secs(20)).await;
    assert_eq!(net.leader(), None);
    net.heal();
    net.commit(declare("after")).await;
    net.agree(&["after".to_owned()]).await;
    assert_eq!(net.raft(n(1)).figures().voters, set([1, 2, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_cut_off_deposes_nobody_when_it_returns() {
    let net = Net::default().three().await;
    let term = net.seen(n(1)).term;
    for away in [1_000, 3_000, 10_000] {
        net.isolate(n(3));
        pass(Duration::from_millis(away)).await;
        net.commit(declare("meanwhile")).await;
        net.heal();
        pass(Duration::from_secs(2)).await;
        assert_eq!(
            (net.leader(), net.seen(n(1)).term),
            (Some(n(1)), term),
            "{away} ms"
        );
    }
    // A wire that flaps.
    for _ in 0..20 {
        net.isolate(n(2));
        pass(Duration::from_secs(1)).await;
        net.heal();
        pass(Duration::from_millis(300)).await;
    }
    assert_eq!((net.leader(), net.seen(n(1)).term), (Some(n(1)), term));
    let roles = net.seen(n(1)).roles;
    assert_eq!(
        roles.iter().filter(|(_, _, leads)| *leads).count(),
        1,
        "{roles:?}"
    );
    net.agree(&["meanwhile".to_owned()]).await;
}

#[tokio::test(start_paused = true)]
async fn who_is_cut_off_from_the_leader_alone_deposes_nobody() {
    let net = Net::default().three().await;
    net.cut(n(1), n(3));
    pass(Duration::from_secs(10)).await;
    assert_eq!(net.leader(), Some(n(1)));
    assert_eq!(net.seen(n(2)).leader, Some(n(1)));
    net.heal();
    pass(Duration::from_secs(2)).await;
    assert_eq!(net.leader(), Some(n(1)));
}
