//! `[pure]` What our own client sends to a hub.

use serde::Serialize;

use super::event_name::EventName;
use super::flag::{Extensions, Flags};
use super::reference::Reference;

/// One frame to a hub.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing<'a> {
    /// `authenticate`
    Authenticate(Login<'a>),
    /// `heartbeat`: who plays.
    Beat(&'a [String]),
    /// `channels/subscribe`
    Subscribe(&'a Reference, &'a str),
    /// `channels/unsubscribe`
    Unsubscribe(&'a Reference, &'a str),
    /// `channels/send`; with a reference when an answer is wanted.
    Send {
        /// The reference.
        reference: Option<&'a Reference>,
        /// The channel.
        channel: &'a str,
        /// Who speaks.
        name: &'a str,
        /// The words.
        message: &'a str,
    },
    /// `players/sign-in`
    SignIn(&'a str),
    /// `players/sign-out`
    SignOut(&'a str),
    /// `players/status` of all games, or of one.
    PlayersStatus(&'a Reference, Option<&'a str>),
    /// `games/status` of all games, or of one.
    GamesStatus(&'a Reference, Option<&'a str>),
    /// `tells/send`
    Tell {
        /// The reference.
        reference: &'a Reference,
        /// Who sends.
        from_name: &'a str,
        /// To which game.
        to_game: &'a str,
        /// To whom.
        to_name: &'a str,
        /// When, as [`format_time`](super::format_time) writes it.
        sent_at: &'a str,
        /// The words.
        message: &'a str,
    },
    /// `channels/history`, an extension.
    History {
        /// The reference.
        reference: &'a Reference,
        /// The channel.
        channel: &'a str,
        /// Only what came after the message of this number.
        after: Option<u64>,
        /// At most so many.
        limit: Option<u64>,
    },
    /// `tells/receipt`, an extension: the hub's reference of the tell, and what became of it.
    TellReceipt(&'a str, &'a str),
}

/// The payload of `authenticate`. The secret does not print.
#[derive(Clone, PartialEq)]
pub struct Login<'a> {
    /// The game's id.
    pub client_id: &'a str,
    /// Its secret.
    pub client_secret: &'a str,
    /// What it supports; channels are always among it.
    pub supports: Flags,
    /// The channels to begin with.
    pub channels: Vec<&'a str>,
    /// What the game runs.
    pub user_agent: &'a str,
    /// The extensions asked for; hubs that know none ignore it.
    pub extensions: Extensions,
}

impl std::fmt::Debug for Login<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("client_id", &self.client_id)
            .field("supports", &self.supports)
            .field("channels", &self.channels)
            .finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Frame<'a, P> {
    event: &'static str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<P>,
}

#[derive(Default, Serialize)]
struct Payload<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supports: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_game: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_at: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tell: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
}

impl Outgoing<'_> {
    /// As it stands on the wire: compact JSON.
    pub fn encode(&self) -> String {
        let frame = Frame {
            event: self.event().as_str(),
            reference: self.reference(),
            payload: self.payload(),
        };
        // Strings and numbers always have a JSON form.
        serde_json::to_string(&frame).unwrap_or_default()
    }

    const fn event(&self) -> EventName {
        match self {
            Self::Authenticate(_) => EventName::Authenticate,
            Self::Beat(_) => EventName::Heartbeat,
            Self::Subscribe(..) => EventName::ChannelsSubscribe,
            Self::Unsubscribe(..) => EventName::ChannelsUnsubscribe,
            Self::Send { .. } => EventName::ChannelsSend,
            Self::SignIn(_) => EventName::PlayersSignIn,
            Self::SignOut(_) => EventName::PlayersSignOut,
            Self::PlayersStatus(..) => EventName::PlayersStatus,
            Self::GamesStatus(..) => EventName::GamesStatus,
            Self::Tell { .. } => EventName::TellsSend,
            Self::History { .. } => EventName::ChannelsHistory,
            Self::TellReceipt(..) => EventName::TellsReceipt,
        }
    }

    fn reference(&self) -> Option<&Reference> {
        match self {
            Self::Subscribe(reference, _)
            | Self::Unsubscribe(reference, _)
            | Self::PlayersStatus(reference, _)
            | Self::GamesStatus(reference, _)
            | Self::Tell { reference, .. }
            | Self::History { reference, .. } => Some(reference),
            Self::Send { reference, .. } => *reference,
            Self::Authenticate(_)
            | Self::Beat(_)
            | Self::SignIn(_)
            | Self::SignOut(_)
            | Self::TellReceipt(..) => None,
        }
    }

    fn payload(&self) -> Option<Payload<'_>> {
        let mut payload = Payload::default();
        match self {
            Self::Authenticate(login) => return Some(login.payload()),
            Self::Beat(players) => payload.players = Some(players),
            Self::Subscribe(_, channel) | Self::Unsubscribe(_, channel) => {
                payload.channel = Some(channel);
            }
            Self::Send {
                channel,
                name,
                message,
                ..
            } => {
                payload.channel = Some(channel);
                payload.name = Some(name);
                payload.message = Some(message);
            }
            Self::SignIn(name) | Self::SignOut(name) => payload.name = Some(name),
            Self::PlayersStatus(_, game) | Self::GamesStatus(_, game) => {
                payload.game = Some((*game)?);
            }
            Self::Tell {
                from_name,
                to_game,
                to_name,
                sent_at,
                message,
                ..
            } => {
                payload.from_name = Some(from_name);
                payload.to_game = Some(to_game);
                payload.to_name = Some(to_name);
                payload.sent_at = Some(sent_at);
                payload.message = Some(message);
            }
            Self::History {
                channel,
                after,
                limit,
                ..
            } => {
                payload.channel = Some(channel);
                payload.after = *after;
                payload.limit = *limit;
            }
            Self::TellReceipt(tell, status) => {
                payload.tell = Some(tell);
                payload.status = Some(status);
            }
        }
        Some(payload)
    }
}

