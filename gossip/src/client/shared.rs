//! `[process]` What the handle of a client, its monitor and its socket have in common.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use belay_runtime::{Capacity, Mailbox, TetherState, TetherStatus};
use tokio::sync::watch;
use tokio::time::Instant;

use super::answering::Answering;
use super::figures::ClientFigures;
use super::machine::{self, BAD_CREDENTIALS};
use super::memory::Memory;
use super::news::{ClientStatus, News, Tell};
use super::options::ClientOptions;
use super::roster::Roster;
use crate::credentials::Credentials;
use crate::limits::CLIENT_ORDERS_MAX;
use crate::protocol::ChannelName;

/// The game, as a client sees it.
pub trait Port: Send + Sync + 'static {
    /// Who plays and is to be shown to the network. Is asked for each heartbeat and must not
    /// block.
    fn players(&self) -> Vec<String>;

    /// Takes news, in the order in which they came. Must not block: what has no room is to be
    /// dropped.
    fn deliver(&self, news: News);
}

/// What is sent to the socket.
#[derive(Debug)]
pub(super) enum Message {
    Order(machine::Order),
    Tell(Tell, Answering),
    /// The wishes changed: wakes the socket, which looks at them in any case.
    Wish,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Idle,
    Connecting,
    Authenticating,
    Online { since: Instant },
}

pub(super) struct Shared {
    pub(super) options: ClientOptions,
    pub(super) port: Arc<dyn Port>,
    pub(super) mailbox: Mailbox<Message>,
    pub(super) phase: watch::Sender<Phase>,
    desk: Mutex<Desk>,
    board: Mutex<Board>,
}

/// What the game wants.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) credentials: Option<Credentials>,
    pub(super) off: bool,
    pub(super) wished: BTreeSet<ChannelName>,
    /// The socket has not taken the wishes yet.
    pub(super) wishes_anew: bool,
}

impl Desk {
    /// The wishes, if the socket has not taken them yet.
    pub(super) fn take_wishes(&mut self) -> Option<BTreeSet<ChannelName>> {
        std::mem::take(&mut self.wishes_anew).then(|| self.wished.clone())
    }

    /// Whether there is to be a connection.
    pub(super) const fn is_wanted(&self) -> bool {
        self.credentials.is_some() && !self.off
    }
}

/// What the socket shows, and what it leaves behind for the next.
#[derive(Default)]
pub(super) struct Board {
    pub(super) roster: Arc<Roster>,
    pub(super) joined: BTreeSet<ChannelName>,
    pub(super) figures: ClientFigures,
    /// Connections that failed, among them those that never had figures.
    pub(super) failures: u64,
    pub(super) memory: Memory,
    /// How long not to try again, after the connection that ended last.
    pub(super) wait: Option<Duration>,
}

impl Shared {
    pub(super) fn new(options: ClientOptions, port: Arc<dyn Port>) -> Self {
        Self {
            options,
            port,
            mailbox: Mailbox::new(Capacity::new(CLIENT_ORDERS_MAX)),
            phase: watch::Sender::new(Phase::Idle),
            desk: Mutex::default(),
            board: Mutex::default(),
        }
    }

    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_online(&self) -> bool {
        matches!(*self.phase.borrow(), Phase::Online { .. })
    }

    /// What the client does; `None` in the moment between the end of a connection and the
    /// tether's notice of it.
    pub(super) fn status(&self, tether: &TetherStatus, now: Instant) -> Option<ClientStatus> {
        {
            let desk = self.desk();
            if desk.credentials.is_none() {
                return Some(ClientStatus::Unconfigured);
            }
            if desk.off {
                return Some(ClientStatus::Off);
            }
        }
        let phase = *self.phase.borrow();
        match phase {
            Phase::Connecting => return Some(ClientStatus::Connecting),
            Phase::Authenticating => return Some(ClientStatus::Authenticating),
            Phase::Online { since } => {
                let online = now.saturating_duration_since(since).as_millis();
                let for_ms = u64::try_from(online).unwrap_or(u64::MAX);
                return Some(ClientStatus::Online { for_ms });
            }
            Phase::Idle => {}
        }
        let reason = bare(tether.reason.as_deref().unwrap_or_default()).to_owned();
        match (tether.state, tether.next_try_ms) {
            (TetherState::Cut, Some(next_try_ms)) if tether.code == Some(BAD_CREDENTIALS) => {
                Some(ClientStatus::Rejected {
                    reason,
                    next_try_ms,
                })
            }
            (TetherState::Cut, Some(next_try_ms)) => Some(ClientStatus::Waiting {
                reason,
                next_try_ms,
            }),
            (TetherState::Cut, None) | (TetherState::Taut | TetherState::Slack, _) => None,
        }
    }
}

/// An exit's text without the kind and the code in front.
fn bare(reason: &str) -> &str {
    match reason.strip_prefix("error ") {
        Some(coded) => coded.split_once(": ").map_or(coded, |(_, text)| text),
        None => reason.strip_prefix("error: ").unwrap_or(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_shown_without_its_code() {
        let table = [
            ("error closed: the hub: closed", "the hub: closed"),
            ("error: out of memory: all", "out of memory: all"),
            ("panic: x", "panic: x"),
        ];
        for (reason, expected) in table {
            assert_eq!(bare(reason), expected);
        }
    }
}
