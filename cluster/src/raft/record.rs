//! `[process]` What is written of raft to disks and to wires: types of our own, so that neither
//! changes when the library does. Variants and fields are appended, never changed or removed.

use super::types::{Entry, LogId, Membership, SnapshotMeta, StoredMembership, Vote};
use crate::command::Command;
use crate::log::Log;
use bytes::Bytes;
use openraft::{CommittedLeaderId, EmptyNode, EntryPayload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Where an entry stands: who proposed it, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlaceRecord {
    term: u64,
    leader: u64,
    index: u64,
}

/// Whom a node has voted for; `settled` once a majority did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoteRecord {
    term: u64,
    node: u64,
    settled: bool,
}

/// Who is asked: the voters (two sets while they change), and all that learn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MembersRecord {
    voters: Vec<BTreeSet<u64>>,
    nodes: BTreeSet<u64>,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EntryRecord {
    place: PlaceRecord,
    what: What,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum What {
    /// A term begins.
    Blank,
    Command(Command),
    Members(MembersRecord),
}

/// What a snapshot is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotRecord {
    last: Option<PlaceRecord>,
    members_at: Option<PlaceRecord>,
    members: MembersRecord,
    id: String,
}

/// Bytes that are no such record; **fatal** if they are our own, **refused** if a peer's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a record of raft: {0}")]
pub(crate) struct BadRecord(#[from] postcard::Error);

/// The bytes of a record.
///
/// # Errors
/// A **bug**: a value that cannot be written.
pub(crate) fn encode(record: &impl Serialize) -> Result<Bytes, BadRecord> {
    Ok(postcard::to_stdvec(record)?.into())
}

/// The record of bytes, all of them.
///
/// # Errors
/// They are none.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BadRecord> {
    match postcard::take_from_bytes(bytes)? {
        (record, []) => Ok(record),
        (_, _) => Err(BadRecord(postcard::Error::SerdeDeCustom)),
    }
}

/// Whether the log has held any command yet. What cannot be read counts as one.
pub(crate) fn holds_commands(log: &Log) -> bool {
    let image = log.image();
    let is_command = |entry: &Bytes| {
        let entry = decode::<EntryRecord>(entry);
        entry.map_or(true, |entry| matches!(entry.what, What::Command(_)))
    };
    image.purged.is_some() || image.snapshot.is_some() || image.entries.values().any(is_command)
}

impl From<LogId> for PlaceRecord {
    fn from(id: LogId) -> Self {
        Self {
            term: id.leader_id.term,
            leader: id.leader_id.node_id,
            index: id.index,
        }
    }
}

impl From<PlaceRecord> for LogId {
    fn from(place: PlaceRecord) -> Self {
        let leader = CommittedLeaderId::new(place.term, place.leader);
        Self::new(leader, place.index)
    }
}

impl VoteRecord {
    /// The node that is voted for.
    pub(crate) fn node(&self) -> u64 {
        self.node
    }
}

impl From<Vote> for VoteRecord {
    fn from(vote: Vote) -> Self {
        Self {
            term: vote.leader_id.term,
            node: vote.leader_id.node_id,
            settled: vote.committed,
        }
    }
}

impl From<VoteRecord> for Vote {
    fn from(record: VoteRecord) -> Self {
        if record.settled {
            Self::new_committed(record.term, record.node)
        } else {
            Self::new(record.term, record.node)
        }
    }
}

impl From<&Membership> for MembersRecord {
    fn from(membership: &Membership) -> Self {
        Self {
            voters: membership.get_joint_config().clone(),
            nodes: membership.nodes().map(|(id, _)| *id).collect(),
        }
    }
}

impl From<MembersRecord> for Membership {
    fn from(record: MembersRecord) -> Self {
        let nodes = record.nodes.into_iter().map(|id| (id, EmptyNode::new()));
        Self::new(record.voters, nodes.collect::<BTreeMap<_, _>>())
    }
}

impl From<Entry> for EntryRecord {
    fn from(entry: Entry) -> Self {
        let what = match entry.payload {
            EntryPayload::Blank => What::Blank,
            EntryPayload::Normal(command) => What::Command(command),
            EntryPayload::Membership(membership) => What::Members((&membership).into()),
        };
        Self {
            place: entry.log_id.into(),
            what,
        }
    }
}

impl From<EntryRecord> for Entry {
    fn from(record: EntryRecord) -> Self {
        let payload = match record.what {
            What::Blank => EntryPayload::Blank,
            What::Command(command) => EntryPayload::Normal(command),
            What::Members(members) => EntryPayload::Membership(members.into()),
        };
        Self {
            log_id: record.place.into(),
            payload,
        }
    }
}

impl From<&SnapshotMeta> for SnapshotRecord {
    fn from(meta: &SnapshotMeta) -> Self {
        Self {
            last: meta.last_log_id.map(Into::into),
            members_at: meta.last_membership.log_id().map(Into::into),
            members: meta.last_membership.membership().into(),
            id: meta.snapshot_id.clone(),
        }
    }
}

impl From<SnapshotRecord> for SnapshotMeta {
    fn from(record: SnapshotRecord) -> Self {
        let at = record.members_at.map(Into::into);
        Self {
            last_log_id: record.last.map(Into::into),
            last_membership: StoredMembership::new(at, record.members.into()),
            snapshot_id: record.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    fn place(index: u64) -> LogId {
        LogId::new(CommittedLeaderId::new(3, 2), index)
    }

    fn members() -> Membership {
        let voters = vec![BTreeSet::from([1, 2]), BTreeSet::from([2, 3])];
        let nodes: BTreeMap<u64, EmptyNode> = (1..=5).map(|id| (id, EmptyNode::new())).collect();
        Membership::new(voters, nodes)
    }

    #[test]
    fn records_come_back_as_they_were() {
        let command = Command::Drain {
            node: NodeId(4),
            on: true,
        };
        let payloads = [
            EntryPayload::Blank,
            EntryPayload::Normal(command),
            EntryPayload::Membership(members()),
        ];
        for payload in payloads {
            let entry = Entry {
                log_id: place(9),
                payload,
            };
            let bytes = encode(&EntryRecord::from(entry.clone())).unwrap();
            assert_eq!(Entry::from(decode::<EntryRecord>(&bytes).unwrap()), entry);
            for end in 0..bytes.len() {
                assert!(decode::<EntryRecord>(&bytes[..end]).is_err());
            }
            let longer = [&*bytes, &[0]].concat();
            assert!(decode::<EntryRecord>(&longer).is_err());
        }
        for vote in [Vote::new(4, 1), Vote::new_committed(4, 1)] {
            let bytes = encode(&VoteRecord::from(vote)).unwrap();
            assert_eq!(Vote::from(decode::<VoteRecord>(&bytes).unwrap()), vote);
        }
        let meta = SnapshotMeta {
            last_log_id: Some(place(12)),
            last_membership: StoredMembership::new(Some(place(7)), members()),
            snapshot_id: "12".to_owned(),
        };
        let bytes = encode(&SnapshotRecord::from(&meta)).unwrap();
        assert_eq!(
            SnapshotMeta::from(decode::<SnapshotRecord>(&bytes).unwrap()),
            meta
        );
    }
}
