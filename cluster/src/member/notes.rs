//! `[process]` What a duty notes, for the log.

use crate::duty::Note;

/// Writes it to the log.
pub(super) fn tell(note: &Note) {
    match note {
        Note::Suspended | Note::Lapsed | Note::Expiring(_) => {
            tracing::warn!(target: "belay_cluster", "{note}");
        }
        Note::Resumed | Note::Aborting(..) => tracing::info!(target: "belay_cluster", "{note}"),
        Note::Refused(_) | Note::Membership(_) => {
            tracing::debug!(target: "belay_cluster", "{note}");
        }
    }
}
