//! `[edge]` Hands that speak the protocol, without processes behind them.

use super::rig::{PATIENCE, Peer, rules};
use crate::cert::Tls;
use crate::transport::{Lane, Member};
use crate::wire::Hello;
use crate::wire::frame::{Kind, encode};
use crate::wire::greet::{self, Framed, HandshakeError};
use crate::wire::rules::Rules;
use crate::wire::seats::Seated;
use crate::wire::shared::Shared;
use bytes::{Bytes, BytesMut};
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

/// A hand that speaks the protocol: a node without processes.
pub(super) struct Hand {
    pub(super) shared: Arc<Shared>,
    pub(super) tls: Option<Tls>,
}

/// A connection that a hand holds.
pub(super) struct Held {
    pub(super) framed: Box<Framed>,
    _seated: Seated,
}

impl Hand {
    /// It takes whoever is at that address for n1.
    pub(super) fn new(hello: Hello) -> Self {
        Self::with(hello, rules(), None)
    }

    pub(super) fn with(hello: Hello, rules: Rules, tls: Option<Tls>) -> Self {
        let shared = Arc::new(Shared::new(hello, rules));
        Self { shared, tls }
    }

    /// What others are to know of it. Nobody should dial it.
    pub(super) fn member(&self) -> Member {
        let hello = self.shared.me();
        Member {
            node: hello.node.unwrap(),
            name: hello.name,
            address: "127.0.0.1:1".to_owned(),
            incarnation: hello.incarnation,
        }
    }

    /// Dials that node, and does the handshake.
    pub(super) async fn dial(&self, to: &Peer, lane: Lane) -> Result<Held, HandshakeError> {
        self.dial_member(&to.member(), lane).await
    }

    /// Dials a member.
    pub(super) async fn dial_member(
        &self,
        member: &Member,
        lane: Lane,
    ) -> Result<Held, HandshakeError> {
        self.shared.set_members(std::slice::from_ref(member));
        let (outbox, _mailbox) = self.shared.outbox(lane);
        let tls = self.tls.as_ref();
        let dialling = greet::dial(&self.shared, tls, (member, lane), &outbox);
        let (framed, seated) = timeout(PATIENCE, dialling).await.expect("no handshake")?;
        let _seated = seated;
        Ok(Held { framed, _seated })
    }

    /// Dials, and is to be told that it is not let in: in the first frame or right after it.
    pub(super) async fn refused(&self, by: &Peer, lane: Lane) -> String {
        let error = match self.dial(by, lane).await {
            Ok(mut held) => held.ended().await,
            Err(error) => error,
        };
        error.to_string()
    }
}

impl Held {
    /// Sends a message.
    pub(super) async fn say(&mut self, text: &str) {
        self.write(Kind::Message, text.as_bytes()).await;
    }

    /// Sends a message, as far as the other end still takes it.
    pub(super) async fn try_say(&mut self, text: &str) -> bool {
        let mut bytes = BytesMut::new();
        encode(Kind::Message, text.as_bytes(), &mut bytes);
        let written = self.framed.stream.write_all(&bytes).await;
        tokio::task::yield_now().await;
        written.is_ok()
    }

    pub(super) async fn write(&mut self, kind: Kind, body: &[u8]) {
        self.framed.write(kind, body).await;
    }

    /// The next frame of this kind. Others than pings have no business before it.
    pub(super) async fn read(&mut self, kind: Kind) -> Bytes {
        loop {
            let read = timeout(PATIENCE, self.framed.read_any()).await;
            let frame = read.expect("nothing comes").unwrap();
            if frame.kind == kind {
                return frame.body;
            }
            assert_eq!(frame.kind, Kind::Ping);
        }
    }

    /// Reads until the other end closes.
    pub(super) async fn ended(&mut self) -> HandshakeError {
        loop {
            let read = timeout(PATIENCE, self.framed.read_any()).await;
            match read.expect("it is not closed") {
                Ok(frame) if frame.kind == Kind::Refused => {
                    let text = String::from_utf8_lossy(&frame.body).into_owned();
                    return HandshakeError::Refused(text);
                }
                Ok(_) => {}
                Err(error) => return error,
            }
        }
    }
}
