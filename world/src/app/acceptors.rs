//! `[edge]` The doors for players, as the last branch of the tree.

use std::net::TcpListener;
use std::sync::Arc;

use belay_runtime::{Supervisor, SupervisorBuilder};

use super::config::Config;
use crate::connection::{Door, Reception, acceptor};
use crate::web::WebDoor;

/// The listening sockets, kept so that a restart of the acceptors has them again.
pub(super) struct Acceptors {
    telnet: TcpListener,
    http: TcpListener,
    reception: Arc<Reception>,
    web: Arc<WebDoor>,
}

impl Acceptors {
    pub(super) fn new(
        config: &Config,
        (telnet_door, http_door): (TcpListener, TcpListener),
        reception: Reception,
    ) -> anyhow::Result<Self> {
        let telnet = telnet_door.local_addr()?;
        let http = http_door.local_addr()?;
        let page = format!(
            "This is a Belay node.\n\nTelnet: telnet {} {}\nWebSocket: ws://{http}/ws \
             (subprotocol terminal.mudstandards.org, or none)\n",
            telnet.ip(),
            telnet.port()
        );
        Ok(Self {
            telnet: telnet_door,
            http: http_door,
            reception: Arc::new(reception),
            web: Arc::new(WebDoor {
                page,
                origins: config.web.origins.clone(),
            }),
        })
    }

    pub(super) fn build(&self) -> SupervisorBuilder {
        let listener = |socket: &TcpListener| {
            socket
                .try_clone()
                .and_then(tokio::net::TcpListener::from_std)
        };
        let mut tree = Supervisor::builder("acceptors");
        let doors = [
            ("telnet", &self.telnet, Door::Telnet),
            ("http", &self.http, Door::Web(self.web.clone())),
        ];
        for (name, socket, door) in doors {
            match listener(socket) {
                Ok(socket) => {
                    tree = tree.child(acceptor(name, socket, door, self.reception.clone()));
                }
                Err(error) => tracing::error!(%error, name, "listener cannot be used"),
            }
        }
        tree
    }
}
