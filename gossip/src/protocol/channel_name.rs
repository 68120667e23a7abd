//! `[pure]` The names of channels on the network.

use std::fmt;
use std::sync::Arc;

use crate::limits::CHANNEL_CHARS;

/// The name of a channel: 3 to 15 of `A-Z a-z _ -`, case-sensitive, and not `all`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelName(Arc<str>);

/// The text is no name of a channel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a channel's name has 3 to 15 characters of A-Z, a-z, _ and -, and is not \"all\"")]
pub struct BadChannelName;

impl ChannelName {
    /// Reads a name.
    ///
    /// # Errors
    /// Refused: the text is no name of a channel.
    pub fn parse(text: &str) -> Result<Self, BadChannelName> {
        let allowed = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-';
        let fits = CHANNEL_CHARS.contains(&text.len()) && text.bytes().all(allowed);
        if fits && !text.eq_ignore_ascii_case("all") {
            Ok(Self(text.into()))
        } else {
            Err(BadChannelName)
        }
    }

    /// As it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ChannelName {
    type Err = BadChannelName;

    fn from_str(text: &str) -> Result<Self, BadChannelName> {
        Self::parse(text)
    }
}

impl std::borrow::Borrow<str> for ChannelName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_3_to_15_letters_and_are_not_all() {
        let good = ["abc", "gossip", "A_b-C", "abcdefghijklmno", "---"];
        let bad = [
            "",
            "ab",
            "abcdefghijklmnop",
            "a b c",
            "abc1",
            "All",
            "m\u{fc}de",
        ];
        for name in good {
            assert_eq!(ChannelName::parse(name).unwrap().as_str(), name);
        }
        for name in bad {
            assert!(ChannelName::parse(name).is_err(), "{name}");
        }
    }
}
