//! `[edge]` `GET /metrics` and `GET /_health`, on a listener apart from the public one. All its
//! connections are polled inside one process.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use belay_runtime::{Capacity, ChildSpec, Context, Exit, Incoming, Mailbox};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hyper::body::Incoming as RequestBody;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::limits::{ACCEPT_PAUSE, GREETING, OPS_CONNECTIONS_MAX, REQUEST_HEAD_BYTES_MAX};

/// What the operator's pages say.
#[derive(Clone)]
pub struct Report {
    /// The figures, in the text format of Prometheus.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// What is wrong, if something is.
    pub trouble: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report").finish_non_exhaustive()
    }
}

/// The process that serves the operator's pages.
#[must_use]
pub fn ops(listener: TcpListener, report: Report) -> ChildSpec {
    // Outlives a crash of the process.
    let listener = Arc::new(Mutex::new(Arc::new(listener)));
    let mailbox: Mailbox<Infallible> = Mailbox::new(Capacity::new(1));
    ChildSpec::body("hub:ops", &mailbox, move |ctx| {
        let listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
        serve(ctx, Arc::clone(&listener), report.clone())
    })
}

async fn serve(
    mut ctx: Context<Infallible>,
    listener: Arc<TcpListener>,
    report: Report,
) -> Result<(), Exit> {
    let mut connections = FuturesUnordered::new();
    loop {
        let room = connections.len() < OPS_CONNECTIONS_MAX;
        tokio::select! {
            incoming = ctx.next() => if matches!(incoming, Incoming::Shutdown) {
                return Ok(());
            },
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, _)) => connections.push(talk(stream, report.clone())),
                Err(error) => {
                    tracing::warn!(reason = %error, "accept failed");
                    tokio::time::sleep_until(ctx.now() + ACCEPT_PAUSE).await;
                }
            },
            Some(()) = connections.next() => {}
        }
    }
}

async fn talk(stream: TcpStream, report: Report) {
    let service = service_fn(|request: Request<RequestBody>| {
        let response = answer(request.method(), request.uri().path(), &report);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(GREETING)
        .max_buf_size(REQUEST_HEAD_BYTES_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Ok(Err(error)) = timeout(GREETING, connection).await {
        tracing::debug!(reason = %error, "an operator's request failed");
    }
}

fn answer(method: &Method, path: &str, report: &Report) -> Response<String> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n".into());
    }
    match path {
        "/_health" => match (report.trouble)() {
            None => text(StatusCode::OK, "ok\n".into()),
            Some(trouble) => text(StatusCode::SERVICE_UNAVAILABLE, trouble + "\n"),
        },
        "/metrics" => text(StatusCode::OK, (report.metrics)()),
        _ => text(
            StatusCode::NOT_FOUND,
            "here are /_health and /metrics\n".into(),
        ),
    }
}

fn text(status: StatusCode, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
