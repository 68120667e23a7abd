//! `[edge]` The process that accepts. What a socket speaks is the socket's own matter.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use belay_runtime::{Capacity, ChildSpec, Context, Exit, Incoming, Mailbox, Shutdown};
use tokio::net::{TcpListener, TcpStream};

use super::door::{Door, count};
use super::http;
use crate::limits::{ACCEPT_PAUSE, SOCKET_QUEUE_FRAMES, SOCKET_QUEUE_RESERVED, SOCKET_STOP};

/// The listener, kept by the child's specification so that it outlives a crash of the process, and
/// given up when the process is told to stop.
#[derive(Clone, Debug)]
struct Slot(Arc<Mutex<Option<Arc<TcpListener>>>>);

impl Slot {
    fn get(&self) -> Option<Arc<TcpListener>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The process that accepts at `listener`. Stopped, it closes the listener at once; the sockets it
/// let in go on.
#[must_use]
pub fn acceptor(listener: TcpListener, door: Arc<Door>) -> ChildSpec {
    let slot = Slot(Arc::new(Mutex::new(Some(Arc::new(listener)))));
    // Nobody sends it anything.
    let mailbox: Mailbox<Infallible> = Mailbox::new(Capacity::new(1));
    ChildSpec::body("hub:acceptor", &mailbox, move |ctx| {
        accept(ctx, slot.clone(), Arc::clone(&door))
    })
}

async fn accept(mut ctx: Context<Infallible>, slot: Slot, door: Arc<Door>) -> Result<(), Exit> {
    let Some(listener) = slot.get() else {
        return Ok(());
    };
    let mut failing = false;
    loop {
        let accepted = tokio::select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => break,
                Incoming::Signal(_) => continue,
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, peer)) => {
                failing = false;
                admit(&door, socket, peer);
            }
            Err(error) if is_of_one_peer(&error) => {}
            Err(error) => {
                count(&door.figures.accept_failed);
                // Once for each time that it begins, not for each try.
                if !std::mem::replace(&mut failing, true) {
                    tracing::error!(reason = %error, "accept failed; trying on");
                }
                let resume = ctx.now() + ACCEPT_PAUSE;
                tokio::select! {
                    incoming = ctx.next() => if matches!(incoming, Incoming::Shutdown) { break },
                    () = tokio::time::sleep_until(resume) => {}
                }
            }
        }
    }
    slot.close();
    Ok(())
}

/// Gives a connection its process, or drops it.
fn admit(door: &Arc<Door>, socket: TcpStream, peer: SocketAddr) {
    count(&door.figures.accepted);
    let address = peer.ip().to_canonical();
    if door.is_banned(address) {
        count(&door.figures.banned);
        return;
    }
    let seat = match door.seats.take(address) {
        Ok(seat) => seat,
        Err(why) => {
            count(&door.figures.refused);
            tracing::debug!(?why, "a connection is refused");
            http::refuse(&socket);
            return;
        }
    };
    // Frames are gathered here, not in the kernel. A socket that is gone already fails later.
    let _gone = socket.set_nodelay(true);
    let mailbox = Mailbox::new(Capacity {
        messages: SOCKET_QUEUE_FRAMES,
        reserved: SOCKET_QUEUE_RESERVED,
    });
    let id = door.next_socket();
    let name = format!("hub:socket:{}", id.0);
    let serving = Arc::clone(door);
    let process = ChildSpec::once_body(name, &mailbox, move |ctx| {
        http::serve(serving, socket, (id, seat), ctx)
    });
    let process = process.shutdown(Shutdown::Timeout(SOCKET_STOP));
    if let Err(error) = door.sockets.spawn_child(process) {
        count(&door.figures.refused);
        tracing::warn!(reason = %error, "a connection gets no process");
    }
}

/// Whether the failure is of the connection that was to be accepted, not of the hub.
fn is_of_one_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
