//! `[pure]` What a game supports, and the extensions that it asks for.

use std::fmt;

/// A group of events that a game says it supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Flag {
    /// Channels; every game must.
    Channels = 1,
    /// Who plays where.
    Players = 2,
    /// Private messages.
    Tells = 4,
    /// Which games are connected.
    Games = 8,
    /// The achievements of the game, kept at the hub.
    Achievements = 16,
}

impl Flag {
    /// All flags, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::Channels,
        Self::Players,
        Self::Tells,
        Self::Games,
        Self::Achievements,
    ];

    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Channels => "channels",
            Self::Players => "players",
            Self::Tells => "tells",
            Self::Games => "games",
            Self::Achievements => "achievements",
        }
    }

    /// The flag of this name.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.as_str() == text)
    }
}

/// A set of flags.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether the flag is in it.
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & flag as u8 != 0
    }

    /// With this flag.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Self {
        Self(self.0 | flag as u8)
    }

    /// Without this flag.
    #[must_use]
    pub const fn without(self, flag: Flag) -> Self {
        Self(self.0 & !(flag as u8))
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Its flags in order.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |flag| self.has(*flag))
    }
}

impl FromIterator<Flag> for Flags {
    fn from_iter<I: IntoIterator<Item = Flag>>(flags: I) -> Self {
        flags.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Something beyond the protocol that a client may ask for when it authenticates. Who does not ask
/// never sees a trace of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Extension {
    /// Numbered broadcasts, and `channels/history` for what was missed.
    History = 1,
    /// `channels/receipt` and `tells/receipt`.
    Receipts = 2,
    /// A mark after the last frame of a status.
    Marks = 4,
}

impl Extension {
    /// All extensions.
    pub const ALL: [Self; 3] = [Self::History, Self::Receipts, Self::Marks];

    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Receipts => "receipts",
            Self::Marks => "marks",
        }
    }

    /// The extension of this name.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// A set of extensions.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Extensions(u8);

impl Extensions {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether the extension is in it.
    pub const fn has(self, extension: Extension) -> bool {
        self.0 & extension as u8 != 0
    }

    /// With this extension.
    #[must_use]
    pub const fn with(self, extension: Extension) -> Self {
        Self(self.0 | extension as u8)
    }

    /// Its extensions in order.
    pub fn iter(self) -> impl Iterator<Item = Extension> {
        let all = Extension::ALL.into_iter();
        all.filter(move |extension| self.has(*extension))
    }
}

impl FromIterator<Extension> for Extensions {
    fn from_iter<I: IntoIterator<Item = Extension>>(extensions: I) -> Self {
        extensions.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let flags = Flags::NONE.with(Flag::Tells).with(Flag::Channels);
        assert!(flags.has(Flag::Tells) && !flags.has(Flag::Games));
        let names = flags.iter().map(Flag::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["channels", "tells"]);
        assert!(!flags.without(Flag::Tells).has(Flag::Tells));
        assert_eq!(Flag::ALL.into_iter().collect::<Flags>().iter().count(), 5);
        for flag in Flag::ALL {
            assert_eq!(Flag::of(flag.as_str()), Some(flag));
        }
        for extension in Extension::ALL {
            assert_eq!(Extension::of(extension.as_str()), Some(extension));
            assert!(Extensions::NONE.with(extension).has(extension));
        }
    }
}
