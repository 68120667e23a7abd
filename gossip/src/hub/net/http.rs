//! `[edge]` A connection before it is a WebSocket: TLS if there is a certificate, then one request.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use belay_runtime::{Context, Exit};
use hyper::body::{Bytes, Incoming as RequestBody};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_VERSION, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::body::Text;
use super::door::{Door, count};
use super::handshake::judge;
use super::seats::Seat;
use super::socket::{self, SocketStart};
use super::stream::Stream;
use crate::hub::core::SocketId;
use crate::hub::desk::SocketMessage;
use crate::limits::{GREETING, REQUEST_HEAD_BYTES_MAX};

/// For a connection that gets no seat: a whole answer.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n\
    Content-Length: 23\r\nConnection: close\r\n\r\nBusy, try again later.\n";

/// Where a request that opens a WebSocket leaves its upgrade.
type UpgradeSlot = Arc<Mutex<Option<OnUpgrade>>>;

/// Answers a connection that gets no seat, as far as that needs no waiting.
pub(super) fn refuse(socket: &TcpStream) {
    // Who does not get it learns from the close.
    drop(socket.try_write(BUSY));
}

/// The process of a connection.
pub(super) async fn serve(
    door: Arc<Door>,
    socket: TcpStream,
    (id, seat): (SocketId, Seat),
    ctx: Context<SocketMessage>,
) -> Result<(), Exit> {
    // On the heap and gone before the WebSocket, which lives long and should be small.
    let mut greeting = Box::pin(greet(&door, socket));
    let greeted = tokio::select! {
        () = ctx.stopping() => return Ok(()),
        greeted = &mut greeting => greeted,
    };
    drop(greeting);
    let Some((stream, early)) = greeted else {
        return Ok(());
    };
    count(&door.figures.opened);
    let start = SocketStart {
        id,
        stream,
        early,
        seat,
    };
    socket::run(door, start, ctx).await
}

/// TLS and a request. Gives the stream back when it became a WebSocket, with what came behind.
async fn greet(door: &Arc<Door>, socket: TcpStream) -> Option<(Stream, Vec<u8>)> {
    let stream = match &door.tls {
        None => Stream::Plain(socket),
        Some(tls) => match timeout(GREETING, tls.acceptor().accept(socket)).await {
            Ok(Ok(stream)) => Stream::Tls(Box::new(stream)),
            Ok(Err(_)) | Err(_) => {
                count(&door.figures.tls_failed);
                return None;
            }
        },
    };
    timeout(GREETING, talk(stream, door)).await.ok().flatten()
}

async fn talk(stream: Stream, door: &Arc<Door>) -> Option<(Stream, Vec<u8>)> {
    let slot = UpgradeSlot::default();
    let (taken, door) = (Arc::clone(&slot), Arc::clone(door));
    let service = service_fn(move |request: Request<RequestBody>| {
        let (door, slot) = (Arc::clone(&door), Arc::clone(&slot));
        async move { Ok::<_, Infallible>(answer(request, &door, &slot).await) }
    });
    let served = http1::Builder::new()
        .max_buf_size(REQUEST_HEAD_BYTES_MAX)
        .timer(TokioTimer::new())
        .header_read_timeout(GREETING)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(reason = %error, "a request failed");
        return None;
    }
    let upgrade = taken
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()?;
    let upgraded = upgrade.await.ok()?;
    let parts = upgraded.downcast::<TokioIo<Stream>>().ok()?;
    Some((parts.io.into_inner(), parts.read_buf.to_vec()))
}

async fn answer(
    mut request: Request<RequestBody>,
    door: &Door,
    slot: &UpgradeSlot,
) -> Response<Text> {
    let read = matches!(*request.method(), Method::GET | Method::HEAD);
    match request.uri().path() {
        "/socket" => match judge(request.method(), request.headers()) {
            Ok(accept) => {
                let upgrade = hyper::upgrade::on(&mut request);
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(upgrade);
                switch(&accept)
            }
            Err(status) => no_socket(status),
        },
        "/_health" if read => plain(StatusCode::OK, ""),
        "/" if read => html(door.page().await),
        "/_health" | "/" => {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET is served here.\n");
            set(&mut response, ALLOW, "GET, HEAD");
            response
        }
        _ => plain(StatusCode::NOT_FOUND, "Nothing is here. Look at /\n"),
    }
}

fn switch(accept: &str) -> Response<Text> {
    let mut response = Response::new(Text::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    set(&mut response, CONNECTION, "upgrade");
    set(&mut response, UPGRADE, "websocket");
    if let Ok(accept) = HeaderValue::from_str(accept) {
        response.headers_mut().insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    response
}

fn no_socket(status: StatusCode) -> Response<Text> {
    let mut response = plain(status, "Here is a WebSocket for games.\n");
    if status == StatusCode::UPGRADE_REQUIRED {
        set(&mut response, CONNECTION, "upgrade, close");
        set(&mut response, UPGRADE, "websocket");
        set(&mut response, SEC_WEBSOCKET_VERSION, "13");
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        set(&mut response, ALLOW, "GET");
    }
    response
}

fn plain(status: StatusCode, text: &str) -> Response<Text> {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    set(&mut response, CONTENT_TYPE, "text/plain; charset=utf-8");
    set(&mut response, CACHE_CONTROL, "no-store");
    set(&mut response, CONNECTION, "close");
    response
}

fn html(page: Bytes) -> Response<Text> {
    let mut response = Response::new(page.into());
    set(&mut response, CONTENT_TYPE, "text/html; charset=utf-8");
    set(&mut response, CACHE_CONTROL, "no-store");
    set(&mut response, CONNECTION, "close");
    let nothing_foreign = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'";
    set(&mut response, CONTENT_SECURITY_POLICY, nothing_foreign);
    set(&mut response, X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}

fn set(response: &mut Response<Text>, name: HeaderName, value: &'static str) {
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}
