//! `[edge]` Several nodes of one cluster for one test, and what tests do with them.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(
    clippy::allow_attributes,
    reason = "whether it is dead differs by test file"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use belay_bots::{Bot, Entry, PostgresError, PostgresServer, Target};
use serde_json::Value;
use tokio::time::{Instant, interval, timeout};

use super::operator::{Node, Scratch, http, run, stderr};

/// The password of every account that a rig makes.
pub(super) const PASSWORD: &str = "correct horse";

/// How long a cluster may take to become what a test waits for.
const DEADLINE: Duration = Duration::from_secs(30);

/// How long a dead node's zones may take to play elsewhere.
pub(super) const PLAYS_AGAIN: Duration = Duration::from_secs(10);

/// Between two looks at a status.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a line waits for its answer before it is typed anew.
const ANSWER: Duration = Duration::from_secs(1);

/// Where the world of these tests is.
const CONTENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/node_suite/content");

/// Nodes with data directories of their own and one database. Their logs are shown when the test
/// fails.
pub(super) struct Rig {
    scratch: Scratch,
    url: String,
    /// A server that is this test's alone.
    server: Option<PostgresServer>,
    nodes: BTreeMap<String, Node>,
    /// Where each node was reached first: others know it there, also after it was killed.
    addresses: BTreeMap<String, String>,
    ground: Ground,
}

/// What nodes stand on.
pub(super) struct Ground {
    /// Where their world is.
    pub(super) content: PathBuf,
    /// What else each is told.
    pub(super) more: Vec<String>,
    /// Those that live in networks of their own, and not on loopback of this one.
    pub(super) homes: BTreeMap<String, Home>,
}

/// A network that a node has for itself.
pub(super) struct Home {
    /// What it is called.
    pub(super) namespace: String,
    /// The address at which players reach it.
    pub(super) front: String,
    /// The address and port at which other nodes reach it.
    pub(super) back: String,
    /// Its certificates.
    pub(super) certificates: PathBuf,
}

impl Default for Ground {
    fn default() -> Self {
        Self {
            content: PathBuf::from(CONTENT),
            more: Vec::new(),
            homes: BTreeMap::new(),
        }
    }
}

