//! `[process]` Who votes: changes of it, and leaders that die in the middle of one.

use super::net::{Net, declare, n, pass, set};
use crate::raft::ChangeError;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_node_that_has_not_learned_may_not_vote() {
    let net = Net::default().three().await;
    let leader = net.raft(n(1));
    let behind = Err(ChangeError::Behind(n(4)));
    assert_eq!(leader.set_voters(set([1, 2, 3, 4])).await, behind);
    // Added, but never seen.
    leader.add_learner(n(4)).await.unwrap();
    net.until("it is known", |net| net.seen(n(1)).learners == set([4]))
        .await;
    for index in 0..1_100 {
        net.commit(declare(&format!("zone:{index}"))).await;
    }
    assert_eq!(leader.set_voters(set([1, 2, 3, 4])).await, behind);
    net.start(n(4)).await;
    let caught_up = |net: &Net| net.raft(n(1)).figures().lag[&n(4)] == 0;
    net.until("it has learned", caught_up).await;
    assert_eq!(leader.set_voters(set([1, 2, 3, 4])).await, Ok(()));
    assert_eq!(leader.add_learner(n(4)).await, Ok(()), "again does no harm");
}

#[tokio::test(start_paused = true)]
async fn a_voter_that_is_removed_learns_until_it_is_forgotten() {
    let net = Net::default().three().await;
    let leader = net.raft(n(1));
    assert_eq!(
        leader.remove_learner(n(3)).await,
        Err(ChangeError::NotAllowed)
    );
    assert_eq!(
        leader.set_voters(set([])).await,
        Err(ChangeError::NotAllowed)
    );
    leader.set_voters(set([1, 2])).await.unwrap();
    net.commit(declare("zone:a")).await;
    net.agree(&["zone:a".to_owned()]).await;
    assert_eq!(leader.figures().learners, set([3]));
    leader.remove_learner(n(3)).await.unwrap();
    assert_eq!(leader.figures().learners, set([]));
    let refused = net.raft(n(2)).set_voters(set([1])).await;
    assert_eq!(refused, Err(ChangeError::NotLeader { leader: Some(n(1)) }));
}

#[tokio::test(start_paused = true)]
async fn a_change_without_a_majority_says_that_its_fate_is_not_known() {
    let net = Net::default().three().await;
    net.isolate(n(1));
    let leader = net.raft(n(1));
    assert_eq!(
        leader.set_voters(set([1, 2])).await,
        Err(ChangeError::Unknown)
    );
    assert_eq!(
        leader.set_voters(set([1, 3])).await,
        Err(ChangeError::InProgress)
    );
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_votes_no_more_leads_until_it_goes() {
    let net = Net::default().three().await;
    net.raft(n(1)).set_voters(set([2, 3])).await.unwrap();
    net.commit(declare("zone:a")).await;
    net.agree(&["zone:a".to_owned()]).await;
    assert!(net.seen(n(1)).leads);
    net.kill(n(1));
    net.commit(declare("zone:b")).await;
    net.agree(&["zone:b".to_owned()]).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_under_the_death_of_its_leader_ends_old_or_new() {
    for trial in 0..40_u64 {
        let net = Net::default().three().await;
        net.start(n(4)).await;
        net.raft(n(1)).add_learner(n(4)).await.unwrap();
        let caught_up = |net: &Net| net.raft(n(1)).figures().lag.get(&n(4)) == Some(&0);
        net.until("it has learned", caught_up).await;
        net.commit(declare("before")).await;
        // Node 4 takes the place of node 3; the leader dies somewhere in between.
        let leader = net.raft(n(1));
        let change = leader.set_voters(set([1, 2, 4]));
        let killer = async {
            pass(Duration::from_micros(250 * trial)).await;
            net.kill(n(1));
            leader.stop().await;
        };
        drop(futures_util::future::join(change, killer).await);
        net.commit(declare("after")).await;
        // Whoever leads now brings it to an end, as the reconciler does.
        let target = set([2, 3, 4]);
        loop {
            net.until("somebody leads", |net| net.leader().is_some())
                .await;
            let Some(leader) = net.leader() else { continue };
            if net.raft(leader).set_voters(target.clone()).await.is_ok() {
                break;
            }
            pass(Duration::from_millis(100)).await;
        }
        let done = |net: &Net| {
            net.leader()
                .is_some_and(|leader| net.seen(leader).voters == target)
        };
        net.until("it has ended", done).await;
        net.agree(&["before".to_owned(), "after".to_owned()]).await;
    }
}
