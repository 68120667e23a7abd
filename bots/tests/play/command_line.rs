//! The executable: faulty options, exit statuses, table and JSON file, Ctrl-C.

use std::process::Stdio;

use crate::fake::{Fake, Manner};
use tokio::process::Command;

fn bots(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_belay-bots"));
    command
        .args(line.split_whitespace())
        .kill_on_drop(true)
        .stdin(Stdio::null());
    command
}

#[tokio::test]
async fn faulty_options_are_told_at_once_with_status_64() {
    let output = bots("wander --count many --pace fast --mix x")
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{text}");
    for option in ["--count \"many\"", "--pace \"fast\"", "--mix \"x\""] {
        assert!(text.contains(option), "{text}");
    }
    assert_eq!(
        bots("wander --no-such")
            .output()
            .await
            .unwrap()
            .status
            .code(),
        Some(64)
    );
    assert_eq!(
        bots("--help").output().await.unwrap().status.code(),
        Some(0)
    );
}

#[tokio::test]
async fn writes_table_and_json_and_tells_drops_by_its_status() {
    for (drops_at, status) in [(None, 0), (Some(2), 1)] {
        let node = Fake::start(Manner {
            drops_at,
            ..Manner::default()
        })
        .await;
        let name = format!("belay-bots-{}-{status}.json", std::process::id());
        let file = std::env::temp_dir().join(name);
        let line = format!(
            "wander --target {} --count 5 --burst --settle 0s --duration 300ms --pace 0.01-0.02 \
             --report {}",
            node.telnet,
            file.display()
        );
        let output = bots(&line).output().await.unwrap();
        let table = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{table}");
        assert!(table.contains("5 asked, 5 online at most"), "{table}");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(json["asked"], 5);
        assert_eq!(json["node"], serde_json::Value::Null);
        assert_eq!(json["dropped"].as_object().unwrap().is_empty(), status == 0);
    }
}

#[tokio::test]
async fn an_interrupt_ends_early_with_a_report() {
    let node = Fake::start(Manner::default()).await;
    let line = format!(
        "wander --target {} --count 3 --burst --settle 0s --duration 1h --pace 0.01-0.02",
        node.telnet
    );
    let child = bots(&line).stdout(Stdio::piped()).spawn().unwrap();
    // A guest who hears a bot speak knows that the crowd is in and playing.
    let (mut guest, _) = belay_bots::Bot::guest(belay_bots::Target::telnet(node.telnet))
        .await
        .unwrap();
    guest.expect("says, \"hello q").await.unwrap();
    let pid = child.id().unwrap().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .await
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().await.unwrap();
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(table.contains("ended early"), "{table}");
}

#[tokio::test]
async fn the_commands_of_the_network_tell_their_faults_and_where_they_listen() {
    for (line, faults) in [
        (
            "gossip load --credentials x --games many --rate no",
            ["--games \"many\"", "--rate \"no\""],
        ),
        (
            "gossip flood --listen here --speakers 0",
            ["--listen \"here\"", "--speakers \"0\""],
        ),
        (
            "gossip chop --hub x --credentials x --every 1 --node y -- serve",
            ["--every \"1\"", "--node \"y\""],
        ),
    ] {
        let output = bots(line).output().await.unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{text}");
        for fault in faults {
            assert!(text.contains(fault), "{text}");
        }
    }
    let missing = bots("gossip load --credentials /no/such/folder")
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(1), "{text}");
    assert!(text.contains("cannot read /no/such/folder"), "{text}");
    let flood = bots("gossip flood --listen 127.0.0.1:0 --duration 100ms")
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&flood.stdout);
    assert!(text.starts_with("listening on 127.0.0.1:"), "{text}");
    assert_eq!(flood.status.code(), Some(1), "nobody was flooded: {text}");
}