impl Rig {
    /// The nodes n1 to this number, all up, with all shards placed. Nothing without PostgreSQL.
    pub(super) async fn start(nodes: usize) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let url = shared_server()?.create_database(&format!("cluster{number}"));
        let ground = Ground::default();
        Some(Self::build(nodes, url.unwrap(), (None, ground)).await)
    }

    /// The same with a server that the test may kill.
    pub(super) async fn on_own_server(nodes: usize) -> Option<Self> {
        let server = start_server()?;
        let url = server.create_database("cluster").unwrap();
        let ground = Ground::default();
        Some(Self::build(nodes, url, (Some(server), ground)).await)
    }

    /// The same somewhere else, on a database of the server.
    pub(super) async fn elsewhere(nodes: usize, url: String, on: (PostgresServer, Ground)) -> Self {
        let (server, ground) = on;
        Self::build(nodes, url, (Some(server), ground)).await
    }

    async fn build(nodes: usize, url: String, on: (Option<PostgresServer>, Ground)) -> Self {
        let (server, ground) = on;
        let mut rig = Self {
            scratch: Scratch::new(),
            url,
            server,
            nodes: BTreeMap::new(),
            addresses: BTreeMap::new(),
            ground,
        };
        let founded = rig.belay(
            "n1",
            &["cluster", "init", "--node", "n1", "--name", "skerry"],
        );
        assert!(founded.status.success(), "{}", stderr(&founded));
        for number in 1..=nodes {
            rig.start_node(&format!("n{number}"));
        }
        rig.until("n1", "all nodes up and all shards ticking", |status| {
            status.up() == nodes && status.are_all_placed()
        })
        .await;
        rig
    }

    /// The server that is this test's alone.
    pub(super) fn server(&self) -> &PostgresServer {
        self.server.as_ref().unwrap()
    }

    /// Starts a node on its directory as its predecessor left it; it joins whoever runs.
    pub(super) fn start_node(&mut self, name: &str) {
        let arguments = self.arguments(name);
        self.start_with(name, &arguments);
    }

    /// The same without a word about where others are.
    pub(super) fn start_untold(&mut self, name: &str) {
        let mut arguments = self.arguments(name);
        if let Some(at) = arguments.iter().position(|it| it == "--join") {
            arguments.drain(at..at + 2);
        }
        self.start_with(name, &arguments);
    }

    fn start_with(&mut self, name: &str, arguments: &[String]) {
        assert!(!self.nodes.contains_key(name), "{name} still runs");
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path(name));
        let log = Stdio::from(log.unwrap());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let node = match self.ground.homes.get(name) {
            Some(home) => Node::spawn(home.serve(&self.data(name), &arguments), log),
            None => Node::start_logging(&self.data(name), &arguments, log),
        };
        self.addresses.entry(name.to_owned()).or_insert(port(&node));
        self.nodes.insert(name.to_owned(), node);
    }

    /// What `belay serve` is told beside the data directory and the doors for players.
    pub(super) fn arguments(&self, name: &str) -> Vec<String> {
        let store = format!("store.url={}", self.url);
        let home = self.ground.homes.get(name);
        let address = match self.addresses.get(name) {
            Some(address) => address,
            None => home.map_or("127.0.0.1:0", |home| &home.back),
        };
        let content = self.ground.content.to_str().unwrap();
        let mut arguments: Vec<String> = ["--content", content, "--node", name, "--set", &store]
            .into_iter()
            .chain(["--cluster", address])
            .chain(["--set", "login.hash_memory_kib=8"])
            .chain(["--set", "login.hash_passes=1"])
            .map(str::to_owned)
            .chain(self.ground.more.iter().cloned())
            .collect();
        if let Some(other) = self.nodes.values().next() {
            arguments.extend(["--join".to_owned(), port(other)]);
        }
        arguments
    }

    /// Nodes that are started from here on listen at other addresses than before.
    pub(super) fn move_away(&mut self) {
        self.addresses.clear();
    }

    /// Nodes that are started from here on have these areas: each file by its name.
    pub(super) fn change_areas(&mut self, files: &[(&str, String)]) {
        self.ground.content = self.scratch.join("areas");
        std::fs::create_dir(&self.ground.content).unwrap();
        for (name, text) in files {
            std::fs::write(self.ground.content.join(name), text).unwrap();
        }
    }

    /// An area of the world of these tests.
    pub(super) fn area(name: &str) -> String {
        std::fs::read_to_string(PathBuf::from(CONTENT).join(name)).unwrap()
    }

    /// Kills a node as a power cut would.
    pub(super) fn kill(&mut self, name: &str) {
        let mut node = self.nodes.remove(name).unwrap();
        node.signal("-KILL");
        assert_eq!(node.wait(), None, "{name} was killed");
    }

    /// Tells a node to stop, and waits for its end.
    pub(super) fn stop(&mut self, name: &str) -> Option<i32> {
        let mut node = self.nodes.remove(name).unwrap();
        node.signal("-TERM");
        node.wait()
    }

    pub(super) fn signal(&self, name: &str, signal: &str) {
        self.nodes[name].signal(signal);
    }

    pub(super) fn data(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// Where a node's log is.
    pub(super) fn log_path(&self, name: &str) -> PathBuf {
        self.scratch.join(&format!("{name}.log"))
    }

    /// Runs `belay` with these arguments on a node's data directory.
    pub(super) fn belay(&self, name: &str, arguments: &[&str]) -> Output {
        let data = self.data(name);
        run(&[arguments, &["--data", data.to_str().unwrap()]].concat())
    }

    /// What a node says of the cluster.
    pub(super) fn status(&self, name: &str) -> Status {
        let output = self.belay(name, &["cluster", "status", "--json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        Status(serde_json::from_slice(&output.stdout).unwrap())
    }

    /// Waits until a node's status shows this.
    pub(super) async fn until(
        &self,
        name: &str,
        what: &str,
        holds: impl Fn(&Status) -> bool,
    ) -> Status {
        let mut looks = interval(LOOK_EVERY);
        let end = Instant::now() + DEADLINE;
        loop {
            looks.tick().await;
            let status = self.status(name);
            if holds(&status) {
                return status;
            }
            assert!(Instant::now() < end, "in time: {what}\n{:#}", status.0);
        }
    }

    /// Has the leader move a shard, and waits until the node has it.
    pub(super) async fn place(&self, shard: &str, node: &str) {
        let what = format!("{shard} is on {node}");
        self.until("n1", &what, |status| {
            let owner = status.owner(shard);
            // An order is refused while a shard, or the leadership, is on its way.
            if owner.is_some_and(|owner| owner != node) {
                self.belay("n1", &["cluster", "move", shard, node]);
            }
            owner == Some(node)
        })
        .await;
    }

    /// The figures of a node.
    pub(super) fn metrics(&self, name: &str) -> String {
        http(self.nodes[name].ops(), "GET /metrics").1
    }

    pub(super) fn telnet(&self, name: &str) -> Target {
        let banner = &self.nodes[name].banner;
        Target::telnet(after(banner, "  telnet ").parse().unwrap())
    }

    /// A player in the world by way of a node; the account is made if need be.
    pub(super) async fn player(&self, node: &str, name: &str) -> Bot {
        let (bot, entry) = self.login(node, name).await;
        assert_eq!(entry.name, name);
        bot
    }

    pub(super) async fn login(&self, node: &str, name: &str) -> (Bot, Entry) {
        let logged_in = Bot::account(self.telnet(node), name, PASSWORD).await;
        logged_in.unwrap()
    }
}

impl Drop for Rig {
    #[expect(
        clippy::print_stdout,
        reason = "part of the report of a test that failed"
    )]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for number in 1..=9 {
            let name = format!("n{number}");
            if let Ok(log) = std::fs::read(self.log_path(&name)) {
                let start = log.len().saturating_sub(4_000);
                let tail = String::from_utf8_lossy(&log[start..]);
                println!("--- log of {name} ---\n{tail}--- end of the log ---");
            }
        }
    }
}

