//! `[edge]` The listener of both lanes. It only accepts; the first byte of a connection says on
//! which side it goes on.

use super::connection::Wire;
use super::greet::{self, Failed, Guest, HandshakeError};
use super::handshake::lane_of;
use super::join::{JoinAnswer, JoinAsk};
use super::limits::ACCEPT_PAUSE;
use super::outbox::Outbox;
use super::shared::Shared;
use super::stream;
use super::wires::Wires;
use crate::cert::Tls;
use crate::transport::Lane;
use belay_runtime::{Capacity, ChildSpec, Context, Exit, Incoming, Mailbox};
use bytes::Bytes;
use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep_until, timeout};

/// Who answers nodes that ask to join. Called on the thread of the control wires, and must not
/// wait; it answers when it can.
pub type Door = Arc<dyn Fn(JoinAsk, JoinReply) + Send + Sync>;

/// The way back to a node that asks to join. Dropped, the node is told to try again.
pub struct JoinReply(pub(super) oneshot::Sender<JoinAnswer>);

impl JoinReply {
    /// Answers. A node that has given up meanwhile hears nothing.
    pub fn answer(self, answer: JoinAnswer) {
        drop(self.0.send(answer));
    }
}

impl fmt::Debug for JoinReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinReply")
    }
}

/// What a connection that came needs to know.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) shared: Arc<Shared>,
    pub(super) tls: Option<Tls>,
    pub(super) door: Door,
    pub(super) joins: Arc<Semaphore>,
}

/// A connection that came, and its place among those that are not done.
struct Arrival<S> {
    socket: S,
    from: IpAddr,
    place: OwnedSemaphorePermit,
}

/// The process that accepts.
pub(super) fn spec(wires: &Wires, listener: &Arc<std::net::TcpListener>, door: &Door) -> ChildSpec {
    // Nobody sends it anything.
    let mailbox: Mailbox<Infallible> = Mailbox::new(Capacity::new(0));
    let entry = Entry {
        shared: Arc::clone(&wires.shared),
        tls: wires.tls.clone(),
        door: Arc::clone(door),
        joins: Arc::new(Semaphore::new(wires.shared.rules.joins_max)),
    };
    let places = Arc::new(Semaphore::new(wires.shared.rules.handshakes_max));
    let listener = Arc::clone(listener);
    ChildSpec::body("cluster-listener", &mailbox, move |ctx| {
        accept(
            ctx,
            Arc::clone(&listener),
            entry.clone(),
            Arc::clone(&places),
        )
    })
}

async fn accept(
    mut ctx: Context<Infallible>,
    listener: Arc<std::net::TcpListener>,
    entry: Entry,
    places: Arc<Semaphore>,
) -> Result<(), Exit> {
    let failed = |error: std::io::Error| Exit::error(format!("cannot listen: {error}"));
    let listener = listener.try_clone().map_err(failed)?;
    let listener = TcpListener::from_std(listener).map_err(failed)?;
    loop {
        let accepted = select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => return Ok(()),
                Incoming::Signal(_) => continue,
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, from)) => arrive(&entry, &places, socket, from),
            Err(error) => {
                if entry.shared.is_news("the listener", &error.to_string()) {
                    tracing::error!(reason = %error, "accept failed");
                }
                let resume = ctx.now() + ACCEPT_PAUSE;
                select! {
                    () = ctx.stopping() => return Ok(()),
                    () = sleep_until(resume) => {}
                }
            }
        }
    }
}

/// Starts the process that reads the first byte; with no place left the connection is closed.
fn arrive(entry: &Entry, places: &Arc<Semaphore>, socket: TcpStream, from: SocketAddr) {
    let side = entry.shared.side(Lane::Control);
    let Ok(place) = Arc::clone(places).try_acquire_owned() else {
        side.seats.figures.refused.add(1);
        return;
    };
    let (entry, from) = (entry.clone(), from.ip());
    let arrival = Arrival {
        socket,
        from,
        place,
    };
    let spec = ChildSpec::task("newcomer", move |ctx| sort(ctx, entry, arrival));
    if side.connections.spawn_child(spec).is_err() {
        side.seats.figures.refused.add(1);
    }
}

/// Reads the first byte, and has the connection go on where its lane runs.
async fn sort(
    ctx: Context<Infallible>,
    entry: Entry,
    arrival: Arrival<TcpStream>,
) -> Result<(), Exit> {
    let Arrival {
        mut socket,
        from,
        place,
    } = arrival;
    let within = entry.shared.rules.preface_within;
    let first = select! {
        () = ctx.stopping() => return Ok(()),
        first = timeout(within, socket.read_u8()) => first,
    };
    let Ok(Ok(first)) = first else {
        // Whoever says nothing, as those that only try the port, is not worth a line.
        entry
            .shared
            .side(Lane::Control)
            .seats
            .figures
            .refused
            .add(1);
        return Ok(());
    };
    let trouble = |what: &str| {
        let peer = from.to_string();
        entry.shared.trouble(Lane::Control, &peer, what);
    };
    let Some(lane) = lane_of(first) else {
        trouble("garbage: it is no node of a cluster");
        return Ok(());
    };
    let tuned = stream::tune(&socket).and_then(|()| socket.into_std());
    match tuned {
        Ok(socket) => {
            let arrival = Arrival {
                socket,
                from,
                place,
            };
            go_on(&entry, lane, arrival);
        }
        Err(error) => trouble(&stream::why(&error)),
    }
    Ok(())
}

fn go_on(entry: &Entry, lane: Lane, arrival: Arrival<std::net::TcpStream>) {
    let (outbox, mailbox) = entry.shared.outbox(lane);
    let side = entry.shared.side(lane);
    let entry = entry.clone();
    let spec = ChildSpec::once_body("accepted", &mailbox, move |ctx| {
        run(ctx, entry, (lane, arrival), outbox)
    });
    if side.connections.spawn_child(spec).is_err() {
        side.seats.figures.refused.add(1);
    }
}

/// The process of a connection that came, from TLS to its end.
async fn run(
    mut ctx: Context<Bytes>,
    entry: Entry,
    (lane, arrival): (Lane, Arrival<std::net::TcpStream>),
    outbox: Arc<Outbox>,
) -> Result<(), Exit> {
    let shared = &entry.shared;
    let Ok(socket) = TcpStream::from_std(arrival.socket) else {
        return Ok(());
    };
    let greeting = greet::accept(shared, entry.tls.as_ref(), (socket, lane), &outbox);
    let greeted = select! {
        () = ctx.stopping() => return Ok(()),
        greeted = timeout(shared.rules.handshake_within, greeting) => greeted,
    };
    let greeted = greeted.unwrap_or_else(|_late| Err(HandshakeError::TooSlow.into()));
    drop(arrival.place);
    match greeted {
        Ok(Guest::Member(framed, seated, name)) => {
            shared.stands(lane, &name);
            let pace = shared.rules.lane(lane).pace;
            let wire = Wire::new(*framed, seated, outbox, pace, ctx.now());
            let why = wire.run(&mut ctx).await;
            shared.ended(lane, &name, &why);
        }
        Ok(Guest::Candidate(framed, first)) => {
            super::ask::answer(&ctx, &entry, *framed, first).await;
        }
        Ok(Guest::Visitor(mut framed)) => greet::linger(&mut framed.stream).await,
        Err(Failed { who, error }) => {
            let who = who.map_or_else(|| arrival.from.to_string(), |name| name.to_string());
            shared.trouble(lane, &who, &error.to_string());
        }
    }
    Ok(())
}
