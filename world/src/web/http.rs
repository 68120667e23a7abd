//! `[edge]` One HTTP request on a socket: a page that says how to connect, or the step to a
//! WebSocket.

use super::framing::{Payload, WebFraming};
use super::handshake::{Accepted, NotAccepted, judge};
use super::limits::{REQUEST_HEAD_BYTES_MAX, REQUEST_HEAD_MAX, REQUEST_MAX};
use crate::connection::framing::{CloseCode, Framing};
use crate::connection::{Connection, Reception, Visitor, socket};
use crate::ring::ConnectionMessage;
use axum::body::Body;
use belay_runtime::{Context, Exit};
use hyper::body::Incoming as RequestBody;
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// For a WebSocket that gets no session.
const BUSY: &[u8] = b"Busy, try again later.\r\n";

/// For a socket that gets no seat: a whole answer.
pub(crate) const BUSY_ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Content-Type: text/plain\r\nContent-Length: 23\r\nConnection: close\r\n\r\n\
    Busy, try again later.\n";

/// What is behind an HTTP listener.
#[derive(Clone, Debug)]
pub struct WebDoor {
    /// The page at `/`: how to connect, as plain text.
    pub page: String,
    /// Origins (`https://play.example`) whose pages may open a WebSocket, beside this very host.
    pub origins: Vec<String>,
}

/// A handshake that was answered; what the socket becomes.
struct Step {
    upgrade: OnUpgrade,
    payload: Payload,
}

/// Where the request leaves its [`Step`].
type StepSlot = Arc<Mutex<Option<Step>>>;

/// The process of a socket that begins with HTTP. After a handshake it is a connection like any
/// other.
pub(crate) async fn serve(
    reception: Arc<Reception>,
    socket: TcpStream,
    visitor: Visitor,
    door: Arc<WebDoor>,
    ctx: Context<ConnectionMessage>,
) -> Result<(), Exit> {
    // On the heap, so that a connection in play does not carry the room that HTTP needs.
    let mut talking = Box::pin(timeout(REQUEST_MAX, talk(socket, door)));
    let talked = tokio::select! {
        () = ctx.stopping() => return Ok(()),
        talked = &mut talking => talked,
    };
    drop(talking);
    let Ok(Some((socket, early, payload))) = talked else {
        return Ok(());
    };
    let framing = WebFraming::new(payload, early, ctx.now().into_std());
    let Ok(link) = reception.start_session(&visitor) else {
        let mut wire = Vec::new();
        framing.frame(BUSY, &mut wire);
        framing.close(CloseCode::Policy, &mut wire);
        socket::refuse(socket, &wire);
        return Ok(());
    };
    let framing = Framing::Web(Box::new(framing));
    let seat = visitor.into_seat();
    Connection::new(reception, socket, (framing, seat), link, ctx.now())
        .run(ctx)
        .await
}

/// Serves one request. Gives the socket back when it became a WebSocket, with what came behind.
async fn talk(socket: TcpStream, door: Arc<WebDoor>) -> Option<(TcpStream, Vec<u8>, Payload)> {
    let slot = StepSlot::default();
    let taken = Arc::clone(&slot);
    let service = service_fn(move |request: Request<RequestBody>| {
        let response = answer(request, &door, &slot);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let served = http1::Builder::new()
        .max_buf_size(REQUEST_HEAD_BYTES_MAX)
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_HEAD_MAX)
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(reason = %error, "http request failed");
        return None;
    }
    let step = taken
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()?;
    let upgraded = step.upgrade.await.ok()?;
    let parts = upgraded.downcast::<TokioIo<TcpStream>>().ok()?;
    Some((parts.io.into_inner(), parts.read_buf.to_vec(), step.payload))
}

fn answer(mut request: Request<RequestBody>, door: &WebDoor, slot: &StepSlot) -> Response<Body> {
    match request.uri().path() {
        "/ws" => match judge(request.method(), request.headers(), &door.origins) {
            Ok(accepted) => {
                let upgrade = hyper::upgrade::on(&mut request);
                let step = Step {
                    upgrade,
                    payload: accepted.payload,
                };
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
                switch(accepted)
            }
            Err(refused) => not_accepted(refused),
        },
        "/" if matches!(*request.method(), Method::GET | Method::HEAD) => {
            text(StatusCode::OK, door.page.clone())
        }
        "/" => text(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET is served here.\n".into(),
        ),
        _ => text(StatusCode::NOT_FOUND, "Nothing is here. Look at /\n".into()),
    }
}

fn switch(accepted: Accepted) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accepted.accept);
    if let Some(protocol) = accepted.protocol {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
    }
    response
}

fn not_accepted(refused: NotAccepted) -> Response<Body> {
    let mut response = text(refused.status, refused.text.into());
    if refused.status == StatusCode::UPGRADE_REQUIRED {
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    }
    response
}

fn text(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
