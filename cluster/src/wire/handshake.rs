//! `[pure]` The first frame both ways, and what is wrong with it. Whoever finds something wrong
//! says so in a frame of its own before it closes.
//!
//! The front of the first frame, up to the versions, stays as it is for ever, so that any two
//! builds can tell each other which versions they speak; the rest is that of the version.

use super::known::Known;
use super::limits::{ADDRESS_BYTES_MAX, TEXT_BYTES_MAX, VERSIONS};
use crate::ids::{ContentHash, Incarnation, NodeId, NodeName};
use crate::transport::{Lane, Member};
use bytes::{BufMut, Bytes, BytesMut};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the first frame begins with.
const MAGIC: &[u8; 5] = b"belay";

/// Longest name of a cluster, in bytes.
pub(crate) const CLUSTER_BYTES_MAX: usize = 64;

/// Versions of the protocol, from the lowest to the highest that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The lowest.
    pub min: u16,
    /// The highest.
    pub max: u16,
}

impl Versions {
    /// The highest that both speak.
    pub fn common(self, other: Self) -> Option<u16> {
        let highest = self.max.min(other.max);
        (highest >= self.min.max(other.min)).then_some(highest)
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            write!(f, "version {}", self.min)
        } else {
            write!(f, "versions {} to {}", self.min, self.max)
        }
    }
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The cluster's name; empty for a node that asks to join, which does not know it yet.
    pub cluster: String,
    /// Its number; none for a node that asks to join.
    pub node: Option<NodeId>,
    /// Its name.
    pub name: NodeName,
    /// Its life.
    pub incarnation: Incarnation,
    /// When its process started, in milliseconds of Unix time. Two processes that both take
    /// themselves for the same life of a node differ in it.
    pub boot_ms: u64,
    /// Its content.
    pub content: ContentHash,
}

/// The first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub(crate) versions: Versions,
    pub(crate) lane: Lane,
    pub(crate) hello: Hello,
    /// Where it is reached, `HOST:PORT`; empty if it does not say. Appended to the frame.
    pub(crate) address: String,
}

/// Why two nodes do not go on with each other; **refused**, and told to the peer. The text is for
/// the operators of both.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// No version is spoken by both.
    #[error("this node ({ours}) and the other ({theirs}) share no version of the protocol")]
    Version {
        /// What we speak.
        ours: Versions,
        /// What it speaks.
        theirs: Versions,
    },
    /// The first frame is none.
    #[error("what it says of itself cannot be read")]
    Unreadable,
    /// The first byte and the first frame name different lanes.
    #[error("it opened one lane and speaks of the other")]
    OtherLane,
    /// It belongs to another cluster.
    #[error("this is cluster {ours:?}, and node {name} belongs to {theirs:?}")]
    OtherCluster {
        /// Ours.
        ours: String,
        /// Who it is.
        name: NodeName,
        /// Its.
        theirs: String,
    },
    /// The other end is this very process.
    #[error("node {0} reached itself; check \"--join\" and the addresses of the nodes")]
    Itself(NodeName),
    /// It has our name, or our number.
    #[error("node {name} ({node}) is this node; two nodes have the same identity")]
    SameIdentity {
        /// The name that it says.
        name: NodeName,
        /// The number that it says.
        node: NodeId,
    },
    /// A node that asks to join has the name of the node that it asks.
    #[error("this node is called {0}; the other one needs a name of its own")]
    SameName(NodeName),
    /// Nobody of this number is a member (any more, or as far as known).
    #[error("node {name} ({node}) is no member of the cluster, as far as this node knows")]
    NotAMember {
        /// Its number.
        node: NodeId,
        /// Its name.
        name: NodeName,
    },
    /// The number belongs to another name.
    #[error("number {node} belongs to node {known}, not to {theirs}")]
    OtherName {
        /// The number.
        node: NodeId,
        /// Whose it is.
        known: NodeName,
        /// Who claims it.
        theirs: NodeName,
    },
    /// Somebody else answers at a member's address.
    #[error("node {wanted} was expected at {address}, and {found} answers there")]
    OtherNode {
        /// Who should be there.
        wanted: NodeName,
        /// Where.
        address: String,
        /// Who is.
        found: NodeName,
    },
    /// The certificate is that of another node.
    #[error("node {name} shows a certificate for {certificate}")]
    OtherCertificate {
        /// Who it says it is.
        name: NodeName,
        /// For whom the certificate is.
        certificate: String,
    },
    /// A later life of it is known.
    #[error("a later start of node {name} is known ({} against {})", known.0, theirs.0)]
    OldLife {
        /// Its name.
        name: NodeName,
        /// The later one.
        known: Incarnation,
        /// The one that it says.
        theirs: Incarnation,
    },
    /// Another process says that it is this life of it.
    #[error("node {0} runs already; was its data directory copied?")]
    Twin(NodeName),
    /// The content differs.
    #[error("the content (areas) of node {name} is {theirs}, here it is {ours}")]
    OtherContent {
        /// Its name.
        name: NodeName,
        /// Our content.
        ours: ContentHash,
        /// Its content.
        theirs: ContentHash,
    },
    /// It asks to join where nobody can.
    #[error("nodes do not join here")]
    NoDoor,
    /// Too many ask to join at the same time; **busy**.
    #[error("too many nodes ask to join; try again")]
    Busy,
}

