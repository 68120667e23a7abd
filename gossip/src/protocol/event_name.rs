//! `[pure]` The names of events, in both directions.

/// One event of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventName {
    /// `authenticate`
    Authenticate,
    /// `heartbeat`
    Heartbeat,
    /// `restart`
    Restart,
    /// `channels/subscribe`
    ChannelsSubscribe,
    /// `channels/unsubscribe`
    ChannelsUnsubscribe,
    /// `channels/send`
    ChannelsSend,
    /// `channels/broadcast`
    ChannelsBroadcast,
    /// `players/sign-in`
    PlayersSignIn,
    /// `players/sign-out`
    PlayersSignOut,
    /// `players/status`
    PlayersStatus,
    /// `tells/send`
    TellsSend,
    /// `tells/receive`
    TellsReceive,
    /// `games/status`
    GamesStatus,
    /// `games/connect`
    GamesConnect,
    /// `games/disconnect`
    GamesDisconnect,
    /// `achievements/sync`
    AchievementsSync,
    /// `achievements/create`
    AchievementsCreate,
    /// `achievements/update`
    AchievementsUpdate,
    /// `achievements/delete`
    AchievementsDelete,
    /// `channels/history`, an extension of ours.
    ChannelsHistory,
    /// `channels/receipt`, an extension of ours.
    ChannelsReceipt,
    /// `tells/receipt`, an extension of ours.
    TellsReceipt,
    /// `players/status-end`, an extension of ours.
    PlayersStatusEnd,
    /// `games/status-end`, an extension of ours.
    GamesStatusEnd,
}

impl EventName {
    /// All names.
    pub const ALL: [Self; 24] = [
        Self::Authenticate,
        Self::Heartbeat,
        Self::Restart,
        Self::ChannelsSubscribe,
        Self::ChannelsUnsubscribe,
        Self::ChannelsSend,
        Self::ChannelsBroadcast,
        Self::PlayersSignIn,
        Self::PlayersSignOut,
        Self::PlayersStatus,
        Self::TellsSend,
        Self::TellsReceive,
        Self::GamesStatus,
        Self::GamesConnect,
        Self::GamesDisconnect,
        Self::AchievementsSync,
        Self::AchievementsCreate,
        Self::AchievementsUpdate,
        Self::AchievementsDelete,
        Self::ChannelsHistory,
        Self::ChannelsReceipt,
        Self::TellsReceipt,
        Self::PlayersStatusEnd,
        Self::GamesStatusEnd,
    ];

    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authenticate => "authenticate",
            Self::Heartbeat => "heartbeat",
            Self::Restart => "restart",
            Self::ChannelsSubscribe => "channels/subscribe",
            Self::ChannelsUnsubscribe => "channels/unsubscribe",
            Self::ChannelsSend => "channels/send",
            Self::ChannelsBroadcast => "channels/broadcast",
            Self::PlayersSignIn => "players/sign-in",
            Self::PlayersSignOut => "players/sign-out",
            Self::PlayersStatus => "players/status",
            Self::TellsSend => "tells/send",
            Self::TellsReceive => "tells/receive",
            Self::GamesStatus => "games/status",
            Self::GamesConnect => "games/connect",
            Self::GamesDisconnect => "games/disconnect",
            Self::AchievementsSync => "achievements/sync",
            Self::AchievementsCreate => "achievements/create",
            Self::AchievementsUpdate => "achievements/update",
            Self::AchievementsDelete => "achievements/delete",
            Self::ChannelsHistory => "channels/history",
            Self::ChannelsReceipt => "channels/receipt",
            Self::TellsReceipt => "tells/receipt",
            Self::PlayersStatusEnd => "players/status-end",
            Self::GamesStatusEnd => "games/status-end",
        }
    }

    /// The event of this name.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_by_its_text() {
        for name in EventName::ALL {
            assert_eq!(EventName::of(name.as_str()), Some(name));
        }
        assert_eq!(EventName::of("Heartbeat"), None);
    }
}
