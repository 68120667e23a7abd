//! Goal: a cluster between machines keeps its promises while nodes are killed, paused and cut off.
//!
//! Method: three real nodes in network namespaces of their own, with certificates, on a switch
//! that the test cuts; a real database and players on a second network that stays whole. Players
//! and nodes write down what happens, and the checker of histories looks at it after each run.
//! Wants root, `ip` and PostgreSQL; without, it is skipped and says so.
//!
//! `BELAY_HOST_RUNS` says how many runs (10: each kind of fault once), `BELAY_HOST_SEED` which.

#[cfg(test)]
#[path = "cluster_hosts/nemesis.rs"]
mod nemesis;
#[cfg(test)]
#[path = "cluster_hosts/network.rs"]
mod network;
#[cfg(test)]
#[path = "operator/mod.rs"]
mod operator;
#[cfg(test)]
#[path = "cluster_hosts/player.rs"]
mod player;
#[cfg(test)]
#[path = "cluster_suite/rig.rs"]
mod rig;
#[cfg(test)]
#[path = "cluster_hosts/runs.rs"]
mod runs;
