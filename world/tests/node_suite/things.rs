//! Things exist once, whoever gets, drops and gives them, and however the node ends.

use std::collections::BTreeMap;

use belay_bots::Bot;
use futures_util::future::{join, join_all};
use sqlx::Connection as _;

use super::rig::{Rig, carried};

/// Players who may type as fast as they like.
const FAST: [&str; 2] = [
    "players.commands_per_s=10000",
    "players.commands_burst=10000",
];

/// Every thing on record: its number, kind and owner.
async fn on_record(rig: &Rig) -> BTreeMap<i64, (String, String, String)> {
    let path = rig.data().join("belay.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    let query = sqlx::query_as::<_, (i64, String, String, String)>(
        "SELECT id, prototype, owner_kind, owner FROM items",
    );
    let rows = query.fetch_all(&mut connection).await.unwrap();
    let all = rows.len();
    let items: BTreeMap<_, _> = rows
        .into_iter()
        .map(|(id, kind, owner_kind, owner)| (id, (kind, owner_kind, owner)))
        .collect();
    assert_eq!(items.len(), all, "a number stands twice");
    items
}

#[tokio::test]
async fn regression_the_first_visitor_of_a_new_world_finds_the_things_in_their_rooms() {
    for _ in 0..5 {
        let rig = Rig::start();
        let (mut guest, _) = rig.guest().await;
        guest
            .ask("east", "A glass bead lies here. (20)")
            .await
            .unwrap();
        let seen = guest.transcript();
        for thing in ["A gold coin lies here.", "A brass lantern stands here. (2)"] {
            assert!(seen.contains(thing), "{seen}");
        }
        assert!(!seen.contains("appears."), "{seen}");
        // The hall, the square and the cave, once each.
        assert_eq!(on_record(&rig).await.len(), 25);
    }
}

#[tokio::test]
async fn things_are_got_dropped_and_given_and_are_there_after_a_stop() {
    let mut rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.ask("get lantern", "You get a brass lantern.")
        .await
        .unwrap();
    bob.expect("Ann gets a brass lantern.").await.unwrap();
    ann.ask("give lantern to bob", "You give a brass lantern to Bob.")
        .await
        .unwrap();
    bob.expect("Ann gives you a brass lantern.").await.unwrap();
    bob.ask("get 2.lantern", "There is no").await.unwrap();
    bob.ask("get lantern", "You get").await.unwrap();
    bob.ask("get coin", "You get").await.unwrap();
    bob.ask("north", "The Yard").await.unwrap();
    bob.ask("drop coin", "You drop a gold coin.").await.unwrap();
    assert_eq!(carried(&mut ann).await, Vec::<String>::new());
    assert_eq!(carried(&mut bob).await, ["A brass lantern (2)"]);
    assert_eq!(rig.end("-TERM"), Some(0));
    let (last, _) = bob.closed().await.unwrap();
    assert!(last.contains("The game stops now."), "{last}");
    rig.start_again(&[]);
    let mut bob = rig.player("Bob").await;
    assert_eq!(carried(&mut bob).await, ["A brass lantern (2)"]);
    bob.ask("look", "The Yard").await.unwrap();
    bob.ask("look", "A gold coin lies here.").await.unwrap();
}

#[tokio::test]
async fn of_two_players_who_get_one_thing_one_gets_it() {
    let rig = Rig::with(&FAST);
    let mut bots = [rig.player("Ann").await, rig.player("Bob").await];
    for round in 0..50 {
        let getting = bots.iter_mut().map(|bot| async {
            bot.send_line("get coin").await;
            let answers = ["You get a gold coin.", "There is no coin here."];
            bot.expect_any(&answers).await.unwrap().0
        });
        let got = join_all(getting).await;
        let winner = got.iter().position(|answer| *answer == 0).unwrap();
        assert_eq!(got.iter().sum::<usize>(), 1, "round {round}: {got:?}");
        let dropped = bots[winner].ask("drop coin", "You drop a gold coin.");
        dropped.await.unwrap();
    }
}

