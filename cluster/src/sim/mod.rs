//! `[edge]` Whole nodes under a simulated network and simulated time, with faults from one seed.
//!
//! All of a node is real (raft on openraft, the duty, its driver, the log's code) but what must be
//! real elsewhere: wires, threads and disks. Each node has a clock of its own, which can stand
//! still, jump, or run fast or slow, and a disk that can be slow or full and loses the end of what
//! was written when its node dies.
//!
//! A run checks while it goes: at most one node acts for a shard at a time, no epoch acts after a
//! later one, what a shard counts is neither lost nor doubled, all nodes apply the same, no shard
//! is forgotten, leaders follow one another, and no node ends itself but for its disk. A failure
//! prints its seed, and `BELAY_SIM_SEED=N cargo test -p belay-cluster sim::chaos` does the same
//! again.

mod chaos;
mod checker;
mod disks;
mod faults;
mod nemesis;
mod net;
mod node;
mod run;
mod scenes;
mod toy;
mod trials;
