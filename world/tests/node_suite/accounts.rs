//! Accounts and characters: who may have which name, and who gets in.

use std::net::IpAddr;

use belay_bots::Bot;

use super::rig::{PASSWORD, Rig};

/// A client at the name prompt.
async fn visitor(rig: &Rig) -> Bot {
    let mut bot = Bot::connect(rig.telnet()).await.unwrap();
    bot.expect("Name (or \"guest\"): ").await.unwrap();
    bot
}

/// Goes from the name prompt to the prompt for the password of a known account.
async fn known(rig: &Rig, name: &str) -> Bot {
    let mut bot = visitor(rig).await;
    bot.send_line(name).await;
    bot.expect("Password: ").await.unwrap();
    bot
}

#[tokio::test]
async fn a_new_account_is_made_step_by_step_with_its_own_words_for_each_mistake() {
    let rig = Rig::start();
    let mut bot = visitor(&rig).await;
    for (typed, answer) in [
        ("Al", "Name (or \"guest\"): "),
        ("Ann2", "Name (or \"guest\"): "),
        ("everyone", "Name (or \"guest\"): "),
        (
            "Ann",
            "There is no account named Ann. Create it? (yes/no): ",
        ),
        ("maybe", "Please answer yes or no."),
        ("no", "Name (or \"guest\"): "),
        (
            "aNN",
            "There is no account named Ann. Create it? (yes/no): ",
        ),
        ("yes", "New password: "),
        ("short", "A password has at least 8 characters."),
        (PASSWORD, "Repeat the password: "),
        ("something else", "The two passwords differ. Try again."),
        (PASSWORD, "Repeat the password: "),
        (PASSWORD, "Character name: "),
        ("guest", "Character name: "),
        ("", "Welcome, Ann."),
    ] {
        bot.send_line(typed).await;
        bot.expect(answer).await.unwrap();
    }
    bot.prompt().await.unwrap();
    bot.send_line("quit").await;
    bot.closed().await.unwrap();
    let mut bot = known(&rig, "ANN").await;
    bot.send_line(PASSWORD).await;
    bot.expect("Characters: 1. Ann").await.unwrap();
    // An empty line chooses the first.
    bot.send_line("").await;
    bot.expect("Welcome back, Ann.").await.unwrap();
}

/// Types a wrong password for this account, at the name prompt; gives what the node says of it.
async fn guess(bot: &mut Bot, name: &str) -> &'static str {
    const ANSWERS: [&str; 2] = ["That name or password is wrong.", "Too many failed logins."];
    bot.send_line(name).await;
    bot.expect("Password: ").await.unwrap();
    bot.send_line("wrong guess").await;
    let (which, _) = bot.expect_any(&ANSWERS).await.unwrap();
    ANSWERS[which]
}

#[tokio::test]
async fn wrong_passwords_of_one_account_are_slowed_for_all_addresses() {
    let rig = Rig::start();
    drop(rig.player("Ann").await);
    for last in 1..=4 {
        let source = IpAddr::from([127, 0, 0, 10 + last]);
        let target = rig.telnet().from_source(source);
        let mut bot = Bot::connect(target).await.unwrap();
        assert!(guess(&mut bot, "Ann").await.contains("is wrong"));
    }
    // The right password as well has to wait, or guessing would pay.
    let mut bot = known(&rig, "Ann").await;
    bot.send_line(PASSWORD).await;
    bot.expect("Too many failed logins. Wait ").await.unwrap();
    bot.send_line("guest").await;
    bot.expect("Welcome, Guest").await.unwrap();
}

#[tokio::test]
async fn wrong_passwords_of_one_address_are_slowed_for_all_accounts() {
    let rig = Rig::start();
    let names = ["Ann", "Bob", "Cid", "Dan", "Eve"];
    for name in names {
        drop(rig.player(name).await);
    }
    let target = rig.telnet().from_source(IpAddr::from([127, 0, 0, 9]));
    let mut bot = Bot::connect(target).await.unwrap();
    for name in &names[..4] {
        assert!(guess(&mut bot, name).await.contains("is wrong"));
    }
    assert!(guess(&mut bot, "Eve").await.contains("Too many"));
    // Eve herself, from her own address, is not held up.
    rig.player("Eve").await;
}

