//! A crowd against a pretended node: what is counted, and how it ends.
//! Windows are fractions of a second; all traffic is on loopback and port 0.

use std::future::{pending, ready};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crate::fake::{Fake, Manner};
use belay_bots::{Arrival, CrashPlan, Identity, Mix, Options, Pace, Report, Target, run_wander};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

fn quick(target: Target, count: u32) -> Options {
    Options {
        arrival: Arrival::Burst,
        settle: Duration::ZERO,
        duration: Duration::from_millis(400),
        login_deadline: Duration::from_secs(10),
        pace: Pace {
            least: Duration::from_millis(5),
            most: Duration::from_millis(20),
        },
        ..Options::new(target, count)
    }
}

async fn wander(options: Options) -> Report {
    run_wander(options, pending(), |_| {})
        .await
        .expect("a report")
}

#[tokio::test]
async fn a_crowd_is_measured_over_both_routes() {
    for is_web in [false, true] {
        let node = Fake::start(Manner {
            rooms: 2,
            ..Manner::default()
        })
        .await;
        let target = if is_web {
            Target::web_socket(node.http)
        } else {
            Target::telnet(node.telnet)
        };
        let mut options = quick(target, 20);
        options.node_pid = Some(std::process::id());
        let report = wander(options).await;
        assert_eq!(
            (report.asked, report.online_peak, report.online_end),
            (20, 20, 20)
        );
        assert!(report.commands > 100, "{report}");
        assert_eq!(report.unanswered, 0, "{report}");
        assert!(
            report.login_failed.is_empty() && report.dropped.is_empty(),
            "{report}"
        );
        assert!(
            report.latency_ms.p50 > 0.0 && report.heard_ms.p50 > 0.0,
            "{report}"
        );
        assert!(report.latency_ms.max < 1000.0, "{report}");
        assert!(report.bytes_per_player_s.incoming > report.bytes_per_player_s.outgoing);
        assert!(
            report.node.unwrap().rss_kb > 0 && report.logins_per_s > 1.0,
            "{report}"
        );
        assert_eq!(report.exit_status(), 0);
        assert_eq!(report.details.zombies, 0);
    }
}

#[tokio::test]
async fn every_bot_is_gone_at_the_end() {
    let node = Fake::start(Manner::default()).await;
    wander(quick(Target::telnet(node.telnet), 10)).await;
    // The node's side closes when it has read the end; a new guest's answers give it the time.
    let (mut bot, _) = belay_bots::Bot::guest(Target::telnet(node.telnet))
        .await
        .unwrap();
    for _ in 0..1000 {
        bot.ask("look", "Exits").await.unwrap();
        if node.world.open.load(SeqCst) == 1 {
            return;
        }
    }
    panic!("{} connections are open", node.world.open.load(SeqCst));
}

#[tokio::test]
async fn drops_are_counted_and_fail_the_run() {
    let node = Fake::start(Manner {
        drops_at: Some(3),
        ..Manner::default()
    })
    .await;
    let report = wander(quick(Target::telnet(node.telnet), 8)).await;
    assert_eq!(report.dropped.values().sum::<u64>(), 8, "{report}");
    assert!(report.dropped.contains_key("closed"), "{report}");
    assert_eq!(report.online_peak, 8);
    assert_eq!(report.online_end, 0);
    assert_eq!(report.exit_status(), 1);
}

#[tokio::test]
async fn who_hears_busy_comes_again() {
    let node = Fake::start(Manner {
        busy_first: 4,
        ..Manner::default()
    })
    .await;
    let report = wander(quick(Target::telnet(node.telnet), 6)).await;
    assert_eq!(report.online_peak, 6, "{report}");
    assert_eq!(report.details.retried.get("busy"), Some(&4), "{report}");
    assert!(report.login_failed.is_empty(), "{report}");
    assert_eq!(report.exit_status(), 0);
}

#[tokio::test]
async fn who_hears_nothing_comes_again() {
    let node = Fake::start(Manner {
        silent_first: 2,
        ..Manner::default()
    })
    .await;
    let mut options = quick(Target::telnet(node.telnet), 4);
    options.silence_deadline = Duration::from_millis(50);
    let report = wander(options).await;
    assert_eq!(report.online_peak, 4, "{report}");
    assert_eq!(
        report.details.retried.get("silence during login"),
        Some(&2),
        "{report}"
    );
}

#[tokio::test]
async fn a_connection_that_only_the_client_knows_is_woken() {
    let node = Fake::start(Manner {
        waits_for_nop: true,
        ..Manner::default()
    })
    .await;
    let report = wander(quick(Target::telnet(node.telnet), 3)).await;
    assert_eq!(report.online_peak, 3, "{report}");
    assert!(report.details.retried.is_empty(), "{report}");
}

#[tokio::test]
async fn nobody_in_fails_the_run_with_the_cause() {
    let mut options = quick(Target::telnet("127.0.0.1:1".parse().unwrap()), 3);
    options.login_deadline = Duration::from_millis(100);
    let report = wander(options).await;
    assert_eq!(report.login_failed.values().sum::<u64>(), 3, "{report}");
    let cause = report.login_failed.keys().next().unwrap();
    assert!(cause.contains("refused"), "{report}");
    assert_eq!(report.exit_status(), 1);
}

