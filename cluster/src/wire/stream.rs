//! `[edge]` What a wire runs over: TCP, or TLS on it.

use super::limits::SEND_BYTES;
use crate::cert::Tls;
use socket2::SockRef;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{AlertDescription, CertificateError, Error};
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};

/// A connection of bytes.
#[derive(Debug)]
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Small messages do not wait for each other, and little waits where nobody sees it.
pub(super) fn tune(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    SockRef::from(socket).set_send_buffer_size(SEND_BYTES)
}

/// Begins TLS as the one who accepted. What is left of the connection comes with the error.
pub(super) async fn accept(
    socket: TcpStream,
    tls: Option<&Tls>,
) -> Result<Stream, (io::Error, TcpStream)> {
    let Some(tls) = tls else {
        return Ok(Stream::Plain(socket));
    };
    let config = std::sync::Arc::clone(&tls.current().server);
    let accepting = TlsAcceptor::from(config).accept(socket).into_fallible();
    Ok(Stream::Tls(Box::new(accepting.await?.into())))
}

/// Begins TLS as the one who dialled. Whom it reached is for the handshake to find out.
pub(super) async fn connect(socket: TcpStream, tls: Option<&Tls>) -> io::Result<Stream> {
    let Some(tls) = tls else {
        return Ok(Stream::Plain(socket));
    };
    let config = std::sync::Arc::clone(&tls.current().client);
    // Not sent to the other end in any meaning, and not compared with anything.
    let anybody = ServerName::try_from("node.belay.cluster").map_err(io::Error::other)?;
    let connecting = TlsConnector::from(config).connect(anybody, socket);
    Ok(Stream::Tls(Box::new(connecting.await?.into())))
}

impl Stream {
    /// What the other end showed; nothing without TLS.
    pub(super) fn certificate(&self) -> Option<&CertificateDer<'static>> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => stream.get_ref().1.peer_certificates()?.first(),
        }
    }
}

/// What went wrong with a connection, in words that help.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others are told in the words of the library"
)]
pub(super) fn why(error: &io::Error) -> String {
    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    let Some(tls) = tls else {
        return match error.kind() {
            io::ErrorKind::UnexpectedEof => "the other end closed the connection".to_owned(),
            kind => kind.to_string(),
        };
    };
    let text = match tls {
        Error::InvalidCertificate(fault) => match fault {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "its certificate is signed by none of our authorities"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet; are the clocks right?"
            }
            other => return format!("its certificate is bad: {other}"),
        },
        Error::NoCertificatesPresented => "it shows no certificate",
        Error::InvalidMessage(_) => "it does not speak TLS; does it have certificates?",
        Error::AlertReceived(alert) => match alert {
            AlertDescription::UnknownCA | AlertDescription::DecryptError => {
                "it trusts none of the authorities that signed our certificate"
            }
            AlertDescription::CertificateExpired => "our certificate has expired, it says",
            AlertDescription::BadCertificate => "our certificate is bad, it says",
            AlertDescription::CertificateRequired => "it wants a certificate, and we showed none",
            other => return format!("it refused TLS: {other:?}"),
        },
        other => return format!("TLS failed: {other}"),
    };
    text.to_owned()
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
