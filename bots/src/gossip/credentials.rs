//! `[edge]` Credentials files, as `belay-hub game add --out FILE` writes them.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::endpoint::Endpoint;
use crate::limits::FOLDER_ENTRIES_MAX;

/// What a game logs in with. The secret does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Where the hub is.
    pub hub: Endpoint,
    /// The game's id.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("hub", &self.hub)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// Why credentials cannot be had; the fault of who started the bots.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A file is not as `belay-hub` writes it.
    #[error("{} is no credentials file", path.display())]
    NotCredentials {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: belay_gossip::CredentialsError,
    },
    /// The address in a file is not of the form `ws://ADDRESS:PORT/PATH`.
    #[error("{} has an address that is not ws://ADDRESS:PORT/PATH: {url}", path.display())]
    Address {
        /// Which.
        path: PathBuf,
        /// The address.
        url: String,
    },
    /// Two files are of the same game, which does not hear itself.
    #[error("{} is of the same game as a file before it", path.display())]
    SameGame {
        /// The second.
        path: PathBuf,
    },
    /// There are fewer files than games were asked for.
    #[error("{wanted} games need as many credentials files, and there are {found}")]
    TooFew {
        /// How many are needed.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
}

impl Credentials {
    /// Reads one file.
    ///
    /// # Errors
    /// When it cannot be read, or is no credentials file.
    pub fn read(path: &Path) -> Result<Self, CredentialsError> {
        let own = || path.to_owned();
        let text = fs::read_to_string(path).map_err(|source| CredentialsError::Read {
            path: own(),
            source,
        })?;
        let parsed = belay_gossip::Credentials::parse(&text);
        let parsed = parsed.map_err(|source| CredentialsError::NotCredentials {
            path: own(),
            source,
        })?;
        let url = parsed.url.to_string();
        let Some(hub) = Endpoint::parse(&url) else {
            return Err(CredentialsError::Address { path: own(), url });
        };
        Ok(Self {
            hub,
            client_id: parsed.client_id,
            client_secret: parsed.client_secret,
        })
    }

    /// Reads so many files `*.toml` of a folder, in the order of their names, after the first so
    /// many; or one file.
    ///
    /// # Errors
    /// As [`Credentials::read`]; also when there are too few, or two of one game.
    pub fn read_all(path: &Path, skip: usize, count: usize) -> Result<Vec<Self>, CredentialsError> {
        let files = fs::metadata(path).and_then(|found| match found.is_dir() {
            true => files_of(path),
            false => Ok(vec![path.to_owned()]),
        });
        let mut files = files.map_err(|source| CredentialsError::Read {
            path: path.to_owned(),
            source,
        })?;
        files.sort_unstable();
        if files.len() < skip + count {
            return Err(CredentialsError::TooFew {
                wanted: skip + count,
                found: files.len(),
            });
        }
        let mut games = BTreeSet::new();
        let mut all = Vec::new();
        for path in files.into_iter().skip(skip).take(count) {
            let credentials = Self::read(&path)?;
            if !games.insert(credentials.client_id.clone()) {
                return Err(CredentialsError::SameGame { path });
            }
            all.push(credentials);
        }
        Ok(all)
    }
}

fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)?.take(FOLDER_ENTRIES_MAX) {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    Ok(files)
}
