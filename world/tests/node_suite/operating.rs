//! What the operator does to a node that people play on: stop it, copy it, give it a bad database.

use std::time::Duration;

use belay_bots::Bot;
use futures_util::future::{join, join_all};
use tokio::time::Instant;

use super::operator::{Scratch, run, stderr, stdout};
use super::rig::{Rig, carried};

#[tokio::test]
async fn a_node_told_to_stop_under_load_says_goodbye_to_all_and_saves() {
    let mut rig = Rig::with(&[
        "players.commands_per_s=10000",
        "players.commands_burst=10000",
    ]);
    let mut ann = rig.player("Ann").await;
    for (typed, answer) in [("get coin", "You get"), ("north", "The Yard")] {
        ann.ask(typed, answer).await.unwrap();
    }
    let mut bots: Vec<Bot> = Vec::new();
    for _ in 0..100 {
        bots.push(rig.guest().await.0);
    }
    let acted = std::cell::Cell::new(0_u32);
    let acting = bots.iter_mut().enumerate().map(|(place, bot)| {
        let acted = &acted;
        async move {
            for step in place.. {
                let order = ["north", "say on we go", "south", "look"][step % 4];
                bot.send_line(order).await;
                if bot
                    .expect_any(&["Exits:", "You say", "You cannot"])
                    .await
                    .is_err()
                {
                    break;
                }
                acted.set(acted.get() + 1);
            }
            assert!(
                bot.transcript().contains("The game stops now."),
                "{}",
                bot.transcript()
            );
        }
    });
    let stop = async {
        while acted.get() < 1_000 {
            tokio::task::yield_now().await;
        }
        rig.node().signal("-TERM");
    };
    join(join_all(acting), stop).await;
    let start = Instant::now();
    assert_eq!(rig.end("-TERM"), Some(0));
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "{:?}",
        start.elapsed()
    );
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains("The game stops now."), "{last}");
    rig.start_again(&[]);
    let mut ann = rig.player("Ann").await;
    assert_eq!(carried(&mut ann).await, ["A gold coin"]);
    ann.ask("look", "The Yard").await.unwrap();
}

/// Processor time of a process so far, in clock ticks (hundredths of a second).
fn ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[tokio::test]
async fn a_node_that_waits_to_stop_does_not_spin() {
    let mut rig = Rig::with(&["drain.deadline=2s"]);
    // Half a request holds the drain up to its deadline.
    let mut half = std::net::TcpStream::connect(rig.node().ops()).unwrap();
    std::io::Write::write_all(&mut half, b"GET /healthz HTTP/1.1\r\nHost:").unwrap();
    let mut guests = Vec::new();
    for _ in 0..20 {
        guests.push(rig.guest().await.0);
    }
    let pid = rig.node().pid();
    rig.node().signal("-TERM");
    join_all(
        guests
            .iter_mut()
            .map(|bot| async { bot.closed().await.unwrap() }),
    )
    .await;
    let (start, before) = (Instant::now(), ticks(pid).unwrap());
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    let mut last = before;
    // The state letter of a process that ended is Z until it is waited for; its time stands still.
    while start.elapsed() < Duration::from_secs(1) {
        looks.tick().await;
        last = ticks(pid).unwrap_or(last);
    }
    assert!(
        last - before < 30,
        "{} ticks in a second of waiting",
        last - before
    );
    rig.end("-TERM");
}

#[tokio::test]
async fn a_backup_of_a_running_node_is_a_world_to_start_from() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get").await.unwrap();
    let copy = Scratch::new();
    std::fs::create_dir(copy.join("data")).unwrap();
    let file = copy.join("data/belay.db");
    let saved = rig.belay(&["backup", file.to_str().unwrap()]);
    assert!(saved.status.success(), "{}", stderr(&saved));
    ann.ask("drop coin", "You drop").await.unwrap();
    let second = Rig::on(copy);
    let mut other = second.player("Ann").await;
    assert_eq!(carried(&mut other).await, ["A gold coin"]);
    ann.ask("say the first goes on", "You say").await.unwrap();
    // An existing file is not overwritten.
    let again = rig.belay(&["backup", second.data().join("belay.db").to_str().unwrap()]);
    assert!(!again.status.success());
    assert!(stderr(&again).contains("belay.db"), "{}", stderr(&again));
}

#[test]
fn a_database_that_is_none_is_named_and_left_alone() {
    let scratch = Scratch::new();
    let file = scratch.join("belay.db");
    std::fs::write(&file, "these are not the tables you look for, ".repeat(100)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let data = scratch.path().to_str().unwrap();
    let mut arguments = vec!["serve", "--data", data, "--telnet", "127.0.0.1:0"];
    arguments.extend(["--http", "127.0.0.1:0", "--ops", "127.0.0.1:0"]);
    let output = run(&arguments);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(74), "{told}");
    assert!(told.contains("belay.db"), "{told}");
    assert!(
        stdout(&output).is_empty(),
        "no banner of a node that is not up"
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn staff_are_made_listed_and_unmade_while_they_play() {
    let rig = Rig::start();
    let unknown = rig.belay(&["staff", "add", "Zed"]);
    assert_eq!(unknown.status.code(), Some(65));
    assert!(
        stderr(&unknown).contains("no account named Zed"),
        "{}",
        stderr(&unknown)
    );
    let mut zed = rig.staff("Zed").await;
    assert_eq!(stdout(&rig.belay(&["staff", "list"])), "Zed\n");
    zed.ask("goto cave/mouth", "The Mouth").await.unwrap();
    assert!(rig.belay(&["staff", "remove", "zed"]).status.success());
    zed.ask("goto isle/hall", "Only staff can do that.")
        .await
        .unwrap();
    zed.ask("shutdown", "Only staff can do that.")
        .await
        .unwrap();
}

#[tokio::test]
async fn staff_stop_the_node_from_inside() {
    let mut rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let (mut guest, _) = rig.guest().await;
    zed.send_line("shutdown").await;
    for bot in [&mut zed, &mut guest] {
        let (last, _) = bot.closed().await.unwrap();
        assert!(last.contains("The game stops now."), "{last}");
    }
    assert_eq!(rig.wait(), Some(0));
}

#[tokio::test]
async fn as_many_play_as_may_and_more_are_told() {
    let rig = Rig::with(&["players.max=3"]);
    let mut guests = Vec::new();
    for _ in 0..3 {
        guests.push(rig.guest().await.0);
    }
    let mut late = Bot::connect(rig.telnet()).await.unwrap();
    let (last, _) = late.closed().await.unwrap();
    assert!(last.contains("Busy, try again later."), "{last}");
    guests.pop().unwrap().abort();
    let coming = async { while Bot::guest(rig.telnet()).await.is_err() {} };
    let came = tokio::time::timeout(Duration::from_secs(10), coming).await;
    assert!(came.is_ok(), "the place is free again");
}
