//! `[pure]` What a game sends to a hub, as it came.

use serde_json::{Map, Value};

use super::event_name::EventName;
use super::field::Field;
use super::flag::Extensions;
use super::reference::Reference;

/// A frame of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// No JSON, or nested too deep, or too long.
    NotJson,
    /// JSON, but not an object.
    NotAnObject,
    /// An object without an event that a game may send.
    Unknown,
    /// A known event.
    Request(Request),
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What the answer has to carry; none: there is hardly ever an answer.
    pub reference: Option<Reference>,
    /// What is asked.
    pub body: Body,
}

/// What is asked. `None` stands for a payload that is missing or no object.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// `authenticate`
    Authenticate(Option<Box<Authenticate>>),
    /// `heartbeat`; who plays. No payload, null and wrong types are nobody.
    Heartbeat(Vec<String>),
    /// `channels/subscribe`
    Subscribe(Option<Named>),
    /// `channels/unsubscribe`
    Unsubscribe(Option<Named>),
    /// `channels/send`
    Send(Option<Said>),
    /// `players/sign-in`
    SignIn(Option<Named>),
    /// `players/sign-out`
    SignOut(Option<Named>),
    /// `players/status`
    PlayersStatus(OneGame),
    /// `tells/send`
    Tell(Option<Box<TellSent>>),
    /// `games/status`
    GamesStatus(OneGame),
    /// `achievements/sync`
    AchievementsSync,
    /// `achievements/create`
    AchievementsCreate(Option<Box<AchievementFields>>),
    /// `achievements/update`
    AchievementsUpdate(Option<Box<AchievementFields>>),
    /// `achievements/delete`; the key.
    AchievementsDelete(Option<Named>),
    /// `channels/history`, an extension.
    History(Option<HistoryAsked>),
    /// `tells/receipt`, an extension.
    TellReceipt(Option<TellReceipt>),
}

impl Body {
    /// The name of the event.
    pub const fn event(&self) -> EventName {
        match self {
            Self::Authenticate(_) => EventName::Authenticate,
            Self::Heartbeat(_) => EventName::Heartbeat,
            Self::Subscribe(_) => EventName::ChannelsSubscribe,
            Self::Unsubscribe(_) => EventName::ChannelsUnsubscribe,
            Self::Send(_) => EventName::ChannelsSend,
            Self::SignIn(_) => EventName::PlayersSignIn,
            Self::SignOut(_) => EventName::PlayersSignOut,
            Self::PlayersStatus(_) => EventName::PlayersStatus,
            Self::Tell(_) => EventName::TellsSend,
            Self::GamesStatus(_) => EventName::GamesStatus,
            Self::AchievementsSync => EventName::AchievementsSync,
            Self::AchievementsCreate(_) => EventName::AchievementsCreate,
            Self::AchievementsUpdate(_) => EventName::AchievementsUpdate,
            Self::AchievementsDelete(_) => EventName::AchievementsDelete,
            Self::History(_) => EventName::ChannelsHistory,
            Self::TellReceipt(_) => EventName::TellsReceipt,
        }
    }
}

/// `authenticate`. The secret does not print.
#[derive(Clone, Default, PartialEq)]
pub struct Authenticate {
    /// The game's id.
    pub client_id: Field<String>,
    /// Its secret.
    pub client_secret: Field<String>,
    /// The flags by name; [`Field::Wrong`] when anything in the list is no string.
    pub supports: Field<Vec<String>>,
    /// The channels to begin with; what is no string in the list is passed over.
    pub channels: Vec<String>,
    /// What the game runs.
    pub user_agent: Field<String>,
    /// The highest version of the protocol that the client knows.
    pub version: Field<String>,
    /// Who plays, to begin with.
    pub players: Vec<String>,
    /// Answers are wanted without a reference too, for a while.
    pub debug: bool,
    /// The extensions asked for; unknown ones are passed over.
    pub extensions: Extensions,
}

impl std::fmt::Debug for Authenticate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticate")
            .field("client_id", &self.client_id)
            .field("supports", &self.supports)
            .field("channels", &self.channels)
            .field("user_agent", &self.user_agent)
            .finish_non_exhaustive()
    }
}

/// A payload with one name: of a channel, a player, or the key of an achievement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named(pub Field<String>);

/// `channels/send`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The channel.
    pub channel: Field<String>,
    /// Who speaks.
    pub name: Field<String>,
    /// The words, cut to [`MESSAGE_BYTES_MAX`](crate::limits::MESSAGE_BYTES_MAX).
    pub message: Field<String>,
}

/// Whether a status is asked of all games or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneGame {
    /// Of all.
    All,
    /// Of this one; anything but a string is an unknown game.
    Game(Field<String>),
}

/// `tells/send`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TellSent {
    /// Who sends.
    pub from_name: Field<String>,
    /// To which game.
    pub to_game: Field<String>,
    /// To whom.
    pub to_name: Field<String>,
    /// When.
    pub sent_at: Field<String>,
    /// The words, cut to [`MESSAGE_BYTES_MAX`](crate::limits::MESSAGE_BYTES_MAX).
    pub message: Field<String>,
    /// There are keys besides these five.
    pub has_others: bool,
}

/// `achievements/create` and `achievements/update`: the fields as they came, and by their key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AchievementFields(pub Map<String, Value>);

/// `channels/history`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryAsked {
    /// The channel.
    pub channel: Field<String>,
    /// Only what came after the message of this number.
    pub after: Option<u64>,
    /// At most so many.
    pub limit: Option<u64>,
}

/// `tells/receipt`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TellReceipt {
    /// The reference of the tell that the hub sent.
    pub tell: Field<String>,
    /// What became of it: `shown`, `ignored`, `offline`.
    pub status: Field<String>,
}
