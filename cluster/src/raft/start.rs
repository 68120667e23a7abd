//! `[process]` Puts a raft together.

use super::calls::{Calls, Network};
use super::handle::{Raft, RaftNews};
use super::hearing::Hearing;
use super::machine::{Hears, Machine};
use super::random::{self, SeededTokio};
use super::role;
use super::storage::Storage;
use super::types::{Core, raft_id};
use crate::ids::NodeId;
use crate::limits::{APPEND_ENTRIES_MAX, CHUNK_BYTES, ELECTION, ELECTION_WINDOW, HEARTBEAT};
use crate::limits::{LOG_KEPT, SNAPSHOT_DEADLINE, SNAPSHOT_EVERY, VOTERS_MAX};
use crate::log::Log;
use crate::transport::{Class, Lane, Transport};
use openraft::error::Fatal;
use openraft::{AsyncRuntime, Config, SnapshotPolicy};
use std::sync::Arc;
use std::time::Duration;

/// What a raft needs to know of its node.
#[derive(Clone, Debug)]
pub(crate) struct RaftConfig {
    /// The node. It must never have had another log than this one.
    pub(crate) me: NodeId,
    /// Which of the election windows it takes; those of voters should differ. Counted modulo
    /// [`VOTERS_MAX`].
    pub(crate) rank: u16,
    /// Where all chance comes from. It must differ in each life of the node: answers to calls of
    /// a life before are told by it.
    pub(crate) seed: u64,
    /// The log.
    pub(crate) log: Log,
    /// How often it is cut.
    pub(crate) cuts: Cuts,
}

/// How often the log is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    /// Entries between two snapshots.
    pub(crate) every: u64,
    /// Entries that are kept behind one.
    pub(crate) kept: u64,
}

impl Default for Cuts {
    fn default() -> Self {
        Self {
            every: SNAPSHOT_EVERY,
            kept: LOG_KEPT,
        }
    }
}

/// Why a raft did not start; **fatal** for the node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    /// What the log holds cannot be read, by this version at least, or cannot be written.
    #[error("what the log holds cannot be used: {0}")]
    Log(String),
    /// The limits of this program contradict each other.
    #[error("the settings of raft contradict each other: {0}")]
    Settings(String),
}

impl Raft {
    /// Starts raft on what the log holds: a node with an empty one waits to be founded or asked.
    /// The news are told from within raft, in order, and must not wait.
    ///
    /// # Errors
    /// The node cannot run.
    ///
    /// # Cancel safety
    /// Not cancel safe: the log may be in use.
    pub(crate) async fn start(
        config: RaftConfig,
        transport: impl Transport,
        hears: impl Fn(RaftNews) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        let hears: Hears = Arc::new(hears);
        let unusable = |error: openraft::StorageError<u64>| StartError::Log(error.to_string());
        let settings = settings(config.rank, config.cuts)?;
        let lease = Duration::from_millis(settings.election_timeout_max);
        let machine = Machine::open(config.log.clone(), hears.clone()).map_err(unusable)?;
        let post = move |to, body| transport.send(to, Lane::Control, Class::Owed, body);
        let me = raft_id(config.me);
        let life = random::mix(config.seed ^ me);
        let calls = Calls::new(life, Arc::new(post));
        let network = Network(calls.clone());
        let storage = Storage::new(config.log.clone(), machine.covered());
        // Drawn from before it waits for the first time, so on this thread.
        let core = async {
            random::seed(life);
            Core::new(me, Arc::new(settings), network, storage, machine).await
        };
        let core = core.await.map_err(|fatal| match fatal {
            Fatal::StorageError(error) => unusable(error),
            Fatal::Panicked | Fatal::Stopped => StartError::Log(fatal.to_string()),
        })?;
        let watch = role::watch(core.metrics(), calls.clone(), hears);
        // Ends with openraft's own tasks.
        drop(SeededTokio::spawn(watch));
        Ok(Self::new(config, core, calls, Hearing::new(lease)))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn settings(rank: u16, cuts: Cuts) -> Result<Config, StartError> {
    let (first, step) = ELECTION;
    let rank = usize::from(rank) % VOTERS_MAX;
    let from = first + step * u32::try_from(rank).unwrap_or(0);
    let settings = Config {
        cluster_name: "belay".to_owned(),
        heartbeat_interval: millis(HEARTBEAT),
        election_timeout_min: millis(from),
        election_timeout_max: millis(from + ELECTION_WINDOW),
        install_snapshot_timeout: millis(SNAPSHOT_DEADLINE),
        max_payload_entries: APPEND_ENTRIES_MAX,
        replication_lag_threshold: cuts.every + cuts.kept,
        snapshot_policy: SnapshotPolicy::LogsSinceLast(cuts.every),
        max_in_snapshot_log_to_keep: cuts.kept,
        // Only when others hear no leader either.
        enable_elect: false,
        snapshot_max_chunk_size: u64::try_from(CHUNK_BYTES).unwrap_or(u64::MAX),
        ..Config::default()
    };
    let checked = settings.validate();
    checked.map_err(|error| StartError::Settings(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn election_windows_differ_by_rank_and_do_not_grow_for_ever() {
        let window = |rank| {
            let settings = settings(rank, Cuts::default()).unwrap();
            (settings.election_timeout_min, settings.election_timeout_max)
        };
        assert_eq!(window(0), (400, 420));
        assert_eq!(window(2), (520, 540));
        assert_eq!(window(4), (640, 660));
        assert_eq!(window(5), (400, 420));
    }
}
