//! `[edge]` A process for each listener. It only accepts; what a socket speaks is the door's
//! matter.

use super::limits::{ACCEPT_LOG_GAP, ACCEPT_PAUSE};
use super::reception::{Door, Reception};
use super::stats::stats;
use belay_runtime::{Capacity, ChildSpec, Context, Exit, Incoming, Mailbox};
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::time::Instant;

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

/// The process that accepts at `listener`. Stopped, it closes the listener at once; the connections
/// it let in go on.
pub fn acceptor(
    name: &str,
    listener: TcpListener,
    door: Door,
    reception: Arc<Reception>,
) -> ChildSpec {
    let slot = Slot(Arc::new(Mutex::new(Some(Arc::new(listener)))));
    // Nobody sends it anything.
    let mailbox: Mailbox<Infallible> = Mailbox::new(Capacity {
        messages: 1,
        reserved: 0,
    });
    ChildSpec::body(name, &mailbox, move |ctx| {
        accept(ctx, slot.clone(), door.clone(), Arc::clone(&reception))
    })
}

async fn accept(
    mut ctx: Context<Infallible>,
    slot: Slot,
    door: Door,
    reception: Arc<Reception>,
) -> Result<(), Exit> {
    let Some(listener) = slot.get() else {
        return Ok(());
    };
    let mut logged: Option<Instant> = None;
    loop {
        // A listener that is ready gives socket after socket; nothing is waited for in between.
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
            Ok((socket, peer)) => reception.admit(socket, peer, &door),
            Err(error) if is_of_one_peer(&error) => {}
            Err(error) => {
                stats().accept_failed.add(1);
                if logged.is_none_or(|logged| ctx.now() >= logged + ACCEPT_LOG_GAP) {
                    logged = Some(ctx.now());
                    tracing::error!(name = &*ctx.name(), reason = %error, "accept failed");
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

/// Whether the failure is of the connection that was to be accepted, not of the node.
fn is_of_one_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