impl Home {
    /// The command that starts a node here.
    fn serve(&self, data: &Path, more: &[&str]) -> Command {
        let doors = format!("{}:0", self.front);
        let certificates = format!("cluster.certificates={}", self.certificates.display());
        let mut command = Command::new("ip");
        command
            .args([
                "netns",
                "exec",
                &self.namespace,
                env!("CARGO_BIN_EXE_belay"),
            ])
            .args(["serve", "--telnet", &doors, "--http", "127.0.0.1:0"])
            .args(["--ops", "127.0.0.1:0", "--set", &certificates, "--data"])
            .arg(data)
            .args(more)
            .stdin(Stdio::null());
        command
    }
}

/// What a node says of its cluster.
pub(super) struct Status(pub(super) Value);

impl Status {
    /// How a node is.
    pub(super) fn phase(&self, name: &str) -> Option<&str> {
        let mut nodes = self.0["nodes"].as_array()?.iter();
        nodes.find(|node| node["name"] == name)?["phase"].as_str()
    }

    /// How many nodes are up.
    pub(super) fn up(&self) -> usize {
        let nodes = self.0["nodes"].as_array().unwrap();
        nodes.iter().filter(|node| node["phase"] == "Up").count()
    }

    pub(super) fn leader(&self) -> Option<&str> {
        self.0["leader"].as_str()
    }

    /// The node that has a shard, unless it is on its way.
    pub(super) fn owner(&self, shard: &str) -> Option<&str> {
        let mut shards = self.shards().iter();
        let shard = shards.find(|it| it["shard"] == shard)?;
        shard["placement"].get("Placed")?;
        shard["owner"].as_str()
    }

