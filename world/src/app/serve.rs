//! [edge] `belay serve`: what comes before the supervision tree, and what comes after it.
//!
//! ```text
//! log -> lock of the data directory -> listeners -> figures -> tree -> banner
//!                                     ... until a signal or a request ...
//! drain of the tree (deadline, or a second Ctrl-C) -> exit status
//! ```

use std::io::{self, Write as _};
use std::path::Path;
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
use crate::content::{self, Origin, World};
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
    let content = Content::load(config.content.dir())?;
    let data_dir = DataDir::open(&config.data.dir)?;
    let listeners = Listeners::bind(&config, &data_dir)?;
    let figures = metrics::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::error(Status::Internal, format!("no runtime: {error}")))?;
    let code = runtime.block_on(run(Parts {
        config,
        content,
        listeners,
        figures,
    }));
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN);
    // The next node may have the directory only when nothing of this one can write to it.
    drop(data_dir);
    code
}

/// What a node is built of.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) config: Config,
    pub(super) content: Content,
    pub(super) listeners: Listeners,
    pub(super) figures: Figures,
}

/// The checked world, and where it came from.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) place: String,
    pub(super) world: World,
}

impl Content {
    fn load(directory: Option<&Path>) -> anyhow::Result<Self> {
        let (origin, loaded) = content::open(directory).map_err(|faults| {
            Failure::error(
                Status::Data,
                format!("the content cannot be used:\n{faults}"),
            )
        })?;
        let place = match origin {
            Origin::Directory(path) => path.display().to_string(),
            Origin::Embedded => "the built-in world".to_owned(),
        };
        for warning in &loaded.warnings.list {
            tracing::warn!(reason = %warning, "content warning");
        }
        let world = loaded.world;
        let (zones, rooms) = (world.zones().len(), world.rooms().len());
        tracing::info!(content = place, zones, rooms, "content loaded");
        Ok(Self { place, world })
    }

    fn summary(&self) -> String {
        let (zones, rooms) = (self.world.zones().len(), self.world.rooms().len());
        format!("{}: {zones} zones, {rooms} rooms", self.place)
    }
}

async fn run(parts: Parts) -> anyhow::Result<ExitCode> {
    let Parts {
        config,
        content,
        listeners,
        figures,
    } = parts;
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
    announce(&config, &content.summary(), &addresses)?;
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
fn announce(config: &Config, content: &str, addresses: &Addresses) -> anyhow::Result<()> {
    let Addresses { telnet, http, ops } = addresses;
    let data = config.data.dir.display();
    tracing::info!(%telnet, %http, %ops, %data, pid = std::process::id(), "node is up");
    if config.log.format == LogFormat::Json {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let printed = out
        .write_all(banner(config, content, addresses).as_bytes())
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
