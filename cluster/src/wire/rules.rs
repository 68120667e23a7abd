//! `[pure]` How long the wires wait and how much they hold.

use super::handshake::Versions;
use super::limits::{
    CONNECT_WITHIN, CONTROL_BYTES_MAX, CONTROL_MESSAGES_MAX, CONTROL_PING_EVERY,
    CONTROL_PONG_WITHIN, HANDSHAKE_WITHIN, HANDSHAKES_MAX, JOIN_WITHIN, JOINS_MAX, OWED_BYTES_MAX,
    OWED_MESSAGES_MAX, PLAY_BYTES_MAX, PLAY_MESSAGES_MAX, PLAY_PING_EVERY, PLAY_PONG_WITHIN,
    PREFACE_WITHIN, REDIAL, VERSIONS,
};
use super::pulse::Pace;
use crate::limits::NODES_MAX;
use crate::transport::Lane;
use std::time::Duration;

/// How much may wait for a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Messages of any kind.
    pub(crate) messages: u32,
    /// Bytes of any kind.
    pub(crate) bytes: usize,
    /// Further messages that are owed.
    pub(crate) owed_messages: u32,
    /// Further bytes that are owed.
    pub(crate) owed_bytes: usize,
}

/// How long the wires wait and how much they hold: by default what [`super::limits`] says.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) versions: Versions,
    pub(crate) preface_within: Duration,
    pub(crate) connect_within: Duration,
    pub(crate) handshake_within: Duration,
    pub(crate) handshakes_max: usize,
    pub(crate) join_within: Duration,
    pub(crate) joins_max: usize,
    pub(crate) connections_max: usize,
    /// The first wait before a node is dialled again, and the longest.
    pub(crate) redial: (Duration, Duration),
    pub(crate) control: LaneRules,
    pub(crate) play: LaneRules,
}

/// Of one lane.
#[derive(Clone, Debug)]
pub(crate) struct LaneRules {
    pub(crate) pace: Pace,
    pub(crate) room: Room,
}

impl Rules {
    /// Those of a lane.
    pub(crate) fn lane(&self, lane: Lane) -> &LaneRules {
        match lane {
            Lane::Control => &self.control,
            Lane::Play => &self.play,
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            versions: VERSIONS,
            preface_within: PREFACE_WITHIN,
            connect_within: CONNECT_WITHIN,
            handshake_within: HANDSHAKE_WITHIN,
            handshakes_max: HANDSHAKES_MAX,
            join_within: JOIN_WITHIN,
            joins_max: JOINS_MAX,
            // Those that stand, those that replace them, and half-done ones.
            connections_max: 2 * NODES_MAX + HANDSHAKES_MAX,
            redial: REDIAL,
            control: LaneRules {
                pace: Pace {
                    every: CONTROL_PING_EVERY,
                    within: CONTROL_PONG_WITHIN,
                },
                room: Room {
                    messages: CONTROL_MESSAGES_MAX,
                    bytes: CONTROL_BYTES_MAX,
                    owed_messages: 0,
                    owed_bytes: 0,
                },
            },
            play: LaneRules {
                pace: Pace {
                    every: PLAY_PING_EVERY,
                    within: PLAY_PONG_WITHIN,
                },
                room: Room {
                    messages: PLAY_MESSAGES_MAX,
                    bytes: PLAY_BYTES_MAX,
                    owed_messages: OWED_MESSAGES_MAX,
                    owed_bytes: OWED_BYTES_MAX,
                },
            },
        }
    }
}