    /// How many shards a node has.
    pub(super) fn owned(&self, name: &str) -> usize {
        self.shards()
            .iter()
            .filter(|it| it["owner"] == name)
            .count()
    }

    /// The epochs of the shards that are on a node.
    pub(super) fn epochs(&self) -> Vec<u64> {
        let placed = self
            .shards()
            .iter()
            .filter_map(|it| it["placement"].get("Placed"));
        let epochs = placed.map(|placed| placed["epoch"].as_u64());
        epochs.map(Option::unwrap).collect()
    }

    /// Which life each node is in, as the log has it.
    pub(super) fn lives(&self) -> Vec<u64> {
        let nodes = self.0["nodes"].as_array().unwrap().iter();
        let lives = nodes.map(|node| node["incarnation"].as_u64());
        lives.map(Option::unwrap).collect()
    }

    pub(super) fn are_all_placed(&self) -> bool {
        let mut shards = self.shards().iter();
        let is_placed = |it: &Value| it["placement"].get("Placed").is_some();
        !self.shards().is_empty() && shards.all(is_placed)
    }

    pub(super) fn has(&self, shard: &str) -> bool {
        self.shards().iter().any(|it| it["shard"] == shard)
    }

    fn shards(&self) -> &[Value] {
        self.0["shards"].as_array().unwrap()
    }
}

/// A database of its own for whoever is not to share one with a rig.
pub(super) fn other_database() -> String {
    let server = shared_server().expect("a rig has started it");
    server.create_database("other").unwrap()
}

/// The one server of this test executable; it ends with it. Data need not outlive the machine.
fn shared_server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    SERVER.get_or_init(start_server).as_ref()
}

fn start_server() -> Option<PostgresServer> {
    start_server_with(&[])
}

/// A server with further settings. Nothing, and a word about it, without PostgreSQL.
pub(super) fn start_server_with(more: &[&str]) -> Option<PostgresServer> {
    let settings = [&["fsync=off", "max_connections=400"], more].concat();
    match PostgresServer::start(&settings) {
        Ok(server) => Some(server),
        Err(PostgresError::NotInstalled) => {
            // Past the capture of the test runner, so that it is seen.
            skipped("tests of clusters want PostgreSQL (apt-get install postgresql)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Says, past the capture of the test runner, that tests are skipped and why.
pub(super) fn skipped(why: &str) {
    tell(&format!("SKIPPED: {why}\n"));
}

/// Says something past the capture of the test runner, so that it is seen.
pub(super) fn tell(text: &str) {
    drop(std::io::Write::write_all(
        &mut std::io::stderr(),
        text.as_bytes(),
    ));
}

fn port(node: &Node) -> String {
    after(&node.banner, "  cluster ").to_owned()
}

/// The first word of the banner's line that starts so.
fn after<'a>(banner: &'a str, start: &str) -> &'a str {
    let line = banner.lines().find_map(|line| line.strip_prefix(start));
    line.unwrap().split_whitespace().next().unwrap()
}

/// Types until the room that the player is in answers, and tells how long that took.
pub(super) async fn until_it_plays(bot: &mut Bot, word: &str) -> Duration {
    let start = Instant::now();
    for number in 0.. {
        let line = format!("say {word} {number}");
        let answer = format!("You say, \"{word} {number}\"");
        bot.send_line(&line).await;
        if let Ok(heard) = timeout(ANSWER, bot.expect(&answer)).await {
            heard.unwrap();
            break;
        }
        let waited = start.elapsed();
        assert!(
            waited < PLAYS_AGAIN,
            "no answer for {waited:?}\n{}",
            bot.transcript()
        );
    }
    start.elapsed()
}

/// Asks who plays: each of them, and nobody twice.
pub(super) async fn who_are(bot: &mut Bot, names: &[&str]) {
    bot.discard_unread();
    bot.send_line("who").await;
    bot.expect("Players: ").await.unwrap();
    let who = bot.expect("in all.").await.unwrap();
    for name in names {
        assert_eq!(who.matches(name).count(), 1, "{name}: {who}");
    }
}
