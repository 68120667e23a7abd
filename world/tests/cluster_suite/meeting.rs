//! Players of different nodes are in one world.

use belay_bots::Bot;

use std::time::Duration;

use super::rig::{PASSWORD, Rig, who_are};

/// Within this a session that another one replaces is told.
const TOLD: Duration = Duration::from_secs(3);

const ELSEWHERE: &str = "You logged in from elsewhere, so this connection ends.";

#[tokio::test]
async fn players_on_two_nodes_meet_in_a_room_of_a_third() {
    let Some(rig) = Rig::start(3).await else {
        return;
    };
    rig.place("zone:isle", "n3").await;
    rig.place("zone:cave", "n1").await;
    let mut ann = rig.player("n1", "Ann").await;
    let mut bob = rig.player("n2", "Bob").await;
    ann.expect("Bob comes into the game.").await.unwrap();
    bob.ask("say hello", "You say, \"hello\"").await.unwrap();
    ann.expect("Bob says, \"hello\"").await.unwrap();
    ann.ask("tell bob a secret", "You tell Bob").await.unwrap();
    bob.expect("Ann tells you, \"a secret\"").await.unwrap();
    for bot in [&mut ann, &mut bob] {
        who_are(bot, &["Ann", "Bob"]).await;
    }
    ann.ask("chat good day", "[chat] Ann: good day")
        .await
        .unwrap();
    bob.expect("[chat] Ann: good day").await.unwrap();
    // Out of one owner's zone and into another's.
    bob.ask("north", "The Yard").await.unwrap();
    ann.expect("Bob leaves north.").await.unwrap();
    bob.ask("up", "The Mouth").await.unwrap();
    ann.ask("north", "The Yard").await.unwrap();
    ann.ask("up", "Bob is here.").await.unwrap();
    bob.expect("Ann arrives from below.").await.unwrap();
    ann.ask("say again", "You say, \"again\"").await.unwrap();
    bob.expect("Ann says, \"again\"").await.unwrap();
    for (bot, once) in [
        (&ann, "< Bob says, \"hello\""),
        (&ann, "< [chat] Ann: good day"),
        (&bob, "< Ann tells you, \"a secret\""),
        (&bob, "< [chat] Ann: good day"),
        (&bob, "< Ann says, \"again\""),
    ] {
        let heard = bot.transcript();
        assert_eq!(heard.matches(once).count(), 1, "{once}\n{heard}");
    }
}

#[tokio::test]
async fn an_account_that_logs_in_on_two_nodes_has_one_session_in_the_end() {
    let Some(rig) = Rig::start(2).await else {
        return;
    };
    let mut bob = rig.player("n2", "Bob").await;
    let mut ann = rig.player("n1", "Ann").await;
    let (mut again, entry) = rig.login("n2", "Ann").await;
    assert!(entry.back);
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains(ELSEWHERE), "{last}");
    again.ask("say me", "You say, \"me\"").await.unwrap();
    bob.expect("Ann says, \"me\"").await.unwrap();
    who_are(&mut bob, &["Ann", "Bob"]).await;
    // Both at once: one stays, the other is told.
    again.send_line("quit").await;
    again.closed().await.unwrap();
    let (one, two) = tokio::join!(until_told(&rig, "n1"), until_told(&rig, "n2"));
    assert!(one ^ two, "one stays: {one} {two}");
    who_are(&mut bob, &["Ann", "Bob"]).await;
}

/// Logs in; whether the session came to an end because of a later login, by the time that it
/// would have been told.
async fn until_told(rig: &Rig, node: &str) -> bool {
    match Bot::account(rig.telnet(node), "Ann", PASSWORD).await {
        Ok((mut bot, _)) => {
            bot.set_deadline(TOLD);
            match bot.closed().await {
                Ok((last, _)) => {
                    assert!(last.contains(ELSEWHERE), "{last}");
                    true
                }
                Err(_) => false,
            }
        }
        Err(error) => {
            assert!(error.transcript.contains(ELSEWHERE), "{error}");
            true
        }
    }
}
