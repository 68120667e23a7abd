//! `[edge]` The token that orders over HTTP must show: in a file that only the node's user can
//! read, read anew for each order, so that a new token holds as soon as its file is in place.

use std::fmt;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use axum::http::HeaderValue;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use tokio::io::AsyncReadExt as _;

use super::limits::{TOKEN_BYTES_MAX, TOKEN_BYTES_MIN};

/// Bits of a file's mode that give others than its user anything.
const MODE_OF_OTHERS: u32 = 0o077;

/// Why a token cannot be used. All are **refused**: the operator mends the file.
#[derive(Debug, Error)]
pub(super) enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the token {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others than its user may read it, or write it.
    #[error("the token {} is open to others; chmod 600 {}", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// It is too short to be a secret, or too long.
    #[error(
        "the token {} must have from {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} bytes",
        path.display()
    )]
    Length {
        /// The file.
        path: PathBuf,
    },
}

/// A token; only its hash is kept.
pub(super) struct Token([u8; 32]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Reads the file; white space around the token is left out.
    ///
    /// # Errors
    /// See [`TokenError`].
    pub(super) async fn read(path: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
        let mode = file.metadata().await.map_err(unreadable)?;
        if mode.permissions().mode() & MODE_OF_OTHERS != 0 {
            let path = path.to_owned();
            return Err(TokenError::Open { path });
        }
        let bytes_max = u64::try_from(TOKEN_BYTES_MAX).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        let mut bounded = file.take(bytes_max + 1);
        bounded.read_to_end(&mut bytes).await.map_err(unreadable)?;
        let whole = bytes.len() <= TOKEN_BYTES_MAX;
        let token = bytes.trim_ascii();
        if !whole || token.len() < TOKEN_BYTES_MIN {
            let path = path.to_owned();
            return Err(TokenError::Length { path });
        }
        Ok(Self(Sha256::digest(token).into()))
    }

    /// Whether a request with this `Authorization` shows the token. How long that takes tells
    /// nothing of the token.
    #[must_use]
    pub(super) fn is_shown(&self, authorization: Option<&HeaderValue>) -> bool {
        let Some(shown) = authorization.and_then(|value| bearer(value.as_bytes())) else {
            return false;
        };
        let shown: [u8; 32] = Sha256::digest(shown).into();
        self.0.ct_eq(&shown).into()
    }
}

/// What stands behind `Bearer`, in any case.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(token: &Token, header: &str) -> bool {
        token.is_shown(Some(&HeaderValue::from_str(header).unwrap()))
    }

    #[test]
    fn only_the_whole_token_behind_bearer_is_taken() {
        let token = Token(Sha256::digest(b"0123456789abcdef").into());
        assert!(shown(&token, "Bearer 0123456789abcdef"));
        assert!(shown(&token, "bearer  0123456789abcdef "));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeff",
            "Bearer 0123456789ABCDEF",
        ] {
            assert!(!shown(&token, wrong), "{wrong:?}");
        }
        assert!(!token.is_shown(None));
        assert_eq!(format!("{token:?}"), "Token");
    }
}
