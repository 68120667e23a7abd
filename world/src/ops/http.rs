//! `[edge]` `GET /metrics`, `GET /healthz` and `/cluster`, on a listener apart from the players'.
//!
//! As in the control socket, all connections are polled inside one future and nothing is spawned.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode, header};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::accept::accept;
use super::limits::{
    HTTP_CONNECTION, HTTP_CONNECTIONS_MAX, HTTP_HEAD, HTTP_HEAD_BYTES_MAX, METRICS_UPKEEP,
};
use super::metrics::{Figures, Sample};
use super::orders::{self, Orders};

/// Whether the node can take players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It can.
    Good,
    /// It cannot at the moment; answered with 503 and the reason.
    Bad(String),
}

/// What the pages show: ports to the rest of the node, given by the composition root.
#[derive(Clone)]
pub struct Pages {
    /// The figures that were started.
    pub figures: Figures,
    /// Takes a sample of the node.
    pub sample: Arc<dyn Fn() -> Sample + Send + Sync>,
    /// Whether the node can take players.
    pub health: Arc<dyn Fn() -> Health + Send + Sync>,
    /// Status of the cluster, and orders to it.
    pub orders: Orders,
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

/// Serves the pages until `stopping` turns true (or its sender is gone), and keeps the figures'
/// histogram up meanwhile. Requests at work are answered, then it returns.
///
/// **Cancel safety**: dropping the future closes all connections, answered or not.
pub async fn serve(listener: &TcpListener, pages: &Pages, stopping: watch::Receiver<bool>) {
    let mut connections = FuturesUnordered::new();
    let mut upkeep = interval(METRICS_UPKEEP);
    upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stopped = stopping.clone();
    loop {
        let room = connections.len() < HTTP_CONNECTIONS_MAX;
        tokio::select! {
            // A sender that is gone cannot say "go on" either.
            _ = stopped.wait_for(|stop| *stop) => break,
            (stream, _) = accept(|| listener.accept(), "ops"), if room => {
                connections.push(serve_connection(stream, pages, stopping.clone()));
            }
            Some(()) = connections.next() => {}
            _ = upkeep.tick() => pages.figures.upkeep(),
        }
    }
    while connections.next().await.is_some() {}
}

async fn serve_connection(stream: TcpStream, pages: &Pages, mut stopping: watch::Receiver<bool>) {
    let service = service_fn(async |request: Request<Incoming>| {
        let path = request.uri().path();
        let response = if path == "/cluster" || path.starts_with("/cluster/") {
            orders::respond(request, &pages.orders).await
        } else {
            respond(request.method(), path, pages)
        };
        Ok::<_, Infallible>(response)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HTTP_HEAD)
        .max_buf_size(HTTP_HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let whole = async {
        let stopped = tokio::select! {
            done = &mut connection => Some(done),
            _ = stopping.wait_for(|stop| *stop) => None,
        };
        match stopped {
            Some(done) => done,
            None => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    match timeout(HTTP_CONNECTION, whole).await {
        Ok(Ok(())) | Err(_) => {}
        Ok(Err(error)) => tracing::debug!(reason = %error, "ops connection failed"),
    }
}

fn respond(method: &Method, path: &str, pages: &Pages) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n");
        response
            .headers_mut()
            .insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match path {
        "/healthz" => match (pages.health)() {
            Health::Good => text(StatusCode::OK, "ok\n"),
            Health::Bad(reason) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
        },
        "/metrics" => text(StatusCode::OK, pages.figures.render(&(pages.sample)())),
        _ => text(
            StatusCode::NOT_FOUND,
            "here are /healthz, /metrics and /cluster\n",
        ),
    }
}

fn text(status: StatusCode, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let kind = header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
