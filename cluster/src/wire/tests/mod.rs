//! `[edge]` Goal: wires carry what they are given, in order, to whom it belongs, and nothing that
//! comes from elsewhere harms them. Method: real sockets on ports of the system's choice, whole
//! nodes against each other, and against hands that speak the protocol badly; each step waits for
//! what the wires themselves tell.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names what it expects; all else is wrong"
)]

mod certificates;
mod doors;
mod hand;
mod hostile;
mod knocks;
mod lives;
mod pairs;
mod queues;
mod refusals;
mod rig;
