//! `[edge]` A run: everything is started, looked at, started again, and stopped.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::crowd;
use super::node::{Node, NodeError, NodePlan};
use super::options::ClusterOptions;
use super::summary::Summary;
use crate::postgres::{PostgresError, PostgresServer};

/// Between two looks at the cluster.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A node that ended is started again after this.
const START_AGAIN: Duration = Duration::from_secs(3);

/// What the cluster is called.
const NAME: &str = "demo";

/// Why there is no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// No database server.
    #[error("no database: {0}")]
    Postgres(#[from] PostgresError),
    /// A node is not up.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The cluster was not founded.
    #[error("cannot found the cluster: {0}")]
    Init(String),
    /// The executable of the nodes is not there.
    #[error("there is no {}; build it, or name it with --belay FILE", .0.display())]
    NoExecutable(PathBuf),
    /// No directory for the data.
    #[error("cannot use {}: {source}", path.display())]
    Data {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Starts a cluster with bots on it, and tells what happens until it is told to stop. Then all of
/// it is stopped, in order.
///
/// # Errors
/// What could not be started; what was, is stopped.
///
/// # Cancel safety
/// Dropping the future kills all nodes and the database.
pub async fn run_cluster(
    options: ClusterOptions,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(&str),
) -> Result<(), ClusterError> {
    let directory = Directory::new(options.data.clone())?;
    let belay = executable(options.belay.clone())?;
    let postgres = match &options.store {
        Some(_) => None,
        None => {
            tell("starting PostgreSQL");
            // Nothing else happens meanwhile.
            Some(PostgresServer::start(&[])?)
        }
    };
    let store = match (&options.store, &postgres) {
        (Some(url), _) => url.clone(),
        (None, Some(server)) => server.create_database(NAME)?,
        (None, None) => String::new(),
    };
    let mut run = Run {
        start: Instant::now(),
        stop_at: options.duration.map(|lasts| Instant::now() + lasts),
        plans: plans(&options, (&belay, &store), &directory.path),
        options,
        nodes: BTreeMap::new(),
        again: BTreeMap::new(),
        crowds: JoinSet::new(),
        rounds: BTreeMap::new(),
        playing: false,
        seen: None,
        tell: &mut tell,
    };
    run.say(&format!(
        "data and logs are in {}",
        directory.path.display()
    ));
    let outcome = run.go(Box::pin(stop)).await;
    run.end().await;
    run.say("all is stopped");
    outcome
}

fn plans(
    options: &ClusterOptions,
    (belay, store): (&Path, &str),
    directory: &Path,
) -> Vec<NodePlan> {
    let plan = |number: u16| NodePlan {
        belay: belay.to_owned(),
        name: format!("n{number}"),
        data: directory.join(format!("n{number}")),
        store: store.to_owned(),
        join: None,
        more: options.node_args.clone(),
        places: None,
    };
    (1..=options.nodes).map(plan).collect()
}

type Stop<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// What ended.
enum News {
    Stop,
    Round(u16, String),
    Ended(u16, String),
    Look,
}

struct Run<'a> {
    start: Instant,
    stop_at: Option<Instant>,
    options: ClusterOptions,
    plans: Vec<NodePlan>,
    /// The nodes that run, by number from 0.
    nodes: BTreeMap<u16, Node>,
    /// When which node is started again.
    again: BTreeMap<u16, Instant>,
    crowds: JoinSet<(u16, String)>,
    /// The round of each node, to be ended when the node has a new life.
    rounds: BTreeMap<u16, AbortHandle>,
    /// Whether bots play: from the moment when every node is up and every shard has an owner.
    playing: bool,
    seen: Option<Summary>,
    tell: &'a mut dyn FnMut(&str),
}

impl Run<'_> {
    fn say(&mut self, what: &str) {
        let passed = self.start.elapsed();
        (self.tell)(&format!("{:>6.1} s  {what}", passed.as_secs_f64()));
    }

    async fn go(&mut self, mut stop: Stop<'_>) -> Result<(), ClusterError> {
        tokio::select! {
            up = self.start_all() => up?,
            () = &mut stop => return Ok(()),
        }
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let news = tokio::select! {
                () = &mut stop => News::Stop,
                () = until(self.stop_at) => News::Stop,
                Some(Ok((node, line))) = self.crowds.join_next() => News::Round(node, line),
                (node, how) = first_end(&mut self.nodes) => News::Ended(node, how),
                _ = looks.tick() => News::Look,
            };
            match news {
                News::Stop => return Ok(()),
                News::Round(node, line) => {
                    self.say(&format!("{}: {line}", self.name(node)));
                    self.play(node);
                }
                News::Ended(node, how) => {
                    self.nodes.remove(&node);
                    self.again.insert(node, Instant::now() + START_AGAIN);
                    let name = self.name(node);
                    let seconds = START_AGAIN.as_secs();
                    self.say(&format!("{name} {how}; it is started again in {seconds} s"));
                }
                News::Look => {
                    self.start_again().await;
                    self.look().await;
                }
            }
        }
    }

    async fn start_all(&mut self) -> Result<(), ClusterError> {
        let Some(first) = self.plans.first().cloned() else {
            return Ok(());
        };
        let init = ["cluster", "init", "--node", &first.name, "--name", NAME];
        let founded = first.ask(&init).await.map_err(ClusterError::Init)?;
        self.say(founded.lines().next().unwrap_or_default());
        for number in 0..self.options.nodes {
            self.start(number).await?;
        }
        self.say("try: belay cluster move harbour n2, drain n1, or kill -9 one of them");
        Ok(())
    }

    /// Starts a node, and bots on it.
    async fn start(&mut self, number: u16) -> Result<(), ClusterError> {
        let join = self.nodes.values().next().map(|node| node.places.cluster);
        let Some(plan) = self.plans.get_mut(usize::from(number)) else {
            return Ok(());
        };
        plan.join = join;
        let node = plan.start().await?;
        plan.places = Some(node.places);
        let line = format!(
            "{} is up, process {}: telnet {} {}; belay cluster status --data {}",
            plan.name,
            node.pid(),
            node.places.telnet.ip(),
            node.places.telnet.port(),
            plan.data.display(),
        );
        self.nodes.insert(number, node);
        self.say(&line);
        self.play(number);
        Ok(())
    }

    async fn start_again(&mut self) {
        let now = Instant::now();
        let due = self.again.iter().find(|(_, at)| **at <= now);
        let Some(number) = due.map(|(number, _)| *number) else {
            return;
        };
        self.again.remove(&number);
        if let Err(error) = self.start(number).await {
            self.say(&error.to_string());
            self.again.insert(number, Instant::now() + START_AGAIN);
        }
    }

    /// The next round of the bots of a node, if it runs.
    #[expect(
        clippy::disallowed_methods,
        reason = "bots are outside of any supervision tree"
    )]
    fn play(&mut self, number: u16) {
        let Some(node) = self.nodes.get(&number) else {
            return;
        };
        if self.playing && self.options.bots_on(number) > 0 {
            let (options, telnet) = (self.options.clone(), node.places.telnet);
            let round = self.crowds.spawn(async move {
                let line = crowd::round(&options, number, telnet).await;
                (number, line)
            });
            if let Some(before) = self.rounds.insert(number, round) {
                before.abort();
            }
        }
    }

    /// Asks a node for the status, and tells it when it is another.
    async fn look(&mut self) {
        let asked = self.nodes.keys().next().copied();
        let Some(plan) = asked.and_then(|number| self.plans.get(usize::from(number))) else {
            return;
        };
        let Ok(status) = plan.ask(&["cluster", "status", "--json"]).await else {
            return;
        };
        let Ok(summary) = serde_json::from_str::<Summary>(&status) else {
            return;
        };
        if self.seen.as_ref() != Some(&summary) {
            let whole = summary.is_whole(self.options.nodes);
            let what = if whole { "all is well: " } else { "" };
            let line = format!("{what}{}", summary.line());
            self.seen = Some(summary);
            self.say(&line);
            if whole && !self.playing {
                self.playing = true;
                (0..self.options.nodes).for_each(|number| self.play(number));
            }
        }
    }

    /// Stops the bots, then the nodes, the last that was started first.
    async fn end(&mut self) {
        self.crowds.shutdown().await;
        while let Some((number, node)) = self.nodes.pop_last() {
            let how = node.stop().await;
            let name = self.name(number);
            self.say(&format!("{name} {how}"));
        }
    }

    fn name(&self, number: u16) -> String {
        let plan = self.plans.get(usize::from(number));
        plan.map_or_else(String::new, |plan| plan.name.clone())
    }
}

