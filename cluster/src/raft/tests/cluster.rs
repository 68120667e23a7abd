//! `[process]` What a cluster of three does when nothing goes wrong.

use super::net::{Net, declare, n, now, pass, set};
use crate::command::ShardSpec;
use crate::command::{Command, Outcome, Refusal};
use crate::ids::ShardId;
use crate::limits::{COMMAND_BYTES_MAX, RAFT_PROPOSALS_MAX};
use crate::raft::{ProposeError, RaftFigures};
use futures_util::future::join_all;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn one_node_founds_a_cluster_and_others_learn_and_then_vote() {
    let net = Net::default().three().await;
    let outcome = net.commit(declare("zone:a")).await;
    assert_eq!(outcome, Outcome::Done);
    let view = net.agree(&["zone:a".to_owned()]).await;
    assert_eq!(view.cluster, "tests");
    let figures: RaftFigures = net.raft(n(1)).figures();
    assert_eq!(figures.voters, set([1, 2, 3]));
    assert_eq!(figures.leader, Some(n(1)));
    assert_eq!(
        (figures.last_log, figures.applied),
        (view.applied, view.applied)
    );
    assert_eq!(figures.lag.len(), 3);
    for node in [1, 2, 3].map(n) {
        let seen = net.seen(node);
        assert_eq!((seen.voters, seen.learners), (set([1, 2, 3]), set([])));
        assert_eq!(seen.failed, None);
    }
}

#[tokio::test(start_paused = true)]
async fn founding_twice_does_nothing() {
    let net = Net::default();
    net.start(n(1)).await;
    net.raft(n(1)).found().await.unwrap();
    net.until("node 1 leads", |net| net.seen(n(1)).leads).await;
    net.raft(n(1)).found().await.unwrap();
    net.commit(super::net::founding()).await;
    let again = net.commit(super::net::founding()).await;
    assert_eq!(again, Outcome::Refused(Refusal::Founded));
    let roles = net.seen(n(1)).roles;
    assert_eq!(
        roles.iter().filter(|(_, _, leads)| *leads).count(),
        1,
        "{roles:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_does_not_lead_says_who_does() {
    let net = Net::default().three().await;
    net.until("node 2 knows", |net| net.seen(n(2)).leader == Some(n(1)))
        .await;
    let refused = net.raft(n(2)).propose(declare("zone:a")).await;
    assert_eq!(refused, Err(ProposeError::NotLeader { leader: Some(n(1)) }));
    let refused = net.raft(n(2)).confirm().await;
    assert_eq!(refused, Err(ProposeError::NotLeader { leader: Some(n(1)) }));
    assert_eq!(net.raft(n(1)).confirm().await, Ok(()));
    assert_eq!(net.raft(n(2)).quorum(now()), None);
}

#[tokio::test(start_paused = true)]
async fn a_leader_knows_how_old_the_word_of_its_majority_is() {
    let net = Net::default().three().await;
    pass(Duration::from_secs(1)).await;
    let age = |net: &Net| now().duration_since(net.raft(n(1)).quorum(now()).unwrap());
    assert!(age(&net) < Duration::from_millis(300), "{:?}", age(&net));
    assert!(now().duration_since(net.seen(n(1)).quorum.unwrap()) < Duration::from_millis(300));
    net.isolate(n(1));
    pass(Duration::from_secs(1)).await;
    assert!(age(&net) >= Duration::from_millis(900), "{:?}", age(&net));
}

#[tokio::test(start_paused = true)]
async fn a_command_that_is_too_long_is_refused() {
    let net = Net::default().three().await;
    let specs = |count: usize| {
        let name = |index: usize| ShardId::new(&format!("{index:0>90}"));
        let specs = (0..count).map(|index| ShardSpec {
            shard: name(index),
            weight: 1,
        });
        Command::Declare(specs.collect())
    };
    let refused = net.raft(n(1)).propose(specs(COMMAND_BYTES_MAX / 90)).await;
    assert_eq!(refused, Err(ProposeError::TooLong));
    let taken = net.raft(n(1)).propose(specs(COMMAND_BYTES_MAX / 100)).await;
    assert_eq!(taken, Ok(Outcome::Done));
}

#[tokio::test(start_paused = true)]
async fn entries_that_do_not_fit_into_one_message_go_in_several() {
    let net = Net::default().three().await;
    net.kill(n(3));
    let mut names = Vec::new();
    for round in 0..4 {
        let mut specs = Vec::new();
        for index in 0..2_000 {
            let name = format!("{round}:{index:0>88}");
            specs.push(ShardSpec {
                shard: ShardId::new(&name),
                weight: 1,
            });
            names.push(name);
        }
        assert_eq!(net.commit(Command::Declare(specs)).await, Outcome::Done);
    }
    net.start(n(3)).await;
    net.agree(&names).await;
}

#[tokio::test(start_paused = true)]
async fn too_many_commands_at_once_are_refused_as_busy() {
    let net = Net::default().three().await;
    let raft = net.raft(n(1));
    let many = (0..=RAFT_PROPOSALS_MAX).map(|_| raft.propose(declare("zone:a")));
    let outcomes = join_all(many).await;
    let busy = Err(ProposeError::Busy);
    assert_eq!(
        outcomes.iter().filter(|outcome| **outcome == busy).count(),
        1
    );
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        RAFT_PROPOSALS_MAX
    );
}

#[tokio::test(start_paused = true)]
async fn garbage_and_words_in_the_name_of_others_are_dropped_and_counted() {
    let net = Net::default().three().await;
    let raft = net.raft(n(2));
    for body in [&b""[..], &[0xFF; 40], &[0; 3]] {
        raft.receive(n(1), body);
    }
    assert_eq!(raft.figures().dropped, 3);
    net.record();
    net.commit(declare("zone:a")).await;
    for body in net.recorded(n(1), n(2)) {
        raft.receive(n(3), &body);
        for end in 0..body.len() {
            raft.receive(n(3), &body[..end]);
        }
    }
    assert!(raft.figures().dropped > 40, "{:?}", raft.figures());
    net.agree(&["zone:a".to_owned()]).await;
}

#[tokio::test(start_paused = true)]
async fn two_runs_of_the_same_seeds_are_the_same() {
    let run = || async {
        let net = Net::default().three().await;
        let start = now();
        net.isolate(n(1));
        net.commit(declare("zone:a")).await;
        net.heal();
        let view = net.agree(&["zone:a".to_owned()]).await;
        let roles = [1, 2, 3].map(|node| net.seen(n(node)).roles);
        (now() - start, net.sent(), view, roles)
    };
    let first = run().await;
    assert_eq!(first, run().await);
}
