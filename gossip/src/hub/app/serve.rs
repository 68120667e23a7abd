//! `[edge]` `belay-hub serve`: what comes before the supervision tree, and what comes after it.
//!
//! ```text
//! log -> data directory, its lock -> certificate -> listeners -> database, --ensure -> tree
//!                            ... until SIGTERM or Ctrl-C ...
//! word of a restart -> a second -> sockets close (1001) -> store writes -> exit status 0
//! ```

use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::timeout;

use super::command_line::ServeFlags;
use super::failure::{Failure, Status};
use super::run::print;
use super::signals::{Signals, Wanted};
use super::tree::{self, Parts, Running};
use super::{data_dir, ensure, logging, secret};
use crate::HubUrl;
use crate::hub::core::{Hub, Replies, Rules};
use crate::hub::desk::DeskMessage;
use crate::hub::net::{DoorOptions, SeatLimits, Tls, listen};
use crate::hub::store::{Database, Store};
use crate::limits::{HUB_STOP, RESTART_NOTICE};

/// The exit status after a second signal, as shells give it for a process that SIGINT killed.
const FORCED: u8 = 130;

/// How long threads of the runtime may linger after the tree has stopped.
const RUNTIME_SHUTDOWN: Duration = Duration::from_secs(1);

/// Runs a hub until it is told to stop.
///
/// # Errors
/// What keeps it from starting.
pub(super) fn serve(data: &Path, flags: ServeFlags) -> Result<ExitCode, Failure> {
    logging::start(&flags.log, flags.log_json)?;
    data_dir::make(data)?;
    let lock = data_dir::lock(data)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime =
        runtime.map_err(|error| Failure::new(Status::Internal, format!("no runtime: {error}")))?;
    let code = runtime.block_on(run(data, flags));
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN);
    // The next hub may have the directory only when nothing of this one can write to it.
    drop(lock);
    code
}

async fn run(data: &Path, flags: ServeFlags) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen()?;
    let tls = match (&flags.tls_cert, &flags.tls_key) {
        (Some(certificate), Some(key)) => Some(Arc::new(read_tls(certificate, key)?)),
        _ => None,
    };
    let listener = bind(flags.listen, "--listen")?;
    let ops = flags
        .ops
        .map(|address| bind(address, "--ops"))
        .transpose()?;
    let url = url(&flags, &listener)?;
    data_dir::note_url(data, &url)?;
    let mut database = Database::open(data).await?;
    for wanted in &flags.ensure {
        ensure::ensure(&mut database, wanted, &url).await?;
    }
    let directory = database.directory().await?;
    database.close().await?;
    let page = format!(
        "{}://{}/",
        if tls.is_some() { "https" } else { "http" },
        seen_from_here(&listener)?
    );
    let ops_at = ops.as_ref().and_then(|ops| ops.local_addr().ok());
    let downtime_s = flags.downtime.as_millis().div_ceil(1_000);
    let (rules, seed) = (rules(&flags), seed()?);
    let parts = Parts {
        store: Store::new(data),
        hub: Arc::new(move |directory| Hub::new(rules, directory, seed)),
        directory,
        listener,
        ops,
        door: DoorOptions {
            seats: SeatLimits {
                total: flags.connections,
                per_address: flags.per_address,
                per_loopback: flags.per_loopback,
            },
            tls: tls.clone(),
            idle: flags.idle,
        },
    };
    let mut running = tree::start(parts).await?;
    announce(&url, &page, ops_at)?;
    if wait(&mut running, &mut signals, tls.as_deref()).await {
        return Ok(Status::Internal.into());
    }
    tracing::info!("stopping");
    let downtime_s = u64::try_from(downtime_s).unwrap_or(u64::MAX);
    tokio::select! {
        code = stop(running, downtime_s) => Ok(code),
        () = signals.stop() => {
            tracing::warn!("stopped at once, on the operator's word");
            Ok(ExitCode::from(FORCED))
        }
    }
}