#[tokio::test]
async fn regression_what_is_dropped_or_got_in_the_breath_of_leaving_is_not_lost() {
    let rig = Rig::start();
    let mut bob = rig.player("Bob").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get").await.unwrap();
    ann.send_bytes(b"drop coin\r\nquit\r\n").await;
    ann.closed().await.unwrap();
    bob.expect("Ann leaves the game.").await.unwrap();
    let mut ann = rig.player("Ann").await;
    bob.ask("look", "A gold coin lies here.").await.unwrap();
    assert_eq!(carried(&mut ann).await, Vec::<String>::new());
    ann.send_bytes(b"get coin\r\nquit\r\n").await;
    ann.closed().await.unwrap();
    let mut ann = rig.player("Ann").await;
    assert_eq!(carried(&mut ann).await, ["A gold coin"]);
    bob.ask("get lantern", "You get").await.unwrap();
    bob.send_bytes(b"give lantern to ann\r\nquit\r\n").await;
    bob.closed().await.unwrap();
    ann.expect("Bob gives you a brass lantern.").await.unwrap();
    let mut bob = rig.player("Bob").await;
    let hands = [carried(&mut ann).await, carried(&mut bob).await].concat();
    let lanterns = hands.iter().filter(|thing| thing.contains("lantern"));
    assert_eq!(lanterns.count(), 1, "{hands:?}");
    // A guest's last breath as well.
    let (mut guest, _) = rig.guest().await;
    guest.send_bytes(b"get lantern\r\nquit\r\n").await;
    guest.closed().await.unwrap();
    bob.ask("look", "A brass lantern stands here.")
        .await
        .unwrap();
}

#[tokio::test]
async fn what_a_guest_carried_returns_to_its_room() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let (mut guest, name) = rig.guest().await;
    guest.ask("get coin", "You get").await.unwrap();
    guest.ask("get lantern", "You get").await.unwrap();
    guest.ask("give lantern to ann", "You give").await.unwrap();
    ann.expect(&format!("{name} gives you a brass lantern."))
        .await
        .unwrap();
    guest.ask("north", "The Yard").await.unwrap();
    let away = ann.ask("look", "An anvil").await.unwrap();
    assert!(!away.contains("gold coin"), "{away}");
    guest.send_line("quit").await;
    guest.closed().await.unwrap();
    let back = ann.ask("look", "An anvil").await.unwrap();
    let rest = ann.ask("look", "A gold coin lies here.").await.unwrap();
    assert_eq!(rest.matches("gold coin").count(), 1, "{back}{rest}");
    assert_eq!(carried(&mut ann).await, ["A brass lantern"]);
}

/// How many things of this kind are on record, whoever has them.
async fn count_of(rig: &Rig, kind: &str) -> usize {
    let items = on_record(rig).await;
    items.values().filter(|(is, ..)| is == kind).count()
}

