//! `[pure]` The Gossip cross-game chat network: the protocol's typed events, the client that runs
//! behind a tether, and the hub with its executable. Nothing here knows about nodes or rooms.

pub mod hub;
pub mod limits;
