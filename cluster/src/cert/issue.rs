//! `[edge]` Making an authority, and certificates of nodes.

use super::files::{self, Rights};
use super::verify::dns_name;
use super::{CA_FILE, CA_KEY_FILE, CertificateError, NODE_FILE, NODE_KEY_FILE, check_name};
use crate::ids::NodeName;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use std::path::Path;
use time::{Duration, OffsetDateTime};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};

/// What every authority is called; they differ by their keys.
const CA_NAME: &str = "belay cluster authority";

/// How long an authority is valid.
const CA_VALID: Duration = Duration::days(10 * 365);

/// How long a node's certificate is valid.
const NODE_VALID: Duration = Duration::days(2 * 365);

/// Certificates are valid from so long ago, for nodes whose clocks are behind.
const BEFORE: Duration = Duration::hours(1);

/// From when until when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validity {
    pub(crate) from: OffsetDateTime,
    pub(crate) until: OffsetDateTime,
}

impl Validity {
    /// From now on.
    pub(crate) fn from_now(valid: Duration) -> Self {
        let now = i64::try_from(UnixTime::now().as_secs()).unwrap_or(i64::MAX);
        let now = OffsetDateTime::from_unix_timestamp(now).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        Self {
            from: now - BEFORE,
            until: now + valid,
        }
    }
}

/// Makes an authority: `ca.pem` for the nodes, and `ca.key`, which stays where it is. It is valid
/// for ten years. Nothing that is there is overwritten.
///
/// # Errors
/// [`CertificateError::Exists`], [`CertificateError::Write`], or [`CertificateError::Bad`] when
/// the system gives no randomness.
pub fn new_ca(dir: &Path) -> Result<(), CertificateError> {
    let (certificate, key) = (dir.join(CA_FILE), dir.join(CA_KEY_FILE));
    for file in [&key, &certificate] {
        if file.exists() {
            let file = file.clone();
            return Err(CertificateError::Exists { file });
        }
    }
    let bad = |error| bad(&certificate, &error);
    let pair = KeyPair::generate().map_err(bad)?;
    let made = authority(Validity::from_now(CA_VALID));
    let made = made.self_signed(&pair).map_err(bad)?;
    files::make_dir(dir)?;
    files::write(&key, &pair.serialize_pem(), Rights::OwnerOnly)?;
    files::write(&certificate, &made.pem(), Rights::Anyone)
}

/// Makes a node's certificate, signed by the authority of `ca_dir`: `node.pem` and `node.key` in
/// `out`, and the authority in its `ca.pem`, beside those that are there already. It is valid for
/// two years. An older certificate of the same node is replaced; a node that runs uses the new one
/// from its next handshake on.
///
/// # Errors
/// [`CertificateError::OtherNode`] when `out` is another node's; what [`load`](super::load) says
/// of the authority's files; [`CertificateError::Write`].
pub fn new_certificate(ca_dir: &Path, node: &NodeName, out: &Path) -> Result<(), CertificateError> {
    issue(ca_dir, node, out, Validity::from_now(NODE_VALID))
}

/// As [`new_certificate`], valid as said.
pub(crate) fn issue(
    ca_dir: &Path,
    node: &NodeName,
    out: &Path,
    validity: Validity,
) -> Result<(), CertificateError> {
    let file = out.join(NODE_FILE);
    if file.exists() {
        let there = files::read(&file, Rights::Anyone)?;
        if let Some(Ok(there)) = CertificateDer::pem_slice_iter(&there).next()
            && let Err(certificate) = check_name(&there, node)
        {
            return Err(CertificateError::OtherNode { file, certificate });
        }
    }
    let (made, key) = sign(ca_dir, node, validity)?;
    let ca_file = ca_dir.join(CA_FILE);
    let authority = text(files::read(&ca_file, Rights::Anyone)?);
    super::tls::check_signed(&file, made.der(), (&ca_file, authority.as_bytes()))?;
    files::make_dir(out)?;
    // The certificate last: a node that runs sees the three together then.
    trust(&out.join(CA_FILE), &authority)?;
    let key_file = out.join(NODE_KEY_FILE);
    files::write(&key_file, &key.serialize_pem(), Rights::OwnerOnly)?;
    files::write(&file, &made.pem(), Rights::Anyone)
}

fn sign(
    ca_dir: &Path,
    node: &NodeName,
    validity: Validity,
) -> Result<(Certificate, KeyPair), CertificateError> {
    let ca_key_file = ca_dir.join(CA_KEY_FILE);
    let ca_key = text(files::read(&ca_key_file, Rights::OwnerOnly)?);
    let ca_key = KeyPair::from_pem(&ca_key).map_err(|_bad| CertificateError::NotPem {
        file: ca_key_file.clone(),
        what: "private key",
    })?;
    let issuer = Issuer::new(authority(validity), ca_key);
    let bad = |error| bad(&ca_key_file, &error);
    let mut params = CertificateParams::new([dns_name(node)]).map_err(bad)?;
    params.distinguished_name = called(node.as_str());
    (params.not_before, params.not_after) = (validity.from, validity.until);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    params.use_authority_key_identifier_extension = true;
    let pair = KeyPair::generate().map_err(bad)?;
    let made = params.signed_by(&pair, &issuer).map_err(bad)?;
    Ok((made, pair))
}

/// Adds an authority to those that are trusted, unless it is among them.
fn trust(file: &Path, authority: &str) -> Result<(), CertificateError> {
    let mut trusted = if file.exists() {
        text(files::read(file, Rights::Anyone)?)
    } else {
        String::new()
    };
    if trusted.contains(authority.trim()) {
        return Ok(());
    }
    if !trusted.is_empty() && !trusted.ends_with('\n') {
        trusted.push('\n');
    }
    trusted.push_str(authority);
    files::write(file, &trusted, Rights::Anyone)
}

fn authority(validity: Validity) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = called(CA_NAME);
    (params.not_before, params.not_after) = (validity.from, validity.until);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn called(name: &str) -> DistinguishedName {
    let mut called = DistinguishedName::new();
    called.push(DnType::CommonName, name);
    called
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

fn bad(file: &Path, error: &rcgen::Error) -> CertificateError {
    CertificateError::Bad {
        file: file.to_owned(),
        why: error.to_string(),
    }
}
