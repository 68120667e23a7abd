//! Nodes that come back at other addresses than they had, and find each other again.

use super::rig::Rig;

#[tokio::test]
async fn regression_nodes_that_all_come_back_at_other_ports_are_one_cluster_again() {
    let Some(mut rig) = Rig::start(3).await else {
        return;
    };
    drop(rig.player("n2", "Ann").await);
    for name in ["n1", "n2", "n3"] {
        rig.kill(name);
    }
    rig.move_away();
    // The first knows nobody who is still where it was; the others are told of one.
    for name in ["n1", "n2", "n3"] {
        rig.start_node(name);
    }
    let nodes = ["n1", "n2", "n3"];
    for name in nodes {
        rig.until(name, "all are up and at work again", |it| {
            it.lives() == [2, 2, 2] && it.up() == 3 && it.are_all_placed()
        })
        .await;
    }
    // The log has their addresses: nobody needs to be told when the next one moves.
    let mut ann = rig.player("n3", "Ann").await;
    ann.ask("say here again", "You say, \"here again\"")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_majority_that_comes_back_at_other_ports_finds_itself_through_who_stayed() {
    let Some(mut rig) = Rig::start(3).await else {
        return;
    };
    for name in ["n1", "n2"] {
        rig.kill(name);
    }
    rig.move_away();
    for name in ["n1", "n2"] {
        rig.start_untold(name);
    }
    rig.until("n3", "all are up and at work again", |it| {
        it.lives() == [2, 2, 1] && it.up() == 3 && it.are_all_placed()
    })
    .await;
}
