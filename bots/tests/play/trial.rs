//! Trials on whole nodes: the executable `belay` beside that of the bots, on a real database.
//! Without either the tests say that they are SKIPPED.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use serde_json::Value;
use tokio::process::Command;

/// A trial of three nodes and twelve bots; its report, and what was printed. `None` when it cannot
/// be played here.
async fn trial(scenario: &str) -> Option<(Value, Output)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let bots = PathBuf::from(env!("CARGO_BIN_EXE_belay-bots"));
    let belay = bots.with_file_name("belay");
    if !belay.is_file() {
        skipped("they want the executable belay: cargo build -p belay-world");
        return None;
    }
    let number = NUMBER.fetch_add(1, Relaxed);
    let name = format!("belay-trial-{}-{number}.json", std::process::id());
    let report = std::env::temp_dir().join(name);
    let output = Command::new(&bots)
        .args(["trial", scenario, "--count", "12", "--runs", "1"])
        .args(["--zones", "6", "--rooms", "36", "--pace", "0.2-0.5"])
        .arg("--belay")
        .arg(&belay)
        .arg("--report")
        .arg(&report)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    if told.contains("no database") && std::env::var_os("CI").is_none() {
        skipped("they want PostgreSQL: apt-get install postgresql");
        return None;
    }
    let json = std::fs::read(&report).unwrap_or_else(|_| panic!("no report: {told}"));
    std::fs::remove_file(&report).unwrap();
    Some((serde_json::from_slice(&json).unwrap(), output))
}

fn skipped(why: &str) {
    let told = format!("SKIPPED: trials of a cluster; {why}\n");
    // Past the capture of the test's output.
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

#[tokio::test]
async fn bots_of_a_killed_node_play_on_elsewhere_and_its_zones_are_seen_to_come_back() {
    let Some((report, output)) = trial("follower-kill").await else {
        return;
    };
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(report["ended"], Value::Null, "{table}");
    assert_eq!(report["runs_done"], 1, "{table}");
    let run = &report["runs"][0];
    // Each node has its share of the zones before it is killed.
    let zones = run["zones_ms"].as_object().unwrap();
    assert_eq!(zones.len(), 2, "{run}");
    assert_eq!(run["values"]["zones_missing"], 0.0, "{table}");
    // A lease has to run out first: nothing of a dead node can play again at once.
    let last = run["values"]["last_ms"].as_f64().unwrap();
    assert!(last > 1_000.0, "{run}");
    assert!(run["crowd"]["lost"].as_u64().unwrap() >= 4, "{run}");
    assert_eq!(run["crowd"]["not_back"], 0, "{table}");
    assert_eq!(run["crowd"]["strangers"], 0, "{table}");
    // Who waited for the dead node is in the figures.
    let longest = run["crowd"]["latency_ms"]["max"].as_f64().unwrap();
    assert!(longest > 1_000.0, "{run}");
    assert!(table.contains("all zones play again, worst"), "{table}");
}

#[tokio::test]
async fn bots_keep_their_sessions_while_all_nodes_are_restarted_in_turn() {
    let Some((report, output)) = trial("rolling").await else {
        return;
    };
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(report["ended"], Value::Null, "{table}");
    let run = &report["runs"][0];
    let order = run["about"]["order"].as_str().unwrap();
    assert_eq!(order.split(", ").count(), 3, "{order}");
    let crowd = &run["crowd"];
    let (lost, by_token) = (&crowd["lost"], &crowd["by_token"]);
    // Every bot lost its node at least once, and came back with its token.
    assert!(lost.as_u64().unwrap() >= 12, "{run}");
    assert_eq!(lost, by_token, "{table}");
    for nothing in ["by_password", "strangers", "not_back", "unanswered"] {
        assert_eq!(crowd[nothing], 0, "{nothing} {table}");
    }
}
