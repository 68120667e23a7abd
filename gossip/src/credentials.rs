//! `[pure]` What a game needs to join a hub, and the small TOML file that carries it from who runs
//! the hub to who runs the game.
//!
//! ```text
//! url = "wss://hub.example/socket"
//! client_id = "..."
//! client_secret = "..."
//! game = "MyGame"          # optional: the game's own short name on the network
//! ca = "hub-ca.pem"        # optional: certificates to trust besides the usual ones, in a file
//!                          # beside this one, or with its whole path
//! ```

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::hub_url::{HubUrl, HubUrlError};
use crate::limits::{CREDENTIALS_BYTES_MAX, SECRET_BYTES_MAX};

/// Where a hub is and what a game shows it. The secret does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The hub.
    pub url: HubUrl,
    /// The game's id.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// The game's own short name, so that it can be left out of lists.
    pub game: Option<String>,
    /// A PEM file with certificates to trust besides the usual ones.
    pub ca: Option<PathBuf>,
}

/// Why a text is no credentials file. All of them are **refused**: the file is to be mended. No
/// text shows anything of the secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsError {
    /// Longer than [`CREDENTIALS_BYTES_MAX`].
    #[error("a credentials file has at most {CREDENTIALS_BYTES_MAX} bytes")]
    Long,
    /// No TOML, or not with these keys.
    #[error("line {line}: not TOML with url, client_id, client_secret (perhaps game, ca) as texts")]
    Toml {
        /// The line, from 1.
        line: usize,
    },
    /// The address of the hub.
    #[error("url: {0}")]
    Url(#[from] HubUrlError),
    /// Empty, too long, or with spaces or control characters.
    #[error("{0}: 1 to {SECRET_BYTES_MAX} ASCII characters without spaces")]
    Word(&'static str),
    /// Empty.
    #[error("{0}: is empty; leave the line out")]
    Empty(&'static str),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    url: String,
    client_id: String,
    client_secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca: Option<PathBuf>,
}

impl Credentials {
    /// Reads a credentials file.
    ///
    /// # Errors
    /// Refused: see [`CredentialsError`].
    pub fn parse(text: &str) -> Result<Self, CredentialsError> {
        if text.len() > CREDENTIALS_BYTES_MAX {
            return Err(CredentialsError::Long);
        }
        let file = toml::from_str::<File>(text).map_err(|error| {
            // The error's own text would show the line, and with it perhaps the secret.
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or(text);
            CredentialsError::Toml {
                line: before.matches('\n').count() + 1,
            }
        })?;
        word("client_id", &file.client_id)?;
        word("client_secret", &file.client_secret)?;
        if let Some(game) = &file.game {
            word("game", game)?;
        }
        if file.ca.as_ref().is_some_and(|ca| ca.as_os_str().is_empty()) {
            return Err(CredentialsError::Empty("ca"));
        }
        Ok(Self {
            url: HubUrl::parse(&file.url)?,
            client_id: file.client_id,
            client_secret: file.client_secret,
            game: file.game,
            ca: file.ca,
        })
    }

    /// The text of a credentials file, which [`parse`](Self::parse) reads.
    pub fn format(&self) -> String {
        let file = File {
            url: self.url.to_string(),
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.clone(),
            game: self.game.clone(),
            ca: self.ca.clone(),
        };
        // Texts always have a TOML form, and so has a path that was read from one.
        toml::to_string(&file).unwrap_or_default()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("url", &self.url.to_string())
            .field("client_id", &self.client_id)
            .field("game", &self.game)
            .field("ca", &self.ca)
            .finish_non_exhaustive()
    }
}

fn word(key: &'static str, text: &str) -> Result<(), CredentialsError> {
    let fits = (1..=SECRET_BYTES_MAX).contains(&text.len());
    if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(CredentialsError::Word(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str =
        "url = \"ws://127.0.0.1:4110\"\nclient_id = \"id\"\nclient_secret = \"hush\"\n";

    #[test]
    fn what_is_formatted_is_parsed_and_the_secret_does_not_print() {
        let plain = Credentials::parse(MINIMAL).unwrap();
        assert_eq!(plain.url.to_string(), "ws://127.0.0.1:4110/socket");
        assert!(!format!("{plain:?}").contains("hush"));
        let full = Credentials {
            game: Some("Here".to_owned()),
            ca: Some(PathBuf::from("/etc/hub \"ca\".pem")),
            ..plain.clone()
        };
        for credentials in [plain, full] {
            let text = credentials.format();
            assert_eq!(Credentials::parse(&text), Ok(credentials), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_secret_is_not_shown() {
        let long = "#".repeat(CREDENTIALS_BYTES_MAX + 1);
        let other = |from: &str, to: &str| MINIMAL.replace(from, to);
        let table = [
            (long, "a credentials file has at most 16384 bytes"),
            (String::new(), "line 1: not TOML"),
            (other("\"id\"", "7"), "line 2: not TOML"),
            (other("\"hush\"", "\"hush"), "line 3: not TOML"),
            (other("_secret", "_sekret"), "line 3: not TOML"),
            (other("ws:", "http:"), "url: a hub's address starts with"),
            (other("\"id\"", "\"\""), "client_id: 1 to 200 ASCII"),
            (other("hush", "hush hush"), "client_secret: 1 to 200 ASCII"),
            (format!("{MINIMAL}game = \"\"\n"), "game: 1 to 200 ASCII"),
            (format!("{MINIMAL}ca = \"\"\n"), "ca: is empty"),
        ];
        for (text, expected) in table {
            let error = Credentials::parse(&text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
