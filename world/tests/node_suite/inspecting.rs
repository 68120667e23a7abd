//! What the operator sees of a node that people play on: its processes, where its time goes, what a
//! process is handed, and code that keeps a thread.

use std::process::Stdio;

use serde_json::{Value, json};

use super::operator::{belay, http, stderr, stdout};
use super::rig::{Rig, until};

/// The room where players begin.
const HALL: &str = "room:isle/hall";

#[tokio::test]
async fn the_tree_can_be_asked_for_a_part_and_for_the_busiest() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    guest.ask("say hello", "You say").await.unwrap();
    let part = stdout(&rig.belay(&["tree", "ops"]));
    let names: Vec<_> = part
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["ops", "profiler", "watchdog", "metrics", "control"]);
    let list = stdout(&rig.belay(&["tree", "--sort", "busy"]));
    assert_eq!(list.lines().count(), 20, "{list}");
    assert!(list.lines().all(|line| !line.starts_with(' ')), "{list}");
    let json = rig.belay(&["tree", "--sort", "busy", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let busy = |place: usize| json[place]["busy_us"].as_u64().unwrap();
    assert!(busy(0) >= busy(1) && busy(1) >= busy(19), "{list}");
    let unknown = rig.belay(&["tree", "squrae"]);
    assert_eq!(unknown.status.code(), Some(65));
    assert!(
        stderr(&unknown).contains("there is no process squrae"),
        "{}",
        stderr(&unknown)
    );
}

#[tokio::test]
async fn the_profile_says_what_processes_did() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    guest.ask("look", "Exits:").await.unwrap();
    guest.ask("say hello", "You say").await.unwrap();
    let text = stdout(&rig.belay(&["profile"]));
    assert!(text.starts_with("profile 1 of "), "{text}");
    for span in [
        "\n  room: self ",
        "\n    room.step: self ",
        "\n    session.step: self ",
        "\n      session.line: self ",
        "\n    connection.render: self ",
        "\n    connection.write: self ",
    ] {
        assert!(text.contains(span), "{span} in {text}");
    }
    assert!(!text.contains("\nthread "), "{text}");
    let threads = stdout(&rig.belay(&["profile", "--threads"]));
    assert!(threads.contains("\nthread "), "{threads}");
    let json = rig.belay(&["profile", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["number"], 1);
    assert!(!json["threads"].as_array().unwrap().is_empty());
    let none = rig.belay(&["profile", "--last"]);
    assert_eq!(none.status.code(), Some(65));
    assert!(
        stderr(&none).contains("no interval is over yet"),
        "{}",
        stderr(&none)
    );
}

#[tokio::test]
async fn a_trace_tells_kinds_and_times_and_nothing_that_was_said() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    let mut tracing = begin(&rig, &["trace", HALL, "--count", "2", "--for", "5m"]);
    while tracing.try_wait().unwrap().is_none() {
        guest.ask("say a secret", "You say").await.unwrap();
        guest.ask("exits", "North leads to").await.unwrap();
    }
    let traced = tracing.wait_with_output().unwrap();
    let text = stdout(&traced);
    assert_eq!(traced.status.code(), Some(0), "{text}{}", stderr(&traced));
    let lines: Vec<_> = text.lines().collect();
    let [head, first, second] = lines.as_slice() else {
        panic!("{text}");
    };
    assert!(head.starts_with(&format!("{HALL} <")), "{text}");
    assert!(head.contains(">: 2 of 2 messages in "), "{text}");
    for line in [first, second] {
        let kind = [" us: say, took ", " us: exits, took "];
        assert!(kind.iter().any(|kind| line.contains(kind)), "{text}");
    }
    assert_ne!(first.contains("say"), second.contains("say"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_trace_of_nothing_ends_in_time_and_one_of_nobody_at_once() {
    let rig = Rig::start();
    let told = |arguments: &[&str]| {
        let output = rig.belay(arguments);
        assert_eq!(output.status.code(), Some(65), "{arguments:?}");
        stderr(&output)
    };
    let clocks = told(&["trace", "clock"]);
    assert!(
        clocks.contains("2 processes are named clock: <"),
        "{clocks}"
    );
    assert!(told(&["trace", "hall"]).contains("is it room:isle/hall?"));
    assert!(told(&["trace", "99999999"]).contains("there is no process 99999999"));
    assert!(told(&["trace", HALL, "--count", "0"]).contains("from 1 to 10000 messages"));
    assert!(told(&["trace", HALL, "--for", "6m"]).contains("from 1ms to 5m"));
    let pid = clocks.split(['<', '>']).nth(1).unwrap();
    let nothing = rig.belay(&["trace", pid, "--for", "20ms", "--json"]);
    let nothing: Value = serde_json::from_slice(&nothing.stdout).unwrap();
    assert_eq!(nothing["pid"].to_string(), pid);
    assert_eq!(nothing["entries"], json!([]));
    let nothing = stdout(&rig.belay(&["trace", pid, "--for", "20ms"]));
    let head = format!("clock <{pid}>: 0 of 20 messages in ");
    assert!(nothing.starts_with(&head), "{nothing}");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_trace() {
    let mut rig = Rig::start();
    let tracing = begin(&rig, &["trace", HALL, "--for", "5m"]);
    until("the trace begins", || rig.log().contains("Trace {")).await;
    let start = tokio::time::Instant::now();
    assert_eq!(rig.end("-TERM"), Some(0));
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
    let output = tracing.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(stderr(&output).contains("the node is stopping"));
}

#[tokio::test]
async fn sigusr1_logs_the_profile_and_the_node_lives_on() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    guest.ask("look", "Exits:").await.unwrap();
    rig.node().signal("-USR1");
    until("the profile is logged", || {
        let log = rig.log();
        let lines = |begin: &str| log.lines().any(|line| line.starts_with(begin));
        log.contains("reason=\"SIGUSR1\"") && lines("        room.step: self ")
    })
    .await;
    guest.ask("say still here", "You say").await.unwrap();
}

#[tokio::test]
async fn code_that_keeps_a_thread_is_named_with_a_profile() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    let stall = json!({"command": "stall-room", "room": "isle/hall", "lasts_ms": 1_000});
    assert_eq!(rig.control(&stall)["outcome"], "done");
    guest.ask("say are you there", "You say").await.unwrap();
    for told in [
        "handler blocks a worker",
        "handler has blocked a worker",
        "keeps a thread, handling stall",
        &format!("name=\"{HALL}\""),
        "kind=\"stall\"",
    ] {
        until(told, || rig.log().contains(told)).await;
    }
    assert_eq!(rig.status("slow_handlers"), 1);
    let (_, figures) = http(rig.node().ops(), "GET /metrics");
    for figure in [
        "belay_slow_handlers_total 1",
        "belay_busy_threads{process=\"room\"} ",
        "belay_login_working 0",
    ] {
        assert!(figures.contains(figure), "{figure} in {figures}");
    }
    let long = json!({"command": "stall-room", "room": "isle/hall", "lasts_ms": 60_000});
    assert_eq!(rig.control(&long)["outcome"], "refused");
}

#[tokio::test]
async fn nobody_watches_when_the_operator_does_not_want_it() {
    let rig = Rig::with(&["watchdog.enabled=false"]);
    let ops = stdout(&rig.belay(&["tree", "ops"]));
    assert!(ops.contains("profiler"), "{ops}");
    assert!(!ops.contains("watchdog"), "{ops}");
}

/// A command on the node's data directory that does not end at once.
fn begin(rig: &Rig, arguments: &[&str]) -> std::process::Child {
    let mut command = belay(arguments);
    command.arg("--data").arg(rig.data());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}
