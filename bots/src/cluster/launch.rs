//! `[edge]` What starts and stops the nodes of a cluster on this machine, and its database.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::node::{Node, NodeError, NodePlan};
use super::options::LaunchOptions;
use super::summary::Summary;
use crate::postgres::{PostgresError, PostgresServer};

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

/// A cluster on this machine: its directory, its database, its nodes. Dropped, all of it is killed.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// The nodes that run, by number from 0. First, so that they end before their database.
    pub(crate) nodes: BTreeMap<u16, Node>,
    /// How each node is started, by number.
    pub(crate) plans: Vec<NodePlan>,
    /// Kept while nodes run.
    _postgres: Option<PostgresServer>,
    directory: Directory,
}

impl Launcher {
    /// Makes the directory and the database; no node runs yet. Blocks while a database starts.
    ///
    /// # Errors
    /// No directory, no executable, no database.
    pub(crate) fn new(
        options: &LaunchOptions,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, ClusterError> {
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
        let plan = |number: u16| NodePlan {
            belay: belay.clone(),
            name: format!("n{number}"),
            data: directory.path.join(format!("n{number}")),
            store: store.clone(),
            join: None,
            more: options.node_args.clone(),
            places: None,
        };
        Ok(Self {
            nodes: BTreeMap::new(),
            plans: (1..=options.nodes).map(plan).collect(),
            _postgres: postgres,
            directory,
        })
    }

    /// Where data and logs are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory.path
    }

    /// Founds the cluster on the first node, which does not run yet; what was said of it.
    ///
    /// # Errors
    /// What the executable says instead.
    pub(crate) async fn found(&self) -> Result<String, ClusterError> {
        let Some(first) = self.plans.first() else {
            return Ok(String::new());
        };
        let init = ["cluster", "init", "--node", &first.name, "--name", NAME];
        let founded = first.ask(&init).await.map_err(ClusterError::Init)?;
        Ok(founded.lines().next().unwrap_or_default().to_owned())
    }

    /// Starts a node, at the addresses it had, and waits until it is up.
    ///
    /// # Errors
    /// See [`NodeError`].
    pub(crate) async fn start(&mut self, number: u16) -> Result<(), NodeError> {
        let join = self.nodes.values().next().map(|node| node.places.cluster);
        let Some(plan) = self.plans.get_mut(usize::from(number)) else {
            return Ok(());
        };
        plan.join = join;
        let node = plan.start().await?;
        plan.places = Some(node.places);
        self.nodes.insert(number, node);
        Ok(())
    }

    /// One more node than there were, never started yet, with an empty directory; its number.
    pub(crate) fn add(&mut self) -> u16 {
        let number = u16::try_from(self.plans.len()).unwrap_or(u16::MAX);
        if let Some(last) = self.plans.last().cloned() {
            let name = format!("n{}", u32::from(number) + 1);
            self.plans.push(NodePlan {
                data: self.directory.path.join(&name),
                name,
                places: None,
                ..last
            });
        }
        number
    }

    /// The name of a node.
    pub(crate) fn name(&self, number: u16) -> String {
        let plan = self.plans.get(usize::from(number));
        plan.map_or_else(String::new, |plan| plan.name.clone())
    }

    /// Where players reach a node, once it has been up.
    pub(crate) fn telnet(&self, number: u16) -> Option<SocketAddr> {
        let plan = self.plans.get(usize::from(number))?;
        Some(plan.places?.telnet)
    }

    /// Runs a command of the executable with the data directory of a node that runs.
    ///
    /// # Errors
    /// What it says instead, or that no node runs.
    pub(crate) async fn ask(&self, arguments: &[&str]) -> Result<String, String> {
        let asked = self.nodes.keys().next().copied();
        let plan = asked.and_then(|number| self.plans.get(usize::from(number)));
        match plan {
            Some(plan) => plan.ask(arguments).await,
            None => Err("no node runs".to_owned()),
        }
    }

    /// The status of the cluster, as the first node that runs knows it.
    pub(crate) async fn status(&self) -> Option<Summary> {
        let status = self.ask(&["cluster", "status", "--json"]).await.ok()?;
        serde_json::from_str(&status).ok()
    }

    /// Stops the nodes, the last that was started first, and tells how each ended.
    pub(crate) async fn end(&mut self, mut tell: impl FnMut(&str)) {
        while let Some((number, node)) = self.nodes.pop_last() {
            let how = node.stop().await;
            tell(&format!("{} {how}", self.name(number)));
        }
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
#[derive(Debug)]
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