/// The first node that ends. **Cancel safety**: cancel safe.
async fn first_end(nodes: &mut BTreeMap<u16, Node>) -> (u16, String) {
    let ends = nodes
        .iter_mut()
        .map(|(number, node)| Box::pin(async move { (*number, node.ended().await) }));
    let ends: Vec<_> = ends.collect();
    if ends.is_empty() {
        return std::future::pending().await;
    }
    futures_util::future::select_all(ends).await.0
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// The executable that was named, or the one beside this program.
fn executable(named: Option<PathBuf>) -> Result<PathBuf, ClusterError> {
    let beside = || {
        let own = std::env::current_exe().ok()?;
        Some(own.parent()?.join("belay"))
    };
    let path = named
        .or_else(beside)
        .unwrap_or_else(|| PathBuf::from("belay"));
    if path.is_file() {
        Ok(path)
    } else {
        Err(ClusterError::NoExecutable(path))
    }
}

/// Where data and logs are; removed at the end unless the user named it.
struct Directory {
    path: PathBuf,
    removed: bool,
}

impl Directory {
    fn new(named: Option<PathBuf>) -> Result<Self, ClusterError> {
        let removed = named.is_none();
        let own = format!("belay-cluster-{}", std::process::id());
        let path = named.unwrap_or_else(|| std::env::temp_dir().join(own));
        let made = std::fs::create_dir_all(&path).and_then(|()| path.canonicalize());
        match made {
            Ok(path) => Ok(Self { path, removed }),
            Err(source) => Err(ClusterError::Data { path, source }),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.removed {
            // What cannot be removed stays for the system to clear away.
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}
