//! The workloads, shared by the bench of belay-runtime and by the comparison with its peers.

pub mod apart;
pub mod belay;
pub mod measure;
pub mod memory;
