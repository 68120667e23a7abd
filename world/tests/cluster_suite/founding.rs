//! A new cluster takes over the database of an old one.

use super::operator::stderr;
use super::rig::{Rig, until_it_plays};

#[tokio::test]
async fn regression_a_cluster_founded_on_the_database_of_another_plays_on_with_what_is_there() {
    let Some(mut rig) = Rig::start(1).await else {
        return;
    };
    let mut old = rig.player("n1", "Ann").await;
    until_it_plays(&mut old, "before").await;
    // Nobody has stopped the old one.
    let founded = rig.belay(
        "m1",
        &["cluster", "init", "--node", "m1", "--name", "second"],
    );
    assert!(founded.status.success(), "{}", stderr(&founded));
    rig.start_untold("m1");
    let status = rig
        .until("m1", "the new cluster is at work", |it| {
            it.up() == 1 && it.are_all_placed()
        })
        .await;
    let epochs = status.epochs();
    assert!(epochs.iter().all(|epoch| *epoch > 1 << 30), "{epochs:?}");
    let mut ann = rig.player("m1", "Ann").await;
    until_it_plays(&mut ann, "after").await;
    // It comes back as what it is, and not as yet another one.
    rig.kill("m1");
    rig.start_untold("m1");
    let status = rig
        .until("m1", "the new cluster is at work again", |it| {
            it.lives() == [2] && it.are_all_placed()
        })
        .await;
    assert!(status.epochs().iter().all(|epoch| *epoch >> 30 == 1));
    let mut ann = rig.player("m1", "Ann").await;
    until_it_plays(&mut ann, "again").await;
}
