//! Logins by the hundred: hashing never holds up those who play, and who has to wait is told.

use std::time::Duration;

use belay_bots::{Bot, BotError, Failure, Trouble};
use futures_util::future::{join, join_all};

use super::rig::{PASSWORD, Rig};

/// How long a player may wait for an answer while the storm lasts. A debug build on a machine with
/// other work; a node that hashes where it plays needs as long as the whole storm.
const ANSWER_MAX: Duration = Duration::from_secs(1);

async fn arrive(rig: &Rig, number: u32) -> Result<Bot, BotError> {
    let mut bot = Bot::connect(rig.telnet()).await?;
    bot.set_deadline(Duration::from_secs(60));
    let who = belay_bots::Who::Account {
        name: belay_bots::letters("Storm", number),
        password: PASSWORD.to_owned(),
    };
    bot.login(&who).await?;
    Ok(bot)
}

#[tokio::test]
async fn two_hundred_password_logins_do_not_hold_up_those_who_play() {
    let rig = Rig::with(&[
        "login.hash_memory_kib=4096",
        "login.threads=1",
        "players.commands_per_s=10000",
        "players.commands_burst=10000",
        "players.start=spread",
    ]);
    let mut players = Vec::new();
    for _ in 0..20 {
        let (mut bot, _) = rig.guest().await;
        bot.set_deadline(ANSWER_MAX);
        players.push(bot);
    }
    let over = std::cell::Cell::new(false);
    let playing = players.iter_mut().map(|bot| async {
        let mut answers = 0_u32;
        while !over.get() {
            bot.ask("say still here", "You say, \"still here\"")
                .await
                .unwrap();
            answers += 1;
        }
        answers
    });
    let storm = async {
        let logins = join_all((0..200).map(|number| arrive(&rig, number))).await;
        over.set(true);
        logins
    };
    let (answers, logins) = join(join_all(playing), storm).await;
    let mut waited = 0;
    for login in &logins {
        let bot = login.as_ref().unwrap();
        waited += u32::from(bot.transcript().contains("You are number "));
    }
    assert!(answers.iter().all(|count| *count > 3), "{answers:?}");
    assert!(waited > 20, "only {waited} were told their place");
    assert_eq!(rig.status("players"), 220);
}

#[tokio::test]
async fn a_full_login_queue_says_busy_and_lets_those_in_line_in() {
    // Hashes slow enough that forty come while the first is under way.
    let rig = Rig::with(&[
        "login.queue=5",
        "login.threads=1",
        "login.hash_memory_kib=8192",
    ]);
    let logins = join_all((0..40).map(|number| arrive(&rig, number))).await;
    let mut came_in = 0;
    for login in logins {
        match login {
            Ok(_) => came_in += 1,
            Err(error) => {
                let busy = matches!(*error.trouble, Trouble::Login(Failure::Busy));
                assert!(busy, "{error}");
                assert!(
                    error.transcript.contains("Busy, try again later."),
                    "{error}"
                );
            }
        }
    }
    // At the worst the queue is full before the first of it is taken out.
    assert!((5..40).contains(&came_in), "{came_in}");
    // Guests need no hash, and the next one finds the queue empty.
    rig.guest().await;
    rig.player("Ann").await;
}
