//! `[pure]` The name that the network gives to a game.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::fault::Fault;
use crate::limits::SHORT_NAME_MAX;

/// Names that no game may have: the reference network speaks under them.
const RESERVED: [&str; 2] = ["grapevine", "raisin"];

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

impl FromStr for ShortName {
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

impl fmt::Debug for ShortName {
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
}
