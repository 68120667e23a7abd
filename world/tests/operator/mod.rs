//! `[edge]` What the tests of the executable share: running it, a directory of its own, a node on
//! free ports that ends with the test.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(
    clippy::allow_attributes,
    reason = "whether it is dead differs by test file"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A directory that is removed with the value.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("operator-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("scratch directory");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn belay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_belay"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs to the end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    belay(arguments).output().expect("runs")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A running node; killed when dropped.
pub(crate) struct Node {
    pub(crate) child: Child,
    pub(crate) banner: String,
    out: BufReader<ChildStdout>,
}

impl Node {
    /// Starts on free ports, and returns when the banner is complete.
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_logging(data, more, Stdio::inherit())
    }

    /// The same, with the log going somewhere else.
    pub(crate) fn start_logging(data: &Path, more: &[&str], log: Stdio) -> Self {
        let mut command = belay(&["serve", "--telnet", "127.0.0.1:0", "--http", "127.0.0.1:0"]);
        command
            .args(["--ops", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(more);
        Self::spawn(command, log)
    }

    /// The same with a command of one's own.
    pub(crate) fn spawn(mut command: Command, log: Stdio) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut banner = String::new();
        while !banner.contains("stop: ") {
            let read = out.read_line(&mut banner).expect("reads");
            assert!(
                read > 0,
                "the node ended before its banner was complete: {banner}"
            );
        }
        Self { child, banner, out }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([name, &self.pid().to_string()])
            .status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end: the exit status, or `None` after a signal.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let mut rest = String::new();
        self.out
            .read_to_string(&mut rest)
            .expect("reads to the end");
        self.child.wait().expect("waits").code()
    }

    /// The address of the operations listener, from the banner.
    pub(crate) fn ops(&self) -> SocketAddr {
        self.address("http://", "/healthz")
    }

    pub(crate) fn address(&self, before: &str, after: &str) -> SocketAddr {
        let end = self.banner.find(after).expect("is in the banner");
        let start = self.banner[..end].rfind(before).expect("is in the banner") + before.len();
        self.banner[start..end].parse().expect("an address")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One HTTP request over a socket of its own: status line with headers, and body.
pub(crate) fn http(address: SocketAddr, request_line: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("connects");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("sets");
    write!(
        stream,
        "{request_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .expect("asks");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answers");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}
