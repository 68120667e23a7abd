//! `[edge]` All listeners of a node, bound before anything starts: a node that cannot have one of
//! its addresses does not start by half.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;

use super::banner::Addresses;
use super::config::Config;
use super::data_dir::DataDir;
use super::failure::{Failure, Status};
use crate::ops::control;
use crate::ops::listen::{ListenError, listen};

/// The listeners of a node. None of them blocks.
#[derive(Debug)]
pub struct Listeners {
    /// Telnet players.
    pub telnet: TcpListener,
    /// Browsers and WebSocket clients.
    pub http: TcpListener,
    /// Metrics and health.
    pub ops: TcpListener,
    /// The control socket.
    pub control: UnixListener,
}

impl Listeners {
    /// Binds all of them.
    ///
    /// # Errors
    /// [`Status::Unavailable`] for an address, [`Status::CannotCreate`] for the control socket;
    /// the message says which, and what changes it.
    pub fn bind(config: &Config, data_dir: &DataDir) -> anyhow::Result<Self> {
        Ok(Self {
            telnet: bind(config.telnet.listen, "--telnet ADDR (telnet.listen)")?,
            http: bind(config.http.listen, "--http ADDR (http.listen)")?,
            ops: bind(config.ops.listen, "--ops ADDR (ops.listen)")?,
            control: control::bind(data_dir.path()).map_err(|error| {
                let hint = "choose another data directory with --data DIR (data.dir)";
                Failure::error(Status::CannotCreate, with_source(&error, hint))
            })?,
        })
    }

    /// The addresses that they have. The cluster listens for itself.
    ///
    /// # Errors
    /// What the system says.
    pub fn addresses(&self) -> io::Result<Addresses> {
        Ok(Addresses {
            telnet: self.telnet.local_addr()?,
            http: self.http.local_addr()?,
            ops: self.ops.local_addr()?,
            cluster: None,
        })
    }
}

fn bind(address: SocketAddr, change: &str) -> anyhow::Result<TcpListener> {
    listen(address).map_err(|error: ListenError| {
        let hint = format!("choose another address with {change}");
        Failure::error(Status::Unavailable, with_source(&error, &hint))
    })
}

fn with_source(error: &dyn std::error::Error, hint: &str) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}\n{hint}"),
        None => format!("{error}\n{hint}"),
    }
}
