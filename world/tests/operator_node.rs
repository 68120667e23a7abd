//! `[edge]` Goal: a node owns its directory and its addresses or does not start, shows its health
//! and figures, and stops as it is told. Method: the real executable, real sockets and signals.
#![expect(clippy::expect_used, clippy::panic, reason = "a test")]

#[cfg(test)]
mod operator;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;

use operator::{Node, Scratch, belay, http, run, stderr, stdout};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path)
        .expect("is there")
        .permissions()
        .mode()
        & 0o777
}

#[test]
fn serves_health_and_figures_and_stops_on_sigterm() {
    let scratch = Scratch::new();
    let data = scratch.join("deep/data");
    let mut node = Node::start(&data, &[]);
    assert!(node.banner.contains("telnet 127.0.0.1 "), "{}", node.banner);
    assert!(node.banner.contains("ws://127.0.0.1:"), "{}", node.banner);
    let (head, body) = http(node.ops(), "GET /healthz");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(body, "ok\n");
    let (head, body) = http(node.ops(), "GET /metrics");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    for name in [
        "belay_players ",
        "belay_commands_total{verb=\"look\"} ",
        "belay_sent_frame_bytes_total{kind=\"notice\"} ",
        "belay_mailbox_high_water{process=\"room\"} ",
        "belay_restarts_total ",
        "belay_logins_total{outcome=\"guest\"} ",
    ] {
        assert!(
            body.lines().any(|line| line.starts_with(name)),
            "{name}\nnot in\n{body}"
        );
    }
    let memory = body
        .lines()
        .find_map(|line| line.strip_prefix("belay_memory_resident_bytes "));
    assert!(memory.expect("is there").parse::<u64>().expect("a number") > 100_000);
    assert!(
        http(node.ops(), "GET /nothing")
            .0
            .starts_with("HTTP/1.1 404 ")
    );
    assert!(
        http(node.ops(), "POST /metrics")
            .0
            .starts_with("HTTP/1.1 405 ")
    );
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("control.sock")), 0o600);
    node.signal("-TERM");
    assert_eq!(node.wait(), Some(0));
}

#[test]
fn a_second_node_on_the_same_data_is_told_who_has_it() {
    let scratch = Scratch::new();
    let node = Node::start(scratch.path(), &[]);
    let data = scratch.path().to_str().unwrap();
    let output = run(&["serve", "--data", data, "--telnet", "127.0.0.1:0"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(69), "{told}");
    assert!(
        told.contains(&format!("{data} is in use by process {}\n", node.pid())),
        "{told}"
    );
    assert!(told.contains("--data DIR (data.dir)"), "{told}");
    let (head, _) = http(node.ops(), "GET /healthz");
    assert!(
        head.starts_with("HTTP/1.1 200 "),
        "the first one goes on: {head}"
    );
}

#[test]
fn a_port_in_use_is_named_with_what_changes_it() {
    let scratch = Scratch::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("has one").to_string();
    let data = scratch.path().to_str().unwrap();
    for (flag, key) in [
        ("--telnet", "telnet.listen"),
        ("--http", "http.listen"),
        ("--ops", "ops.listen"),
    ] {
        let mut arguments = vec!["serve", "--data", data, flag, &address];
        for other in ["--telnet", "--http", "--ops"] {
            if other != flag {
                arguments.extend([other, "127.0.0.1:0"]);
            }
        }
        let output = run(&arguments);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(69), "{told}");
        assert!(
            told.contains(&format!("{address} is in use by another program\n")),
            "{told}"
        );
        assert!(told.contains(&format!("{flag} ADDR ({key})")), "{told}");
    }
}

#[test]
fn a_data_directory_that_cannot_be_made_exits_73() {
    let scratch = Scratch::new();
    let file = scratch.join("file");
    std::fs::write(&file, "not a directory").expect("writes");
    let too_long = scratch.join(&"x".repeat(120));
    for path in [file.clone(), file.join("below"), too_long] {
        let path = path.to_str().unwrap();
        let mut arguments = vec!["serve", "--data", path, "--telnet", "127.0.0.1:0"];
        arguments.extend(["--http", "127.0.0.1:0", "--ops", "127.0.0.1:0"]);
        let output = run(&arguments);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(73), "{told}");
        assert!(
            told.contains(path) && told.contains("--data DIR (data.dir)"),
            "{told}"
        );
    }
}

