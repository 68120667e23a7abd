//! `[pure]` The two names that the network itself gives out: a game's and a channel's.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::fault::Fault;
use crate::limits::{CHANNEL_NAME_MAX, CHANNEL_NAME_MIN, SHORT_NAME_MAX};

/// Names that no game may have: the reference network speaks under them.
const RESERVED: [&str; 2] = ["grapevine", "raisin"];

/// What some clients take for all channels at once.
const ALL_CHANNELS: &str = "all";

/// A game's short name, the `game` of every frame: letters and digits, unique ignoring case.
/// Equal means equal in case, as on the wire; [`ShortName::folded`] is the key of the unique one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortName(Arc<str>);

impl ShortName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`Fault::ShortName`] or [`Fault::ReservedName`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if text.is_empty() || text.len() > SHORT_NAME_MAX || !letters {
            return Err(Fault::ShortName);
        }
        if RESERVED.iter().any(|name| text.eq_ignore_ascii_case(name)) {
            return Err(Fault::ReservedName);
        }
        Ok(Self(text.into()))
    }

    /// The name as registered.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in lower case.
    #[must_use]
    pub fn folded(&self) -> Box<str> {
        self.0.to_ascii_lowercase().into()
    }
}

/// A channel's name: letters, `-` and `_`, in a case that counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelName(Arc<str>);

impl ChannelName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`Fault::ChannelName`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let allowed = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_';
        let long_enough = (CHANNEL_NAME_MIN..=CHANNEL_NAME_MAX).contains(&text.len());
        if !long_enough || !text.bytes().all(allowed) || text.eq_ignore_ascii_case(ALL_CHANNELS) {
            return Err(Fault::ChannelName);
        }
        Ok(Self(text.into()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ChannelName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for ShortName {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        Self::parse(text)
    }
}

impl FromStr for ChannelName {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        Self::parse(text)
    }
}

impl fmt::Display for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Debug for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_short_names_of_letters_and_digits_only() {
        for good in ["A", "GameA", "1st", "ABCDEFGHIJKLMNO"] {
            assert_eq!(ShortName::parse(good).expect(good).as_str(), good);
        }
        let bad = [
            "",
            "ABCDEFGHIJKLMNOP",
            "a b",
            "a-b",
            "b\u{e9}",
            "a\n",
            "x_y",
        ];
        for bad in bad {
            assert_eq!(ShortName::parse(bad), Err(Fault::ShortName), "{bad:?}");
        }
        for reserved in ["grapevine", "Raisin", "GRAPEVINE"] {
            assert_eq!(ShortName::parse(reserved), Err(Fault::ReservedName));
        }
    }

    #[test]
    fn takes_channel_names_as_the_network_does() {
        for good in ["gossip", "moo", "a-b", "A_B", "abcdefghijklmno"] {
            assert_eq!(ChannelName::parse(good).expect(good).as_str(), good);
        }
        let bad = [
            "",
            "ab",
            "abcdefghijklmnop",
            "a b c",
            "abc1",
            "all",
            "ALL",
            "b\u{e9}b",
        ];
        for bad in bad {
            assert_eq!(ChannelName::parse(bad), Err(Fault::ChannelName), "{bad:?}");
        }
    }
}
