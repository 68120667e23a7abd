//! Goal: a whole node keeps its promises: players meet, crashes stay where they are, accounts have
//! one session each, things exist once, logins do not stall the game, the operator is obeyed, and
//! hostile clients harm nobody.
//!
//! Method: each test starts the real executable with a data directory of its own, on free ports, in
//! a small still world (`node_suite/content`), and plays it with scriptable clients over real
//! sockets. Nothing sleeps: a test waits for the text that shows what it wants to know.

#[cfg(test)]
#[path = "node_suite/accounts.rs"]
mod accounts;
#[cfg(test)]
#[path = "node_suite/containment.rs"]
mod containment;
#[cfg(test)]
#[path = "node_suite/elsewhere.rs"]
mod elsewhere;
#[cfg(test)]
#[path = "node_suite/hostile.rs"]
mod hostile;
#[cfg(test)]
#[path = "node_suite/hub.rs"]
mod hub;
#[cfg(test)]
#[path = "node_suite/inspecting.rs"]
mod inspecting;
#[cfg(test)]
#[path = "node_suite/meeting.rs"]
mod meeting;
#[cfg(test)]
#[path = "node_suite/network.rs"]
mod network;
#[cfg(test)]
#[path = "node_suite/operating.rs"]
mod operating;
#[cfg(test)]
#[path = "operator/mod.rs"]
mod operator;
#[cfg(test)]
#[path = "node_suite/presence.rs"]
mod presence;
#[cfg(test)]
#[path = "node_suite/rig.rs"]
mod rig;
#[cfg(test)]
#[path = "node_suite/storm.rs"]
mod storm;
#[cfg(test)]
#[path = "node_suite/talking.rs"]
mod talking;
#[cfg(test)]
#[path = "node_suite/things.rs"]
mod things;
