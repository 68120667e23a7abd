//! `[pure]` The Gossip cross-game chat network will live here: the protocol's typed events, the
//! client that runs behind a tether, and the hub executable. Nothing is built yet, and nothing here
//! will know about nodes or rooms.
