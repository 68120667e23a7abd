//! A whole node for one test, and what tests do with it.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Output, Stdio};

use belay_bots::{Bot, Target};
use serde_json::{Value, json};

use super::operator::{Node, Scratch, run, stderr};

/// The password of every account that a rig makes.
pub(super) const PASSWORD: &str = "correct horse";

/// Where the world of these tests is.
const CONTENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/node_suite/content");

/// A node with a data directory of its own. Its log is a file there, and is shown when the test
/// fails.
pub(super) struct Rig {
    scratch: Scratch,
    settings: Vec<String>,
    node: Option<Node>,
}

impl Rig {
    /// A node with cheap password hashing and no other change.
    pub(super) fn start() -> Self {
        Self::with(&[])
    }

    /// The same with these settings (`KEY=VALUE`) besides.
    pub(super) fn with(settings: &[&str]) -> Self {
        Self::build(Scratch::new(), settings)
    }

    /// A node on a directory that has its data already.
    pub(super) fn on(scratch: Scratch) -> Self {
        Self::build(scratch, &[])
    }

    fn build(scratch: Scratch, settings: &[&str]) -> Self {
        let cheap = ["login.hash_memory_kib=8", "login.hash_passes=1"];
        let settings = cheap.iter().chain(settings).map(|set| (*set).to_owned());
        let mut rig = Self {
            scratch,
            settings: settings.collect(),
            node: None,
        };
        rig.start_again(&[]);
        rig
    }

    /// Starts the node on the directory as its predecessor left it.
    pub(super) fn start_again(&mut self, more: &[&str]) {
        assert!(self.node.is_none(), "the node still runs");
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path());
        let log = Stdio::from(log.unwrap());
        let mut arguments = vec!["--content", CONTENT];
        for set in &self.settings {
            arguments.extend(["--set", set]);
        }
        for set in more {
            arguments.extend(["--set", set]);
        }
        self.node = Some(Node::start_logging(&self.data(), &arguments, log));
    }

    /// Sends a signal and waits for the end; gives the exit status, `None` when the signal killed.
    pub(super) fn end(&mut self, signal: &str) -> Option<i32> {
        self.node().signal(signal);
        self.wait()
    }

    /// Waits for the end of a node that was told to stop.
    pub(super) fn wait(&mut self) -> Option<i32> {
        self.node.take().unwrap().wait()
    }

    pub(super) fn data(&self) -> std::path::PathBuf {
        self.scratch.join("data")
    }

    fn log_path(&self) -> std::path::PathBuf {
        self.scratch.join("log")
    }

    pub(super) fn node(&self) -> &Node {
        self.node.as_ref().unwrap()
    }

    pub(super) fn telnet(&self) -> Target {
        let banner = &self.node().banner;
        let line = banner
            .lines()
            .find_map(|line| line.strip_prefix("  telnet "));
        let address = line.and_then(|line| line.split_whitespace().next());
        Target::telnet(address.unwrap().parse().unwrap())
    }

    pub(super) fn web_socket(&self) -> Target {
        Target::web_socket(self.node().address("ws://", "/ws"))
    }

    /// A guest in the world, and the name that the node gave.
    pub(super) async fn guest(&self) -> (Bot, String) {
        let (bot, entry) = Bot::guest(self.telnet()).await.unwrap();
        (bot, entry.name)
    }

    /// A player in the world; the account and the character of this name are made if need be.
    pub(super) async fn player(&self, name: &str) -> Bot {
        let (bot, entry) = Bot::account(self.telnet(), name, PASSWORD).await.unwrap();
        assert_eq!(entry.name, name);
        bot
    }

    /// A player who is staff.
    pub(super) async fn staff(&self, name: &str) -> Bot {
        let mut bot = self.player(name).await;
        let output = self.belay(&["staff", "add", name]);
        assert!(output.status.success(), "{}", stderr(&output));
        bot.ask("score", "You are staff.").await.unwrap();
        bot
    }

    /// Runs `belay` with these arguments on the node's data directory.
    pub(super) fn belay(&self, arguments: &[&str]) -> Output {
        let data = self.data();
        let mut all = arguments.to_vec();
        all.extend(["--data", data.to_str().unwrap()]);
        run(&all)
    }

    /// One request on the control socket, and its answer.
    pub(super) fn control(&self, request: &Value) -> Value {
        let mut stream = UnixStream::connect(self.data().join("control.sock")).unwrap();
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// A figure of the node's status, such as `players` or `crashes`.
    pub(super) fn status(&self, figure: &str) -> u64 {
        let answer = self.control(&json!({"command": "status"}));
        answer["data"][figure].as_u64().unwrap()
    }

    /// The log of all nodes that ran here.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }
}

impl Drop for Rig {
    #[expect(
        clippy::print_stdout,
        reason = "part of the report of a test that failed"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let start = log.len().saturating_sub(6_000);
            let tail = String::from_utf8_lossy(&log.as_bytes()[start..]).into_owned();
            println!("--- log of the node ---\n{tail}--- end of the log ---");
        }
    }
}

/// Waits until this holds, asking again and again; for what the node shows no text of.
pub(super) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let asking = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(10), asking).await;
    assert!(waited.is_ok(), "in time: {what}");
}

/// Asks for the things that are carried: the lines after "You carry".
pub(super) async fn carried(bot: &mut Bot) -> Vec<String> {
    let shown = bot.ask("inventory", "You carry").await.unwrap();
    let rest = bot.transcript();
    let at = rest.rfind("< You carry").unwrap();
    drop(shown);
    rest[at..]
        .lines()
        .skip(1)
        .map(|line| line.trim_start_matches("< ").trim().to_owned())
        .filter(|line| !line.is_empty() && line != ">")
        .collect()
}

/// What was typed and seen, without prompts and empty lines.
pub(super) fn play(bot: &Bot) -> Vec<&str> {
    let worth = |line: &&str| !matches!(line.trim_end(), "<" | "< >" | ">");
    bot.transcript().lines().filter(worth).collect()
}
