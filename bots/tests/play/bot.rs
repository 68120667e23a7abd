//! The scriptable bot against a pretended node: login, waiting, hearing, ending, errors.
//! Every test has a node of its own on port 0; waits are for texts, never for time.

use std::time::Duration;

use crate::fake::{Fake, Manner};
use belay_bots::{Bot, Failure, Lost, Target, Trouble, Who};

#[tokio::test]
async fn a_guest_walks_and_talks_over_both_routes() {
    let node = Fake::start(Manner {
        rooms: 1,
        ..Manner::default()
    })
    .await;
    let (mut ann, entry) = Bot::guest(Target::telnet(node.telnet)).await.unwrap();
    assert_eq!(entry.name, "Guest0");
    assert!(!entry.back);
    let (mut bob, _) = Bot::guest(Target::web_socket(node.http)).await.unwrap();
    for _ in 0..2 {
        let (one, other) = (&mut ann, &mut bob);
        let answer = one.ask("say hello", "You say").await.unwrap();
        assert!(answer.ends_with("\"hello\"\n> "), "{answer:?}");
        other.expect("says, \"hello\"").await.unwrap();
        let room = one.ask("east", "Exits: ").await.unwrap();
        assert!(room.contains("Exits: east and west.\nA lamp"), "{room}");
        std::mem::swap(one, other);
    }
    assert!(
        ann.transcript()
            .contains("> say hello\n< You say, \"hello\"\n"),
        "{}",
        ann.transcript()
    );
    ann.send_line("quit").await;
    let (rest, lost) = ann.closed().await.unwrap();
    assert!(rest.contains("Goodbye."), "{rest}");
    assert_eq!(lost, Lost::Closed);
}

#[tokio::test]
async fn telnet_survives_any_split_and_refuses_each_option_once() {
    let node = Fake::start(Manner {
        is_slow: true,
        ..Manner::default()
    })
    .await;
    let (mut bot, _) = Bot::guest(Target::telnet(node.telnet)).await.unwrap();
    let room = bot.ask("look", "Exits: ").await.unwrap();
    assert!(room.ends_with("A lamp is here.\n> "), "{room:?}");
    assert!(!bot.transcript().contains('\u{1B}'), "{}", bot.transcript());
    let refusals = node.world.refusals.lock().unwrap().clone();
    assert_eq!(refusals, [[254, 1], [252, 24]]);
}

#[tokio::test]
async fn an_account_is_created_once_and_comes_back() {
    let manner = Manner {
        asks_character: true,
        places: vec![2, 1],
        ..Manner::default()
    };
    let node = Fake::start(manner).await;
    for (target, back) in [
        (Target::telnet(node.telnet), false),
        (Target::web_socket(node.http), true),
        (Target::telnet(node.telnet), true),
    ] {
        let (_, entry) = Bot::account(target, "Ann", "a long secret").await.unwrap();
        assert_eq!(entry.name, "Ann");
        assert_eq!(entry.back, back);
    }
}

#[tokio::test]
async fn refused_logins_say_why() {
    let node = Fake::start(Manner::default()).await;
    let target = Target::telnet(node.telnet);
    drop(Bot::account(target, "Ann", "right").await.unwrap());
    for (name, expected) in [
        ("Ann", Failure::WrongPassword),
        ("Admin", Failure::NameRefused),
    ] {
        let error = Bot::account(target, name, "wrong").await.unwrap_err();
        assert!(
            matches!(*error.trouble, Trouble::Login(found) if found == expected),
            "{error}"
        );
    }
    let busy = Fake::start(Manner {
        busy_first: 1,
        ..Manner::default()
    })
    .await;
    let error = Bot::guest(Target::telnet(busy.telnet)).await.unwrap_err();
    assert!(
        matches!(*error.trouble, Trouble::Login(Failure::Busy)),
        "{error}"
    );
}

#[tokio::test]
async fn a_text_that_does_not_come_is_told_with_the_transcript() {
    let node = Fake::start(Manner::default()).await;
    let (mut bot, _) = Bot::guest(Target::telnet(node.telnet)).await.unwrap();
    bot.set_deadline(Duration::from_millis(50));
    let error = bot.ask("look", "a dragon").await.unwrap_err();
    assert!(
        matches!(*error.trouble, Trouble::Deadline { .. }),
        "{error}"
    );
    let text = format!("{error:?}");
    assert!(
        text.contains("a dragon") && text.contains("> look\n< Room 0"),
        "{text}"
    );
    // What was not taken is still there for the next wait.
    assert!(bot.unread().contains("A lamp is here."));
    let (which, _) = bot.expect_any(&["a dragon", "A lamp"]).await.unwrap();
    assert_eq!(which, 1);
    bot.set_deadline(Duration::from_secs(10));
    bot.send_line("quit").await;
    let error = bot.expect("a dragon").await.unwrap_err();
    assert!(matches!(*error.trouble, Trouble::Lost { .. }), "{error}");
    assert!(error.to_string().contains("Goodbye"), "{error}");
}

#[tokio::test]
async fn an_open_connection_is_not_closed_and_an_aborted_one_is_gone() {
    let node = Fake::start(Manner::default()).await;
    let (mut bot, _) = Bot::guest(Target::web_socket(node.http)).await.unwrap();
    bot.set_deadline(Duration::from_millis(20));
    assert!(bot.closed().await.is_err());
    bot.abort();
    let target = Target::telnet(node.telnet);
    let (mut other, _) = Bot::guest(target).await.unwrap();
    // The node sees the reset before it answers who is left: one connection.
    let alone = |_: &str| node.world.open.load(std::sync::atomic::Ordering::SeqCst) == 1;
    for _ in 0..1000 {
        other.ask("look", "Exits").await.unwrap();
        if alone("") {
            return;
        }
    }
    panic!("the aborted connection is still open");
}

#[tokio::test]
async fn a_name_can_be_typed_by_hand() {
    let node = Fake::start(Manner::default()).await;
    let mut bot = Bot::connect(Target::telnet(node.telnet)).await.unwrap();
    let greeting = bot.prompt().await.unwrap();
    assert!(greeting.ends_with("Name (or \"guest\"): "), "{greeting}");
    bot.send_line("guest").await;
    bot.expect_where("the room", |text| text.contains("Exits:"))
        .await
        .unwrap();
    let nobody = Bot::connect(Target::telnet("127.0.0.1:1".parse().unwrap())).await;
    assert!(matches!(*nobody.unwrap_err().trouble, Trouble::Connect(_)));
    let who = Who::Account {
        name: "Ann".into(),
        password: "secret".into(),
    };
    assert_eq!(format!("{who:?}"), "Account(Ann)");
}
