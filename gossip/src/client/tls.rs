//! `[edge]` TLS to a hub: whom to trust, and what is wrong in words that help.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, Error, RootCertStore, crypto::ring::default_provider,
};

use crate::hub_url::HubUrl;
use crate::limits::CA_BYTES_MAX;

/// Begins TLS. Trusted are the usual authorities, and those in the file.
pub(super) async fn connect(
    url: &HubUrl,
    ca: Option<&Path>,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, String> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(ca) = ca {
        add(&mut roots, ca).await?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_none| "TLS is not available".to_owned())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(url.host.clone());
    let name = name.map_err(|_bad| "the host is no name for a certificate".to_owned())?;
    let connector = TlsConnector::from(Arc::new(config));
    connector
        .connect(name, stream)
        .await
        .map_err(|error| match why(&error) {
            Some(reason) => reason,
            None if error.kind() == io::ErrorKind::UnexpectedEof => {
                "the hub closed the connection during TLS (or wants ws://)".to_owned()
            }
            None => format!("the connection broke during TLS: {}", error.kind()),
        })
}

/// What TLS found wrong, if that is what the error is about.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others mean the same to people"
)]
pub(super) fn why(error: &io::Error) -> Option<String> {
    let error = error.get_ref()?.downcast_ref::<Error>()?;
    let reason = match error {
        Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => "the hub's certificate is not trusted",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the hub's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the hub's certificate is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the hub's certificate is for another name"
            }
            CertificateError::Revoked => "the hub's certificate was revoked",
            // As "openssl req -x509" makes them when it is asked for nothing else.
            CertificateError::Other(other) if other.to_string() == "CaUsedAsEndEntity" => {
                "the hub's certificate is that of an authority (CA:TRUE), not of a hub"
            }
            other => return Some(format!("the hub's certificate is bad: {other}")),
        },
        Error::InvalidMessage(_) => "the hub does not speak TLS (or wants ws://)",
        Error::AlertReceived(alert) => {
            return Some(format!("the hub refused TLS: {alert:?}"));
        }
        _ => return Some("TLS with the hub failed".to_owned()),
    };
    Some(reason.to_owned())
}

async fn add(roots: &mut RootCertStore, ca: &Path) -> Result<(), String> {
    let name = ca.display();
    let file = tokio::fs::File::open(ca).await;
    let file = file.map_err(|error| format!("{name}: {}", error.kind()))?;
    let mut text = Vec::new();
    let read = file.take(CA_BYTES_MAX).read_to_end(&mut text).await;
    read.map_err(|error| format!("{name}: {}", error.kind()))?;
    let mut added = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|_bad| format!("{name}: no PEM certificates"))?;
        let trusted = roots.add(certificate);
        trusted.map_err(|_bad| format!("{name}: a certificate in it is bad"))?;
        added += 1;
    }
    match added {
        0 => Err(format!("{name}: no PEM certificates")),
        _ => Ok(()),
    }
}
