//! `[pure]` The handshake of a WebSocket: whether a request is one, and what it is answered.

use super::framing::Payload;
use hyper::header::{
    CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Method, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// The one subprotocol that is offered.
const TERMINAL: &str = "terminal.mudstandards.org";

/// A handshake that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// Frames for the text.
    pub(super) payload: Payload,
    /// The subprotocol as the client spelled it.
    pub(super) protocol: Option<HeaderValue>,
    /// The answer to its key.
    pub(super) accept: HeaderValue,
}

/// A handshake that is refused: whose fault it is, in the status and the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotAccepted {
    /// The status of the answer.
    pub(super) status: StatusCode,
    /// A line for people.
    pub(super) text: &'static str,
}

/// Judges a request. `origins` are allowed beside the host itself.
pub(super) fn judge(
    method: &Method,
    headers: &HeaderMap,
    origins: &[String],
) -> Result<Accepted, NotAccepted> {
    if method != Method::GET
        || !has_token(headers, &CONNECTION, "upgrade")
        || !has_token(headers, &UPGRADE, "websocket")
    {
        return refuse(
            StatusCode::UPGRADE_REQUIRED,
            "This address speaks WebSocket.\n",
        );
    }
    if headers
        .get(SEC_WEBSOCKET_VERSION)
        .is_none_or(|version| version != "13")
    {
        return refuse(
            StatusCode::UPGRADE_REQUIRED,
            "Only version 13 of WebSocket is spoken.\n",
        );
    }
    // 16 bytes in base64.
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24);
    let accept = key.and_then(|key| HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok());
    let Some(accept) = accept else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "The key of the WebSocket is missing or wrong.\n",
        );
    };
    if !origin_is_allowed(headers, origins) {
        return refuse(StatusCode::FORBIDDEN, "This page may not connect here.\n");
    }
    let (payload, protocol) = choose_protocol(headers)?;
    Ok(Accepted {
        payload,
        protocol,
        accept,
    })
}

fn refuse<T>(status: StatusCode, text: &'static str) -> Result<T, NotAccepted> {
    Err(NotAccepted { status, text })
}

fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|token| !token.is_empty())
}

fn has_token(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    tokens(headers, name).any(|token| token.eq_ignore_ascii_case(wanted))
}

fn choose_protocol(headers: &HeaderMap) -> Result<(Payload, Option<HeaderValue>), NotAccepted> {
    let mut offered = tokens(headers, &SEC_WEBSOCKET_PROTOCOL).peekable();
    if offered.peek().is_none() {
        return Ok((Payload::Text, None));
    }
    let chosen = offered.find(|offered| offered.eq_ignore_ascii_case(TERMINAL));
    match chosen.and_then(|name| HeaderValue::from_str(name).ok()) {
        Some(name) => Ok((Payload::Binary, Some(name))),
        None => refuse(
            StatusCode::BAD_REQUEST,
            "None of these subprotocols is spoken here.\n",
        ),
    }
}

/// A program sends no origin and may connect. A page must come from this very host, or from a place
/// on the list, so that no page elsewhere drives a player's session.
fn origin_is_allowed(headers: &HeaderMap, origins: &[String]) -> bool {
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let same_host = origin
        .split_once("://")
        .is_some_and(|(_, place)| host.is_some_and(|host| host.eq_ignore_ascii_case(place)));
    same_host
        || origins
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(changes: &[(&'static str, &'static str)]) -> Result<Accepted, NotAccepted> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("host", "mud.example:4080"),
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        for (name, value) in changes {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        judge(&Method::GET, &headers, &["https://play.example".to_owned()])
    }

    fn check_refused(changes: &[(&'static str, &'static str)], expected: u16) {
        let refused = request(changes).unwrap_err();
        assert_eq!(refused.status.as_u16(), expected, "for {changes:?}");
    }

    fn check_protocol(offered: &'static str, payload: Payload, answer: &str) {
        let accepted = request(&[("sec-websocket-protocol", offered)]).unwrap();
        assert_eq!(accepted.payload, payload);
        assert_eq!(accepted.protocol.unwrap(), answer);
    }

    #[test]
    fn answers_the_example_of_the_rfc() {
        let accepted = request(&[]).unwrap();
        assert_eq!(accepted.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!((accepted.payload, accepted.protocol), (Payload::Text, None));
    }

    #[test]
    fn chooses_what_is_built_in_the_clients_spelling() {
        check_protocol(
            "terminal.mudstandards.org",
            Payload::Binary,
            "terminal.mudstandards.org",
        );
        check_protocol(
            "gmcp.mudstandards.org, Terminal.mudstandards.org",
            Payload::Binary,
            "Terminal.mudstandards.org",
        );
        check_refused(
            &[("sec-websocket-protocol", "gmcp.mudstandards.org, binary")],
            400,
        );
    }

    #[test]
    fn pages_from_elsewhere_are_kept_out() {
        assert!(request(&[("origin", "http://mud.example:4080")]).is_ok());
        assert!(request(&[("origin", "https://PLAY.example")]).is_ok());
        check_refused(&[("origin", "http://mud.example")], 403);
        check_refused(&[("origin", "https://evil.example")], 403);
        check_refused(&[("origin", "null")], 403);
        check_refused(&[("origin", "://")], 403);
    }

    #[test]
    fn what_is_no_handshake_is_told_so() {
        check_refused(&[("upgrade", "h2c")], 426);
        check_refused(&[("connection", "close")], 426);
        check_refused(&[("sec-websocket-version", "8")], 426);
        check_refused(&[("sec-websocket-key", "short")], 400);
        assert!(judge(&Method::POST, &HeaderMap::new(), &[]).is_err());
    }
}
