//! `[edge]` Goal: the nodes of a cluster are founded, joined, seen, ordered and stopped as an
//! operator does it. Method: the real executable, and a PostgreSQL server of the test's own;
//! without its binaries the test says that it is SKIPPED.
#![expect(clippy::expect_used, clippy::panic, reason = "a test")]

#[cfg(test)]
mod operator;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Stdio;

use belay_bots::{Bot, PostgresError, PostgresServer, Target};
use operator::{Node, Scratch, belay, http, run, stderr, stdout};
use serde_json::Value;

/// A cluster in the making: a directory and a database.
struct Place {
    scratch: Scratch,
    store: String,
    _server: PostgresServer,
}

impl Place {
    /// None where PostgreSQL is not installed.
    fn new() -> Option<Self> {
        let server = match PostgresServer::start(&["fsync=off"]) {
            Ok(server) => server,
            Err(PostgresError::NotInstalled) if std::env::var_os("CI").is_none() => {
                let told = "SKIPPED: nodes of a cluster want PostgreSQL\n";
                drop(std::io::stderr().write_all(told.as_bytes()));
                return None;
            }
            Err(error) => panic!("no database: {error}"),
        };
        let store = server.create_database("belay").expect("is made");
        Some(Self {
            scratch: Scratch::new(),
            store: format!("store.url={store}"),
            _server: server,
        })
    }

    fn data(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    fn node(&self, name: &str, more: &[&str]) -> Node {
        let own = [
            "--node",
            name,
            "--cluster",
            "127.0.0.1:0",
            "--set",
            &self.store,
        ];
        Node::start(&self.data(name), &[&own[..], more].concat())
    }

    /// A command of `belay cluster` for this node; what it printed.
    fn cluster(&self, node: &str, words: &[&str]) -> String {
        let data = self.data(node);
        let data = data.to_str().expect("utf-8");
        let output = run(&[&["cluster"], words, &["--data", data]].concat());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{words:?}: {}",
            stderr(&output)
        );
        stdout(&output)
    }

    /// Asks a node for the zone to move, again until it does: one that was placed a moment ago may
    /// not run yet.
    fn move_harbour(&self, asked: &str, target: &str) {
        let data = self.data(asked).display().to_string();
        let words = ["cluster", "move", "harbour", target, "--data", &data];
        let moved = (0..200).any(|_| run(&words).status.success());
        assert!(moved, "{}", self.cluster(asked, &["status"]));
    }

    /// Looks at the status until it is as it should be.
    fn wait(&self, node: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..2_000 {
            let status = self.cluster(node, &["status", "--json"]);
            let status: Value = serde_json::from_str(&status).expect("json");
            if is_so(&status) {
                return status;
            }
        }
        let status = self.cluster(node, &["status"]);
        panic!("never {what}:\n{status}");
    }
}

fn list<'a>(status: &'a Value, what: &str) -> &'a Vec<Value> {
    status[what].as_array().expect("a list")
}

fn all_are_up(status: &Value, nodes: usize) -> bool {
    let up = list(status, "nodes")
        .iter()
        .filter(|node| node["phase"] == "Up");
    let owned = list(status, "shards")
        .iter()
        .all(|shard| shard["owner"].is_string());
    up.count() == nodes && owned && !list(status, "shards").is_empty()
}

fn owner<'a>(status: &'a Value, shard: &str) -> &'a Value {
    let mut shards = list(status, "shards").iter();
    let found = shards.find(|it| it["shard"] == shard);
    &found.expect("is there")["owner"]
}

