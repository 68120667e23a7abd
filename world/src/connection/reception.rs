//! `[edge]` Lets sockets in: what all listeners of a node share.

use super::body::Connection;
use super::framing::Framing;
use super::limits::{LAST_WRITE_MAX, LINGER_MAX};
use super::seats::{NoSeat, Seat, Seats};
use super::session_link::SessionLink;
use super::settings::ConnectionSettings;
use super::socket;
use super::stats::stats;
use crate::content::World;
use crate::ids::ConnectionId;
use crate::limits::{CONNECTION_MAILBOX, CONNECTION_RESERVED};
use crate::ring::{ConnectionMessage, ConnectionPort, SessionPort};
use crate::web::{self, WebDoor};
use belay_runtime::{Capacity, ChildSpec, DynamicSupervisor, Mailbox, Restart, Shutdown};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;

/// Starts the session of a new connection. It must not block.
pub type StartSession = Arc<dyn Fn(ConnectionPort) -> Result<SessionPort, Refused> + Send + Sync>;

/// Why a new connection gets no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Busy: as many play as may.
    #[error("the game is full")]
    Busy,
    /// Refused: the node stops.
    #[error("the node stops")]
    Stopping,
}

/// What is spoken at a listener.
#[derive(Clone, Debug)]
pub enum Door {
    /// Telnet.
    Telnet,
    /// HTTP, from which a WebSocket can be made.
    Web(Arc<WebDoor>),
}

/// What all listeners of a node share. Each socket that is let in becomes a process of its own
/// under the given supervisor, and outlives sessions, rooms and listeners.
pub struct Reception {
    settings: ConnectionSettings,
    world: Arc<World>,
    start_session: StartSession,
    connections: DynamicSupervisor,
    seats: Arc<Seats>,
    next: AtomicU64,
}

/// A socket that is let in, without a session yet.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(super) id: ConnectionId,
    pub(super) peer: IpAddr,
    pub(super) seat: Seat,
    pub(super) mailbox: Mailbox<ConnectionMessage>,
}

impl Visitor {
    /// What is left of it in play.
    pub(crate) fn into_seat(self) -> Seat {
        self.seat
    }
}

impl Reception {
    /// A reception whose connections run under `connections` and read the texts of `world`.
    pub fn new(
        settings: ConnectionSettings,
        world: Arc<World>,
        start_session: StartSession,
        connections: DynamicSupervisor,
    ) -> Self {
        let (seats, next) = (Arc::default(), AtomicU64::new(1));
        Self {
            settings,
            world,
            start_session,
            connections,
            seats,
            next,
        }
    }

    pub(super) fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// Lets a socket in, or says in a line why not.
    pub(super) fn admit(self: &Arc<Self>, socket: TcpStream, peer: SocketAddr, door: &Door) {
        let seat = match self.seats.take(peer.ip(), &self.settings) {
            Ok(seat) => seat,
            Err(reason) => return turn_away(socket, reason, door),
        };
        if let Err(error) = socket::tune(&socket) {
            // The peer is gone already.
            return tracing::debug!(%error, "socket cannot be set up");
        }
        let visitor = Visitor {
            id: ConnectionId(self.next.fetch_add(1, Ordering::Relaxed)),
            peer: peer.ip().to_canonical(),
            seat,
            mailbox: Mailbox::with_kinds(Capacity {
                messages: CONNECTION_MAILBOX,
                reserved: CONNECTION_RESERVED,
            }),
        };
        match door {
            Door::Telnet => self.admit_telnet(socket, visitor),
            Door::Web(door) => self.admit_web(socket, visitor, Arc::clone(door)),
        }
    }

    fn admit_telnet(self: &Arc<Self>, socket: TcpStream, visitor: Visitor) {
        let link = match self.start_session(&visitor) {
            Ok(link) => link,
            Err(_) => return turn_away(socket, NoSeat::Full, &Door::Telnet),
        };
        let (reception, mailbox) = (Arc::clone(self), visitor.mailbox.clone());
        let name = format!("connection:{}", visitor.id.0);
        self.spawn(ChildSpec::once_body(name, &mailbox, move |ctx| {
            let framing = Framing::telnet(ctx.now().into_std());
            Connection::new(reception, socket, (framing, visitor.seat), link, ctx.now()).run(ctx)
        }));
    }

    fn admit_web(self: &Arc<Self>, socket: TcpStream, visitor: Visitor, door: Arc<WebDoor>) {
        let (reception, mailbox) = (Arc::clone(self), visitor.mailbox.clone());
        let name = format!("connection:{}", visitor.id.0);
        self.spawn(ChildSpec::once_body(name, &mailbox, move |ctx| {
            web::serve(reception, socket, visitor, door, ctx)
        }));
    }

    fn spawn(&self, spec: ChildSpec) {
        let stop = LAST_WRITE_MAX + LINGER_MAX + Duration::from_secs(1);
        let spec = spec
            .restart(Restart::Temporary)
            .shutdown(Shutdown::Timeout(stop));
        match self.connections.spawn_child(spec) {
            Ok(_) => stats().accepted.add(1),
            Err(error) => {
                stats().refused_busy.add(1);
                tracing::debug!(%error, "connection not started");
            }
        }
    }

    /// Asks for the session of a connection.
    pub(crate) fn start_session(&self, visitor: &Visitor) -> Result<SessionLink, Refused> {
        let port = ConnectionPort {
            id: visitor.id,
            peer: visitor.peer,
            address: visitor.mailbox.address(),
        };
        let session = (self.start_session)(port)?;
        Ok(SessionLink::new(visitor.id, session))
    }
}

impl fmt::Debug for Reception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reception")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn turn_away(socket: TcpStream, reason: NoSeat, door: &Door) {
    let telnet = match reason {
        NoSeat::Full => {
            stats().refused_busy.add(1);
            "Busy, try again later.\r\n"
        }
        NoSeat::Address => {
            stats().refused_address.add(1);
            "Too many connections from your address.\r\n"
        }
    };
    match door {
        Door::Telnet => socket::refuse(socket, telnet.as_bytes()),
        Door::Web(_) => socket::refuse(socket, web::BUSY_ANSWER),
    }
}
