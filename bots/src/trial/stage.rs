//! `[edge]` The stage of a trial: nodes, world and bots, and how it is brought back to where it was
//! before the next run.
#![expect(
    clippy::disallowed_methods,
    reason = "an outside player does not use the runtime"
)]

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::error::{READY_WITHIN, TrialError};
use super::field::{Field, Measures};
use super::ground::{check_files, make_world};
use super::life::Life;
use super::metrics::{Metrics, metrics};
use super::options::TrialOptions;
use super::placing::{Owners, evened};
use super::probes::{Board, Stand, probe};
use super::seen::CrowdSeen;
use super::torus::Torus;
use super::wanderer::wander;
use crate::cluster::{Launcher, Summary};
use crate::limits::TRIAL_RAMP_PER_S;

/// Between two looks at the cluster.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long commands that were due in a window may take to be answered after it.
const DRAIN_WITHIN: Duration = Duration::from_secs(30);

/// How long all is left alone before a run.
pub(super) const CALM: Duration = Duration::from_secs(2);

/// Everything of a trial.
pub(super) struct Stage<'a> {
    pub(super) options: TrialOptions,
    pub(super) launcher: Launcher,
    pub(super) field: Arc<Field>,
    pub(super) torus: Arc<Torus>,
    bots: JoinSet<()>,
    /// How many bots there are.
    asked: u32,
    start: Instant,
    tell: &'a mut (dyn FnMut(&str) + Send),
}

impl<'a> Stage<'a> {
    /// Starts a cluster with a generated world, and waits until it is whole.
    ///
    /// # Errors
    /// What could not be started.
    pub(super) async fn set(
        options: TrialOptions,
        tell: &'a mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, TrialError> {
        check_files(options.count)?;
        let start = Instant::now();
        let mut launcher = Launcher::new(&options.launch, &mut *tell)?;
        let torus = Arc::new(make_world(&mut launcher, &options).await?);
        tell(&launcher.found().await?);
        for number in 0..options.launch.nodes {
            launcher.start(number).await?;
        }
        let places = (0..options.launch.nodes).filter_map(|number| launcher.telnet(number));
        let tag_bits = RandomState::new().hash_one(options.count);
        let field = Field::new(places.collect(), options.pace, tag_bits);
        let mut stage = Self {
            options,
            launcher,
            field: Arc::new(field),
            torus,
            bots: JoinSet::new(),
            asked: 0,
            start,
            tell,
        };
        let directory = stage.launcher.directory().display().to_string();
        stage.say(&format!("data and logs are in {directory}"));
        stage.whole().await?;
        stage.even().await?;
        Ok(stage)
    }

    /// Tells what happens.
    pub(super) fn say(&mut self, what: &str) {
        let passed = self.start.elapsed().as_secs_f64();
        (self.tell)(&format!("{passed:>6.1} s  {what}"));
    }