#[test]
fn nodes_are_founded_joined_ordered_and_stopped() {
    let Some(place) = Place::new() else { return };
    place.cluster("n1", &["init", "--node", "n1", "--name", "skerrow"]);
    let mut first = place.node("n1", &[]);
    let address = first.address("  cluster     ", "    n1: belay cluster status");
    // Whoever comes before there are zones is in the world as soon as there are.
    let telnet = first.address("  telnet      ", "    telnet ");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let early = runtime.block_on(Bot::guest(Target::telnet(telnet)));
    assert!(early.is_ok(), "{early:?}");
    let join = address.to_string();
    let mut second = place.node("n2", &["--join", &join]);
    let status = place.wait("n1", "two nodes that own all", |it| all_are_up(it, 2));
    assert_eq!(status["cluster"], "skerrow");
    assert_eq!(status["leader"], "n1");
    let (head, body) = http(first.ops(), "GET /cluster");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(body.contains("\"leased\":true"), "{body}");
    let (_, figures) = http(first.ops(), "GET /metrics");
    for line in [
        "belay_cluster_is_leader 1",
        "belay_cluster_nodes_up 2",
        "belay_cluster_leased 1",
    ] {
        assert!(figures.lines().any(|it| it == line), "{line}\n{figures}");
    }
    let words = place.cluster("n2", &["status", "--lines"]);
    assert!(words.contains("Node n1: up, leads"), "{words}");
    for target in ["n2", "n1"] {
        let now = place.wait("n1", "two nodes", |it| all_are_up(it, 2));
        if owner(&now, "zone:harbour") != target {
            place.move_harbour("n2", target);
        }
        place.wait("n1", "moved", |it| owner(it, "zone:harbour") == target);
    }
    place.cluster("n1", &["drain", "n2"]);
    place.wait("n1", "drained", |it| {
        list(it, "shards")
            .iter()
            .all(|shard| shard["owner"] == "n1")
    });
    place.cluster("n1", &["undrain", "n2"]);
    place.wait("n1", "undrained", |it| all_are_up(it, 2));
    second.signal("-TERM");
    assert_eq!(second.wait(), Some(0));
    let mut second = place.node("n2", &[]);
    let status = place.wait("n1", "back again", |it| all_are_up(it, 2));
    assert_eq!(
        list(&status, "nodes")[1]["number"],
        2,
        "the same directory is the same node"
    );
    for node in [&mut second, &mut first] {
        node.signal("-TERM");
        assert_eq!(node.wait(), Some(0));
    }
}

impl Place {
    /// A certificate of this authority for this node, as a setting.
    fn certificate(&self, authority: &str, node: &str) -> String {
        let [ca, out] = [authority.to_owned(), format!("{authority}-{node}")];
        let [ca, out] = [ca, out].map(|name| self.data(&name).display().to_string());
        if !self.data(authority).exists() {
            let made = run(&["cluster", "ca", "new", "--out", &ca]);
            assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        }
        let made = run(&["cluster", "cert", node, "--ca", &ca, "--out", &out]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        format!("cluster.certificates={out}")
    }

    /// Starts a node that cannot join; what it says of that.
    fn says_why_it_cannot_join(&self, name: &str, more: &[&str]) -> String {
        let own = [
            "serve",
            "--node",
            name,
            "--cluster",
            "127.0.0.1:0",
            "--set",
            &self.store,
        ];
        let ports = [
            "--telnet",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--ops",
            "127.0.0.1:0",
        ];
        let mut command = belay(&[&own[..], &ports, more].concat());
        command.arg("--data").arg(self.data(name));
        let mut child = { command }.stderr(Stdio::piped()).spawn().expect("starts");
        let log = BufReader::new(child.stderr.take().expect("piped"));
        let mut lines = log.lines().map(|line| line.expect("reads"));
        let told = lines.find(|line| line.contains("cannot join yet"));
        drop(child.kill());
        drop(child.wait());
        told.expect("it said so before its end")
    }
}

#[test]
fn only_a_node_with_a_certificate_of_the_cluster_joins_under_its_own_name() {
    let Some(place) = Place::new() else { return };
    let set = |certificate: String| ["--set".to_owned(), certificate];
    let own = set(place.certificate("ca", "n1"));
    place.cluster("n1", &["init", "--node", "n1"]);
    let first = place.node("n1", &own.each_ref().map(String::as_str));
    let join = first
        .address("  cluster     ", "    n1: belay cluster status")
        .to_string();
    for (name, certificate, told) in [
        ("n2", place.certificate("other-ca", "n2"), "certificate"),
        ("n2", place.certificate("ca", "n3"), "n3"),
    ] {
        let more = ["--join", &join, "--set", &certificate];
        let why = place.says_why_it_cannot_join(name, &more);
        assert!(why.contains(told), "{why}");
    }
    let plain = place.says_why_it_cannot_join("n2", &["--join", &join]);
    assert!(plain.contains(&join), "{plain}");
    let certificate = place.certificate("ca", "n2");
    let _second = place.node("n2", &["--join", &join, "--set", &certificate]);
    let status = place.wait("n1", "two nodes that own all", |it| all_are_up(it, 2));
    assert_eq!(list(&status, "nodes").len(), 2, "nobody else got in");
}
