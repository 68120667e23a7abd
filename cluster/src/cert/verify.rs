//! `[pure]` Whom to trust: whoever an authority of the cluster has certified, under the name that
//! stands in the certificate. TLS itself does not compare names, since a node that asks to join
//! does not know whom it will reach; the handshake of the wires does, on both sides.

use crate::ids::NodeName;
use std::sync::Arc;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// What stands behind a node's name in its certificate.
const DOMAIN: &str = ".belay.cluster";

/// The name of a node in its certificate.
pub(super) fn dns_name(node: &NodeName) -> String {
    format!("{node}{DOMAIN}")
}

/// For whom a certificate is: the names of nodes in it, or what else stands there.
pub(crate) fn names(certificate: &CertificateDer<'_>) -> String {
    let nobody = ServerName::try_from("nobody.invalid");
    let checked = nobody.map_err(|_bad| ()).and_then(|nobody| {
        let parsed = ParsedCertificate::try_from(certificate).map_err(|_bad| ())?;
        Ok(verify_server_name(&parsed, &nobody))
    });
    let Ok(Err(Error::InvalidCertificate(CertificateError::NotValidForNameContext {
        presented,
        ..
    }))) = checked
    else {
        return "nobody".to_owned();
    };
    let names: Vec<&str> = presented.iter().map(|name| node_name(name)).collect();
    if names.is_empty() {
        return "nobody".to_owned();
    }
    names.join(", ")
}

/// The name as it is presented may be wrapped in the name of its kind.
fn node_name(presented: &str) -> &str {
    let bare = presented.strip_prefix("DnsName(\"").unwrap_or(presented);
    let bare = bare.strip_suffix("\")").unwrap_or(bare);
    bare.strip_suffix(DOMAIN).unwrap_or(bare)
}

/// Whether a certificate is that of this node; if not, for whom it is.
pub(crate) fn check_name(certificate: &CertificateDer<'_>, node: &NodeName) -> Result<(), String> {
    let parsed = ParsedCertificate::try_from(certificate);
    let name = ServerName::try_from(dns_name(node));
    match (parsed, name) {
        (Ok(parsed), Ok(name)) if verify_server_name(&parsed, &name).is_ok() => Ok(()),
        _ => Err(names(certificate)),
    }
}

/// Trusts nodes that one of the authorities has certified, whatever they are called.
#[derive(Debug)]
pub(super) struct AnyNode {
    pub(super) authorities: Arc<RootCertStore>,
    pub(super) provider: Arc<CryptoProvider>,
}

impl AnyNode {
    /// Checks a certificate.
    pub(super) fn check(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let parsed = ParsedCertificate::try_from(certificate)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        let authorities = &self.authorities;
        verify_server_cert_signed_by_trust_anchor(&parsed, authorities, between, now, algorithms)
    }
}

impl ServerCertVerifier for AnyNode {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity, intermediates, now)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
