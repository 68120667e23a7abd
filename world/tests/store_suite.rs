//! Goal: what the store promises holds on real files: unique names, exactly-once items, group
//! commits in order, failures that park and drain, clear errors at the start, consistent backups,
//! and nothing lost or doubled by a kill.
//!
//! Method: each test has a folder of its own with a database file, and asks through the port as the
//! sessions and rooms do. Failures are made with real means: locks held by another connection, a
//! bound on the file's pages, files that are none, and a child process that is killed.
//! What both databases promise is tested by the same tests on both, see `both.rs`: on a file, and
//! on a PostgreSQL server that this executable starts from the installed binaries, in a database of
//! its own for each test. Without the binaries those say that they are SKIPPED.

#[cfg(test)]
#[path = "store_suite/accounts.rs"]
mod accounts;
#[cfg(test)]
#[path = "store_suite/backup.rs"]
mod backup;
#[cfg(test)]
#[path = "store_suite/both.rs"]
mod both;
#[cfg(test)]
#[path = "store_suite/failures.rs"]
mod failures;
#[cfg(test)]
#[path = "store_suite/fences.rs"]
mod fences;
#[cfg(test)]
#[path = "store_suite/founding.rs"]
mod founding;
#[cfg(test)]
#[path = "store_suite/items.rs"]
mod items;
#[cfg(test)]
#[path = "store_suite/kill.rs"]
mod kill;
#[cfg(test)]
#[path = "store_suite/measure.rs"]
mod measure;
#[cfg(test)]
#[path = "store_suite/network.rs"]
mod network;
#[cfg(test)]
#[path = "store_suite/nodes.rs"]
mod nodes;
#[cfg(test)]
#[path = "store_suite/open.rs"]
mod open;
#[cfg(test)]
#[path = "store_suite/server.rs"]
mod server;
#[cfg(test)]
#[path = "store_suite/support.rs"]
mod support;
#[cfg(test)]
#[path = "store_suite/tls.rs"]
mod tls;
