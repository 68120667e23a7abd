//! `[pure]` What a piece of text is, not how it looks.

use super::color::Rgb;

/// The meaning of a piece of text. A style never carries a fact that the words do not carry too, so
/// a viewer without colour or sight misses nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Ordinary text in the terminal's own colour.
    Plain,
    /// The name of the place one is in.
    RoomName,
    /// The way out.
    Exits,
    /// What somebody says aloud.
    Speech,
    /// What somebody does.
    Emote,
    /// Private words.
    Tell,
    /// Talk on a channel.
    Channel,
    /// A thing.
    Item,
    /// Another player.
    Person,
    /// A creature of the world.
    Mob,
    /// Something did not work.
    Error,
    /// The game speaks: announcements, hints, what one needs to know.
    Notice,
    /// Where one types.
    Prompt,
    /// The head of a list or page.
    Heading,
    /// What matters little.
    Dim,
}

impl Style {
    /// Every style, for tests and tables.
    pub const ALL: [Self; 15] = [
        Self::Plain,
        Self::RoomName,
        Self::Exits,
        Self::Speech,
        Self::Emote,
        Self::Tell,
        Self::Channel,
        Self::Item,
        Self::Person,
        Self::Mob,
        Self::Error,
        Self::Notice,
        Self::Prompt,
        Self::Heading,
        Self::Dim,
    ];

    /// Its colour, chosen to be read on black and on white; `None` is the terminal's own.
    #[must_use]
    pub fn color(self) -> Option<Rgb> {
        Some(match self {
            Self::Plain => return None,
            Self::RoomName => Rgb(215, 175, 0),
            Self::Exits => Rgb(0, 175, 175),
            Self::Speech => Rgb(95, 175, 95),
            Self::Emote => Rgb(175, 135, 215),
            Self::Tell => Rgb(215, 95, 215),
            Self::Channel => Rgb(95, 175, 215),
            Self::Item => Rgb(215, 135, 0),
            Self::Person => Rgb(95, 135, 255),
            Self::Mob => Rgb(175, 135, 95),
            Self::Error => Rgb(215, 95, 95),
            Self::Notice => Rgb(175, 175, 0),
            Self::Prompt => Rgb(135, 135, 135),
            Self::Heading => Rgb(255, 175, 0),
            Self::Dim => Rgb(128, 128, 128),
        })
    }
}
