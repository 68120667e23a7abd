//! `[process]` Answers what the rafts of other nodes ask.

use super::handle::Inner;
use super::message::{Ask, Reply};
use super::types::{LogId, Vote};
use crate::limits::STATE_BYTES_MAX;
use openraft::error::{InstallSnapshotError, RaftError};
use openraft::raft::VoteRequest;
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest};

/// The answer; none when this raft has failed, or when the question makes no sense.
pub(super) async fn answer(raft: &Inner, ask: Ask) -> Option<Reply> {
    let core = &raft.core;
    match ask {
        Ask::Sound { .. } => {
            let silent = raft.hearing.silent(&core.metrics().borrow(), &raft.calls);
            Some(Reply::Sounded { silent })
        }
        Ask::Append {
            vote,
            previous,
            committed,
            entries,
        } => {
            let request = AppendEntriesRequest {
                vote: vote.into(),
                prev_log_id: previous.map(LogId::from),
                leader_commit: committed.map(LogId::from),
                entries: entries.into_iter().map(Into::into).collect(),
            };
            Some(match core.append_entries(request).await.ok()? {
                AppendEntriesResponse::Success => Reply::Appended,
                AppendEntriesResponse::PartialSuccess(until) => {
                    Reply::AppendedUntil(until.map(Into::into))
                }
                AppendEntriesResponse::Conflict => Reply::Conflict,
                AppendEntriesResponse::HigherVote(vote) => Reply::LaterVote(vote.into()),
            })
        }
        Ask::Vote { vote, last } => {
            let request = VoteRequest::new(vote.into(), last.map(LogId::from));
            let response = core.vote(request).await.ok()?;
            Some(Reply::Voted {
                vote: response.vote.into(),
                granted: response.vote_granted,
                last: response.last_log_id.map(Into::into),
            })
        }
        Ask::Snapshot {
            vote,
            of,
            offset,
            data,
            done,
        } => {
            let length = usize::try_from(offset).ok()?.checked_add(data.len())?;
            if length > STATE_BYTES_MAX {
                return None;
            }
            let request = InstallSnapshotRequest {
                vote: Vote::from(vote),
                meta: of.into(),
                offset,
                data,
                done,
            };
            match core.install_snapshot(request).await {
                Ok(response) => Some(Reply::Taken(response.vote.into())),
                Err(RaftError::APIError(InstallSnapshotError::SnapshotMismatch(_))) => {
                    Some(Reply::NotTaken)
                }
                Err(RaftError::Fatal(_)) => None,
            }
        }
    }
}
