//! `[pure]` What a node is at the moment its figures are read.

use std::time::Duration;

use super::cluster_figure::ClusterFigure;
use super::label::{FrameKind, ProcessKind, Refusal};
use super::network_figure::NetworkFigure;
use super::peer_figures::Peer;

/// What the connections have carried since the node started; they count it themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Lines that players typed.
    pub lines_in: u64,
    /// Bytes from players.
    pub bytes_in: u64,
    /// Bytes to players.
    pub bytes_out: u64,
    /// Writes to players' sockets: what most of the processor time goes to.
    pub writes: u64,
    /// Texts to players by kind, with their bytes.
    pub frames_out: Vec<(FrameKind, u64, u64)>,
    /// Connections that were refused or cut, by cause.
    pub refusals: Vec<(Refusal, u64)>,
}

/// What a node is at the moment its figures are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// Players in the world, linkdead ones too.
    pub players: u64,
    /// Open sockets of players.
    pub connections: u64,
    /// Logins that wait for a worker.
    pub login_queue: u64,
    /// Logins whose password is being checked.
    pub login_working: u64,
    /// Live processes.
    pub processes: u64,
    /// Restarts of processes since the start.
    pub restarts: u64,
    /// Crashes of processes since the start.
    pub crashes: u64,
    /// Times that a process kept its thread for too long, since the start.
    pub slow_handlers: u64,
    /// How much of a thread each kind of process keeps busy: 1 is one thread all the time.
    pub busy: Vec<(ProcessKind, f64)>,
    /// The deepest any mailbox of each kind has been.
    pub mailbox_high_water: Vec<(ProcessKind, u64)>,
    /// Resident memory in bytes; 0 when the system does not tell.
    pub memory_bytes: u64,
    /// Time since the start.
    pub uptime: Duration,
    /// What the connections carried.
    pub traffic: Traffic,
    /// What there is to count of the network of games.
    pub network: Vec<(NetworkFigure, u64)>,
    /// What there is to count of the cluster; nothing on a node that is in none.
    pub cluster: Vec<(ClusterFigure, u64)>,
    /// What there is to tell of each other node of the cluster.
    pub peers: Vec<Peer>,
}