impl Login<'_> {
    fn payload(&self) -> Payload<'_> {
        let extensions: Vec<_> = self.extensions.iter().map(|known| known.as_str()).collect();
        Payload {
            client_id: Some(self.client_id),
            client_secret: Some(self.client_secret),
            supports: Some(self.supports.iter().map(|flag| flag.as_str()).collect()),
            channels: Some(&self.channels),
            version: Some(super::VERSION),
            user_agent: Some(self.user_agent),
            extensions: (!extensions.is_empty()).then_some(extensions),
            ..Payload::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{
        Body, Decoded, Extension, Field, Flag, HistoryAsked, Named, OneGame, Request, Said,
        TellReceipt, TellSent,
    };

    fn is(text: &str) -> Field<String> {
        Field::Is(text.to_owned())
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn a_hub_reads_what_our_client_writes() {
        let reference = Reference::text("r1");
        let players = vec!["Ana".to_owned(), "Bo".to_owned()];
        let table = [
            (Outgoing::Beat(&players), Body::Heartbeat(players.clone())),
            (Outgoing::Beat(&[]), Body::Heartbeat(vec![])),
            (
                Outgoing::Subscribe(&reference, "gossip"),
                Body::Subscribe(Some(Named(is("gossip")))),
            ),
            (
                Outgoing::Unsubscribe(&reference, "gossip"),
                Body::Unsubscribe(Some(Named(is("gossip")))),
            ),
            (
                Outgoing::Send {
                    reference: None,
                    channel: "gossip",
                    name: "Ana",
                    message: "Say \"hi\" \u{2714}",
                },
                Body::Send(Some(Said {
                    channel: is("gossip"),
                    name: is("Ana"),
                    message: is("Say \"hi\" \u{2714}"),
                })),
            ),
            (
                Outgoing::SignIn("Ana"),
                Body::SignIn(Some(Named(is("Ana")))),
            ),
            (
                Outgoing::SignOut("Ana"),
                Body::SignOut(Some(Named(is("Ana")))),
            ),
            (
                Outgoing::PlayersStatus(&reference, None),
                Body::PlayersStatus(OneGame::All),
            ),
            (
                Outgoing::GamesStatus(&reference, Some("G")),
                Body::GamesStatus(OneGame::Game(is("G"))),
            ),
            (
                Outgoing::Tell {
                    reference: &reference,
                    from_name: "Ana",
                    to_game: "G",
                    to_name: "Bo",
                    sent_at: "2026-01-02T03:04:05Z",
                    message: "hi",
                },
                Body::Tell(Some(Box::new(TellSent {
                    from_name: is("Ana"),
                    to_game: is("G"),
                    to_name: is("Bo"),
                    sent_at: is("2026-01-02T03:04:05Z"),
                    message: is("hi"),
                    has_others: false,
                }))),
            ),
            (
                Outgoing::History {
                    reference: &reference,
                    channel: "gossip",
                    after: Some(7),
                    limit: None,
                },
                Body::History(Some(HistoryAsked {
                    channel: is("gossip"),
                    after: Some(7),
                    limit: None,
                })),
            ),
            (
                Outgoing::TellReceipt("t", "shown"),
                Body::TellReceipt(Some(TellReceipt {
                    tell: is("t"),
                    status: is("shown"),
                })),
            ),
        ];
        for (outgoing, body) in table {
            let expected = Decoded::Request(Request {
                reference: outgoing.reference().cloned(),
                body,
            });
            assert_eq!(Decoded::of(&outgoing.encode()), expected);
        }
    }

    #[test]
    fn a_login_carries_all_it_has_and_does_not_print_its_secret() {
        let login = Login {
            client_id: "i",
            client_secret: "topsecret",
            supports: Flags::NONE.with(Flag::Channels).with(Flag::Tells),
            channels: vec!["gossip"],
            user_agent: "Belay 0.1.0",
            extensions: Extensions::NONE.with(Extension::History),
        };
        assert!(!format!("{login:?}").contains("topsecret"));
        let text = Outgoing::Authenticate(login).encode();
        let expected = concat!(
            r#"{"event":"authenticate","payload":{"client_id":"i","#,
            r#""client_secret":"topsecret","supports":["channels","tells"],"#,
            r#""channels":["gossip"],"version":"2.3.0","user_agent":"Belay 0.1.0","#,
            r#""extensions":["history"]}}"#,
        );
        assert_eq!(text, expected);
    }
}