/// With whom a wire is opened, as far as that is known before the first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    /// Whoever came.
    Anyone,
    /// This member, which we dialled.
    Dialled(Member),
    /// Whoever is at this address; we ask to join.
    Seed,
}

/// What is checked against.
pub(crate) struct Ours<'a> {
    pub(crate) first: &'a First,
    /// Contents of others that are accepted besides our own.
    pub(crate) contents: &'a [ContentHash],
    pub(crate) known: &'a Known,
}

impl First {
    /// The body of the frame.
    pub(crate) fn encode(&self) -> Bytes {
        let mut body = BytesMut::new();
        body.put_slice(MAGIC);
        body.put_u16(self.versions.min);
        body.put_u16(self.versions.max);
        body.put_u8(preface(self.lane));
        // A structure of strings and numbers always encodes.
        let hello = postcard::to_stdvec(&self.hello).unwrap_or_default();
        body.put_slice(&hello);
        if !self.address.is_empty() {
            body.put_slice(&postcard::to_stdvec(&self.address).unwrap_or_default());
        }
        body.freeze()
    }

    /// Reads the body of a frame, as far as `ours` shares a version with it.
    pub(crate) fn decode(body: &[u8], ours: Versions) -> Result<Self, Mismatch> {
        let rest = body.strip_prefix(MAGIC).ok_or(Mismatch::Unreadable)?;
        let (min, rest) = rest.split_first_chunk().ok_or(Mismatch::Unreadable)?;
        let (max, rest) = rest.split_first_chunk().ok_or(Mismatch::Unreadable)?;
        let theirs = Versions {
            min: u16::from_be_bytes(*min),
            max: u16::from_be_bytes(*max),
        };
        if ours.common(theirs).is_none() {
            return Err(Mismatch::Version { ours, theirs });
        }
        let (lane, rest) = rest.split_first().ok_or(Mismatch::Unreadable)?;
        let lane = lane_of(*lane).ok_or(Mismatch::Unreadable)?;
        let (mut hello, rest) =
            postcard::take_from_bytes::<Hello>(rest).map_err(|_bad| Mismatch::Unreadable)?;
        hello.cluster = clean(&hello.cluster, CLUSTER_BYTES_MAX);
        // An earlier version says nothing more, and what a later one appends is left alone.
        let address = postcard::take_from_bytes::<String>(rest);
        let address = address.map(|(address, _later)| address);
        let fits = |address: &String| clean(address, ADDRESS_BYTES_MAX) == *address;
        Ok(Self {
            versions: theirs,
            lane,
            hello,
            address: address.ok().filter(fits).unwrap_or_default(),
        })
    }
}

/// The byte that a connection begins with, before anything else.
pub(crate) fn preface(lane: Lane) -> u8 {
    match lane {
        Lane::Control => b'C',
        Lane::Play => b'P',
    }
}

/// The lane of a first byte.
pub(crate) fn lane_of(preface: u8) -> Option<Lane> {
    let lanes = [Lane::Control, Lane::Play];
    lanes
        .into_iter()
        .find(|lane| self::preface(*lane) == preface)
}

/// Whether to go on with the node at the other end. What its certificate says is checked apart,
/// by whoever has the certificate.
pub(crate) fn check(ours: &Ours<'_>, theirs: &First, whom: &Whom) -> Result<(), Mismatch> {
    let (us, them) = (&ours.first.hello, &theirs.hello);
    if ours.first.lane != theirs.lane {
        return Err(Mismatch::OtherLane);
    }
    if us.cluster != them.cluster && !us.cluster.is_empty() && !them.cluster.is_empty() {
        return Err(Mismatch::OtherCluster {
            ours: us.cluster.clone(),
            name: them.name.clone(),
            theirs: them.cluster.clone(),
        });
    }
    if us.boot_ms == them.boot_ms && us.name == them.name {
        return Err(Mismatch::Itself(us.name.clone()));
    }
    match whom {
        Whom::Anyone | Whom::Dialled(_) => check_member(ours, them, whom)?,
        Whom::Seed if us.name == them.name => return Err(Mismatch::SameName(us.name.clone())),
        Whom::Seed => {}
    }
    if us.content != them.content && !ours.contents.contains(&them.content) {
        return Err(Mismatch::OtherContent {
            name: them.name.clone(),
            ours: us.content,
            theirs: them.content,
        });
    }
    Ok(())
}

