//! Players talk on channels wherever they are; a channel that crashes loses one line and nobody.

use belay_bots::Bot;
use futures_util::future::join_all;

use super::rig::Rig;

const BROKE: &str = "Something broke there; that did not get through.";

/// What the others read of what was said since.
async fn hears(bot: &mut Bot, line: &str) {
    bot.expect(line).await.unwrap();
}

#[tokio::test]
async fn players_in_two_rooms_talk_on_a_channel() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let (mut guest, name) = rig.guest().await;
    guest.ask("north", "The Yard").await.unwrap();
    let said = ann.ask("chat hello there", "[chat] Ann: ").await.unwrap();
    assert!(said.contains("Ann: hello there"), "{said}");
    hears(&mut guest, "[chat] Ann: hello there").await;
    let answer = format!("[chat] {name}: and to you");
    guest.ask("CHAT and to you", &answer).await.unwrap();
    hears(&mut ann, &answer).await;
    assert_eq!(ann.transcript().matches("Ann: hello there").count(), 1);
    let recent = guest.ask("chat", "and to you (").await.unwrap();
    assert!(
        recent.contains("[chat] Ann: hello there (just now)"),
        "{recent}"
    );
    let listed = ann.ask("channels", "help channels").await.unwrap();
    for line in [
        "chat: For everybody. You are on it, two in all.",
        "gossip: For other games. Shared with other games. You are not on it.",
        "trade: For who wants to sell. You are not on it.",
    ] {
        assert!(listed.contains(line), "{line} in {listed}");
    }
    let on = format!("On chat: Ann and {name}.");
    ann.ask("channel who chat", &on).await.unwrap();
}

#[tokio::test]
async fn a_player_hears_only_channels_that_they_are_on() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    bob.ask("channel leave chat", "You are not on chat any more.")
        .await
        .unwrap();
    ann.ask("chat nobody hears this", "[chat] Ann")
        .await
        .unwrap();
    ann.ask("channel join trade", "You are on trade from now on.")
        .await
        .unwrap();
    // Who speaks joins.
    let said = bob.ask("trade a lamp", "[trade] Bob: ").await.unwrap();
    assert!(said.contains("You are on trade from now on."), "{said}");
    hears(&mut ann, "[trade] Bob: a lamp").await;
    ann.ask("trade how much", "[trade] Ann").await.unwrap();
    hears(&mut bob, "[trade] Ann: how much").await;
    assert!(!bob.transcript().contains("nobody hears this"));
    bob.ask("channel who chat", "On chat: Ann.").await.unwrap();
    bob.ask("channel chat on", "You are on chat from now on.")
        .await
        .unwrap();
    ann.ask("chat welcome", "[chat] Ann").await.unwrap();
    hears(&mut bob, "[chat] Ann: welcome").await;
}

#[tokio::test]
async fn what_a_player_chose_is_there_after_a_login_and_a_new_start() {
    let mut rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    ann.ask("channel chat off", "not on chat").await.unwrap();
    ann.ask("channel trade on", "You are on trade")
        .await
        .unwrap();
    ann.ask("ignore Bob", "You read nothing more of Bob")
        .await
        .unwrap();
    ann.ask("ignore @Othergame", "of @Othergame").await.unwrap();
    ann.send_line("quit").await;
    ann.closed().await.unwrap();
    assert_eq!(rig.end("-TERM"), Some(0));
    rig.start_again(&[]);
    let mut ann = rig.player("Ann").await;
    let listed = ann.ask("channels", "help channels").await.unwrap();
    assert!(
        listed.contains("chat: For everybody. You are not on it."),
        "{listed}"
    );
    assert!(listed.contains("sell. You are on it."), "{listed}");
    ann.ask("ignore", "You ignore Bob and @Othergame.")
        .await
        .unwrap();
    let mut bob = rig.player("Bob").await;
    let mut cleo = rig.player("Cleo").await;
    cleo.ask("channel join trade", "You are on trade")
        .await
        .unwrap();
    bob.ask("trade a lamp", "[trade] Bob").await.unwrap();
    bob.ask("tell ann psst", "You tell Ann").await.unwrap();
    hears(&mut cleo, "[trade] Bob: a lamp").await;
    cleo.ask("trade no thanks", "[trade] Cleo").await.unwrap();
    hears(&mut ann, "[trade] Cleo: no thanks").await;
    let recent = ann.ask("trade", "no thanks (").await.unwrap();
    assert!(!recent.contains("lamp"), "{recent}");
    ann.ask("unignore bob", "You read Bob again.")
        .await
        .unwrap();
    ann.ask("trade", "[trade] Bob: a lamp (").await.unwrap();
    let read = ann.transcript();
    assert!(!read.contains("psst"), "{read}");
    bob.ask("tell ann psst", "You tell Ann").await.unwrap();
    hears(&mut ann, "Bob tells you, \"psst\"").await;
}

