//! `[pure]` `belay cluster` as data.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::app::command_line::NodeFlags;

/// `belay cluster ...`
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterAction {
    /// Found a cluster: its first node, alone in it. The node must not be running.
    ///
    /// Then start it with "belay serve --node NAME --cluster ADDR", and others with --join as well.
    Init(InitFlags),
    /// Make the files with which nodes prove each other who they are.
    Ca {
        /// What to do.
        #[command(subcommand)]
        action: CaAction,
    },
    /// Make the certificate of a node.
    ///
    /// Copy the directory to the machine of the node, and name it with cluster.certificates.
    Cert {
        /// The name of the node.
        node: String,
        /// Directory of the authority ("belay cluster ca new").
        #[arg(long, value_name = "DIR", default_value = "./cluster-ca")]
        ca: PathBuf,
        /// Directory to write; NODE-certificates without it.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Show all nodes and where each shard is.
    Status {
        /// One thing a line, nothing cut: for screen readers, and for grep.
        #[arg(long, conflicts_with = "json")]
        lines: bool,
        /// As JSON.
        #[arg(long)]
        json: bool,
        /// Which node is asked.
        #[command(flatten)]
        node: NodeFlags,
    },
    /// Empty a node: its shards move to others. Its players stay.
    Drain(NodeOrder),
    /// Let a node that was drained own shards again.
    Undrain(NodeOrder),
    /// Move a shard to a node, with all that is in it.
    Move {
        /// Its name, as "belay cluster status" shows it; of a zone its key will do.
        shard: String,
        /// The name of the node that is to have it.
        node: String,
        /// Which node is asked.
        #[command(flatten)]
        asked: NodeFlags,
    },
    /// Even the load out now, without waiting for the next round.
    Rebalance(NodeFlags),
    /// Remove a node that is down, or empty, for good.
    Forget(NodeOrder),
    /// Remove a shard that is in no areas any more, as a zone that was taken out of them.
    ///
    /// Whoever was in it begins in a start room at the next login. A node that is started with
    /// areas that have the zone declares it anew.
    Retire {
        /// Its name, as "belay cluster status" shows it; of a zone its key will do.
        shard: String,
        /// Which node is asked.
        #[command(flatten)]
        asked: NodeFlags,
    },
}

/// The flags of `belay cluster init`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InitFlags {
    /// Data directory of the node.
    #[arg(long, value_name = "DIR", default_value = "./belay-data")]
    pub(super) data: PathBuf,
    /// What the node is called.
    #[arg(long, value_name = "NAME")]
    pub(super) node: String,
    /// What the cluster is called. Nodes of one name never join a cluster of another.
    #[arg(long, value_name = "NAME", default_value = "belay")]
    pub(super) name: String,
}

/// `belay cluster ca ...`
#[derive(Debug, Subcommand)]
pub(crate) enum CaAction {
    /// Make an authority: it signs the certificates of nodes. Keep its key off the nodes.
    New {
        /// Directory to write; it must hold no authority yet.
        #[arg(long, value_name = "DIR", default_value = "./cluster-ca")]
        out: PathBuf,
    },
}

/// A node that something is done to.
#[derive(Debug, Clone, Args)]
pub(crate) struct NodeOrder {
    /// The name of the node.
    #[arg(value_name = "NODE")]
    pub(super) name: String,
    /// Which node is asked.
    #[command(flatten)]
    pub(super) asked: NodeFlags,
}
