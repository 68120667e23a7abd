//! One session of an account, however many connections come and go.

use std::net::IpAddr;

use belay_bots::Bot;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;

use super::rig::{PASSWORD, Rig, carried};

const ELSEWHERE: &str = "You logged in from elsewhere, so this connection ends.";

/// A client that has shown its password and is asked which character it wants.
async fn at_the_choice(rig: &Rig, name: &str) -> Bot {
    let mut bot = Bot::connect(rig.telnet()).await.unwrap();
    for (typed, answer) in [(name, "Password: "), (PASSWORD, "Which (")] {
        bot.prompt().await.unwrap();
        bot.send_line(typed).await;
        bot.expect(answer).await.unwrap();
    }
    bot
}

#[tokio::test]
async fn of_ten_logins_of_one_character_at_once_one_session_comes() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.send_line("quit").await;
    ann.closed().await.unwrap();
    let mut bob = rig.player("Bob").await;
    let mut bots = join_all((0..10).map(|_| at_the_choice(&rig, "Ann"))).await;
    join_all(bots.iter_mut().map(|bot| bot.send_line("1"))).await;
    let closing = bots.iter_mut().enumerate();
    let closing = closing.map(|(place, bot)| async move { (place, bot.closed().await.unwrap().0) });
    let mut left: Vec<usize> = (0..10).collect();
    let mut ends = closing.collect::<FuturesUnordered<_>>().take(9);
    while let Some((place, last)) = ends.next().await {
        assert!(last.contains(ELSEWHERE), "{last}");
        left.retain(|one| *one != place);
    }
    drop(ends);
    let ann = &mut bots[left[0]];
    ann.ask("say it is me", "You say").await.unwrap();
    bob.expect("Ann says, \"it is me\"").await.unwrap();
    let who = bob.ask("who", "in all.").await.unwrap();
    assert!(who.contains("Players: Ann and Bob."), "{who}");
    let seen = bob.ask("look", "Ann is here.").await.unwrap();
    assert_eq!(seen.matches("Ann").count(), 1, "{seen}");
    assert_eq!(rig.status("players"), 2);
}

#[tokio::test]
async fn a_new_login_takes_over_the_session_of_a_socket_that_still_looks_alive() {
    let rig = Rig::start();
    let mut bob = rig.player("Bob").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get").await.unwrap();
    bob.expect("Ann gets a gold coin.").await.unwrap();
    let (mut again, entry) = Bot::account(rig.web_socket(), "Ann", PASSWORD)
        .await
        .unwrap();
    assert!(entry.back);
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains(ELSEWHERE), "{last}");
    assert_eq!(carried(&mut again).await, ["A gold coin"]);
    again.ask("say hello", "You say").await.unwrap();
    let heard = bob.expect("Ann says, \"hello\"").await.unwrap();
    // To the others nothing has happened.
    assert!(
        !heard.contains("Ann leaves") && !heard.contains("Ann comes"),
        "{heard}"
    );
}

/// The resume line that the node shows, and not the one that was typed.
async fn shown_token(bot: &mut Bot) -> String {
    bot.expect("type this line at its name prompt:")
        .await
        .unwrap();
    bot.expect("\nresume ").await.unwrap();
    let token = bot.expect("\n").await.unwrap();
    format!("resume {}", token.trim())
}

/// A connection that begins with this resume line.
async fn resumed(rig: &Rig, line: &str) -> Bot {
    let mut bot = Bot::connect(rig.telnet()).await.unwrap();
    bot.prompt().await.unwrap();
    bot.send_line(line).await;
    bot
}

#[tokio::test]
async fn a_resume_token_works_once_and_brings_the_next() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.ask("north", "The Yard").await.unwrap();
    ann.send_line("resume").await;
    let first = shown_token(&mut ann).await;
    ann.abort();
    // A session without a connection.
    let mut again = resumed(&rig, &first).await;
    again.expect("Welcome back, Ann.").await.unwrap();
    let second = shown_token(&mut again).await;
    again.ask("look", "The Yard").await.unwrap();
    // One whose connection still looks alive.
    let mut third = resumed(&rig, &second).await;
    let (last, _) = again.closed().await.unwrap();
    assert!(last.contains(ELSEWHERE), "{last}");
    third.expect("Welcome back, Ann.").await.unwrap();
    let next = shown_token(&mut third).await;
    // And a new one, after the old one has ended.
    third.send_line("quit").await;
    third.closed().await.unwrap();
    let mut again = resumed(&rig, &next).await;
    again.expect("Welcome back, Ann.").await.unwrap();
    again.expect("The Yard").await.unwrap();
    let last = shown_token(&mut again).await;
    for wrong in [
        first.as_str(),
        second.as_str(),
        next.as_str(),
        "resume 00000000000000000000000000000000",
        "resume x",
    ] {
        assert_ne!(wrong, last);
        let mut other = resumed(&rig, wrong).await;
        other
            .expect("That token is unknown, used or too old.")
            .await
            .unwrap();
    }
    again.ask("look", "The Yard").await.unwrap();
    assert_eq!(rig.status("players"), 1);
}

