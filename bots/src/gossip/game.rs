//! `[edge]` One pretended game: connects, authenticates, answers beats.

use std::io;
use std::net::IpAddr;

use belay_gossip::protocol::{Event, Extensions, Flag, Flags, Heard, Login, Outgoing, Reference};
use tokio::time::timeout;

use super::credentials::Credentials;
use super::wire::{Rest, Wire};
use crate::limits::{CONNECT_DEADLINE, ERROR_TEXT_LETTERS_MAX};
use crate::link::Lost;

const USER_AGENT: &str = concat!("belay-bots ", env!("CARGO_PKG_VERSION"));

/// Why a game did not get in.
#[derive(Debug)]
pub(crate) enum NotIn {
    /// No connection came about.
    Connect(io::Error),
    /// The connection ended.
    Lost(Lost),
    /// The hub said so.
    Refused(String),
    /// The hub did not answer.
    Silent,
}

impl NotIn {
    /// What to count it under.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::Connect(error) => cut(&error.to_string()),
            Self::Lost(lost) => format!("{lost} during authentication"),
            Self::Refused(text) => cut(text),
            Self::Silent => "silence during authentication".to_owned(),
        }
    }

    /// Whether another attempt may lead in.
    pub(crate) fn is_worth_another(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Lost(_) | Self::Silent => true,
            Self::Refused(_) => false,
        }
    }
}

/// As much of a text from outside as is shown.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(ERROR_TEXT_LETTERS_MAX).collect()
}

/// What matters of a frame that is no message of the run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The game is in, and hears the channel or not.
    Welcome {
        /// Whether it hears the channel.
        hears: bool,
    },
    /// To be answered.
    Beat,
    /// A message was taken; with its reference.
    Ack(Option<u32>),
    /// A request was refused.
    Refused(String),
    /// Anything else.
    Other,
}

impl Said {
    /// Reads a frame.
    pub(crate) fn of(frame: &[u8]) -> Self {
        let Ok(Heard::Event(event)) = std::str::from_utf8(frame).map(Heard::of) else {
            return Self::Other;
        };
        if let Event::Welcome(welcome) = *event {
            let hears = welcome.rejected_channels.is_empty();
            Self::Welcome { hears }
        } else if *event == Event::Beat {
            Self::Beat
        } else if let Event::Ack { reference, .. } = *event {
            let number = reference.and_then(|it| it.as_json().trim_matches('"').parse().ok());
            Self::Ack(number)
        } else if let Event::Failure { error, .. } = *event {
            Self::Refused(cut(&error))
        } else {
            Self::Other
        }
    }
}

/// Answers a beat.
///
/// # Errors
/// As [`Wire::send`].
pub(crate) fn answer_beat(wire: &Wire) -> Result<(), Lost> {
    wire.send(&Outgoing::Beat(&[]).encode())
}

/// The frame of a message.
pub(crate) fn message(channel: &str, number: u32, name: &str, text: &str) -> String {
    let reference = Reference::text(&number.to_string());
    let send = Outgoing::Send {
        reference: Some(&reference),
        channel,
        name,
        message: text,
    };
    send.encode()
}

/// Says who it is, and waits until the hub welcomes it.
///
/// # Errors
/// Why it is not in.
pub(crate) async fn enter(
    wire: &Wire,
    rest: &mut Rest,
    credentials: &Credentials,
    channel: &str,
) -> Result<(), NotIn> {
    let login = Login {
        client_id: &credentials.client_id,
        client_secret: &credentials.client_secret,
        supports: Flags::NONE.with(Flag::Channels),
        channels: vec![channel],
        user_agent: USER_AGENT,
        extensions: Extensions::NONE,
    };
    wire.send(&Outgoing::Authenticate(login).encode())
        .map_err(NotIn::Lost)?;
    let mut outcome = None;
    let welcomed = async {
        while outcome.is_none() {
            let mut beats = 0;
            let read = wire.read(rest, |frame| match Said::of(frame) {
                Said::Welcome { hears: true } => outcome = Some(Ok(())),
                Said::Welcome { hears: false } => {
                    outcome = Some(Err(NotIn::Refused("no such channel".to_owned())));
                }
                Said::Refused(error) => outcome = Some(Err(NotIn::Refused(error))),
                Said::Beat => beats += 1,
                Said::Ack(_) | Said::Other => {}
            });
            let read = read.await;
            for _ in 0..beats {
                answer_beat(wire).map_err(NotIn::Lost)?;
            }
            if let (None, Err(lost)) = (&outcome, read) {
                return Err(NotIn::Lost(lost));
            }
        }
        Ok(())
    };
    match timeout(CONNECT_DEADLINE, welcomed).await {
        Ok(Ok(())) => outcome.unwrap_or(Err(NotIn::Silent)),
        Ok(Err(not_in)) => Err(not_in),
        Err(_) => Err(NotIn::Silent),
    }
}

/// Connects and enters.
///
/// # Errors
/// Why it is not in.
pub(crate) async fn connect(
    credentials: &Credentials,
    source: Option<IpAddr>,
    channel: &str,
) -> Result<(Wire, Rest), NotIn> {
    let opened = Wire::open(&credentials.hub, source).await;
    let (wire, mut rest) = opened.map_err(NotIn::Connect)?;
    enter(&wire, &mut rest, credentials, channel).await?;
    Ok((wire, rest))
}
