//! `[edge]` Who this node is, in its data directory: `cluster/identity.toml`, written whole and
//! renamed into its place, so that a kill leaves the old or the new one.
//!
//! The file is what makes a data directory a member. Its mark was drawn once; its count of lives
//! grows at each start; its number was given by the cluster and is never given to another.

use crate::ids::{DirectoryMark, Incarnation, NodeId, NodeName};
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The folder in the data directory that holds everything of the cluster.
const FOLDER: &str = "cluster";

/// The file of the identity.
const FILE: &str = "identity.toml";

/// A longer file is none of ours.
const BYTES_MAX: u64 = 64 * 1024;

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    /// What the node is called.
    pub(crate) name: NodeName,
    /// The cluster's name; empty for a node that has not joined yet.
    pub(crate) cluster: String,
    /// The directory's mark, in hexadecimal.
    mark: String,
    /// The lives begun so far.
    pub(crate) lives: u32,
    /// The number in the cluster; 0 before it has one.
    number: u16,
    /// This node is to found the cluster, or did.
    pub(crate) founder: bool,
    /// Other members as this node last knew them: number, name and address.
    #[serde(default)]
    pub(crate) peers: Vec<KnownPeer>,
}

/// Another member as this node last knew it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownPeer {
    /// Its number.
    pub(crate) number: u16,
    /// Its name.
    pub(crate) name: NodeName,
    /// Where it is reached.
    pub(crate) address: String,
}

/// Why the identity cannot be used; **fatal**.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// It cannot be read or written.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not what this program wrote.
    #[error("{} is damaged: {reason}; restore it, or remove the folder to join anew",
        path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The directory belongs to a node of another name.
    #[error("{} belongs to node \"{found}\", not \"{wanted}\"; use that name, \
        or another data directory", path.display())]
    OtherName {
        /// The file.
        path: PathBuf,
        /// The name in it.
        found: NodeName,
        /// The name that was asked for.
        wanted: NodeName,
    },
    /// A cluster was to be founded where there is one.
    #[error("{} belongs to a node of cluster \"{cluster}\" already", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The cluster.
        cluster: String,
    },
    /// The system gives no random bytes.
    #[error("no random bytes: {0}")]
    NoRandom(String),
}

/// Where the identity is kept.
#[derive(Clone, Debug)]
pub(crate) struct IdentityFile {
    folder: PathBuf,
}

impl IdentityFile {
    /// In this data directory, whose lock the caller holds.
    pub(crate) fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join(FOLDER),
        }
    }

    /// The folder, in which the log is too.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file itself.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// The identity of a node that is to found a cluster; not written yet. A directory that only
    /// ever asked to join is as good as an empty one.
    pub(crate) fn founder(&self, name: NodeName, cluster: &str) -> Result<Identity, IdentityError> {
        if let Some(found) = self.read()?.filter(|found| found.number().is_some()) {
            let (path, cluster) = (self.path(), found.cluster);
            return Err(IdentityError::Taken { path, cluster });
        }
        let mut first = Identity::new(name)?;
        first.cluster = cluster.to_owned();
        first.number = 1;
        first.founder = true;
        Ok(first)
    }

    /// Makes the folder if it is not there.
    pub(crate) fn make_folder(&self) -> Result<&Path, IdentityError> {
        let mut folder = DirBuilder::new();
        let made = folder.recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|source| self.failed(source))?;
        Ok(&self.folder)
    }

    /// Begins a life: what the file says, or a new identity without a number, with one more life,
    /// which is on disk when this returns.
    pub(crate) fn begin_life(&self, name: &NodeName) -> Result<Identity, IdentityError> {
        let mut identity = match self.read()? {
            Some(found) if found.name == *name => found,
            Some(found) => {
                return Err(IdentityError::OtherName {
                    path: self.path(),
                    found: found.name,
                    wanted: name.clone(),
                });
            }
            None => Identity::new(name.clone())?,
        };
        identity.lives = identity.lives.saturating_add(1);
        self.write(&identity)?;
        Ok(identity)
    }

    pub(crate) fn read(&self) -> Result<Option<Identity>, IdentityError> {
        let path = self.path();
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => {
                let read = file.take(BYTES_MAX).read_to_string(&mut text);
                read.map_err(|source| self.failed(source))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.failed(source)),
        };
        let damaged = |reason: String| IdentityError::Damaged {
            path: path.clone(),
            reason,
        };
        let found: Identity = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if found.mark().is_none() {
            return Err(damaged("the mark is not 32 hexadecimal digits".to_owned()));
        }
        Ok(Some(found))
    }

    /// Writes it whole; it is on disk when this returns.
    pub(crate) fn write(&self, identity: &Identity) -> Result<(), IdentityError> {
        self.make_folder()?;
        self.replace(identity).map_err(|source| self.failed(source))
    }

    fn replace(&self, identity: &Identity) -> io::Result<()> {
        let text = toml::to_string(identity).map_err(io::Error::other)?;
        let next = self.folder.join("identity.next");
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&next)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&next, self.path())?;
        File::open(&self.folder)?.sync_all()
    }

    fn failed(&self, source: io::Error) -> IdentityError {
        let path = self.path();
        IdentityError::Io { path, source }
    }
}

