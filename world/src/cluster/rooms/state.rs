//! `[pure]` A zone on its way to another node: all that stands and lies in it. One byte of version,
//! then postcard; the records are appended to and never changed otherwise.

use crate::ids::MobId;
use crate::mob::MobRecord;
use crate::room::RoomRecord;
use serde::{Deserialize, Serialize};

/// The version of these bytes. Others are refused, and the zone stays where it is.
const VERSION: u8 = 1;

/// The whole state of a zone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ZoneState {
    /// Its rooms.
    pub(super) rooms: Vec<RoomRecord>,
    /// Its mobs.
    pub(super) mobs: Vec<(MobId, MobRecord)>,
}

/// Why a state cannot be read; the move is off. **Refused**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    /// It is of another version.
    #[error("the state is of another version")]
    Version,
    /// It is torn or garbage.
    #[error("the state cannot be read")]
    Garbage,
}

impl ZoneState {
    /// The state as bytes.
    ///
    /// # Errors
    /// It cannot be written; a **bug**.
    pub(super) fn encode(&self) -> Result<Vec<u8>, StateError> {
        postcard::to_extend(self, vec![VERSION]).map_err(|_error| StateError::Garbage)
    }

    /// Reads a state.
    ///
    /// # Errors
    /// See [`StateError`].
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, StateError> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => match postcard::take_from_bytes(rest) {
                Ok((state, [])) => Ok(state),
                Ok(_) | Err(_) => Err(StateError::Garbage),
            },
            Some(_) => Err(StateError::Version),
            None => Err(StateError::Garbage),
        }
    }
}
