//! `[pure]` The last ticks of a room, for who resumes.

use crate::lobby::ids::Seq;
use crate::lobby::limits::{TICKS_KEPT, TICKS_KEPT_BYTES};
use crate::lobby::protocol::{Change, Chat, Field, PlayerEntry, Status, TickBody};
use crate::lobby::shared::Shared;
use std::collections::VecDeque;
use std::sync::Arc;

/// Ticks without a gap, the oldest first: at most [`TICKS_KEPT`], and about [`TICKS_KEPT_BYTES`].
#[derive(Debug, Default)]
pub(super) struct KeptTicks {
    ticks: VecDeque<Kept>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    seq: Seq,
    bytes: usize,
    frame: Arc<Shared>,
}

impl KeptTicks {
    /// Keeps a tick, which is the next.
    pub(super) fn push(&mut self, seq: Seq, bytes: usize, frame: Arc<Shared>) {
        self.ticks.push_back(Kept { seq, bytes, frame });
        self.bytes += bytes;
        while self.ticks.len() > TICKS_KEPT || self.bytes > TICKS_KEPT_BYTES {
            let Some(oldest) = self.ticks.pop_front() else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(oldest.bytes);
        }
    }

    /// All ticks after `seen` up to `last`, if none of them is missing.
    pub(super) fn after(&self, seen: Seq, last: Seq) -> Option<Vec<Arc<Shared>>> {
        if seen >= last {
            return (seen == last).then(Vec::new);
        }
        let first = self.ticks.front()?.seq;
        if first.0 > seen.0 + 1 {
            return None;
        }
        let missed = self.ticks.iter().filter(|kept| kept.seq > seen);
        Some(missed.map(|kept| kept.frame.clone()).collect())
    }

    /// Keeps none.
    pub(super) fn clear(&mut self) {
        self.ticks.clear();
        self.bytes = 0;
    }
}

/// About how many bytes a tick is in the binary encoding; never much less.
pub(super) fn weight(body: &TickBody) -> usize {
    let joined = body.joined.iter().map(entry_weight).sum::<usize>();
    let changed = body.changed.iter().map(change_weight).sum::<usize>();
    let chat = body.chat.iter().map(chat_weight).sum::<usize>();
    24 + 4 * body.left.len() + joined + changed + chat
}

fn entry_weight(entry: &PlayerEntry) -> usize {
    20 + entry.name.len() + entry.score.len() + status_weight(&entry.status)
}

fn status_weight(status: &Status) -> usize {
    match status {
        Status::Away(text) => 2 + text.len(),
        Status::Idle(_) => 5,
        Status::InMatch(_) => 10,
        Status::Here | Status::Gone => 1,
    }
}

fn change_weight(change: &Change) -> usize {
    let fields = change.fields.iter().map(|field| match field {
        Field::Status(status) => 1 + status_weight(status),
        Field::Score(text) => 3 + text.len(),
        Field::Wins(_) | Field::Losses(_) | Field::PlayedS(_) | Field::Flags(_) => 6,
    });
    4 + fields.sum::<usize>()
}

fn chat_weight(chat: &Chat) -> usize {
    12 + chat.name.len() + chat.text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(seqs: std::ops::RangeInclusive<u64>, bytes: usize) -> KeptTicks {
        let mut kept = KeptTicks::default();
        for seq in seqs {
            kept.push(Seq(seq), bytes, Arc::new(Shared::new(Vec::new())));
        }
        kept
    }

    fn missed(kept: &KeptTicks, seen: u64, last: u64) -> Option<usize> {
        kept.after(Seq(seen), Seq(last)).map(|ticks| ticks.len())
    }

    #[test]
    fn gives_exactly_what_was_missed_or_nothing() {
        let kept = kept(5..=9, 10);
        assert_eq!(missed(&kept, 9, 9), Some(0));
        assert_eq!(missed(&kept, 7, 9), Some(2));
        assert_eq!(missed(&kept, 4, 9), Some(5));
        assert_eq!(missed(&kept, 3, 9), None);
        assert_eq!(missed(&kept, 10, 9), None, "a tick that was never told");
    }

    #[test]
    fn keeps_no_more_than_the_limits() {
        let by_number = kept(1..=1_000, 1);
        let first = 1_000 - TICKS_KEPT as u64;
        assert_eq!(missed(&by_number, first, 1_000), Some(TICKS_KEPT));
        assert_eq!(missed(&by_number, first - 1, 1_000), None);
        let by_bytes = kept(1..=100, TICKS_KEPT_BYTES / 10);
        assert_eq!(missed(&by_bytes, 90, 100), Some(10));
        assert_eq!(missed(&by_bytes, 89, 100), None);
    }
}
