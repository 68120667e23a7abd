//! [edge] `belay serve`: what comes before the supervision tree, and what comes after it.
//!
//! ```text
//! log -> lock of the data directory -> listeners -> figures -> tree -> banner
//!                                     ... until a signal or a request ...
//! drain of the tree (deadline, or a second Ctrl-C) -> exit status
//! ```

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::banner::banner;
use super::config::{Config, LogFormat};
use super::data_dir::DataDir;
use super::failure::{Failure, Status};
use super::listeners::{Addresses, Listeners};
use super::logging;
use super::stop::{Drained, StopRequest, StopSignals};
use crate::ops::control::{self, ControlAnswer, ControlHandler, ControlRequest};
use crate::ops::http::{self, Health, Pages};
use crate::ops::memory::resident_bytes;
use crate::ops::metrics::{self, Figures, Sample};

/// The exit status after a second Ctrl-C, as shells give it for a process that SIGINT killed.
const FORCED: u8 = 130;

/// How long threads of the runtime may linger after the tree has stopped.
const RUNTIME_SHUTDOWN: Duration = Duration::from_secs(1);

/// Runs a node until it is told to stop.
///
/// # Errors
/// What keeps the node from starting, as a [`Failure`].
pub(super) fn serve(config: Config) -> anyhow::Result<ExitCode> {
    logging::start(&config.log)?;
    let data_dir = DataDir::open(&config.data.dir)?;
    let listeners = Listeners::bind(&config, &data_dir)?;
    let figures = metrics::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::error(Status::Internal, format!("no runtime: {error}")))?;
    let code = runtime.block_on(run(&config, listeners, figures));
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN);
    drop(data_dir);
    code
}

async fn run(config: &Config, listeners: Listeners, figures: Figures) -> anyhow::Result<ExitCode> {
    let addresses = listeners.addresses()?;
    let mut signals = StopSignals::listen()?;
    let request = StopRequest::default();
    let (stop, stopping) = watch::channel(false);
    let ops = TcpListener::from_std(listeners.ops)?;
    let socket = UnixListener::from_std(listeners.control)?;
    let handler = control_handler(&request);
    let pages = pages(figures);
    let servers = join(
        http::serve(&ops, &pages, stopping.clone()),
        control::serve(&socket, &handler, stopping),
    );
    let mut servers = std::pin::pin!(servers);
    announce(config, &addresses)?;
    let reason = tokio::select! {
        reason = signals.first(&request) => reason,
        _ = &mut servers => "servers ended",
    };
    tracing::info!(reason, "stopping");
    stop.send_replace(true);
    Ok(
        match signals.wait(timeout(config.drain.deadline, servers)).await {
            Drained::Done(Ok(_)) => {
                tracing::info!("stopped");
                ExitCode::SUCCESS
            }
            Drained::Done(Err(_)) => {
                tracing::error!("stopped before all was done: the deadline passed");
                Status::Internal.into()
            }
            Drained::Forced => {
                tracing::warn!("stopped at once, on the operator's word");
                ExitCode::from(FORCED)
            }
        },
    )
}

/// Tells the operator that the node is up: people on standard output, programs in the log.
fn announce(config: &Config, addresses: &Addresses) -> anyhow::Result<()> {
    let Addresses { telnet, http, ops } = addresses;
    let data = config.data.dir.display();
    tracing::info!(%telnet, %http, %ops, %data, pid = std::process::id(), "node is up");
    if config.log.format == LogFormat::Json {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let printed = out
        .write_all(banner(config, addresses).as_bytes())
        .and_then(|()| out.flush());
    printed.map_err(|error| Failure::error(Status::Io, format!("cannot write: {error}")))
}

fn pages(figures: Figures) -> Pages {
    let start = Instant::now();
    let sample = move || Sample {
        memory_bytes: resident_bytes(),
        uptime: start.elapsed(),
        ..Sample::default()
    };
    Pages {
        figures,
        sample: Arc::new(sample),
        health: Arc::new(|| Health::Good),
    }
}

fn control_handler(request: &StopRequest) -> ControlHandler {
    let request = request.clone();
    Arc::new(move |asked| {
        let answer = if asked == ControlRequest::Shutdown {
            request.ask();
            ControlAnswer::done("the node is stopping")
        } else if asked == ControlRequest::Status {
            ControlAnswer::done("the node is up")
        } else {
            ControlAnswer::refused("this node has no world to do that in")
        };
        std::future::ready(answer).boxed()
    })
}
