//! `[pure]` What figures are counted by: small closed sets, so that each has its counter ready.

/// A closed set of label values.
pub trait Label: Copy + 'static {
    /// All members, in the order of their indexes.
    const ALL: &'static [Self];
    /// The value of the label in the metrics.
    fn label(self) -> &'static str;
    /// The place of the member in [`Label::ALL`].
    fn index(self) -> usize;
}

/// What a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum VerbClass {
    /// `look`, `examine`, `exits`.
    Look,
    /// Directions, `goto`.
    Move,
    /// `say`, `emote`, `tell`, `reply`.
    Speech,
    /// `get`, `drop`, `give`, `inventory`.
    Item,
    /// `who`, `help`, `score` and settings: what the session answers itself.
    Session,
    /// `kick`, `ban`, `crash`, `shutdown`.
    Staff,
    /// Lines that are no command.
    Unclear,
}

impl Label for VerbClass {
    const ALL: &'static [Self] = &[
        Self::Look,
        Self::Move,
        Self::Speech,
        Self::Item,
        Self::Session,
        Self::Staff,
        Self::Unclear,
    ];

    fn label(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Move => "move",
            Self::Speech => "speech",
            Self::Item => "item",
            Self::Session => "session",
            Self::Staff => "staff",
            Self::Unclear => "unclear",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// What a frame between a player and the node is, over telnet and WebSocket alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    /// The answer to one's own command, and what is owed.
    Answer,
    /// What somebody else does.
    Notice,
    /// What a crowd did in a tick.
    Tick,
}

impl Label for FrameKind {
    const ALL: &'static [Self] = &[Self::Answer, Self::Notice, Self::Tick];

    fn label(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Notice => "notice",
            Self::Tick => "tick",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// How a login ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LoginOutcome {
    /// In, with a password.
    Account,
    /// In, with a new account.
    Created,
    /// In, as a guest.
    Guest,
    /// In, with a resume token.
    Resumed,
    /// The password or the token is wrong.
    WrongPassword,
    /// Too many failures from this address or for this account.
    Throttled,
    /// The login queue is full.
    Busy,
    /// Banned.
    Banned,
    /// The world is full.
    Full,
    /// The deadline passed.
    TimedOut,
    /// The player left before the end.
    Left,
    /// The database or a worker failed.
    Failed,
}

impl Label for LoginOutcome {
    const ALL: &'static [Self] = &[
        Self::Account,
        Self::Created,
        Self::Guest,
        Self::Resumed,
        Self::WrongPassword,
        Self::Throttled,
        Self::Busy,
        Self::Banned,
        Self::Full,
        Self::TimedOut,
        Self::Left,
        Self::Failed,
    ];

    fn label(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Created => "created",
            Self::Guest => "guest",
            Self::Resumed => "resumed",
            Self::WrongPassword => "wrong_password",
            Self::Throttled => "throttled",
            Self::Busy => "busy",
            Self::Banned => "banned",
            Self::Full => "full",
            Self::TimedOut => "timed_out",
            Self::Left => "left",
            Self::Failed => "failed",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// Why something of a stranger or a player was refused or cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    /// Too many connections from one address.
    PerAddress,
    /// A banned address at the door.
    Banned,
    /// The node has no room for another connection.
    Connections,
    /// A line that is too long.
    LineTooLong,
    /// A fault of the telnet or WebSocket protocol.
    Protocol,
    /// A page of a foreign site.
    Origin,
    /// A reader so slow that its backlog was full.
    SlowReader,
    /// A room whose mailbox was full.
    TooCrowded,
    /// A player who spoke on channels faster than is allowed.
    TalksTooFast,
    /// A channel that had too much to tell.
    ChannelBusy,
    /// A command that was not answered in time.
    Unanswered,
    /// The database was busy or away.
    Store,
}

impl Label for Refusal {
    const ALL: &'static [Self] = &[
        Self::PerAddress,
        Self::Banned,
        Self::Connections,
        Self::LineTooLong,
        Self::Protocol,
        Self::Origin,
        Self::SlowReader,
        Self::TooCrowded,
        Self::TalksTooFast,
        Self::ChannelBusy,
        Self::Unanswered,
        Self::Store,
    ];

    fn label(self) -> &'static str {
        match self {
            Self::PerAddress => "per_address",
            Self::Banned => "banned",
            Self::Connections => "connections",
            Self::LineTooLong => "line_too_long",
            Self::Protocol => "protocol",
            Self::Origin => "origin",
            Self::SlowReader => "slow_reader",
            Self::TooCrowded => "too_crowded",
            Self::TalksTooFast => "talks_too_fast",
            Self::ChannelBusy => "channel_busy",
            Self::Unanswered => "unanswered",
            Self::Store => "store",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// Kinds of processes whose mailboxes are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ProcessKind {
    /// Sockets.
    Connection,
    /// Players.
    Session,
    /// Rooms.
    Room,
    /// Mobs.
    Mob,
    /// Zones.
    Zone,
    /// Channels.
    Channel,
    /// The bridge to other games and its socket.
    Gossip,
    /// The writer of the database.
    Store,
    /// All others.
    Other,
}

impl Label for ProcessKind {
    const ALL: &'static [Self] = &[
        Self::Connection,
        Self::Session,
        Self::Room,
        Self::Mob,
        Self::Zone,
        Self::Channel,
        Self::Gossip,
        Self::Store,
        Self::Other,
    ];

    fn label(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Session => "session",
            Self::Room => "room",
            Self::Mob => "mob",
            Self::Zone => "zone",
            Self::Channel => "channel",
            Self::Gossip => "gossip",
            Self::Store => "store",
            Self::Other => "other",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[track_caller]
    fn check<L: Label>() {
        let places: Vec<_> = L::ALL.iter().map(|member| member.index()).collect();
        assert_eq!(places, (0..L::ALL.len()).collect::<Vec<_>>());
        let labels: BTreeSet<_> = L::ALL.iter().map(|member| member.label()).collect();
        assert_eq!(labels.len(), L::ALL.len(), "a label stands twice");
    }

    #[test]
    fn each_set_lists_its_members_in_order() {
        check::<VerbClass>();
        check::<FrameKind>();
        check::<LoginOutcome>();
        check::<Refusal>();
        check::<ProcessKind>();
    }
}