    /// Starts bots, one after the other, each on its own node, and waits until all are in.
    ///
    /// # Errors
    /// Not all came in.
    pub(super) async fn enter<F>(
        &mut self,
        count: u32,
        mut live: impl FnMut(Life, usize) -> F,
    ) -> Result<(), TrialError>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let nodes = self.field.places.len().max(1);
        let step = Duration::from_secs_f64(1.0 / TRIAL_RAMP_PER_S);
        let mut next = Instant::now();
        for index in 0..count {
            let index = usize::try_from(index).unwrap_or(0);
            let life = Life::new(self.field.clone(), self.asked, index % nodes);
            self.bots.spawn(live(life, index));
            self.asked += 1;
            next += step;
            sleep_until(next).await;
        }
        self.all_in().await
    }

    /// Starts the crowd.
    ///
    /// # Errors
    /// Not all came in.
    pub(super) async fn crowd(&mut self, count: u32) -> Result<(), TrialError> {
        self.enter(count, |life, _| wander(life)).await?;
        self.say(&format!("{count} bots are in the world"));
        Ok(())
    }

    /// Starts probes, and waits until each stands in its room.
    ///
    /// # Errors
    /// Not all came in, or found their way.
    pub(super) async fn probes(&mut self, stands: &[Stand]) -> Result<Arc<Board>, TrialError> {
        let board = Arc::new(Board::new(stands.len()));
        for (index, stand) in stands.iter().enumerate() {
            let life = Life::new(self.field.clone(), self.asked, stand.node);
            let (board, torus) = (board.clone(), self.torus.clone());
            self.bots
                .spawn(probe(life, index, stand.room, board, torus));
            self.asked += 1;
        }
        self.placed(&board).await?;
        self.say(&format!("{} probes stand in their rooms", stands.len()));
        Ok(board)
    }

    /// Waits until every probe stands in its room.
    ///
    /// # Errors
    /// They do not.
    pub(super) async fn placed(&self, board: &Board) -> Result<(), TrialError> {
        wait_until("every probe in its room", || board.missing() == 0).await
    }

    /// Waits until all bots are in the world.
    ///
    /// # Errors
    /// They are not.
    pub(super) async fn all_in(&self) -> Result<(), TrialError> {
        let (online, asked) = (&self.field.online, self.asked);
        wait_until("all bots in the world", || online.load(Relaxed) == asked).await
    }

    /// Bots that are not in the world.
    pub(super) fn not_in(&self) -> u64 {
        u64::from(self.asked.saturating_sub(self.field.online.load(Relaxed)))
    }

    /// Brings all back to where it was: nodes up, zones evened, bots at home.
    ///
    /// # Errors
    /// It did not come about.
    pub(super) async fn restore(&mut self) -> Result<(), TrialError> {
        self.whole().await?;
        self.even().await?;
        self.all_in().await?;
        self.field.recall.send_modify(|times| *times += 1);
        let (field, asked) = (self.field.clone(), self.asked);
        let home = || field.online.load(Relaxed) == asked && field.away.load(Relaxed) == 0;
        wait_until("all bots on their own nodes", home).await
    }

    /// Waits until every node is up and every shard has an owner.
    ///
    /// # Errors
    /// They are not.
    pub(super) async fn whole(&mut self) -> Result<Summary, TrialError> {
        let until = Instant::now() + READY_WITHIN;
        let mut seen = "nothing is known".to_owned();
        while Instant::now() < until {
            if let Some(summary) = self.launcher.status().await {
                let nodes = u16::try_from(self.launcher.nodes.len()).unwrap_or(u16::MAX);
                if summary.is_whole(nodes) {
                    return Ok(summary);
                }
                seen = summary.line();
            }
            sleep_until(Instant::now() + LOOK_EVERY).await;
        }
        let what = format!("every node up and every shard owned; {seen}");
        Err(TrialError::Late { what })
    }

    /// Moves zones until every node has its share, and waits for that.
    ///
    /// # Errors
    /// An order was refused, or it did not come about.
    pub(super) async fn even(&mut self) -> Result<(), TrialError> {
        let until = Instant::now() + READY_WITHIN;
        while Instant::now() < until {
            let owners = self.owners().await?;
            let moves = evened(&owners, &self.names());
            if moves.is_empty() {
                return Ok(());
            }
            for (zone, node) in moves {
                // A shard that moves by itself just now refuses; the next look tells.
                if let Err(error) = self.order_move(&zone, &node).await {
                    self.say(&error.to_string());
                }
            }
            sleep_until(Instant::now() + LOOK_EVERY * 2).await;
        }
        let what = "the same number of zones on each node".to_owned();
        Err(TrialError::Late { what })
    }

    /// Orders a zone to move.
    ///
    /// # Errors
    /// The cluster refused.
    pub(super) async fn order_move(&self, zone: &str, node: &str) -> Result<(), TrialError> {
        self.order(&["cluster", "move", zone, node]).await
    }

    /// Gives an order as an operator does.
    ///
    /// # Errors
    /// The cluster refused.
    pub(super) async fn order(&self, words: &[&str]) -> Result<(), TrialError> {
        let asked = self.launcher.ask(words).await;
        asked.map(drop).map_err(|said| TrialError::Refused {
            order: words.join(" "),
            said,
        })
    }

    /// Who owns what, when every shard has an owner.
    ///
    /// # Errors
    /// Not every one has.
    pub(super) async fn owners(&mut self) -> Result<Owners, TrialError> {
        let summary = self.whole().await?;
        let owned = summary.owners().into_iter();
        Ok(owned
            .map(|(shard, owner)| (shard.to_owned(), owner.map(str::to_owned)))
            .collect())
    }

    /// The number of the node of this name.
    pub(super) fn number(&self, name: &str) -> Option<u16> {
        let mut running = self.launcher.nodes.keys().copied();
        running.find(|number| self.launcher.name(*number) == name)
    }

    /// The names of the nodes that run.
    pub(super) fn names(&self) -> Vec<String> {
        let running = self.launcher.nodes.keys();
        running.map(|number| self.launcher.name(*number)).collect()
    }

    /// The figures of a node.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) async fn metrics(&self, node: u16) -> Result<Metrics, TrialError> {
        let failed = |source| TrialError::Metrics {
            node: self.launcher.name(node),
            source,
        };
        let Some(running) = self.launcher.nodes.get(&node) else {
            return Err(failed(io::ErrorKind::NotConnected.into()));
        };
        metrics(running.places.ops).await.map_err(failed)
    }

    /// Lets the crowd type, or be silent.
    pub(super) fn let_type(&self, typing: bool) {
        self.field.typing.store(typing, Relaxed);
    }

    /// Ends a window: waits for the answers of what was due in it, and tells what was seen.
    pub(super) async fn close(&self, window: &Measures) -> CrowdSeen {
        let until = Instant::now() + DRAIN_WITHIN;
        self.field.open();
        while window.waiting.load(Relaxed) > 0 && Instant::now() < until {
            sleep_until(Instant::now() + LOOK_EVERY / 5).await;
        }
        window.seen(self.not_in())
    }

    /// Stops bots and nodes.
    pub(super) async fn end(&mut self) {
        self.bots.shutdown().await;
        let (start, tell) = (self.start, &mut *self.tell);
        let say = |how: &str| tell(&format!("{:>6.1} s  {how}", start.elapsed().as_secs_f64()));
        self.launcher.end(say).await;
    }
}

/// Waits until a condition holds.
///
/// # Errors
/// It does not.
pub(super) async fn wait_until(
    what: &str,
    mut holds: impl FnMut() -> bool,
) -> Result<(), TrialError> {
    let until = Instant::now() + READY_WITHIN;
    while !holds() {
        if Instant::now() >= until {
            let what = what.to_owned();
            return Err(TrialError::Late { what });
        }
        sleep_until(Instant::now() + LOOK_EVERY / 10).await;
    }
    Ok(())
}