/// Takes a thing that a character carries off the record, as if it had been destroyed.
async fn destroy_carried(rig: &Rig, kind: &str) {
    let path = rig.data().join("belay.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    let query = sqlx::query("DELETE FROM items WHERE prototype = $1 AND owner_kind = 'character'");
    let done = query.bind(kind).execute(&mut connection).await.unwrap();
    assert_eq!(done.rows_affected(), 1);
}

#[tokio::test]
async fn regression_a_reset_makes_only_what_is_missing_in_the_world() {
    let mut rig = Rig::with(&["zone.reset=1s"]);
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get a gold coin.").await.unwrap();
    // The hall asks for the coin first: when the lantern is there, the coin was decided.
    ann.ask("get lantern", "You get").await.unwrap();
    destroy_carried(&rig, "isle/lantern").await;
    ann.expect("A brass lantern appears.").await.unwrap();
    let seen = ann.ask("look", "Exits:").await.unwrap();
    assert!(!seen.contains("gold coin"), "carried: {seen}");
    // The same while the coin lies in another room.
    ann.ask("north", "The Yard").await.unwrap();
    ann.ask("drop coin", "You drop a gold coin.").await.unwrap();
    ann.ask("south", "The Hall").await.unwrap();
    ann.ask("get lantern", "You get").await.unwrap();
    destroy_carried(&rig, "isle/lantern").await;
    ann.expect("A brass lantern appears.").await.unwrap();
    let seen = ann.ask("look", "Exits:").await.unwrap();
    assert!(!seen.contains("gold coin"), "in the yard: {seen}");
    assert_eq!(count_of(&rig, "isle/coin").await, 1);
    assert_eq!(count_of(&rig, "isle/lantern").await, 2);
    // And over a restart of the node.
    assert_eq!(rig.end("-TERM"), Some(0));
    rig.start_again(&[]);
    let mut ann = rig.player("Ann").await;
    ann.ask("north", "A gold coin lies here.").await.unwrap();
    ann.ask("get coin", "You get a gold coin.").await.unwrap();
    destroy_carried(&rig, "isle/coin").await;
    ann.ask("south", "The Hall").await.unwrap();
    while count_of(&rig, "isle/coin").await == 0 {
        tokio::task::yield_now().await;
    }
    ann.ask("look", "A gold coin lies here.").await.unwrap();
    assert_eq!(count_of(&rig, "isle/coin").await, 1);
}

/// Gets, drops and gives until the node is gone; gives how many things the answers left in hand.
async fn deal(bot: &mut Bot, friend: &str, answered: &std::cell::Cell<u32>) -> i64 {
    let give = format!("give bead to {friend}");
    let orders = ["get bead", "get bead", "drop bead", give.as_str()];
    let mut kept = 0;
    for step in 0.. {
        let order = orders[step % orders.len()];
        bot.send_line(order).await;
        let answers = [
            "You get",
            "You drop",
            "You give",
            "You carry no",
            "There is no",
        ];
        let Ok((which, _)) = bot.expect_any(&answers).await else {
            return kept;
        };
        kept += [1, -1, -1, 0, 0][which];
        answered.set(answered.get() + 1);
    }
    kept
}

#[tokio::test]
async fn after_a_kill_in_the_middle_of_dealings_every_thing_exists_once() {
    let mut rig = Rig::with(&FAST);
    let names = ["Ann", "Bob", "Cid", "Dan"];
    let mut bots = Vec::new();
    for name in names {
        let mut bot = rig.player(name).await;
        bot.ask("east", "The Square").await.unwrap();
        bots.push(bot);
    }
    let before = on_record(&rig).await;
    let answered = std::cell::Cell::new(0);
    let dealing = bots.iter_mut().enumerate().map(|(place, bot)| {
        let friend = names[(place + 1) % names.len()];
        deal(bot, friend, &answered)
    });
    let kill = async {
        while answered.get() < 400 {
            tokio::task::yield_now().await;
        }
        assert_eq!(rig.end("-KILL"), None);
    };
    let (kept, ()) = join(join_all(dealing), kill).await;
    let after = on_record(&rig).await;
    let numbers = |items: &BTreeMap<i64, _>| items.keys().copied().collect::<Vec<_>>();
    assert_eq!(
        numbers(&before),
        numbers(&after),
        "no thing is lost or made"
    );
    let carried_on_record = after.values().filter(|(_, kind, _)| kind == "character");
    // Each of the four had at most one order on the way that was not answered.
    let difference = kept.iter().sum::<i64>() + i64::try_from(received(&bots)).unwrap()
        - i64::try_from(carried_on_record.count()).unwrap();
    assert!(difference.abs() <= 4, "{kept:?} {difference}");
    rig.start_again(&[]);
    for name in names {
        let mut bot = rig.player(name).await;
        let shown: i64 = carried(&mut bot).await.iter().map(|line| count(line)).sum();
        assert_eq!(shown, owned(&rig, name).await, "{name}");
    }
}

/// Things given, as the receivers saw it.
fn received(bots: &[Bot]) -> usize {
    let seen = |bot: &Bot| bot.transcript().matches(" gives you ").count();
    bots.iter().map(seen).sum()
}

/// How many things a line of the inventory stands for: `A glass bead (3)`.
fn count(line: &str) -> i64 {
    let number = line
        .rsplit_once('(')
        .map(|(_, rest)| rest.trim_end_matches(')'));
    number.map_or(1, |number| number.parse().unwrap())
}

/// How many things a character has on record.
async fn owned(rig: &Rig, name: &str) -> i64 {
    let path = rig.data().join("belay.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    let query = sqlx::query_scalar(
        "SELECT COUNT(*) FROM items JOIN characters ON owner = CAST(characters.id AS TEXT) \
         WHERE owner_kind = 'character' AND name = $1",
    );
    query.bind(name).fetch_one(&mut connection).await.unwrap()
}