/// Waits until the hub is to stop; `true` when it has given up by itself.
async fn wait(running: &mut Running, signals: &mut Signals, tls: Option<&Tls>) -> bool {
    loop {
        tokio::select! {
            exit = running.node.finished() => {
                tracing::error!(reason = %exit, "the supervision tree gave up");
                return true;
            }
            wanted = signals.next() => match (wanted, tls) {
                (Wanted::Stop, _) => return false,
                (Wanted::Reread, None) => {}
                (Wanted::Reread, Some(tls)) => match tls.reread() {
                    Ok(()) => tracing::info!("the certificate was read again"),
                    Err(error) => tracing::error!(
                        reason = %error,
                        "the certificate cannot be read; the old one stays in use"
                    ),
                },
            },
        }
    }
}

/// Says goodbye and stops the tree.
async fn stop(running: Running, downtime_s: u64) -> ExitCode {
    let told = running.desk.send(DeskMessage::Restart(downtime_s));
    // Nobody to tell is no reason to stay.
    drop(timeout(RESTART_NOTICE, told).await);
    tokio::time::sleep_until(tokio::time::Instant::now() + RESTART_NOTICE).await;
    let report = running.node.stop(HUB_STOP).await;
    if report.not_stopped.is_empty() {
        tracing::info!("stopped");
        return ExitCode::SUCCESS;
    }
    let count = report.not_stopped.len();
    tracing::error!(count, "not everything stopped before the deadline");
    Status::Internal.into()
}

fn rules(flags: &ServeFlags) -> Rules {
    Rules {
        all: flags.rate_all,
        send: flags.rate_send,
        subscribe: flags.rate_subscribe,
        unsubscribe: flags.rate_subscribe,
        history: flags.history,
        replies: if flags.reference_replies {
            Replies::Reference
        } else {
            Replies::Safe
        },
        ..Rules::default()
    }
}

/// Where the core's randomness begins.
fn seed() -> Result<u64, Failure> {
    Ok(secret::random_uuid()?.as_u64_pair().0)
}

fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener, Failure> {
    let listener = listen(address).map_err(|error| {
        let message = format!("{error}\nchoose another address with {flag} ADDR");
        Failure::new(Status::Unavailable, message)
    })?;
    TcpListener::from_std(listener)
        .map_err(|error| Failure::new(Status::Internal, format!("no listener: {error}")))
}

fn read_tls(certificate: &Path, key: &Path) -> Result<Tls, Failure> {
    Tls::read(certificate, key)
        .map_err(|error| Failure::new(Status::Configuration, error.to_string()))
}

/// The address for credentials files: what the operator says, or where the hub listens, as seen
/// from this machine.
fn url(flags: &ServeFlags, listener: &TcpListener) -> Result<HubUrl, Failure> {
    let text = match &flags.url {
        Some(url) => url.clone(),
        None => {
            let address = seen_from_here(listener)?;
            let scheme = if flags.tls_cert.is_some() {
                "wss"
            } else {
                "ws"
            };
            format!("{scheme}://{address}/socket")
        }
    };
    HubUrl::parse(&text)
        .map_err(|error| Failure::new(Status::Configuration, format!("--url: {error}")))
}

/// Where the hub listens, as seen from this machine.
fn seen_from_here(listener: &TcpListener) -> Result<SocketAddr, Failure> {
    let address = listener.local_addr();
    let mut address =
        address.map_err(|error| Failure::new(Status::Internal, format!("no address: {error}")))?;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Ok(address)
}

/// Tells people that the hub is up. The log has it for programs.
fn announce(url: &HubUrl, page: &str, ops: Option<SocketAddr>) -> Result<(), Failure> {
    let ops_at = ops.map(tracing::field::display);
    tracing::info!(%url, ops = ops_at, pid = std::process::id(), "hub is up");
    let mut text = format!("Games connect to {url}\n");
    if let Some(ops) = ops {
        text += &format!("Metrics are at http://{ops}/metrics\n");
    }
    text += &format!("The public page is at {page}\n");
    print(&text)
}