#[tokio::test]
async fn an_account_has_several_characters_but_plays_one_at_a_time() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.ask("north", "The Yard").await.unwrap();
    let mut second = known(&rig, "Ann").await;
    second.send_line(PASSWORD).await;
    second.expect("Characters: 1. Ann").await.unwrap();
    second
        .expect("Which (number or name, or \"new\"): ")
        .await
        .unwrap();
    second.send_line("new").await;
    second.expect("Character name: ").await.unwrap();
    second.send_line("ann").await;
    second.expect("The name Ann is taken.").await.unwrap();
    second.expect("Character name: ").await.unwrap();
    second.send_line("bea").await;
    // The session of the other character makes way.
    second.expect("Welcome, Bea.").await.unwrap();
    second.expect("The Hall").await.unwrap();
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains("You logged in from elsewhere"), "{last}");
    second.prompt().await.unwrap();
    let who = second.ask("who", "in all.").await.unwrap();
    assert!(who.contains("Players: Bea."), "{who}");
    second.send_line("quit").await;
    second.closed().await.unwrap();
    for (choice, name, room) in [("2", "Bea", "The Hall"), ("ann", "Ann", "The Yard")] {
        let mut bot = known(&rig, "Ann").await;
        bot.send_line(PASSWORD).await;
        bot.expect("Characters: 1. Ann, 2. Bea").await.unwrap();
        bot.expect("Which").await.unwrap();
        bot.send_line("3").await;
        bot.expect("There is no such character in the list.")
            .await
            .unwrap();
        bot.send_line(choice).await;
        bot.expect(&format!("Welcome back, {name}.")).await.unwrap();
        bot.expect(room).await.unwrap();
        bot.send_line("quit").await;
        bot.closed().await.unwrap();
    }
}

#[tokio::test]
async fn a_character_name_is_one_players_only() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bot = visitor(&rig).await;
    for (typed, answer) in [
        ("Bob", "Create it?"),
        ("y", "New password: "),
        (PASSWORD, "Repeat the password: "),
        (PASSWORD, "Character name: "),
        ("ANN", "The name Ann is taken."),
        ("Robert", "Welcome, Robert."),
    ] {
        bot.send_line(typed).await;
        bot.expect(answer).await.unwrap();
    }
    ann.expect("Robert comes into the game.").await.unwrap();
    ann.ask("tell robert hello", "You tell Robert")
        .await
        .unwrap();
}

#[tokio::test]
async fn of_two_creations_of_one_name_one_wins() {
    let rig = Rig::start();
    let mut bots = Vec::new();
    for _ in 0..2 {
        let mut bot = visitor(&rig).await;
        for (typed, answer) in [
            ("Ann", "Create it?"),
            ("yes", "New password: "),
            (PASSWORD, "Repeat the password: "),
        ] {
            bot.send_line(typed).await;
            bot.expect(answer).await.unwrap();
        }
        bots.push(bot);
    }
    let finishing = bots.iter_mut().map(|bot| async {
        bot.send_line(PASSWORD).await;
        let answers = ["Character name: ", "The name Ann is taken."];
        bot.expect_any(&answers).await.unwrap().0
    });
    let mut outcomes = futures_util::future::join_all(finishing).await;
    outcomes.sort_unstable();
    assert_eq!(outcomes, [0, 1]);
}

#[tokio::test]
async fn a_changed_password_is_the_one_that_counts() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    for (typed, answer) in [
        ("password", "Password: "),
        ("wrong guess", "That is not your password."),
        ("password", "Password: "),
        (PASSWORD, "New password: "),
        ("battery staple", "Repeat the password: "),
        ("battery staple", "Your password is changed."),
        ("quit", "Goodbye."),
    ] {
        ann.send_line(typed).await;
        ann.expect(answer).await.unwrap();
    }
    let mut bot = known(&rig, "Ann").await;
    bot.send_line(PASSWORD).await;
    bot.expect("That name or password is wrong.").await.unwrap();
    bot.send_line("Ann").await;
    bot.expect("Password: ").await.unwrap();
    bot.send_line("battery staple").await;
    bot.expect("Characters: 1. Ann").await.unwrap();
    bot.send_line("1").await;
    bot.expect("Welcome back, Ann.").await.unwrap();
}

#[tokio::test]
async fn guests_are_let_in_or_not_as_the_operator_says() {
    let rig = Rig::with(&["players.guests=false"]);
    let mut bot = Bot::connect(rig.telnet()).await.unwrap();
    bot.expect("Name: ").await.unwrap();
    bot.send_line("guest").await;
    bot.expect("Guests are not let in here.").await.unwrap();
    drop(rig.player("Ann").await);
}
