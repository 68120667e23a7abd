//! `[process]` Tells the game when the client does something else than before.

use std::convert::Infallible;
use std::sync::Arc;

use belay_runtime::{Capacity, ChildSpec, Context, Exit, Incoming, Mailbox, Tether};
use tokio::select;

use super::news::{ClientStatus, News};
use super::shared::Shared;

pub(super) fn spec(shared: Arc<Shared>, tether: Tether) -> ChildSpec {
    let mailbox = Mailbox::new(Capacity::new(0));
    ChildSpec::body("gossip:monitor", &mailbox, move |ctx| {
        run(Arc::clone(&shared), tether.clone(), ctx)
    })
}

async fn run(
    shared: Arc<Shared>,
    tether: Tether,
    mut ctx: Context<Infallible>,
) -> Result<(), Exit> {
    let (mut cut, mut phase) = (tether.watch(), shared.phase.subscribe());
    let mut told = None;
    loop {
        let status = shared.status(&tether.status(), ctx.now());
        if let Some(status) = status
            && told.as_ref().is_none_or(|told| !status.is_like(told))
        {
            report(&status);
            told = Some(status.clone());
            shared.port.deliver(News::Status(status));
        }
        select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => return Ok(()),
                Incoming::Signal(_) => {}
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            _ = phase.changed() => {}
            _ = cut.changed() => {}
        }
    }
}

/// Why the network is away, the tether tells; that only somebody can mend it is said here.
fn report(status: &ClientStatus) {
    let state = status.word();
    match status {
        ClientStatus::Rejected { reason, .. } => tracing::error!(
            target: "belay_gossip",
            reason,
            "the hub refuses this game: mend its credentials",
        ),
        // Each try has these.
        ClientStatus::Waiting { .. } | ClientStatus::Connecting | ClientStatus::Authenticating => {
            tracing::debug!(target: "belay_gossip", state, "network");
        }
        ClientStatus::Unconfigured | ClientStatus::Off | ClientStatus::Online { .. } => {
            tracing::info!(target: "belay_gossip", state, "network");
        }
    }
}
