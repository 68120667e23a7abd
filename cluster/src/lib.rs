//! `[pure]` The cluster will live here: raft (openraft behind one module), membership, the wires
//! between nodes, placement of named shards on nodes and their fencing. Nothing is built yet, and
//! nothing here will know about rooms, players or chat.
