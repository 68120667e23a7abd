//! `[pure]` What a client hears, and what it answers. All text from outside in it is clean.

/// Something from the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Somebody spoke on a channel.
    Channel {
        /// The channel, one that was subscribed to.
        channel: String,
        /// The speaker's game.
        game: String,
        /// The speaker.
        name: String,
        /// The words.
        message: String,
        /// It was said while the connection was away.
        missed: bool,
    },
    /// So many messages were said on a channel while the connection was away, and are lost.
    Missed {
        /// The channel.
        channel: String,
        /// How many.
        count: u64,
    },
    /// A tell for a player here.
    Tell {
        /// The sender's game.
        from_game: String,
        /// The sender.
        from_name: String,
        /// For whom; in any case of letters.
        to_name: String,
        /// The words.
        message: String,
        /// When it was sent, as the sender says.
        sent_at: String,
        /// With what to say what became of it; see [`Client::receipt`](super::Client::receipt).
        receipt: Option<Receipt>,
    },
    /// What became of a tell that was sent; comes only from hubs and games that know receipts.
    TellReceipt {
        /// Who sent it.
        from_name: String,
        /// To whom.
        to_name: String,
        /// Of which game.
        to_game: String,
        /// What became of it.
        outcome: TellOutcome,
    },
    /// A player of another game came.
    SignIn {
        /// The game.
        game: String,
        /// The player.
        name: String,
    },
    /// A player of another game left.
    SignOut {
        /// The game.
        game: String,
        /// The player.
        name: String,
    },
    /// A game came.
    GameUp(String),
    /// A game left.
    GameDown(String),
    /// The client does something else than before.
    Status(ClientStatus),
}

/// A tell to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tell {
    /// Who sends; has to be among the players that the game shows.
    pub from_name: String,
    /// To whom.
    pub to_name: String,
    /// Of which game.
    pub to_game: String,
    /// The words.
    pub message: String,
}

/// What came of a tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TellAnswer {
    /// The hub handed it to the game.
    Sent,
    /// No game of this name is on the network.
    UnknownGame,
    /// The game is not connected.
    GameOffline,
    /// The game takes no tells.
    NotSupported,
    /// The player is not there.
    PlayerOffline,
    /// The hub does not know the sender as a player of this game.
    SenderOffline,
    /// There is no connection to the network.
    Offline,
    /// The hub did not answer.
    TimedOut,
    /// It was refused for this reason.
    Refused(String),
}

/// What became of a tell in the game that it was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TellOutcome {
    /// It was shown to the player.
    Shown,
    /// The player does not hear the sender.
    Ignored,
    /// The player is not there.
    Offline,
}

impl TellOutcome {
    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Ignored => "ignored",
            Self::Offline => "offline",
        }
    }

    /// The outcome of this name.
    pub fn of(text: &str) -> Option<Self> {
        let all = [Self::Shown, Self::Ignored, Self::Offline];
        all.into_iter().find(|outcome| outcome.as_str() == text)
    }
}

/// The hub's reference of a tell, to say what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt(pub(super) String);

/// Why words were not taken. None is lost without the caller knowing: what is not taken can be
/// kept in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SayError {
    /// Refused: there is no connection to the network.
    #[error("the network is out of reach")]
    Offline,
    /// Refused: the channel is not subscribed to, or its hub does not have it.
    #[error("this channel is not heard")]
    NotSubscribed,
    /// Busy: too much is on its way already.
    #[error("too much is being said at once")]
    Busy,
}

/// What a client does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientStatus {
    /// There are no credentials.
    Unconfigured,
    /// Switched off.
    Off,
    /// Not connected, and waiting for the next try.
    Waiting {
        /// Why it is not connected.
        reason: String,
        /// Milliseconds until the next try.
        next_try_ms: u64,
    },
    /// Opening a connection.
    Connecting,
    /// Connected, and waiting for the hub's word.
    Authenticating,
    /// All is well.
    Online {
        /// For how many milliseconds.
        for_ms: u64,
    },
    /// The hub refused the credentials.
    Rejected {
        /// What it said.
        reason: String,
        /// Milliseconds until the next try; a new configuration is tried at once.
        next_try_ms: u64,
    },
}

impl ClientStatus {
    /// Whether the network can be reached.
    pub const fn is_online(&self) -> bool {
        matches!(self, Self::Online { .. })
    }

    /// Whether it is the same but for the time that went by.
    pub fn is_like(&self, other: &Self) -> bool {
        let reason = |status: &Self| match status {
            Self::Waiting { reason, .. } | Self::Rejected { reason, .. } => Some(reason.clone()),
            Self::Unconfigured
            | Self::Off
            | Self::Connecting
            | Self::Authenticating
            | Self::Online { .. } => None,
        };
        self.word() == other.word() && reason(self) == reason(other)
    }

    /// The status in a word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Unconfigured => "unconfigured",
            Self::Off => "off",
            Self::Waiting { .. } => "waiting",
            Self::Connecting => "connecting",
            Self::Authenticating => "authenticating",
            Self::Online { .. } => "online",
            Self::Rejected { .. } => "rejected",
        }
    }
}
