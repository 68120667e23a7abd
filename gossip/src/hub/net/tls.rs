//! `[edge]` The certificate of a hub that speaks `wss://` itself.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds no PEM of its kind.
    #[error("{} holds no {what} in PEM form, or cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// Certificate and key do not fit.
    #[error("the certificate and the key cannot be used together: {0}")]
    Pair(rustls::Error),
}

/// A certificate with its key, that can be read anew.
#[derive(Debug)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    /// See [`TlsError`].
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self {
            certificate: certificate.to_path_buf(),
            key: key.to_path_buf(),
            config: RwLock::new(config(certificate, key)?),
        })
    }

    /// Reads both files again, for connections from now on.
    ///
    /// # Errors
    /// See [`TlsError`]; the old ones stay in use.
    pub fn reread(&self) -> Result<(), TlsError> {
        let config = config(&self.certificate, &self.key)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&config))
    }
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let bad = |path: &Path, what| TlsError::File {
        path: path.to_path_buf(),
        what,
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|_unreadable| bad(certificate, "certificate"))?;
    if chain.is_empty() {
        return Err(bad(certificate, "certificate"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|_unreadable| bad(key, "key"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(chain, secret)
        })
        .map_err(TlsError::Pair)?;
    Ok(Arc::new(config))
}
