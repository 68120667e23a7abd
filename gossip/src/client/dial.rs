//! `[edge]` Opening a connection to a hub: name, TCP, TLS, WebSocket.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::USER_AGENT;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::options::ClientOptions;
use super::tls;
use crate::credentials::Credentials;
use crate::hub_url::HubUrl;
use crate::limits::FRAME_IN_BYTES_MAX;

/// What a WebSocket runs over.
pub(super) type Stream = Box<dyn Bytes>;

/// A connection of bytes, encrypted or not.
pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

impl fmt::Debug for dyn Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bytes")
    }
}

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// Bytes that the system keeps for a hub that does not read: a few heartbeats.
const SEND_BYTES: usize = 128 * 1024;

/// Opens a connection within its time. The error is for people, short and without secrets.
pub(super) async fn dial(
    credentials: &Credentials,
    options: &ClientOptions,
) -> Result<WebSocketStream<Stream>, String> {
    let until = Instant::now() + options.connect_within;
    let url = &credentials.url;
    let stream = connect(url, until).await?;
    // Beats and tells are small and should not wait for each other.
    stream.set_nodelay(true).map_err(|error| broke(&error))?;
    let sized = SockRef::from(&stream).set_send_buffer_size(SEND_BYTES);
    sized.map_err(|error| broke(&error))?;
    let stream: Stream = if url.tls {
        let secure = tls::connect(url, credentials.ca.as_deref(), stream);
        Box::new(by(until, "does not answer in TLS", secure).await??)
    } else {
        Box::new(stream)
    };
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(4 * FRAME_IN_BYTES_MAX)
        .max_message_size(Some(FRAME_IN_BYTES_MAX))
        .max_frame_size(Some(FRAME_IN_BYTES_MAX));
    let request = request(url, &options.user_agent);
    let request = request.map_err(|error| no_websocket(&error, url))?;
    let upgrade = client_async_with_config(request, stream, Some(config));
    let upgraded = by(until, "does not answer", upgrade).await?;
    let (stream, _response) = upgraded.map_err(|error| no_websocket(&error, url))?;
    Ok(stream)
}

/// Asks for a WebSocket. Who we are is said, since some that stand before hubs want to know.
fn request(url: &HubUrl, user_agent: &str) -> Result<Request, Error> {
    let mut request = url.to_string().into_client_request()?;
    let user_agent = HeaderValue::from_str(user_agent)?;
    request.headers_mut().insert(USER_AGENT, user_agent);
    Ok(request)
}

/// Tries all addresses, each with its share of the time.
async fn connect(url: &HubUrl, until: Instant) -> Result<TcpStream, String> {
    let unknown = || format!("the name {} is not known", url.host);
    let place = (url.host.as_str(), url.port);
    let found = timeout_at(until, lookup_host(place)).await;
    let found = found.map_err(|_late| "the name service does not answer".to_owned())?;
    let addresses: Vec<SocketAddr> = found.map_err(|_unknown| unknown())?.collect();
    let mut left = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    let mut reason = unknown();
    for address in addresses {
        let now = Instant::now();
        let share = until.saturating_duration_since(now) / left.max(1);
        left = left.saturating_sub(1);
        reason = match timeout_at(now + share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => format!("{}: {}", url.authority(), error.kind()),
            Err(_late) => format!("{} does not answer", url.authority()),
        };
    }
    Err(reason)
}

async fn by<T>(until: Instant, what: &str, step: impl Future<Output = T>) -> Result<T, String> {
    let done = timeout_at(until, step).await;
    done.map_err(|_late| format!("the hub took the connection but {what}"))
}

fn broke(error: &io::Error) -> String {
    format!("the connection broke: {}", error.kind())
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others mean the same to people"
)]
fn no_websocket(error: &Error, url: &HubUrl) -> String {
    match error {
        Error::Http(response) => match response.status().as_u16() {
            404 => format!("the hub has no path {} (HTTP 404)", url.path),
            code @ 300..400 => format!("the hub points elsewhere (HTTP {code}); mend the url"),
            code => format!("the hub answers HTTP {code} instead of a WebSocket"),
        },
        Error::Io(error) => match tls::why(error) {
            Some(reason) => reason,
            None => broke(error),
        },
        Error::ConnectionClosed | Error::AlreadyClosed => {
            "the hub closed the connection at once".to_owned()
        }
        Error::Protocol(ProtocolError::HandshakeIncomplete) => {
            "the hub closed the connection at once".to_owned()
        }
        _ if url.tls => "the hub answers something else than a WebSocket".to_owned(),
        _ => "the hub answers something else than a WebSocket (or wants wss://)".to_owned(),
    }
}