fn check_member(ours: &Ours<'_>, them: &Hello, whom: &Whom) -> Result<(), Mismatch> {
    let us = &ours.first.hello;
    let name = them.name.clone();
    let Some(node) = them.node else {
        // It asks to join. Whether it may is for the door to say.
        return match whom {
            Whom::Dialled(member) => Err(Mismatch::OtherNode {
                wanted: member.name.clone(),
                address: member.address.clone(),
                found: name,
            }),
            Whom::Anyone | Whom::Seed if us.name == name => Err(Mismatch::SameName(name)),
            Whom::Anyone | Whom::Seed if ours.first.lane == Lane::Play => Err(Mismatch::NoDoor),
            Whom::Anyone | Whom::Seed => Ok(()),
        };
    };
    if them.cluster.is_empty() {
        return Err(Mismatch::Unreadable);
    }
    if us.node == Some(node) || us.name == name {
        return Err(Mismatch::SameIdentity { name, node });
    }
    if let Whom::Dialled(member) = whom
        && member.node != node
    {
        return Err(Mismatch::OtherNode {
            wanted: member.name.clone(),
            address: member.address.clone(),
            found: name,
        });
    }
    ours.known.check(node, them)
}

/// The body of a refusal.
pub(crate) fn refusal(mismatch: &Mismatch) -> Bytes {
    clean(&mismatch.to_string(), TEXT_BYTES_MAX).into()
}

/// The text of a refusal, as a peer sent it.
pub(crate) fn refusal_text(body: &[u8]) -> String {
    clean(&String::from_utf8_lossy(body), TEXT_BYTES_MAX)
}

/// A text of somebody else, fit for a log.
fn clean(text: &str, bytes_max: usize) -> String {
    let end = text.floor_char_boundary(bytes_max);
    let text = text.get(..end).unwrap_or_default();
    text.chars().filter(|char| !char.is_control()).collect()
}

impl Versions {
    /// Those of this build.
    pub const fn ours() -> Self {
        VERSIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn versions(min: u16, max: u16) -> Versions {
        Versions { min, max }
    }

    fn first() -> First {
        First {
            versions: versions(1, 2),
            lane: Lane::Play,
            hello: Hello {
                cluster: "north".to_owned(),
                node: Some(NodeId(3)),
                name: NodeName::new("n3").unwrap(),
                incarnation: Incarnation(4),
                boot_ms: 300,
                content: ContentHash([5; 32]),
            },
            address: String::new(),
        }
    }

    #[test]
    fn the_highest_common_version_is_spoken_if_there_is_one() {
        let table = [
            ((1, 1), (1, 1), Some(1)),
            ((1, 3), (2, 5), Some(3)),
            ((4, 9), (2, 5), Some(5)),
            ((1, 2), (3, 4), None),
            ((3, 4), (1, 2), None),
        ];
        for ((a, b), (c, d), expected) in table {
            assert_eq!(versions(a, b).common(versions(c, d)), expected);
        }
    }

    #[test]
    fn the_first_frame_keeps_its_bytes() {
        let mut golden = b"belay\x00\x01\x00\x02P\x05north\x01\x03\x02n3\x04\xac\x02".to_vec();
        golden.extend([5; 32]);
        assert_eq!(*first().encode(), *golden);
        assert_eq!(First::decode(&golden, versions(1, 1)), Ok(first()));
        // What is no address is left alone.
        let mut other = golden.clone();
        other.extend(b"more");
        assert_eq!(First::decode(&other, versions(1, 1)), Ok(first()));
        let mut placed = first();
        placed.address = "h:1".to_owned();
        golden.extend(b"\x03h:1");
        assert_eq!(*placed.encode(), *golden);
        // So is what a later version appends.
        golden.extend(b"more");
        assert_eq!(First::decode(&golden, versions(1, 1)), Ok(placed));
    }

    #[test]
    fn of_another_version_nothing_is_read_but_the_versions() {
        let body = b"belay\x00\x07\x00\x09 in whatever form";
        let (ours, theirs) = (versions(1, 6), versions(7, 9));
        let refused = Mismatch::Version { ours, theirs };
        assert_eq!(First::decode(body, ours), Err(refused));
    }

    #[test]
    fn a_truncated_first_frame_cannot_be_read() {
        let body = first().encode();
        for end in 0..body.len() {
            let read = First::decode(&body[..end], versions(1, 1));
            assert_eq!(read, Err(Mismatch::Unreadable), "{end} bytes");
        }
    }

    #[test]
    fn texts_of_others_are_short_and_on_one_line() {
        let text = refusal_text(b"a\nb\x1b[31m\xff");
        assert_eq!(text, "ab[31m\u{fffd}");
        assert_eq!(refusal_text(&[b'x'; 5_000]).len(), TEXT_BYTES_MAX);
        let mut long = first();
        long.hello.cluster = "x\n".repeat(500);
        let read = First::decode(&long.encode(), versions(1, 1)).unwrap();
        assert_eq!(read.hello.cluster.len(), CLUSTER_BYTES_MAX / 2);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            drop(First::decode(&bytes, VERSIONS));
            let known = [MAGIC.as_slice(), &[0, 1, 0, 1, b'C'], &bytes].concat();
            drop(First::decode(&known, VERSIONS));
            drop(refusal_text(&bytes));
        }
    }
}
