//! `[pure]` Whether a request opens a WebSocket. Strict where the protocol of WebSockets is, blind
//! to everything else: origins, hosts, subprotocols, extensions and user agents are ignored.

use hyper::header::{CONNECTION, HeaderMap, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use hyper::{Method, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// The length of a key: 16 bytes in base64.
const KEY_LENGTH: usize = 24;

/// Judges a request to the WebSocket's path. Gives the `Sec-WebSocket-Accept`, or the status of
/// the refusal.
pub(super) fn judge(method: &Method, headers: &HeaderMap) -> Result<String, StatusCode> {
    if method != Method::GET {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let asked = has_token(headers, &CONNECTION, "upgrade")
        && has_token(headers, &UPGRADE, "websocket")
        && headers
            .get(SEC_WEBSOCKET_VERSION)
            .is_some_and(|version| version == "13");
    if !asked {
        return Err(StatusCode::UPGRADE_REQUIRED);
    }
    let key = headers.get(SEC_WEBSOCKET_KEY).map(|key| key.as_bytes());
    match key {
        Some(key) if key.len() == KEY_LENGTH => Ok(derive_accept_key(key)),
        Some(_) | None => Err(StatusCode::BAD_REQUEST),
    }
}

fn has_token(headers: &HeaderMap, name: &hyper::header::HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter();
    let tokens = values.filter_map(|value| value.to_str().ok());
    tokens
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn check(pairs: &[(&'static str, &str)], expected: Result<&str, StatusCode>) {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("a value"));
        }
        let judged = judge(&Method::GET, &headers);
        assert_eq!(
            judged.as_deref().map_err(|status| *status),
            expected,
            "{pairs:?}"
        );
    }

    #[test]
    fn opens_for_every_client_that_speaks_websocket() {
        let good = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", KEY),
            ("origin", "https://evil.example"),
            ("sec-websocket-extensions", "permessage-deflate"),
        ];
        check(&good, Ok("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
        check(&good[1..], Err(StatusCode::UPGRADE_REQUIRED));
        check(&good[..3], Err(StatusCode::BAD_REQUEST));
        check(&[], Err(StatusCode::UPGRADE_REQUIRED));
        let post = judge(&Method::POST, &HeaderMap::new());
        assert_eq!(post, Err(StatusCode::METHOD_NOT_ALLOWED));
    }
}