#[tokio::test]
async fn accounts_have_names_of_their_own_and_refused_ones_are_told() {
    let node = Fake::start(Manner {
        places: vec![3, 5, 1],
        ..Manner::default()
    })
    .await;
    let mut options = quick(Target::telnet(node.telnet), 5);
    options.identity = Identity::Accounts("Bot".into());
    let created = wander(options.clone()).await;
    assert_eq!(created.online_peak, 5, "{created}");
    assert_eq!(
        (created.details.in_line, created.details.place_rises),
        (5, 5),
        "{created}"
    );
    let known = wander(options.clone()).await;
    assert_eq!(known.online_peak, 5, "{known}");
    // The same names with other passwords: a second client of the same account does not get in.
    let mut bot = belay_bots::Bot::connect(Target::telnet(node.telnet))
        .await
        .unwrap();
    let who = belay_bots::Who::Account {
        name: "Botaaab".into(),
        password: "other".into(),
    };
    assert!(bot.login(&who).await.is_err());
}

#[tokio::test]
async fn commands_without_an_answer_count_with_the_deadline() {
    let node = Fake::start(Manner {
        is_mute: true,
        ..Manner::default()
    })
    .await;
    let mut options = quick(Target::telnet(node.telnet), 4);
    options.mix = Mix::new(0, 1, 0).unwrap();
    options.answer_deadline = Duration::from_millis(150);
    let report = wander(options).await;
    assert!(report.commands >= 4, "{report}");
    assert_eq!(report.unanswered, report.commands, "{report}");
    assert!((report.latency_ms.p50 - 150.0).abs() < 1.0, "{report}");
}

#[tokio::test]
async fn refusals_are_answers_and_counted() {
    let refusal = Some("The ground trembles; that did not get through.");
    let node = Fake::start(Manner {
        refusal,
        ..Manner::default()
    })
    .await;
    let mut options = quick(Target::telnet(node.telnet), 4);
    options.mix = Mix::new(1, 0, 0).unwrap();
    let report = wander(options).await;
    assert!(report.details.refused["crashed room"] > 0, "{report}");
    assert_eq!(report.unanswered, 0, "{report}");
}

#[tokio::test]
async fn staying_bots_hear_each_other_and_sources_are_taken_in_turn() {
    let node = Fake::start(Manner {
        rooms: 1,
        ..Manner::default()
    })
    .await;
    let mut options = quick(Target::telnet(node.telnet), 6);
    options.mix = Mix::default().staying().unwrap();
    options.sources = vec!["127.0.0.2".parse().unwrap(), "127.0.0.3".parse().unwrap()];
    let report = wander(options).await;
    assert!(report.heard_ms.max > 0.0, "{report}");
    let sources = node.world.sources.lock().unwrap().clone();
    for source in ["127.0.0.2", "127.0.0.3"] {
        let from = sources
            .iter()
            .filter(|address| address.ip().to_string() == source)
            .count();
        assert_eq!(from, 3, "{sources:?}");
    }
}

#[tokio::test]
async fn a_stop_ends_early_with_a_report() {
    let node = Fake::start(Manner::default()).await;
    let mut options = quick(Target::telnet(node.telnet), 3);
    options.duration = Duration::from_secs(3600);
    options.settle = Duration::from_secs(3600);
    let report = run_wander(options, ready(()), |_| {}).await.unwrap();
    assert!(report.details.ended_early);
    assert_eq!(report.asked, 3);
    assert_eq!(report.details.zombies, 0);
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "an outside player does not use the runtime"
)]
async fn rooms_are_crashed_through_the_control_socket() {
    let node = Fake::start(Manner::default()).await;
    let path = std::env::temp_dir().join(format!("belay-bots-{}.sock", std::process::id()));
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let mut control = tokio::task::JoinSet::new();
    control.spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        let mut count = 0;
        while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
            assert_eq!(line, "{\"command\":\"crash-room\"}\n");
            line.clear();
            count += 1;
            let answer: &[u8] = if count == 1 {
                b"{\"error\":\"no\"}\n"
            } else {
                b"{\"ok\":1}\n"
            };
            if stream.get_mut().write_all(answer).await.is_err() {
                break;
            }
            if count == 1 {
                // A request that failed makes the bots connect anew.
                stream = BufReader::new(listener.accept().await.unwrap().0);
            }
        }
    });
    let mut options = quick(Target::telnet(node.telnet), 2);
    options.crash = Some(CrashPlan {
        per_s: 100.0,
        control: path.clone(),
    });
    let report = wander(options).await;
    std::fs::remove_file(&path).unwrap();
    assert!(report.details.crashed_rooms > 3, "{report}");
    assert_eq!(report.details.crash_failed.get("no"), Some(&1), "{report}");
    control.shutdown().await;
}

#[tokio::test]
async fn a_node_process_that_is_not_there_is_told() {
    let mut options = quick(Target::telnet("127.0.0.1:1".parse().unwrap()), 1);
    options.node_pid = Some(u32::MAX - 1);
    assert!(run_wander(options, pending(), |_| {}).await.is_err());
}
