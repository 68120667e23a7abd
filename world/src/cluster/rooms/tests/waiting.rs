//! `[process]` Places that nobody is in charge of just now: who comes into the game there waits,
//! who acts there is told, and nothing is lost.

use super::rig::{Rig, Rules};

/// Ann, who stood on the edge as she left the game.
async fn ann_left_the_game_on_the_edge() -> Rig {
    let rig = Rig::two(Rules::default()).await;
    rig.account("Ann").await;
    let mut ann = rig.at(1).log_in("Ann").await;
    ann.asks("up", "The Edge").await;
    ann.asks("quit", "Goodbye").await;
    ann.is_closed().await;
    rig
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_logs_in_while_their_zone_has_no_owner_waits_and_stands_where_they_stood() {
    let mut rig = ann_left_the_game_on_the_edge().await;
    rig.kill(2).await;
    let mut ann = rig.at(1).welcome("Ann").await;
    ann.sees("You will stand there as soon as it is back").await;
    ann.asks("look", "out of reach").await;
    ann.asks("who", "Ann").await;
    rig.place("wild", 1).await;
    ann.sees("The Edge").await;
    ann.asks("say here I am", "You say").await;
    assert_eq!(ann.saw("The Hall"), 0, "never elsewhere: {}", ann.seen);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_quits_while_they_wait_for_their_place_has_not_lost_it() {
    let mut rig = ann_left_the_game_on_the_edge().await;
    rig.kill(2).await;
    let mut ann = rig.at(1).welcome("Ann").await;
    ann.sees("You will stand there as soon as it is back").await;
    ann.asks("quit", "Goodbye").await;
    ann.is_closed().await;
    rig.place("wild", 1).await;
    let mut ann = rig.at(1).welcome("Ann").await;
    ann.sees("The Edge").await;
    assert_eq!(ann.saw("The Hall"), 0, "never elsewhere: {}", ann.seen);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_acts_where_nobody_is_in_charge_is_told_that_it_waits_and_it_is_done_once() {
    let mut rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    rig.kill(2).await;
    ann.asks("up", "what you do waits").await;
    rig.place("wild", 1).await;
    ann.sees("The Edge").await;
    assert_eq!(ann.saw("what you do waits"), 1, "{}", ann.seen);
    assert_eq!(ann.saw("The Edge"), 1, "{}", ann.seen);
    rig.stop().await;
}
