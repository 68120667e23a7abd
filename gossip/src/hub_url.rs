//! `[pure]` The address of a hub.

use std::fmt;

use crate::limits::{HOST_BYTES_MAX, URL_BYTES_MAX};

/// Where a hub listens: `ws://HOST[:PORT][/PATH]` or `wss://...`.
///
/// The port is that of HTTP or HTTPS and the path is `/socket` when the text does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubUrl {
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// A name or an address, without the brackets of IPv6.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path, with the query if there is one; starts with `/`.
    pub path: String,
}

/// Why a text is no address of a hub. All of them are **refused**: the text is to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HubUrlError {
    /// It starts with something else.
    #[error("a hub's address starts with ws:// or wss://, for example wss://hub.example/socket")]
    Scheme,
    /// Longer than [`URL_BYTES_MAX`].
    #[error("a hub's address has at most {URL_BYTES_MAX} bytes")]
    Long,
    /// There is an `@` before the host.
    #[error("a hub's address carries no user or password")]
    User,
    /// No name and no address of a machine.
    #[error("the host in the hub's address is no name and no IP address")]
    Host,
    /// No number from 1 to 65535.
    #[error("the port in the hub's address is no number from 1 to 65535")]
    Port,
    /// Spaces, control characters, a `#` or letters beyond ASCII.
    #[error("the path in the hub's address has characters that an address cannot have")]
    Path,
}

impl HubUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// Refused: see [`HubUrlError`].
    pub fn parse(text: &str) -> Result<Self, HubUrlError> {
        if text.len() > URL_BYTES_MAX {
            return Err(HubUrlError::Long);
        }
        let (scheme, rest) = text.split_once("://").ok_or(HubUrlError::Scheme)?;
        let tls = match scheme {
            _ if scheme.eq_ignore_ascii_case("ws") => false,
            _ if scheme.eq_ignore_ascii_case("wss") => true,
            _ => return Err(HubUrlError::Scheme),
        };
        let (place, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if place.contains('@') {
            return Err(HubUrlError::User);
        }
        let (host, port) = split_place(place)?;
        let port = match port {
            None => default_port(tls),
            Some(port) => read_port(port)?,
        };
        Ok(Self {
            tls,
            host: host.to_owned(),
            port,
            path: read_path(path)?,
        })
    }

    /// Host and port, as the `Host` of a request has it.
    pub fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        if self.port == default_port(self.tls) {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }
}

impl fmt::Display for HubUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "wss" } else { "ws" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

const fn default_port(tls: bool) -> u16 {
    if tls { 443 } else { 80 }
}

fn split_place(place: &str) -> Result<(&str, Option<&str>), HubUrlError> {
    if let Some(bracketed) = place.strip_prefix('[') {
        let (host, after) = bracketed.split_once(']').ok_or(HubUrlError::Host)?;
        let address = host.parse::<std::net::Ipv6Addr>();
        return match (address, after.strip_prefix(':')) {
            (Ok(_), port) if port.is_some() || after.is_empty() => Ok((host, port)),
            (Ok(_) | Err(_), _) => Err(HubUrlError::Host),
        };
    }
    let (host, port) = match place.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (place, None),
    };
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if host.is_empty() || host.len() > HOST_BYTES_MAX || !host.bytes().all(allowed) {
        return Err(HubUrlError::Host);
    }
    Ok((host, port))
}

fn read_port(text: &str) -> Result<u16, HubUrlError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let port = text.parse().ok().filter(|port| digits && *port > 0);
    port.ok_or(HubUrlError::Port)
}

fn read_path(path: &str) -> Result<String, HubUrlError> {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"#<>\"\\^`{|}".contains(&byte);
    if !path.bytes().all(allowed) {
        return Err(HubUrlError::Path);
    }
    Ok(match path {
        "" | "/" => "/socket".to_owned(),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("/socket{path}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_it_can_and_the_rest_is_usual() {
        let table = [
            ("ws://127.0.0.1:4110", "ws://127.0.0.1:4110/socket"),
            ("WSS://hub.example/", "wss://hub.example/socket"),
            ("wss://hub.example:443/socket", "wss://hub.example/socket"),
            ("ws://hub.example:443", "ws://hub.example:443/socket"),
            ("ws://[::1]:4110/a?b=c", "ws://[::1]:4110/a?b=c"),
            ("ws://[::1]", "ws://[::1]/socket"),
            ("ws://localhost?x", "ws://localhost/socket?x"),
        ];
        for (text, expected) in table {
            let url = HubUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), expected);
            assert_eq!(HubUrl::parse(expected), Ok(url));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        use HubUrlError::{Host, Long, Path, Port, Scheme, User};
        let long = format!("ws://h/{}", "x".repeat(URL_BYTES_MAX));
        let name = format!("ws://{}", "x".repeat(HOST_BYTES_MAX + 1));
        let table = [
            ("", Scheme),
            ("hub.example", Scheme),
            ("http://hub.example", Scheme),
            ("https://hub.example/socket", Scheme),
            (long.as_str(), Long),
            ("ws://me:pw@hub.example", User),
            ("ws://", Host),
            ("ws:///socket", Host),
            ("ws://a b", Host),
            ("ws://h\u{fc}b.example", Host),
            (name.as_str(), Host),
            ("ws://[::1", Host),
            ("ws://[hub]", Host),
            ("ws://[::1]x", Host),
            ("ws://h:", Port),
            ("ws://h:0", Port),
            ("ws://h:+1", Port),
            ("ws://h:65536", Port),
            ("ws://h:1:2", Port),
            ("ws://h/a b", Path),
            ("ws://h/a\r\nX: y", Path),
            ("ws://h/a#b", Path),
            ("ws://h/\u{fc}", Path),
        ];
        for (text, expected) in table {
            assert_eq!(HubUrl::parse(text), Err(expected), "{text:.40}");
        }
    }
}