impl Identity {
    fn new(name: NodeName) -> Result<Self, IdentityError> {
        let mut mark = [0; 16];
        getrandom::fill(&mut mark).map_err(|error| IdentityError::NoRandom(error.to_string()))?;
        Ok(Self {
            name,
            cluster: String::new(),
            mark: mark.iter().map(|byte| format!("{byte:02x}")).collect(),
            lives: 0,
            number: 0,
            founder: false,
            peers: Vec::new(),
        })
    }

    /// The directory's mark.
    pub(crate) fn mark(&self) -> Option<DirectoryMark> {
        let mut mark = [0; 16];
        if self.mark.len() != 2 * mark.len() || !self.mark.is_ascii() {
            return None;
        }
        for (at, byte) in mark.iter_mut().enumerate() {
            let digits = self.mark.get(2 * at..2 * at + 2)?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(DirectoryMark(mark))
    }

    /// The present life.
    pub(crate) fn incarnation(&self) -> Incarnation {
        Incarnation(self.lives)
    }

    /// The number, if the cluster gave one.
    pub(crate) fn number(&self) -> Option<NodeId> {
        (self.number > 0).then_some(NodeId(self.number))
    }

    /// The cluster gave this number.
    pub(crate) fn joined(&mut self, cluster: String, number: NodeId) {
        self.cluster = cluster;
        self.number = number.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("belay-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        folder
    }

    fn n(name: &str) -> NodeName {
        NodeName::new(name).unwrap()
    }

    #[test]
    fn a_directory_that_never_joined_can_found_a_cluster_and_one_that_did_cannot() {
        let folder = scratch("founder");
        let file = IdentityFile::new(&folder);
        let asked = file.begin_life(&n("n2")).unwrap();
        let founder = file.founder(n("n1"), "demo").unwrap();
        assert_ne!(
            founder.mark(),
            asked.mark(),
            "somebody may know the old one"
        );
        assert_eq!(founder.number(), Some(NodeId(1)));
        file.write(&founder).unwrap();
        let taken = file.founder(n("n1"), "other").unwrap_err().to_string();
        assert!(taken.contains("cluster \"demo\" already"), "{taken}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn each_life_has_a_higher_number_and_the_mark_stays() {
        let folder = scratch("lives");
        let file = IdentityFile::new(&folder);
        let first = file.begin_life(&n("n1")).unwrap();
        let second = file.begin_life(&n("n1")).unwrap();
        assert_eq!(first.incarnation(), Incarnation(1));
        assert_eq!(second.incarnation(), Incarnation(2));
        assert_eq!(first.mark(), second.mark());
        assert_eq!(second.number(), None);
        let other = file.begin_life(&n("n2")).unwrap_err().to_string();
        assert!(
            other.contains("\"n1\"") && other.contains("\"n2\""),
            "{other}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_cluster_is_founded_once() {
        let folder = scratch("found");
        let file = IdentityFile::new(&folder);
        let founder = file.founder(n("n1"), "skerry").unwrap();
        file.write(&founder).unwrap();
        let identity = file.begin_life(&n("n1")).unwrap();
        assert_eq!(identity.number(), Some(NodeId(1)));
        assert!(identity.founder);
        assert_eq!(identity.incarnation(), Incarnation(1));
        let again = file.founder(n("n1"), "other").unwrap_err().to_string();
        assert!(again.contains("skerry"), "{again}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_damaged_file_is_told_of_by_name_and_kept() {
        let folder = scratch("damaged");
        let file = IdentityFile::new(&folder);
        file.begin_life(&n("n1")).unwrap();
        let good = std::fs::read_to_string(file.path()).unwrap();
        for bad in [
            "",
            "name = 1",
            &good.replace("mark = \"", "mark = \"zz"),
            &good[..40],
        ] {
            std::fs::write(file.path(), bad).unwrap();
            let error = file.begin_life(&n("n1")).unwrap_err().to_string();
            assert!(
                error.contains("identity.toml is damaged"),
                "{bad:?}: {error}"
            );
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), bad);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
