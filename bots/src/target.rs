//! `[pure]` Where a node is, and how to reach it.

use std::net::{IpAddr, SocketAddr};

/// How to talk to the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The telnet port.
    Telnet,
    /// `/ws` on the HTTP port, subprotocol `terminal.mudstandards.org`.
    WebSocket,
}

/// Where the node is and how to reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Address of the telnet port, or of the HTTP port for a WebSocket.
    pub address: SocketAddr,
    /// Telnet or WebSocket.
    pub route: Route,
    /// Local address to connect from; the system chooses without.
    pub source: Option<IpAddr>,
}

impl Target {
    /// The telnet port at this address.
    #[must_use]
    pub fn telnet(address: SocketAddr) -> Self {
        Self {
            address,
            route: Route::Telnet,
            source: None,
        }
    }

    /// The WebSocket at this HTTP address.
    #[must_use]
    pub fn web_socket(address: SocketAddr) -> Self {
        Self {
            address,
            route: Route::WebSocket,
            source: None,
        }
    }

    /// The same, connected from this local address.
    #[must_use]
    pub fn from_source(self, source: IpAddr) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }
}
