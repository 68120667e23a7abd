//! Goal: a cluster of real nodes is one world: players on any node meet, a node that dies takes
//! only the sockets on it, and what an operator orders happens.
//!
//! Method: each test starts real executables on loopback with a database of its own on a real
//! PostgreSQL server, and plays them with scriptable clients over real sockets. A test waits for
//! the text or the status that shows what it wants to know. Without PostgreSQL the tests are
//! skipped, and say so.

#[cfg(test)]
#[path = "cluster_suite/faults.rs"]
mod faults;
#[cfg(test)]
#[path = "cluster_suite/founding.rs"]
mod founding;
#[cfg(test)]
#[path = "cluster_suite/meeting.rs"]
mod meeting;
#[cfg(test)]
#[path = "cluster_suite/operating.rs"]
mod operating;
#[cfg(test)]
#[path = "operator/mod.rs"]
mod operator;
#[cfg(test)]
#[path = "cluster_suite/returning.rs"]
mod returning;
#[cfg(test)]
#[path = "cluster_suite/rig.rs"]
mod rig;
