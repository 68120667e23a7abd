//! `[edge]` A hub that does what a test says, on a real socket.

use std::time::Duration;

use belay_gossip::Credentials;
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{WebSocketStream, accept_async};

/// Longer than anything here takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Waits, but not for ever.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let done = timeout(LONG, future).await;
    done.unwrap_or_else(|_| panic!("never: {what}"))
}

pub(crate) struct Hub {
    pub(crate) listener: TcpListener,
}

impl Hub {
    pub(crate) async fn new() -> Self {
        Self::at("127.0.0.1:0").await
    }

    pub(crate) async fn at(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        Self { listener }
    }

    pub(crate) fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    pub(crate) fn credentials(&self) -> Credentials {
        credentials(&format!("ws://127.0.0.1:{}", self.port()))
    }

    /// The next connection, before a word was said.
    pub(crate) async fn raw(&self) -> TcpStream {
        let accepted = soon("a connection", self.listener.accept()).await;
        let (stream, _address) = accepted.unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// The next connection, as a WebSocket.
    pub(crate) async fn accept(&self) -> Peer {
        Peer::on(self.raw().await).await
    }

    /// The next connection, let in and proven.
    pub(crate) async fn welcome(&self, extensions: &str) -> Peer {
        let mut peer = self.accept().await;
        peer.login().await;
        peer.let_in(extensions).await;
        peer.prove().await;
        peer
    }
}

pub(crate) fn credentials(url: &str) -> Credentials {
    let text = format!(
        "url = \"{url}\"\nclient_id = \"5b1f6a52-0a4b-4a3e-8e7c-2a6f0f6f9c11\"\n\
         client_secret = \"hush\"\ngame = \"Here\"\n"
    );
    Credentials::parse(&text).unwrap()
}

pub(crate) struct Peer<S = TcpStream>(pub(crate) WebSocketStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<S> {
    pub(crate) async fn on(stream: S) -> Self {
        Self(soon("a WebSocket", accept_async(stream)).await.unwrap())
    }

    /// The next text frame; `None` when the client has gone.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        match soon("a frame", self.0.next()).await {
            Some(Ok(Message::Text(text))) => Some(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => None,
            Some(Ok(other)) => panic!("no text frame: {other:?}"),
        }
    }

    /// The next frame of this event; those before it are passed over.
    pub(crate) async fn event(&mut self, event: &str) -> Value {
        loop {
            let frame = self
                .next()
                .await
                .unwrap_or_else(|| panic!("gone before {event}"));
            if frame["event"] == event {
                return frame;
            }
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        soon("a write", self.0.send(Message::text(text)))
            .await
            .unwrap();
    }

    /// Sends as much as goes; whether all went.
    pub(crate) async fn try_send(&mut self, message: Message) -> bool {
        soon("a write", self.0.send(message)).await.is_ok()
    }

    pub(crate) async fn login(&mut self) -> Value {
        let frame = self.next().await.expect("gone before its login");
        assert_eq!(frame["event"], "authenticate");
        frame
    }

    pub(crate) async fn let_in(&mut self, extensions: &str) {
        let text = r#"{"event":"authenticate","status":"success","payload":
            {"unicode":"\u2714\ufe0f","version":"2.3.0","extensions":[EXTENSIONS]}}"#;
        self.send(&text.replace("EXTENSIONS", extensions)).await;
    }

    /// One beat and its answer, besides the one that comes with the entrance.
    pub(crate) async fn prove(&mut self) {
        self.event("heartbeat").await;
        self.send(r#"{"event":"heartbeat"}"#).await;
        self.event("heartbeat").await;
    }

    pub(crate) async fn close(&mut self, code: u16) {
        let frame = CloseFrame {
            code: CloseCode::from(code),
            reason: "goodbye".into(),
        };
        drop(self.0.close(Some(frame)).await);
    }

    /// Waits until the client has gone.
    pub(crate) async fn gone(&mut self) {
        while self.next().await.is_some() {}
    }
}
