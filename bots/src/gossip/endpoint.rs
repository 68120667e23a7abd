//! `[pure]` Where a hub is: `ws://HOST:PORT/PATH`.

use std::net::SocketAddr;

/// The address of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Where to connect.
    pub address: SocketAddr,
    /// The path, with its slash.
    pub path: String,
}

impl Endpoint {
    /// Reads `ws://ADDRESS:PORT/PATH`; `localhost` is taken for 127.0.0.1, no path for `/socket`.
    /// `None` for anything else: names are not looked up, and TLS is not spoken.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("ws://")?;
        let (place, path) = match rest.find('/') {
            Some(at) => rest.split_at_checked(at)?,
            None => (rest, "/socket"),
        };
        let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic());
        Some(Self {
            address: crate::values::address(place).filter(|_| is_plain)?,
            path: path.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_plain_addresses_only() {
        let check = |url: &str| Endpoint::parse(url).map(|it| format!("{}{}", it.address, it.path));
        let table = [
            ("ws://127.0.0.1:4110/socket", Some("127.0.0.1:4110/socket")),
            ("ws://localhost:4110", Some("127.0.0.1:4110/socket")),
            ("ws://[::1]:1/x?y", Some("[::1]:1/x?y")),
            ("wss://127.0.0.1:4110/socket", None),
            ("ws://example.org:4110/socket", None),
            ("ws://127.0.0.1:4110/a b", None),
            ("127.0.0.1:4110", None),
        ];
        for (url, expected) in table {
            assert_eq!(check(url).as_deref(), expected, "{url}");
        }
    }
}
