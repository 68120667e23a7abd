//! `[edge]` Certificates of a cluster: an authority of its own, a certificate for each node that
//! has its name in it, and what TLS between nodes makes of them.
//!
//! A node's directory holds `node.pem`, `node.key` and `ca.pem`. Whoever is certified by one of
//! the authorities in `ca.pem` may speak, as the node that its certificate names and as no other.
//! Changed files are used from the next handshake on, without a restart.

mod error;
mod files;
mod issue;
mod tls;
mod verify;

pub use error::CertificateError;
pub use issue::{new_ca, new_certificate};
pub use tls::{Tls, load};
pub(crate) use verify::check_name;

#[cfg(test)]
pub(crate) use issue::{Validity, issue};
#[cfg(test)]
pub(crate) use tls::load_as_of_days_ago;

/// The authorities' certificates.
pub const CA_FILE: &str = "ca.pem";

/// The authority's key. It belongs on no node.
pub const CA_KEY_FILE: &str = "ca.key";

/// The node's certificate.
pub const NODE_FILE: &str = "node.pem";

/// The node's key.
pub const NODE_KEY_FILE: &str = "node.key";

#[cfg(test)]
mod tests;
