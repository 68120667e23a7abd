//! `[pure]` What an operator can set about connections.

use std::time::Duration;

/// Times and sizes of all connections of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// What others do is written this long after the last write at the earliest, so that it
    /// gathers.
    pub output_gap: Duration,
    /// Bytes that may wait for a slow reader: beyond it ambient text is dropped, at twice as much
    /// the connection is cut.
    pub backlog_bytes: usize,
    /// How long a login may take; the time in the login queue does not count.
    pub login_deadline: Duration,
    /// Connections of all addresses together. More are told that the node is busy.
    pub connections_max: usize,
    /// Connections of one address. More are refused with a line.
    pub per_address_max: usize,
    /// The same for the node's own machine; `None`: any number.
    pub per_loopback_max: Option<usize>,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            output_gap: Duration::from_millis(30),
            backlog_bytes: 64 * 1_024,
            login_deadline: Duration::from_secs(60),
            connections_max: 20_000,
            per_address_max: 64,
            per_loopback_max: None,
        }
    }
}
