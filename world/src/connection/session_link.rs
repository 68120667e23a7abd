//! `[edge]` The way from a connection to the session that plays on it.

use crate::ids::ConnectionId;
use crate::ring::{Input, SessionMessage, SessionPort};
use belay_runtime::TrySendError;

/// Passes input on. However the connection ends, a panic included, the session hears of it once.
#[derive(Debug)]
pub(crate) struct SessionLink {
    id: ConnectionId,
    session: SessionPort,
}

/// Why the session did not take an input.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// It is behind, beyond the slots that it keeps for us.
    Busy,
    /// It ended for good.
    Ended,
}

impl SessionLink {
    pub(super) fn new(id: ConnectionId, session: SessionPort) -> Self {
        Self { id, session }
    }

    /// The connection, for the log.
    pub(super) fn id(&self) -> ConnectionId {
        self.id
    }

    /// Sends without waiting.
    pub(super) fn send(&self, input: Input) -> Result<(), NotTaken> {
        let message = SessionMessage::Input(self.id, input);
        self.session
            .try_send_owed(message)
            .map_err(|error| match error {
                TrySendError::Full(_) => NotTaken::Busy,
                TrySendError::Closed(_) => NotTaken::Ended,
            })
    }

    /// From now on input goes to `session`. The one before has let the connection go.
    pub(super) fn adopt(&mut self, session: SessionPort) {
        self.session = session;
    }

    /// Whether there is nobody to talk to any more.
    pub(super) fn has_ended(&self) -> bool {
        self.session.is_closed()
    }
}

impl Drop for SessionLink {
    fn drop(&mut self) {
        drop(self.send(Input::Closed));
    }
}
