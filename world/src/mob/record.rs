//! `[pure]` A mob on its way to another node.

use crate::being::Journey;
use crate::ids::LineId;
use serde::{Deserialize, Serialize};

/// A mob on its way to another node. Append only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MobRecord {
    pub(super) journey: Journey,
    pub(super) draw: u64,
    pub(super) line: LineId,
    pub(super) next_ms: Option<u32>,
}
