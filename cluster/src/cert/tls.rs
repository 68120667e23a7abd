//! `[edge]` What TLS between nodes is made of: read, checked, and read again when it changes.

use super::files::{self, Rights, Stamp};
use super::verify::AnyNode;
use super::{CA_FILE, CertificateError, NODE_FILE, NODE_KEY_FILE, check_name};
use crate::ids::NodeName;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use time::OffsetDateTime;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{
    CertificateError as Fault, ClientConfig, Error, InconsistentKeys, RootCertStore, ServerConfig,
};

/// So long before a certificate expires, it is time to say so.
const EXPIRES_SOON: Duration = Duration::from_secs(30 * 24 * 3600);

/// A node's certificates. A clone is the same.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    current: Mutex<Current>,
}

struct Current {
    /// What the files were when they were read last, whatever came of it.
    stamps: [Stamp; 3],
    loaded: Arc<Loaded>,
}

/// Certificates that are good.
pub(crate) struct Loaded {
    pub(crate) server: Arc<ServerConfig>,
    pub(crate) client: Arc<ClientConfig>,
    certificate: CertificateDer<'static>,
}

/// Reads and checks the certificates of a node: rights, expiry, that the key is that of the
/// certificate, and that one of the authorities signed it.
///
/// # Errors
/// What is wrong with which file.
pub fn load(dir: &Path) -> Result<Tls, CertificateError> {
    load_as_of(dir, UnixTime::now())
}

/// As if it were still then.
#[cfg(test)]
pub(crate) fn load_as_of_days_ago(dir: &Path, days: u64) -> Result<Tls, CertificateError> {
    let now = UnixTime::now().as_secs();
    let then = Duration::from_secs(now - days * 24 * 3600);
    load_as_of(dir, UnixTime::since_unix_epoch(then))
}

fn load_as_of(dir: &Path, now: UnixTime) -> Result<Tls, CertificateError> {
    let stamps = stamps(dir);
    let loaded = Arc::new(read(dir, now)?);
    Ok(Tls(Arc::new(Inner {
        dir: dir.to_owned(),
        current: Mutex::new(Current { stamps, loaded }),
    })))
}

impl Tls {
    /// What the next handshake goes by. Looks whether the files changed; if those that are there
    /// now are bad, the ones before stay in use, and that is logged once for each change.
    pub(crate) fn current(&self) -> Arc<Loaded> {
        let mut current = self
            .0
            .current
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let stamps = stamps(&self.0.dir);
        if current.stamps != stamps {
            current.stamps = stamps;
            match read(&self.0.dir, UnixTime::now()) {
                Ok(loaded) => {
                    current.loaded = Arc::new(loaded);
                    tracing::info!("certificates read again");
                }
                Err(reason) => {
                    tracing::warn!(%reason, "changed certificates are bad; the old ones stay");
                }
            }
        }
        Arc::clone(&current.loaded)
    }

    /// Whether the certificate is that of this node.
    ///
    /// # Errors
    /// For whom it is.
    pub fn is_for(&self, node: &NodeName) -> Result<(), String> {
        check_name(&self.current().certificate, node)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("dir", &self.0.dir)
            .finish_non_exhaustive()
    }
}

fn stamps(dir: &Path) -> [Stamp; 3] {
    [NODE_FILE, NODE_KEY_FILE, CA_FILE].map(|name| Stamp::of(&dir.join(name)))
}

fn read(dir: &Path, now: UnixTime) -> Result<Loaded, CertificateError> {
    let (file, key_file) = (dir.join(NODE_FILE), dir.join(NODE_KEY_FILE));
    let ca_file = dir.join(CA_FILE);
    let chain = certificates(&file, &files::read(&file, Rights::Anyone)?)?;
    let ca = files::read(&ca_file, Rights::Anyone)?;
    let key = files::read(&key_file, Rights::OwnerOnly)?;
    let key = PrivateKeyDer::from_pem_slice(&key).map_err(|_bad| CertificateError::NotPem {
        file: key_file.clone(),
        what: "private key",
    })?;
    let provider = Arc::new(ring::default_provider());
    let authorities = Arc::new(authorities(&ca_file, &ca)?);
    let verifier = AnyNode {
        authorities: Arc::clone(&authorities),
        provider: Arc::clone(&provider),
    };
    let certificate = check_chain((&file, &ca_file), &chain, &verifier, now)?;
    let certified = CertifiedKey::from_der(chain, key, &provider);
    let certified = certified.map_err(|error| {
        if error == Error::InconsistentKeys(InconsistentKeys::KeyMismatch) {
            let (file, key) = (file.clone(), key_file.clone());
            return CertificateError::OtherKey { file, key };
        }
        bad(&key_file, &error)
    })?;
    let identity = Arc::new(SingleCertAndKey::from(certified));
    let (server, client) = configs(&provider, verifier, &identity)
        .map_err(|reason| CertificateError::Bad { file, why: reason })?;
    Ok(Loaded {
        server: Arc::new(server),
        client: Arc::new(client),
        certificate,
    })
}

