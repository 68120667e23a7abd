//! `[process]` Who may act: leases that lapse, epochs that are over, owners that come late.

use super::rig::{Rig, Rules, until, zone};
use crate::cluster::Count;
use crate::cluster::rooms::frame::{Frame, Head, Opening};
use crate::event::Seen;
use crate::ids::ZoneId;
use crate::sample::EDGE;
use belay_cluster::{Epoch, Host as _, NodeId};

/// The wild, in the order of the keys.
const WILD: ZoneId = ZoneId(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_frames_of_an_owner_before_are_refused_and_counted() {
    let rig = Rig::new(3, Rules::default()).await;
    rig.place("town", 1).await;
    let old = rig.place("wild", 2).await;
    let mut ann = rig.at(1).guest().await;
    ann.asks("up", "The Edge").await;
    let new = rig.place("wild", 3).await;
    assert!(old < new);
    ann.sees("The ground trembles").await;
    ann.asks("look", "The Edge").await;
    let before = rig.at(1).count(Count::Stale);
    let head = Head {
        zone: WILD,
        epoch: old,
    };
    let seen = Seen::Emotes {
        who: "A ghost".into(),
        text: "moans.".into(),
    };
    let late = [
        Frame::Notice(head, EDGE, (None, seen)),
        Frame::Open(head, Opening::Thawed),
    ];
    for frame in &late {
        let bytes = frame.encode().unwrap();
        rig.at(1).gateway().deliver(NodeId(2), &bytes);
    }
    assert_eq!(rig.at(1).count(Count::Stale) - before, 2);
    ann.asks("say hm", "You say").await;
    assert!(!ann.seen.contains("moans"), "{}", ann.seen);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_hears_of_the_next_one_first_does_not_shut_the_zone_for_its_players() {
    let rig = Rig::new(3, Rules::default()).await;
    rig.place("town", 1).await;
    let old = rig.place("wild", 2).await;
    let before = rig.at(2);
    until("it is open", || before.gateway().takes_letters(EDGE)).await;
    let head = Head {
        zone: WILD,
        epoch: Epoch(old.0 + 1),
    };
    let opened = Frame::Open(head, Opening::Moved).encode().unwrap();
    before.gateway().deliver(NodeId(3), &opened);
    // The log's word for it comes on another wire.
    before.host.stop(&zone("wild"), old);
    assert!(before.gateway().takes_letters(EDGE));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_of_an_older_epoch_go_back_to_their_gateway() {
    use crate::cluster::rooms::frame::{Letter, What};
    let rig = Rig::two(Rules::default()).await;
    let before = rig.at(2).count(Count::Bounced);
    let letter = Letter {
        being: crate::ids::Being::Session(crate::ids::SessionId::on(1, 1, 99)),
        room: EDGE,
        what: What::Ask(crate::ids::LineId(1), crate::room::Ask::Look),
    };
    let head = Head {
        zone: WILD,
        epoch: Epoch(0),
    };
    let bytes = Frame::Post(head, 1, letter).encode().unwrap();
    rig.at(2).gateway().deliver(NodeId(1), &bytes);
    assert_eq!(rig.at(2).count(Count::Bounced) - before, 1);
    let garbage = rig.at(2).count(Count::Unreadable);
    rig.at(2).gateway().deliver(NodeId(1), &[1, 2, 3]);
    assert_eq!(rig.at(2).count(Count::Unreadable) - garbage, 1);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_lease_is_about_to_lapse_holds_still_and_goes_on_when_it_is_renewed() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.asks("up", "The Edge").await;
    bob.asks("up", "The Edge").await;
    ann.sees("arrives").await;
    rig.at(2).host.suspend(true);
    // What is on its way before the other node knows ends as lost.
    until("node 1 knows", || !rig.at(1).gateway().takes_letters(EDGE)).await;
    ann.type_line("say one");
    bob.type_line("say two");
    let held = || rig.at(1).count(Count::Held) + rig.at(2).count(Count::Held);
    until("both wait", || held() >= 2).await;
    assert!(!ann.seen.contains("You say") && !bob.seen.contains("You say"));
    rig.at(2).host.suspend(false);
    ann.sees("You say").await;
    bob.sees("You say").await;
    bob.asks("say three", "three").await;
    ann.sees("three").await;
    for text in ["one", "two", "three"] {
        assert_eq!(ann.saw(text), 1, "{}", ann.seen);
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_that_is_started_anew_on_its_node_keeps_its_players() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    let again = rig.place("town", 1).await;
    ann.sees("The ground trembles").await;
    bob.sees("The ground trembles").await;
    ann.asks("say still here", "You say").await;
    bob.sees("still here").await;
    assert_eq!(ann.saw("The Hall"), 1, "{}", ann.seen);
    let mut reports = Vec::new();
    rig.at(1).host.report(&mut reports);
    let town = reports.iter().find(|one| one.shard == zone("town"));
    assert_eq!(town.unwrap().epoch, again);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_shows_that_it_ticks_and_what_it_weighs() {
    let rig = Rig::two(Rules::default()).await;
    let _ann = rig.at(1).guest().await;
    let _bob = rig.at(2).guest().await;
    let report = || {
        let mut reports = Vec::new();
        rig.at(1).host.report(&mut reports);
        assert_eq!(reports.len(), 1, "only what is here");
        reports.remove(0)
    };
    until("it weighs two players", || report().weight >= 3).await;
    assert!(report().ticked_ms_ago < 2_000, "{:?}", report());
    assert!(!report().busy);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_a_dead_node_vanish_from_the_rooms() {
    let mut rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    rig.kill(2).await;
    ann.sees(&format!("{} vanishes", bob.name)).await;
    let seen = ann.asks("look", "The Hall").await;
    assert!(!seen.contains(&format!("{} is here", bob.name)), "{seen}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_to_go_where_nobody_is_in_charge_is_told_and_stays() {
    let mut rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    rig.kill(2).await;
    ann.asks("up", "out of reach").await;
    ann.asks("look", "The Hall").await;
    ann.asks("say here I am", "You say").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_that_is_moved_while_its_node_holds_still_stays_where_it_is() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    rig.at(1).host.suspend(true);
    assert!(rig.moves("town", 2).await.is_err());
    // The move is off, but the lease is not renewed.
    bob.type_line("say anybody?");
    until("it waits", || rig.at(2).count(Count::Held) > 0).await;
    assert!(!rig.at(1).gateway().takes_letters(crate::sample::HALL));
    rig.at(1).host.suspend(false);
    bob.sees("You say").await;
    ann.sees("anybody?").await;
    rig.moves("town", 2).await.unwrap();
    ann.asks("say there", "You say").await;
    bob.sees("there").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wire_that_comes_back_while_a_zone_holds_still_begins_anew_when_it_goes_on() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    rig.at(1).host.suspend(true);
    rig.mesh.cut(NodeId(1), NodeId(2));
    rig.mesh.heal(NodeId(1), NodeId(2));
    rig.at(1).host.suspend(false);
    bob.sees("The ground trembles").await;
    bob.asks("say back", "You say").await;
    ann.sees("back").await;
    let seen = ann.asks("look", "The Hall").await;
    assert!(seen.contains(&format!("{} is here", bob.name)), "{seen}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_the_game_on_another_node_is_gone_from_the_room() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    bob.type_line("quit");
    ann.sees(&format!("{} leaves the game", bob.name)).await;
    let seen = ann.asks("look", "The Hall").await;
    assert!(!seen.contains(&format!("{} is here", bob.name)), "{seen}");
    let fanned = rig.at(2).count(Count::FanOut);
    ann.asks("say alone", "You say").await;
    assert_eq!(rig.at(2).count(Count::FanOut), fanned);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn regression_a_zone_obeys_its_keeper_after_that_has_crashed() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    ann.asks("get lamp", "You get").await;
    ann.asks("up", "The Edge").await;
    ann.asks("drop lamp", "You drop").await;
    rig.at(2).host.crash_keeper(&zone("wild"));
    // The order that meets the crash is the crash; this one comes to the next incarnation.
    let moved = rig.moves("wild", 1).await;
    assert!(moved.is_ok(), "{moved:?}");
    rig.is_open("wild").await;
    ann.asks("say still here", "You say").await;
    ann.asks("look", "brass lamp stands here").await;
    assert_eq!(ann.saw("The ground trembles"), 0, "{}", ann.seen);
    let left = rig.at(2).gateway();
    until("the zone has ended there", || !left.rooms.is_here(EDGE)).await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_whose_end_was_lost_with_its_keeper_ends_with_the_next_incarnation() {
    let rig = Rig::two(Rules::default()).await;
    let epoch = rig.at(2).gateway().epoch_of(WILD).unwrap();
    // What is done of an order to stop before the keeper hears of it.
    rig.at(2).gateway().end_zone(WILD, epoch);
    assert!(rig.at(2).gateway().rooms.is_here(EDGE));
    rig.at(2).host.crash_keeper(&zone("wild"));
    let left = rig.at(2).gateway();
    until("the zone has ended", || !left.rooms.is_here(EDGE)).await;
    rig.place("wild", 2).await;
    let mut ann = rig.at(1).guest().await;
    ann.asks("up", "The Edge").await;
    rig.stop().await;
}
