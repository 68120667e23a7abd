//! `[edge]` Whole nodes under a simulated network and simulated time, with faults from one seed.
//!
//! All of a node is real (raft on openraft, the duty, its driver, the log's code) but what must be
//! real elsewhere: wires, threads and disks. Each node has a clock of its own, which can stand
//! still or run fast. A run checks while it goes: at most one node acts for a shard, no epoch acts
//! after a later one, what a shard counts is neither lost nor doubled, and all nodes apply the
//! same. A failure prints its seed, and `BELAY_SIM_SEED=N cargo test -p belay-cluster sim::chaos`
//! does the same again.

mod chaos;
mod checker;
mod net;
mod node;
mod run;
mod scenes;
mod toy;