/// Certificates are looked at in every handshake: no session of an earlier one is taken up again.
fn configs(
    provider: &Arc<CryptoProvider>,
    verifier: AnyNode,
    identity: &Arc<SingleCertAndKey>,
) -> Result<(ServerConfig, ClientConfig), String> {
    let authorities = Arc::clone(&verifier.authorities);
    let nodes =
        WebPkiClientVerifier::builder_with_provider(authorities, Arc::clone(provider)).build();
    let nodes = nodes.map_err(|error| error.to_string())?;
    let server = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| error.to_string())?;
    let identity = Arc::clone(identity);
    let mut server = server
        .with_client_cert_verifier(nodes)
        .with_cert_resolver(Arc::<SingleCertAndKey>::clone(&identity));
    server.send_tls13_tickets = 0;
    let client = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| error.to_string())?;
    let mut client = client
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_client_cert_resolver(identity);
    client.resumption = Resumption::disabled();
    Ok((server, client))
}

fn certificates(file: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let none = || CertificateError::NotPem {
        file: file.to_owned(),
        what: "certificate",
    };
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err(none()),
    }
}

fn authorities(file: &Path, pem: &[u8]) -> Result<RootCertStore, CertificateError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(file, pem)? {
        store.add(certificate).map_err(|error| bad(file, &error))?;
    }
    Ok(store)
}

/// The node's own certificate, if it is good now. One that will soon not be is good, but logged.
fn check_chain(
    (file, ca_file): (&Path, &Path),
    chain: &[CertificateDer<'static>],
    verifier: &AnyNode,
    now: UnixTime,
) -> Result<CertificateDer<'static>, CertificateError> {
    let Some((own, between)) = chain.split_first() else {
        return Err(CertificateError::NotPem {
            file: file.to_owned(),
            what: "certificate",
        });
    };
    let fault = |error| fault((file, ca_file), &error);
    verifier.check(own, between, now).map_err(fault)?;
    let soon = Duration::from_secs(now.as_secs()).saturating_add(EXPIRES_SOON);
    let soon = UnixTime::since_unix_epoch(soon);
    if let Err(error) = verifier.check(own, between, soon) {
        tracing::warn!(reason = %fault(error), "the certificate must be renewed within 30 days");
    }
    Ok(own.clone())
}

/// Whether an authority signed a certificate that is to be written; that may be one of any time.
pub(super) fn check_signed(
    file: &Path,
    certificate: &CertificateDer<'_>,
    (ca_file, ca): (&Path, &[u8]),
) -> Result<(), CertificateError> {
    let verifier = AnyNode {
        authorities: Arc::new(authorities(ca_file, ca)?),
        provider: Arc::new(ring::default_provider()),
    };
    let checked = verifier.check(certificate, &[], UnixTime::now());
    match checked.map_err(|error| fault((file, ca_file), &error)) {
        Ok(()) | Err(CertificateError::Expired { .. } | CertificateError::NotYet { .. }) => Ok(()),
        Err(other) => Err(other),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others are told in the words of the library"
)]
fn fault((file, ca_file): (&Path, &Path), error: &Error) -> CertificateError {
    let file = file.to_owned();
    let Error::InvalidCertificate(fault) = error else {
        return bad(&file, error);
    };
    match fault {
        Fault::ExpiredContext { not_after, .. } => CertificateError::Expired {
            file,
            on: day(*not_after),
        },
        Fault::NotValidYetContext { not_before, .. } => CertificateError::NotYet {
            file,
            from: day(*not_before),
        },
        Fault::UnknownIssuer | Fault::BadSignature => CertificateError::OtherAuthority {
            file,
            ca: ca_file.to_owned(),
        },
        Fault::Other(other) if other.to_string() == "CaUsedAsEndEntity" => CertificateError::Bad {
            file,
            why: "is the certificate of an authority, not of a node".to_owned(),
        },
        other => CertificateError::Bad {
            file,
            why: other.to_string(),
        },
    }
}

fn day(at: UnixTime) -> String {
    let seconds = i64::try_from(at.as_secs()).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(seconds);
    at.map_or_else(|_far| "a far day".to_owned(), |at| at.date().to_string())
}

fn bad(file: &Path, error: &Error) -> CertificateError {
    CertificateError::Bad {
        file: file.to_owned(),
        why: error.to_string(),
    }
}
