//! `[edge]` A run: everything is started, looked at, started again, and stopped.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::crowd;
use super::launch::{ClusterError, Launcher};
use super::node::Node;
use super::options::ClusterOptions;
use super::summary::Summary;

/// Between two looks at the cluster.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A node that ended is started again after this.
const START_AGAIN: Duration = Duration::from_secs(3);

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
    let launcher = Launcher::new(&options.launch, &mut tell)?;
    let mut run = Run {
        start: Instant::now(),
        stop_at: options.duration.map(|lasts| Instant::now() + lasts),
        options,
        launcher,
        again: BTreeMap::new(),
        crowds: JoinSet::new(),
        rounds: BTreeMap::new(),
        playing: false,
        seen: None,
        tell: &mut tell,
    };
    let place = run.launcher.directory().display().to_string();
    run.say(&format!("data and logs are in {place}"));
    let outcome = run.go(Box::pin(stop)).await;
    run.end().await;
    run.say("all is stopped");
    outcome
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
    launcher: Launcher,
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
        (self.tell)(&stamped(self.start, what));
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
                (node, how) = first_end(&mut self.launcher.nodes) => News::Ended(node, how),
                _ = looks.tick() => News::Look,
            };
            match news {
                News::Stop => return Ok(()),
                News::Round(node, line) => {
                    self.say(&format!("{}: {line}", self.name(node)));
                    self.play(node);
                }
                News::Ended(node, how) => {
                    self.launcher.nodes.remove(&node);
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
        let founded = self.launcher.found().await?;
        self.say(&founded);
        for number in 0..self.options.launch.nodes {
            self.start(number).await?;
        }
        self.say("try: belay cluster move harbour n2, drain n1, or kill -9 one of them");
        Ok(())
    }

    /// Starts a node, and bots on it.
    async fn start(&mut self, number: u16) -> Result<(), ClusterError> {
        self.launcher.start(number).await?;
        let Launcher { plans, nodes, .. } = &self.launcher;
        let (Some(plan), Some(node)) = (plans.get(usize::from(number)), nodes.get(&number)) else {
            return Ok(());
        };
        let line = format!(
            "{} is up, process {}: telnet {} {}; belay cluster status --data {}",
            plan.name,
            node.pid(),
            node.places.telnet.ip(),
            node.places.telnet.port(),
            plan.data.display(),
        );
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
        let Some(node) = self.launcher.nodes.get(&number) else {
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
        let Some(summary) = self.launcher.status().await else {
            return;
        };
        if self.seen.as_ref() != Some(&summary) {
            let whole = summary.is_whole(self.options.launch.nodes);
            let what = if whole { "all is well: " } else { "" };
            let line = format!("{what}{}", summary.line());
            self.seen = Some(summary);
            self.say(&line);
            if whole && !self.playing {
                self.playing = true;
                (0..self.options.launch.nodes).for_each(|number| self.play(number));
            }
        }
    }

    /// Stops the bots, then the nodes, the last that was started first.
    async fn end(&mut self) {
        self.crowds.shutdown().await;
        let (start, tell) = (self.start, &mut *self.tell);
        let say = |how: &str| tell(&stamped(start, how));
        self.launcher.end(say).await;
    }

    fn name(&self, number: u16) -> String {
        self.launcher.name(number)
    }
}

/// What happened, with the time since the start before it.
fn stamped(start: Instant, what: &str) -> String {
    format!("{:>6.1} s  {what}", start.elapsed().as_secs_f64())
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
