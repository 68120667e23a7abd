//! `[pure]` From the payload of one WebSocket message to the messages in it. What comes is a
//! stranger's: nothing here panics, and nothing is larger than what came.

use super::{ClientMessage, Encoding, ServerMessage};
use crate::lobby::limits::{CLIENT_BYTES_MAX, CLIENT_MESSAGES_MAX};
use serde::de::DeserializeOwned;

/// Why a frame cannot be read. It is the sender's fault (**refused**), and nothing of it counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Longer than [`CLIENT_BYTES_MAX`].
    #[error("the message is longer than {CLIENT_BYTES_MAX} bytes")]
    TooLong,
    /// Nothing is in it.
    #[error("the frame is empty")]
    Empty,
    /// More than [`CLIENT_MESSAGES_MAX`] messages.
    #[error("more than {CLIENT_MESSAGES_MAX} messages are in one frame")]
    TooMany,
    /// It is not what the encoding says it is.
    #[error("the message cannot be read: {0}")]
    Unreadable(String),
}

/// The messages of a client's frame.
///
/// # Errors
/// See [`DecodeError`].
pub fn decode_client(
    payload: &[u8],
    encoding: Encoding,
) -> Result<Vec<ClientMessage>, DecodeError> {
    if payload.len() > CLIENT_BYTES_MAX {
        return Err(DecodeError::TooLong);
    }
    let messages: Vec<ClientMessage> = decode_all(payload, encoding, CLIENT_MESSAGES_MAX)?;
    if messages.is_empty() {
        return Err(DecodeError::Empty);
    }
    Ok(messages)
}

/// The messages of a frame of the node, for clients written in Rust, and for tests.
///
/// # Errors
/// [`DecodeError::Unreadable`].
pub fn decode_server(
    payload: &[u8],
    encoding: Encoding,
) -> Result<Vec<ServerMessage>, DecodeError> {
    decode_all(payload, encoding, usize::MAX)
}

fn decode_all<M: DeserializeOwned>(
    payload: &[u8],
    encoding: Encoding,
    messages_max: usize,
) -> Result<Vec<M>, DecodeError> {
    let messages = match encoding {
        Encoding::Json => {
            let read = serde_json::from_slice::<Vec<M>>(payload);
            read.map_err(|error| DecodeError::Unreadable(error.to_string()))?
        }
        Encoding::Binary => binary(payload, messages_max)?,
    };
    if messages.len() > messages_max {
        return Err(DecodeError::TooMany);
    }
    Ok(messages)
}

fn binary<M: DeserializeOwned>(
    mut payload: &[u8],
    messages_max: usize,
) -> Result<Vec<M>, DecodeError> {
    let mut messages = Vec::new();
    while !payload.is_empty() {
        if messages.len() == messages_max {
            return Err(DecodeError::TooMany);
        }
        let read = postcard::take_from_bytes::<M>(payload);
        let (message, rest) = read.map_err(|error| DecodeError::Unreadable(error.to_string()))?;
        messages.push(message);
        payload = rest;
    }
    Ok(messages)
}