#[tokio::test]
async fn who_loses_the_connection_stays_and_reads_later_what_was_missed() {
    let rig = Rig::start();
    let mut bob = rig.player("Bob").await;
    let mut ann = rig.player("Ann").await;
    for bot in [&mut bob, &mut ann] {
        bot.ask("north", "The Yard").await.unwrap();
    }
    ann.abort();
    bob.expect("Ann loses the connection.").await.unwrap();
    bob.ask("look", "Ann (no connection) is here.")
        .await
        .unwrap();
    bob.ask("say are you there?", "You say").await.unwrap();
    bob.ask("tell ann come back", "You tell").await.unwrap();
    let mut ann = rig.player("Ann").await;
    ann.discard_unread();
    bob.expect("Ann is connected again.").await.unwrap();
    ann.ask("look", "The Yard").await.unwrap();
    let all = ann.transcript();
    for missed in [
        "Bob says, \"are you there?\"",
        "Bob tells you, \"come back\"",
    ] {
        assert_eq!(all.matches(missed).count(), 1, "{all}");
    }
    bob.ask("look", "Ann is here.").await.unwrap();
}

#[tokio::test]
async fn who_does_not_come_back_in_time_leaves_and_is_saved() {
    let rig = Rig::with(&["players.linkdead=1s"]);
    let mut bob = rig.player("Bob").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get").await.unwrap();
    for bot in [&mut bob, &mut ann] {
        bot.ask("north", "The Yard").await.unwrap();
    }
    ann.abort();
    bob.expect("Ann loses the connection.").await.unwrap();
    bob.expect("Ann leaves the game.").await.unwrap();
    bob.ask("who", "One player in all.").await.unwrap();
    let mut ann = rig.player("Ann").await;
    assert!(
        ann.transcript().contains("The Yard"),
        "{}",
        ann.transcript()
    );
    assert_eq!(carried(&mut ann).await, ["A gold coin"]);
    bob.expect("Ann comes into the game.").await.unwrap();
}

#[tokio::test]
async fn who_leaves_and_comes_back_at_once_is_where_they_left() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    for round in 0..20 {
        let way = ["north", "south"][round % 2];
        let room = ["The Yard", "The Hall"][round % 2];
        let mut next = at_the_choice(&rig, "Ann").await;
        ann.send_line(way).await;
        ann.expect(room).await.unwrap();
        ann.send_line("quit").await;
        ann.expect("Goodbye.").await.unwrap();
        next.send_line("1").await;
        let seen = next.expect("Exits:").await.unwrap();
        assert!(seen.contains(room), "round {round}: {seen}");
        next.prompt().await.unwrap();
        ann = next;
    }
}

#[tokio::test]
async fn a_guest_who_loses_the_connection_leaves() {
    let rig = Rig::start();
    let mut bob = rig.player("Bob").await;
    let (guest, name) = rig.guest().await;
    bob.expect(&format!("{name} comes into the game."))
        .await
        .unwrap();
    guest.abort();
    bob.expect(&format!("{name} leaves the game."))
        .await
        .unwrap();
    bob.ask("who", "One player in all.").await.unwrap();
}

#[tokio::test]
async fn the_banned_are_cut_and_told_why_and_the_kicked_may_come_back() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    zed.ask("kick ann be nice", "Ann is removed from the game.")
        .await
        .unwrap();
    let (last, _) = ann.closed().await.unwrap();
    assert!(
        last.contains("You are removed from the game: be nice."),
        "{last}"
    );
    let mut ann = rig.player("Ann").await;
    zed.ask("ban account ann 7d no more", "Ann is banned.")
        .await
        .unwrap();
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains("no more"), "{last}");
    let mut again = Bot::connect(rig.telnet()).await.unwrap();
    again.prompt().await.unwrap();
    again.send_line("Ann").await;
    let (last, _) = again.closed().await.unwrap();
    assert!(last.contains("You are banned: no more."), "{last}");
    let lifted = rig.belay(&["ban", "remove", "account", "ann"]);
    assert!(lifted.status.success());
    rig.player("Ann").await;
}

#[tokio::test]
async fn a_ban_of_an_account_reaches_whatever_character_plays() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.send_line("quit").await;
    ann.closed().await.unwrap();
    let mut bea = at_the_choice(&rig, "Ann").await;
    for (typed, answer) in [("new", "Character name: "), ("Bea", "Welcome, Bea.")] {
        bea.send_line(typed).await;
        bea.expect(answer).await.unwrap();
    }
    let banned = rig.belay(&["ban", "add", "account", "Ann", "--reason", "enough"]);
    assert!(banned.status.success());
    let (last, _) = bea.closed().await.unwrap();
    assert!(last.contains("enough"), "{last}");
}

#[tokio::test]
async fn a_banned_address_is_refused_at_the_door_and_others_are_not() {
    let rig = Rig::start();
    let source = IpAddr::from([127, 0, 0, 66]);
    let banned = rig.belay(&["ban", "add", "address", "127.0.0.66", "--reason", "floods"]);
    assert!(banned.status.success());
    let target = rig.telnet().from_source(source);
    let mut bot = Bot::connect(target).await.unwrap();
    let (last, _) = bot.closed().await.unwrap();
    assert!(last.contains("You are banned: floods."), "{last}");
    rig.guest().await;
}