#[tokio::test]
async fn a_channel_that_crashes_keeps_its_members_and_what_was_said() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("chat before", "[chat] Ann: before").await.unwrap();
    hears(&mut zed, "[chat] Ann: before").await;
    let crashes = rig.status("crashes");
    for round in 1..=5 {
        zed.ask("crash channel chat", "A crash is on its way to chat.")
            .await
            .unwrap();
        let said = format!("[chat] Zed: round {round}");
        zed.ask(&format!("chat round {round}"), &said)
            .await
            .unwrap();
        hears(&mut ann, &said).await;
    }
    assert_eq!(rig.status("crashes"), crashes + 5);
    let recent = ann.ask("chat", "Zed: round 5 (").await.unwrap();
    assert!(recent.contains("[chat] Ann: before"), "{recent}");
    assert!(!zed.transcript().contains(BROKE));
    assert_eq!(rig.status("players"), 2);
    let tree = rig.belay(&["tree", "channel:chat"]);
    assert!(tree.status.success());
}

#[tokio::test]
async fn a_session_that_crashes_stays_on_its_channels_and_one_that_ends_is_off_them() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    let (mut guest, _) = rig.guest().await;
    zed.ask("crash session ann", "A crash is on its way")
        .await
        .unwrap();
    ann.expect("You are back.").await.unwrap();
    zed.ask("chat still there", "[chat] Zed").await.unwrap();
    hears(&mut ann, "[chat] Zed: still there").await;
    guest.send_line("quit").await;
    guest.closed().await.unwrap();
    ann.ask("channel who chat", "On chat: Ann and Zed.")
        .await
        .unwrap();
    super::rig::until("the guest is gone", || rig.status("players") == 2).await;
    let listed = ann.ask("channels", "help channels").await.unwrap();
    assert!(listed.contains("You are on it, two in all."), "{listed}");
}

#[tokio::test]
async fn who_talks_too_fast_is_told() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    for _ in 0..20 {
        guest.send_line("chat hey").await;
    }
    guest
        .expect("You talk faster than others can read.")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_line_reaches_hundreds_once_and_in_order() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut crowd: Vec<Bot> = Vec::new();
    for _ in 0..10 {
        let many = join_all((0..30).map(|_| rig.guest())).await;
        crowd.extend(many.into_iter().map(|(bot, _)| bot));
    }
    for number in 0..5 {
        let said = format!("[chat] Ann: line {number}");
        ann.ask(&format!("chat line {number}"), &said)
            .await
            .unwrap();
    }
    let reading = crowd.iter_mut().map(|bot| async move {
        bot.expect("[chat] Ann: line 4").await.unwrap();
        let lines: Vec<&str> = bot
            .transcript()
            .lines()
            .filter(|line| line.contains("[chat] "))
            .collect();
        let expected: Vec<String> = (0..5)
            .map(|number| format!("< [chat] Ann: line {number}"))
            .collect();
        assert_eq!(lines, expected);
    });
    join_all(reading).await;
}
