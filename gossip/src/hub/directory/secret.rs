//! `[pure]` A game's secret, as it is kept: hashed. A secret is a random UUID, too many to try
//! out, so a plain hash is right; a slow one would only let strangers burn the hub's time.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

/// The SHA-256 of a secret's 16 bytes. `Debug` does not show it.
#[derive(Clone)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// The hash of a secret.
    #[must_use]
    pub fn of(secret: Uuid) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// A hash as it was kept.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// What to keep.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether this is the secret, in a time that tells nothing about it.
    #[must_use]
    pub fn matches(&self, secret: Uuid) -> bool {
        *self == Self::of(secret)
    }
}

impl PartialEq for SecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(..)")
    }
}
