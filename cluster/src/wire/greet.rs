//! `[edge]` The handshake, from the first byte to a wire that stands.
//!
//! ```text
//! dialled            accepted
//!   lane byte ──────────►
//!   ◄──────── TLS ───────►      both show certificates
//!   Hello ──────────────►       checked
//!   ◄────────────── Hello       checked
//!   Ready ──────────────►       the wire stands; or JoinAsk, from a node without a number;
//!                               or Knock, from a member, to show its address
//! ```
//! Instead of any of these frames `Refused` may come, with the reason.

use super::frame::{Decoder, Frame, FrameError, Kind, encode};
use super::handshake::{First, Mismatch, Whom, preface, refusal, refusal_text};
use super::join;
use super::limits::{CONNECT_WITHIN, HANDSHAKE_BYTES_MAX, LINGER};
use super::outbox::Outbox;
use super::seats::Seated;
use super::shared::Shared;
use super::stream::{self, Stream, why};
use crate::cert::{self, Tls};
use crate::ids::NodeName;
use crate::transport::{Lane, Member};
use bytes::{Bytes, BytesMut};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Why a connection did not become a wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// **Busy**: nobody answers at the address.
    #[error("{address}: {why}")]
    Unreachable {
        /// The address.
        address: String,
        /// Why.
        why: String,
    },
    /// **Busy**: the connection broke, or TLS failed, and why.
    #[error("{0}")]
    Broke(String),
    /// **Refused**: what came is no frame.
    #[error("garbage: {0}")]
    Garbage(#[from] FrameError),
    /// **Refused**: a frame came that has no place in a handshake.
    #[error("garbage: a frame out of turn")]
    OutOfTurn,
    /// **Refused** by us.
    #[error("refused: {0}")]
    Refusing(#[from] Mismatch),
    /// **Refused** by the other end, in its words.
    #[error("the other node refuses: {0}")]
    Refused(String),
    /// **Busy**: it took too long.
    #[error("the handshake took too long")]
    TooSlow,
}

/// A connection that speaks in frames.
#[derive(Debug)]
pub(super) struct Framed {
    pub(super) stream: Stream,
    pub(super) decoder: Decoder,
}

/// A handshake that failed, and with whom, as far as it said.
pub(super) struct Failed {
    pub(super) who: Option<NodeName>,
    pub(super) error: HandshakeError,
}

impl<E: Into<HandshakeError>> From<E> for Failed {
    fn from(error: E) -> Self {
        let error = error.into();
        Self { who: None, error }
    }
}

/// Who came.
pub(super) enum Guest {
    /// A member, whose wire stands now.
    Member(Box<Framed>, Seated, NodeName),
    /// A node that asks to join, and with whom all is well so far.
    Candidate(Box<Framed>, First),
    /// A member that showed where it is, and was told where the others are.
    Visitor(Box<Framed>),
}

impl Framed {
    fn new(stream: Stream) -> Self {
        Self {
            stream,
            decoder: Decoder::new(HANDSHAKE_BYTES_MAX),
        }
    }

    /// The next frame, which must be of this kind.
    pub(super) async fn read(&mut self, kind: Kind) -> Result<Bytes, HandshakeError> {
        self.read_one_of(&[kind]).await.map(|frame| frame.body)
    }

    /// The next frame, which must be of one of these kinds.
    async fn read_one_of(&mut self, kinds: &[Kind]) -> Result<Frame, HandshakeError> {
        let frame = self.read_any().await?;
        match frame.kind {
            found if kinds.contains(&found) => Ok(frame),
            Kind::Refused => Err(HandshakeError::Refused(refusal_text(&frame.body))),
            Kind::Hello
            | Kind::Ready
            | Kind::Message
            | Kind::Ping
            | Kind::Pong
            | Kind::JoinAsk
            | Kind::JoinAnswer
            | Kind::Knock
            | Kind::Places => Err(HandshakeError::OutOfTurn),
        }
    }

    /// The next frame.
    pub(super) async fn read_any(&mut self) -> Result<Frame, HandshakeError> {
        loop {
            if let Some(frame) = self.decoder.next()? {
                return Ok(frame);
            }
            let read = self.stream.read_buf(&mut self.decoder.buffer).await;
            if read.map_err(|error| HandshakeError::Broke(why(&error)))? == 0 {
                let closed = "the other end closed the connection";
                return Err(HandshakeError::Broke(closed.to_owned()));
            }
        }
    }

    /// Writes a frame. That the other end does not take it is seen when its answer is read: it may
    /// have said why before it closed.
    pub(super) async fn write(&mut self, kind: Kind, body: &[u8]) {
        let mut bytes = BytesMut::new();
        encode(kind, body, &mut bytes);
        if self.stream.write_all(&bytes).await.is_ok() {
            drop(self.stream.flush().await);
        }
    }

    /// Tells the other end why we do not go on, and waits a little so that it hears it.
    pub(super) async fn refuse(&mut self, mismatch: Mismatch) -> HandshakeError {
        self.write(Kind::Refused, &refusal(&mismatch)).await;
        linger(&mut self.stream).await;
        HandshakeError::Refusing(mismatch)
    }

    /// Whether the certificate is that of who it says it is. Without TLS, on loopback, there is
    /// none.
    fn check_certificate(&self, name: &NodeName) -> Result<(), Mismatch> {
        let Stream::Tls(_) = &self.stream else {
            return Ok(());
        };
        let name = name.clone();
        let certificate = match self.stream.certificate() {
            Some(certificate) => cert::check_name(certificate, &name),
            None => Err("nobody".to_owned()),
        };
        certificate.map_err(|certificate| Mismatch::OtherCertificate { name, certificate })
    }

    /// Reads the first frame of the other end.
    async fn first(&mut self, shared: &Shared) -> Result<First, HandshakeError> {
        let body = self.read(Kind::Hello).await?;
        match First::decode(&body, shared.versions()) {
            Ok(first) => Ok(first),
            Err(mismatch) => Err(self.refuse(mismatch).await),
        }
    }
}

/// Closes our end, and listens for a little: a connection that is closed with something unread in
/// it would take back what was written last.
pub(super) async fn linger(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let (within, mut left) = LINGER;
    let listen = async {
        drop(stream.shutdown().await);
        let mut bytes = [0; 1024];
        while let Ok(read @ 1..) = stream.read(&mut bytes).await
            && let Some(less) = left.checked_sub(read)
        {
            left = less;
        }
    };
    drop(timeout(within, listen).await);
}

/// The handshake with whoever came.
pub(super) async fn accept(
    shared: &Arc<Shared>,
    tls: Option<&Tls>,
    (socket, lane): (TcpStream, Lane),
    outbox: &Arc<Outbox>,
) -> Result<Guest, Failed> {
    let stream = match stream::accept(socket, tls).await {
        Ok(stream) => stream,
        Err((error, mut socket)) => {
            linger(&mut socket).await;
            return Err(HandshakeError::Broke(why(&error)).into());
        }
    };
    let mut framed = Framed::new(stream);
    let theirs = framed.first(shared).await?;
    let who = Some(theirs.hello.name.clone());
    let failed = |error| Failed { who, error };
    welcome(shared, framed, (lane, theirs), outbox)
        .await
        .map_err(failed)
}

async fn welcome(
    shared: &Arc<Shared>,
    mut framed: Framed,
    (lane, theirs): (Lane, First),
    outbox: &Arc<Outbox>,
) -> Result<Guest, HandshakeError> {
    let ours = shared.first(lane);
    let name = theirs.hello.name.clone();
    // Who it is first: what else it says is worth nothing if the certificate does not bear it.
    let checked = framed.check_certificate(&name);
    let checked = checked.and_then(|()| shared.check(&ours, &theirs, &Whom::Anyone));
    if let Err(mismatch) = checked {
        return Err(framed.refuse(mismatch).await);
    }
    framed.write(Kind::Hello, &ours.encode()).await;
    let Some(node) = theirs.hello.node else {
        return Ok(Guest::Candidate(Box::new(framed), theirs));
    };
    let knocks = [Kind::Ready, Kind::Knock];
    let only = knocks.get(..1).filter(|_| lane == Lane::Play);
    if framed.read_one_of(only.unwrap_or(&knocks)).await?.kind == Kind::Knock {
        return match shared.meet(node, &theirs) {
            Ok(places) => {
                framed.write(Kind::Places, &join::encode(&places)).await;
                Ok(Guest::Visitor(Box::new(framed)))
            }
            Err(mismatch) => Err(framed.refuse(mismatch).await),
        };
    }
    match shared.sit(&ours, &theirs, node, outbox) {
        Ok(seated) => {
            framed.decoder.trust();
            Ok(Guest::Member(Box::new(framed), seated, name))
        }
        Err(mismatch) => Err(framed.refuse(mismatch).await),
    }
}

/// Opens a wire to a member.
pub(super) async fn dial(
    shared: &Arc<Shared>,
    tls: Option<&Tls>,
    (member, lane): (&Member, Lane),
    outbox: &Arc<Outbox>,
) -> Result<(Box<Framed>, Seated), HandshakeError> {
    let whom = Whom::Dialled(member.clone());
    let ours = shared.first(lane);
    let place = (&*member.address, shared.rules.connect_within);
    let mut framed = reach(place, tls, lane).await?;
    framed.write(Kind::Hello, &ours.encode()).await;
    let theirs = framed.first(shared).await?;
    let checked = framed.check_certificate(&theirs.hello.name);
    let checked = checked.and_then(|()| shared.check(&ours, &theirs, &whom));
    let seated = checked.and_then(|()| shared.sit(&ours, &theirs, member.node, outbox));
    match seated {
        Ok(seated) => {
            framed.write(Kind::Ready, &[]).await;
            framed.decoder.trust();
            Ok((Box::new(framed), seated))
        }
        Err(mismatch) => Err(framed.refuse(mismatch).await),
    }
}

/// Shows who we are at an address, and returns what is there with who answers.
pub(super) async fn knock(
    address: &str,
    tls: Option<&Tls>,
    ours: &First,
) -> Result<(Framed, First), HandshakeError> {
    let mut framed = reach((address, CONNECT_WITHIN), tls, ours.lane).await?;
    framed.write(Kind::Hello, &ours.encode()).await;
    let body = framed.read(Kind::Hello).await?;
    let theirs = match First::decode(&body, ours.versions) {
        Ok(theirs) => theirs,
        Err(mismatch) => return Err(framed.refuse(mismatch).await),
    };
    match framed.check_certificate(&theirs.hello.name) {
        Ok(()) => Ok((framed, theirs)),
        Err(mismatch) => Err(framed.refuse(mismatch).await),
    }
}

async fn reach(
    (address, within): (&str, Duration),
    tls: Option<&Tls>,
    lane: Lane,
) -> Result<Framed, HandshakeError> {
    let unreachable = |error: io::Error| HandshakeError::Unreachable {
        address: address.to_owned(),
        why: why(&error),
    };
    let connected = timeout(within, TcpStream::connect(address)).await;
    let connected = connected.unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into()));
    let mut socket = connected.map_err(unreachable)?;
    stream::tune(&socket).map_err(unreachable)?;
    let broke = |error: io::Error| HandshakeError::Broke(why(&error));
    socket.write_u8(preface(lane)).await.map_err(broke)?;
    let stream = stream::connect(socket, tls).await.map_err(broke)?;
    Ok(Framed::new(stream))
}
