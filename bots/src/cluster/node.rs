//! `[edge]` A node as a child process: the executable `belay`, what it says of itself when it is
//! up, and its end.

use std::fs::{File, OpenOptions};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// How long a node may take until it is up: it waits for the cluster that it joins.
const UP_WITHIN: Duration = Duration::from_secs(60);

/// How long it may take to stop: it hands its shards over, then its sessions save.
const STOP_WITHIN: Duration = Duration::from_secs(30);

/// Lines of its banner. More are not read.
const BANNER_LINES_MAX: usize = 40;

/// How a node is started.
#[derive(Debug, Clone)]
pub(crate) struct NodePlan {
    pub(crate) belay: PathBuf,
    pub(crate) name: String,
    /// Its data directory; its log is beside it.
    pub(crate) data: PathBuf,
    pub(crate) store: String,
    pub(crate) join: Option<SocketAddr>,
    pub(crate) more: Vec<String>,
    /// Where it was last reached: it comes back to the same ports.
    pub(crate) places: Option<Places>,
}

/// Where a node is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) telnet: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) ops: SocketAddr,
    pub(crate) cluster: SocketAddr,
}

/// Why a node is not up.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The system does not start it, or its log cannot be written.
    #[error("cannot start {program}: {source}")]
    Start {
        /// What was to be started.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It ended, or did not say where it is.
    #[error("{name} did not come up: {said}; its log is {}", log.display())]
    NotUp {
        /// Its name.
        name: String,
        /// What it said last.
        said: String,
        /// Its log.
        log: PathBuf,
    },
}

/// A running node; killed when dropped.
#[derive(Debug)]
pub(crate) struct Node {
    child: Child,
    /// Kept, so that the node never writes to nobody.
    _out: BufReader<ChildStdout>,
    pub(crate) places: Places,
}

impl NodePlan {
    /// Where its log is.
    pub(crate) fn log(&self) -> PathBuf {
        self.data.with_extension("log")
    }

    /// Starts it and waits until it is up.
    ///
    /// # Errors
    /// See [`NodeError`].
    pub(crate) async fn start(&self) -> Result<Node, NodeError> {
        let failed = |source| NodeError::Start {
            program: self.belay.clone(),
            source,
        };
        let log = open_log(&self.log()).map_err(failed)?;
        let mut child = self.command(log).spawn().map_err(failed)?;
        let out = child.stdout.take().map(BufReader::new);
        let mut out = out.ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        let mut banner = String::new();
        let read = async {
            for _ in 0..BANNER_LINES_MAX {
                let read = out.read_line(&mut banner).await.unwrap_or(0);
                if read == 0 || banner.contains("  stop: ") {
                    break;
                }
            }
        };
        let in_time = timeout(UP_WITHIN, read).await.is_ok();
        match places(&banner) {
            Some(places) => Ok(Node {
                child,
                _out: out,
                places,
            }),
            None => Err(NodeError::NotUp {
                name: self.name.clone(),
                said: if in_time {
                    last_line(&self.log())
                } else {
                    format!("nothing within {} s", UP_WITHIN.as_secs())
                },
                log: self.log(),
            }),
        }
    }

    fn command(&self, log: File) -> Command {
        let listen = |place: Option<SocketAddr>| {
            place.map_or_else(|| "127.0.0.1:0".to_owned(), |place| place.to_string())
        };
        let places = self.places;
        let mut command = Command::new(&self.belay);
        command.arg("serve").arg("--data").arg(&self.data);
        for (flag, place) in [
            ("--telnet", places.map(|it| it.telnet)),
            ("--http", places.map(|it| it.http)),
            ("--ops", places.map(|it| it.ops)),
            ("--cluster", places.map(|it| it.cluster)),
        ] {
            command.arg(flag).arg(listen(place));
        }
        command.arg("--node").arg(&self.name);
        if let Some(join) = self.join {
            command.arg("--join").arg(join.to_string());
        }
        command
            .arg("--set")
            .arg(format!("store.url={}", self.store))
            .args(&self.more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            // Ctrl-C is for this program, which stops the nodes in order.
            .process_group(0)
            .kill_on_drop(true);
        command
    }

    /// Runs a command of the executable for this node to its end; what it printed.
    ///
    /// # Errors
    /// What it, or the system, says instead.
    pub(crate) async fn ask(&self, arguments: &[&str]) -> Result<String, String> {
        let data = self.data.to_string_lossy();
        let mut all = arguments.to_vec();
        all.extend(["--data", &data]);
        self.run(&all).await
    }

    /// Runs a command of the executable to its end; what it printed.
    ///
    /// # Errors
    /// What it, or the system, says instead.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(&self.belay);
        command.args(arguments);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = command.output().await.map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    }
}

impl Node {
    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap_or(0)
    }

    /// Waits for its end.
    ///
    /// **Cancel safety**: cancel safe.
    pub(crate) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => how(status),
            Err(error) => error.to_string(),
        }
    }

    /// Kills it, as `kill -9` does, and waits for its end.
    pub(crate) async fn kill(mut self) -> io::Result<()> {
        self.child.kill().await
    }

    /// Tells it to stop, and waits for that; kills it when it takes too long.
    pub(crate) async fn stop(mut self) -> String {
        let pid = self.pid().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status().await;
        if told.is_ok_and(|status| status.success())
            && let Ok(end) = timeout(STOP_WITHIN, self.ended()).await
        {
            return end;
        }
        match self.child.kill().await {
            Ok(()) => "did not stop, and was killed".to_owned(),
            Err(error) => format!("cannot be killed: {error}"),
        }
    }
}

fn how(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => "stopped in order".to_owned(),
        Some(code) => format!("ended with {code}"),
        None => "was killed".to_owned(),
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn last_line(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.unwrap_or("it said nothing").to_owned()
}

/// The addresses in a banner.
fn places(banner: &str) -> Option<Places> {
    let after = |name: &str| {
        let line = banner
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(name))?;
        let word = line.split_whitespace().next()?;
        let word = word
            .trim_start_matches("ws://")
            .trim_start_matches("http://");
        word.split('/').next()?.parse().ok()
    };
    Some(Places {
        telnet: after("telnet")?,
        http: after("websocket")?,
        ops: after("operations")?,
        cluster: after("cluster")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_from_what_a_node_says_when_it_is_up() {
        let banner = "belay 0.1.0 is up\n\
            \x20 telnet      127.0.0.1:4000    telnet 127.0.0.1 4000\n\
            \x20 websocket   ws://127.0.0.1:4080/ws\n\
            \x20 operations  http://127.0.0.1:4081/healthz  http://127.0.0.1:4081/metrics\n\
            \x20 data        d1    belay tree --data d1\n\
            \x20 content     the built-in world: 2 zones, 35 rooms\n\
            \x20 cluster     127.0.0.1:4090    n1: belay cluster status --data d1\n\
            \x20 stop: Ctrl-C or SIGTERM; Ctrl-C again stops at once\n";
        let found = places(banner).unwrap();
        let ports = [found.telnet, found.http, found.ops, found.cluster].map(|it| it.port());
        assert_eq!(ports, [4000, 4080, 4081, 4090]);
        assert_eq!(places(&banner.replace("  cluster ", "  nothing ")), None);
    }
}
