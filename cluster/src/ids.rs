//! `[pure]` Numbers and names: of nodes, of what is placed on them, of their lives.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A node, by the number that the cluster gave it when it joined. Never given twice: a data
/// directory that is lost comes back as another number.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct NodeId(pub u16);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What operators call a node: 1 to 32 of a-z, 0-9 and `-`, a letter first. It stands in the
/// node's certificate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeName(Arc<str>);

impl NodeName {
    /// Most bytes of a name.
    pub const BYTES_MAX: usize = 32;

    /// Checks a name.
    ///
    /// # Errors
    /// It is empty, too long, or has another character than those allowed.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let first_is_a_letter = name
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase());
        if first_is_a_letter && name.len() <= Self::BYTES_MAX && name.bytes().all(allowed) {
            Ok(Self(name.into()))
        } else {
            Err(BadName)
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for NodeName {
    type Error = BadName;

    fn try_from(name: String) -> Result<Self, BadName> {
        Self::new(&name)
    }
}

impl From<NodeName> for String {
    fn from(name: NodeName) -> Self {
        name.as_str().to_owned()
    }
}

/// A name that is not allowed; **refused**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name is 1 to 32 of a-z, 0-9 and \"-\", a letter first")]
pub struct BadName;

/// One life of a node: a start of its process, or its return after the cluster had given it up.
/// Counted in its data directory, so a later life has the higher number.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Incarnation(pub u32);

/// A term of ownership of a shard: the index of the log entry that began it, above all epochs of
/// the clusters that were founded on the same storage before. Later is higher.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Something that lives on exactly one node at a time, by its name, such as `zone:harbour`. What
/// the name means is its host's business; the cluster only compares names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ShardId(Arc<str>);

impl ShardId {
    /// Most bytes of a name.
    pub const BYTES_MAX: usize = 96;

    /// A shard of this name. Longer names are cut at [`ShardId::BYTES_MAX`].
    pub fn new(name: &str) -> Self {
        let end = name.floor_char_boundary(Self::BYTES_MAX);
        Self(name.get(..end).unwrap_or_default().into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first colon: what kind of shard it is.
    pub fn kind(&self) -> &str {
        self.0.split_once(':').map_or(&*self.0, |(kind, _)| kind)
    }

    /// The part after the first colon.
    pub fn key(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, key)| key)
    }
}

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A hash of what the nodes of one cluster must have in common (the areas).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .take(6)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The mark of a data directory, drawn once when it is made. Whoever shows it is that directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DirectoryMark(pub [u8; 16]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_name_is_short_lower_case_and_begins_with_a_letter() {
        for good in ["a", "n1", "north-2", &"x".repeat(32)] {
            assert_eq!(NodeName::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "1n",
            "-n",
            "N1",
            "n 1",
            "n\u{e4}",
            "n.1",
            &"x".repeat(33),
        ] {
            assert_eq!(NodeName::new(bad), Err(BadName), "{bad:?}");
        }
        assert!(postcard::from_bytes::<NodeName>(&postcard::to_stdvec("N1").unwrap()).is_err());
    }

    #[test]
    fn a_shard_has_a_kind_and_a_key() {
        let shard = ShardId::new("zone:harbour");
        assert_eq!((shard.kind(), shard.key()), ("zone", "harbour"));
        let shard = ShardId::new("gossip");
        assert_eq!((shard.kind(), shard.key()), ("gossip", ""));
        assert_eq!(ShardId::new(&"\u{e4}".repeat(90)).as_str().len(), 96);
    }
}
