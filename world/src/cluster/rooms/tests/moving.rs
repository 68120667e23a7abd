//! `[process]` Zones that move with players inside.

use super::rig::{Bot, Hearing, Rig, Rules, until};
use crate::cluster::Count;
use crate::room::Reach;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_moves_with_its_players_and_things_and_nobody_notices() {
    let rig = Rig::two(Rules::default()).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    bob.asks("get lamp", "You get").await;
    ann.sees("gets").await;
    rig.moves("town", 2).await.unwrap();
    ann.asks("say still here", "You say").await;
    bob.sees("still here").await;
    bob.asks("say so am I", "You say").await;
    ann.sees("so am I").await;
    let seen = ann.asks("look", "The Hall").await;
    assert!(seen.contains(&bob.name), "{seen}");
    assert!(seen.contains("A brass lamp stands here."), "{seen}");
    assert!(!ann.seen.contains("trembles") && !bob.seen.contains("trembles"));
    ann.asks("north", "The Yard").await;
    bob.sees("leaves north").await;
    rig.stop().await;
}

/// What a player read of the numbers that they said.
fn numbers(bot: &Bot) -> Vec<u32> {
    let said = bot.seen.match_indices("You say, \"number ");
    said.map(|(at, found)| {
        let rest = &bot.seen[at + found.len()..];
        rest.split('.').next().unwrap().parse().unwrap()
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_players_type_on_while_their_zone_moves_and_no_command_is_lost_or_doubled() {
    let rules = Rules {
        crowd: 20,
        mobs: true,
        ..Rules::default()
    };
    let rig = Rig::new(3, rules).await;
    rig.place("town", 1).await;
    rig.place("wild", 1).await;
    let mut all = Vec::new();
    for number in 0..200_u16 {
        let realm = rig.at(1 + number % 3);
        all.push(realm.guest_who_hears(Hearing::OwnOnly).await);
    }
    let mut said = 0_u32;
    for to in [2, 3, 1, 2] {
        let typing = async {
            for _ in 0..20 {
                for bot in &all {
                    bot.type_line(&format!("say number {said}."));
                }
                said += 1;
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
            }
        };
        let (moved, ()) = tokio::join!(rig.moves("town", to), typing);
        moved.unwrap();
        for bot in &mut all {
            bot.sees(&format!("You say, \"number {}.", said - 1)).await;
        }
    }
    let expected: Vec<u32> = (0..said).collect();
    for bot in &all {
        assert_eq!(numbers(bot), expected, "{}: {}", bot.name, bot.seen);
        assert!(!bot.seen.contains("trembles"), "{}", bot.seen);
    }
    let held: u64 = (1..=3).map(|node| rig.at(node).count(Count::Held)).sum();
    assert!(held > 0, "they typed while the zone moved");
    let stale: u64 = (1..=3).map(|node| rig.at(node).count(Count::Stale)).sum();
    assert_eq!(stale, 0);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_off_goes_on_where_it_was() {
    let rules = Rules {
        refuses: 3,
        ..Rules::default()
    };
    let rig = Rig::new(3, rules).await;
    rig.place("town", 1).await;
    rig.place("wild", 1).await;
    let mut ann = rig.at(1).guest().await;
    let mut bob = rig.at(2).guest().await;
    ann.sees(&bob.name).await;
    ann.type_line("say one.");
    let moved = rig.moves("town", 3);
    bob.type_line("say two.");
    assert!(moved.await.is_err());
    ann.type_line("say three.");
    ann.sees("You say, \"three.").await;
    bob.sees("three.").await;
    if ann.saw("two.") == 0 {
        ann.sees("two.").await;
    }
    ann.asks("look", "The Hall").await;
    for text in ["You say, \"one.", "two.", "You say, \"three."] {
        assert_eq!(ann.saw(text), 1, "{}", ann.seen);
    }
    until("the wild is there", || {
        rig.at(1).gateway().reach(crate::sample::EDGE) == Reach::Open
    })
    .await;
    rig.stop().await;
}
