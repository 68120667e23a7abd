//! `[process]` Rooms on other nodes: walking, talking, things, crowds, cut wires, dead owners.

use super::rig::{Bot, Rig, Rules};
use crate::cluster::Count;
use crate::cluster::rooms::frame::{Frame, Head};
use crate::event::Seen;
use crate::ids::ZoneId;
use crate::sample::HALL;
use belay_cluster::NodeId;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_walks_across_the_border_of_two_nodes_and_back() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&format!("{} ", bob.name)).await;
    ann.asks("up", "The Edge").await;
    bob.sees(&format!("{} leaves up", ann.name)).await;
    bob.asks("up", "The Edge").await;
    ann.sees(&format!("{} arrives", bob.name)).await;
    ann.asks("say hi", "You say").await;
    bob.sees("hi").await;
    bob.asks("emote waves.", "waves.").await;
    ann.sees(&format!("{} waves.", bob.name)).await;
    let seen = bob.asks("look", "The Edge").await;
    assert!(seen.contains(&ann.name), "{seen}");
    ann.asks("down", "The Hall").await;
    bob.asks("down", "The Hall").await;
    ann.sees(&format!("{} arrives", bob.name)).await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn things_are_taken_and_dropped_across_nodes_and_exist_once() {
    let rig = Rig::two(Rules::default()).await;
    rig.account("Ann").await;
    let mut ann = rig.at(2).log_in("Ann").await;
    let mut bob = rig.at(1).guest().await;
    ann.asks("get lamp", "You get a brass lamp").await;
    bob.sees("Ann gets a brass lamp").await;
    bob.asks("get lamp", "You get a brass lamp").await;
    bob.asks("get lamp", "There is no").await;
    ann.asks("up", "The Edge").await;
    ann.asks("drop lamp", "You drop a brass lamp").await;
    bob.asks("up", "brass lamp stands here").await;
    bob.asks("get lamp", "You get a brass lamp").await;
    let seen = ann.asks("look", "The Edge").await;
    assert!(!seen.contains("lamp stands"), "{seen}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_one_frame_for_each_node_however_many_stand_there() {
    let rig = Rig::new(3, Rules::default()).await;
    rig.place("town", 1).await;
    rig.place("wild", 1).await;
    let mut ann = rig.at(1).guest().await;
    let mut others = Vec::new();
    for number in 0..30_u16 {
        others.push(rig.at(1 + number % 3).guest().await);
    }
    for other in &mut others {
        // All that happened before is over.
        other.asks("say ready", "You say").await;
    }
    let last = others.len();
    for _ in 0..last {
        ann.sees("ready").await;
    }
    let count = |what| [2, 3].map(|node| rig.at(node).count(what));
    let sent = rig.at(1).count(Count::EventsOut);
    let (came, fanned) = (count(Count::EventsIn), count(Count::FanOut));
    for number in 0..50 {
        ann.asks(&format!("say number {number}."), "You say").await;
    }
    for other in &mut others {
        other.sees("number 49.").await;
        assert_eq!(other.saw("number 49."), 1);
    }
    assert_eq!(rig.at(1).count(Count::EventsOut) - sent, 100);
    for (at, node) in [2, 3].into_iter().enumerate() {
        assert_eq!(rig.at(node).count(Count::EventsIn) - came[at], 50);
        assert_eq!(rig.at(node).count(Count::FanOut) - fanned[at], 500);
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_on_three_nodes_is_told_by_ticks_of_one_frame_for_each_node() {
    let rules = Rules {
        crowd: 20,
        ..Rules::default()
    };
    let rig = Rig::new(3, rules).await;
    rig.place("town", 1).await;
    rig.place("wild", 1).await;
    let mut all = Vec::new();
    for number in 0..200_u16 {
        all.push(rig.at(1 + number % 3).guest().await);
    }
    let before = rig.at(2).count(Count::EventsIn);
    for (number, one) in all.iter().enumerate() {
        one.type_line(&format!("say I am {number}."));
    }
    for one in &mut all {
        one.sees("You say").await;
    }
    all[0].type_line("say That is all.");
    for one in all.iter_mut().skip(1) {
        one.sees("That is all.").await;
    }
    for (number, one) in all.iter().enumerate().skip(1) {
        for other in (0..200).filter(|other| *other != number) {
            assert_eq!(one.saw(&format!("I am {other}.")), 1, "{number} of {other}");
        }
    }
    let frames = rig.at(2).count(Count::EventsIn) - before;
    assert!(frames < 60, "200 says were {frames} frames to a node");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_stay_when_the_owner_of_their_zone_dies_and_enter_it_anew() {
    let mut rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    ann.asks("up", "The Edge").await;
    rig.kill(2).await;
    ann.type_line("say anybody there?");
    rig.place("wild", 1).await;
    ann.sees("The ground trembles").await;
    ann.sees("You say").await;
    let seen = ann.asks("look", "The Edge").await;
    assert!(!seen.contains("The Hall"), "{}", ann.seen);
    assert_eq!(ann.saw("The Hall"), 1, "never sent to recall: {}", ann.seen);
    ann.asks("down", "The Hall").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_wire_loses_an_ask_once_and_the_player_comes_back_when_it_is_healed() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.asks("up", "The Edge").await;
    bob.asks("up", "The Edge").await;
    ann.sees("arrives").await;
    rig.mesh.cut(NodeId(1), NodeId(2));
    ann.type_line("say are you there?");
    rig.mesh.heal(NodeId(1), NodeId(2));
    rig.is_open("wild").await;
    // What was under way as the wire went is told to be lost, or comes through, and not both.
    let answered = |bot: &Bot| bot.saw("You say") + bot.saw("did not get through");
    while answered(&ann) == 0 {
        ann.sees("\n").await;
    }
    assert_eq!(answered(&ann), 1, "{}", ann.seen);
    while ann.saw("You say") == 0 {
        ann.asks("say are you there?", "\n").await;
    }
    bob.sees("are you there?").await;
    assert_eq!(ann.saw("The Hall"), 1, "never sent to recall: {}", ann.seen);
    bob.asks("say yes", "You say").await;
    ann.sees("yes").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn regression_one_frame_for_a_large_crowd_does_not_make_one_long_turn() {
    const CROWD: u64 = 300;
    let rig = Rig::new(2, Rules::default()).await;
    let epoch = rig.place("town", 1).await;
    rig.place("wild", 1).await;
    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        crowd.push(rig.at(2).guest().await);
    }
    // All arrivals are told.
    for one in &mut crowd {
        one.asks("say ready", "You say").await;
    }
    for one in &mut crowd {
        while one.saw("ready") < 300 {
            one.sees("ready").await;
        }
    }
    let head = Head {
        zone: ZoneId(0),
        epoch,
    };
    let happens = |text: &str| {
        let seen = Seen::Emotes {
            who: "The bell".into(),
            text: text.into(),
        };
        (None, seen)
    };
    let tick = Frame::Tick {
        head,
        room: HALL,
        all: vec![happens("rings once.")],
        newcomers: Vec::new(),
        fresh: Vec::new(),
    };
    let notice = Frame::Notice(head, HALL, happens("rings twice."));
    let before = rig.at(2).count(Count::FanOut);
    for frame in [&tick, &notice] {
        let bytes = frame.encode().unwrap();
        rig.at(2).gateway().deliver(NodeId(1), &bytes);
    }
    let told = rig.at(2).count(Count::FanOut) - before;
    assert!(told < CROWD, "the rest has to wait: {told}");
    for one in &mut crowd {
        one.sees("rings twice.").await;
        let (first, second) = (one.seen.find("once."), one.seen.find("twice."));
        assert!(first < second, "{}", one.seen);
        assert_eq!([one.saw("once."), one.saw("twice.")], [1, 1]);
    }
    assert_eq!(rig.at(2).count(Count::FanOut) - before, 2 * CROWD);
    rig.stop().await;
}