#[test]
fn a_killed_node_leaves_nothing_that_hinders_the_next() {
    let scratch = Scratch::new();
    let mut node = Node::start(scratch.path(), &[]);
    node.signal("-KILL");
    assert_eq!(node.wait(), None);
    assert!(
        scratch.join("control.sock").exists(),
        "the dead node's socket file is still there"
    );
    let mut node = Node::start(scratch.path(), &[]);
    let mut stream = UnixStream::connect(scratch.join("control.sock")).expect("a live one");
    stream
        .write_all(b"{\"command\":\"status\"}\n")
        .expect("asks");
    let mut line = String::new();
    BufReader::new(stream)
        .read_line(&mut line)
        .expect("answers");
    assert!(line.contains("\"outcome\":\"done\""), "{line}");
    node.signal("-INT");
    assert_eq!(node.wait(), Some(0));
}

#[test]
fn a_shutdown_request_is_answered_and_carried_out() {
    let scratch = Scratch::new();
    let mut node = Node::start(scratch.path(), &[]);
    let mut stream = UnixStream::connect(scratch.join("control.sock")).expect("connects");
    stream
        .write_all(b"{\"command\":\"shutdown\"}\n")
        .expect("asks");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("answers, then ends");
    assert!(answer.contains("\"outcome\":\"done\""), "{answer}");
    assert_eq!(node.wait(), Some(0));
}

#[test]
fn a_second_interrupt_does_not_wait_for_the_drain() {
    let scratch = Scratch::new();
    let mut node = Node::start(scratch.path(), &["--set", "drain.deadline=1h"]);
    // Half a request: the drain waits for the rest of it.
    let mut stream = TcpStream::connect(node.ops()).expect("connects");
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost:")
        .expect("begins");
    node.signal("-INT");
    wait_until_refused(&node);
    node.signal("-INT");
    assert_eq!(node.wait(), Some(130));
    drop(stream);
}

/// The drain has begun when the control socket takes no more requests.
fn wait_until_refused(node: &Node) {
    let ops = node.ops();
    for _ in 0..10_000 {
        let Ok(mut stream) = TcpStream::connect(ops) else {
            return;
        };
        let asked =
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        stream
            .set_read_timeout(Some(std::time::Duration::from_millis(200)))
            .expect("sets");
        let read = stream.read_to_string(&mut answer);
        if asked.is_err() || read.is_err() || answer.is_empty() {
            return;
        }
    }
    panic!("the node went on serving after an interrupt");
}

#[test]
fn json_logs_are_one_object_a_line_and_carry_the_addresses() {
    let scratch = Scratch::new();
    let mut command = belay(&[
        "serve",
        "--set",
        "log.format=json",
        "--telnet",
        "127.0.0.1:0",
    ]);
    command
        .args(["--http", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--data"])
        .arg(scratch.path());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut log = BufReader::new(child.stderr.take().expect("piped"));
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert!(
            log.read_line(&mut line).expect("reads") > 0,
            "ended early: {lines:?}"
        );
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let up = value["message"] == "node is up";
        lines.push(value);
        if up {
            break;
        }
    }
    let up = lines.last().expect("one");
    assert_eq!(up["level"], "INFO");
    assert_eq!(up["pid"], child.id());
    let ops = up["ops"]
        .as_str()
        .expect("an address")
        .parse()
        .expect("an address");
    assert!(http(ops, "GET /healthz").0.starts_with("HTTP/1.1 200 "));
    child.kill().expect("kills");
    let output = child.wait_with_output().expect("ends");
    assert!(output.stdout.is_empty(), "nothing but JSON anywhere");
}

#[test]
fn the_tree_is_shown_to_people_and_to_programs() {
    let scratch = Scratch::new();
    let _node = Node::start(scratch.path(), &[]);
    let data = scratch.path().to_str().expect("UTF-8");
    let text = run(&["tree", "--data", data]);
    assert_eq!(text.status.code(), Some(0), "{}", stderr(&text));
    let text = stdout(&text);
    assert!(text.starts_with("node <"), "{text}");
    assert!(
        text.lines().any(|line| line.starts_with("    control <")),
        "{text}"
    );
    let json = run(&["tree", "--json", "--data", data]);
    let tree: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(tree["name"], "node");
    assert_eq!(tree["state"], "running");
    let mut lines = 0;
    count(&tree, &mut lines);
    assert_eq!(lines, text.lines().count(), "both show the same processes");
}

fn count(tree: &serde_json::Value, processes: &mut usize) {
    *processes += 1;
    for child in tree["children"].as_array().into_iter().flatten() {
        count(child, processes);
    }
}
