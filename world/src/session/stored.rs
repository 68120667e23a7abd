//! `[pure]` What a player chose, from and to the form in which it is stored.

use super::state::Settings;
use crate::event::Text;
use crate::limits;
use crate::store;
use crate::store::ColorSetting;
use crate::talk::IgnoreList;
use crate::text::Depth;
use std::sync::Arc;

/// What the player chose, as it is stored.
pub(super) fn to_stored(settings: &Settings) -> store::Settings {
    let choices = settings.channels.iter();
    let ignored = settings.ignored.entries().iter();
    store::Settings {
        color: match settings.depth {
            None => ColorSetting::Auto,
            Some(Depth::None) => ColorSetting::Off,
            Some(Depth::Ansi8 | Depth::Ansi16) => ColorSetting::Ansi,
            Some(Depth::Ansi256) => ColorSetting::Xterm,
            Some(Depth::True) => ColorSetting::True,
        },
        screen_reader: settings.screen_reader == Some(true),
        channels: choices.map(|(name, on)| (name.to_string(), *on)).collect(),
        ignored: ignored.map(ToString::to_string).collect(),
        notices: settings.notices,
    }
}

/// What is stored, as a session has it. Channels that the content has no more are kept.
pub(super) fn from_stored(stored: &store::Settings) -> Settings {
    let choices = stored.channels.iter().take(limits::CHANNEL_CHOICES_MAX);
    let choices = choices.map(|(name, on)| (Text::from(name.to_ascii_lowercase()), *on));
    Settings {
        depth: match stored.color {
            ColorSetting::Auto => None,
            ColorSetting::Off => Some(Depth::None),
            ColorSetting::Ansi => Some(Depth::Ansi16),
            ColorSetting::Xterm => Some(Depth::Ansi256),
            ColorSetting::True => Some(Depth::True),
        },
        screen_reader: stored.screen_reader.then_some(true),
        channels: Arc::new(choices.collect()),
        ignored: Arc::new(IgnoreList::restore(
            stored.ignored.iter().map(String::as_str),
        )),
        notices: stored.notices,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_player_chose_comes_back_from_the_store() {
        let mut ignored = IgnoreList::default();
        for entry in ["Ann", "Bo@Other", "@Third"] {
            ignored
                .add(crate::talk::Ignored::parse(entry).unwrap())
                .unwrap();
        }
        let settings = Settings {
            depth: Some(Depth::Ansi256),
            screen_reader: Some(true),
            channels: Arc::new([("chat".into(), false), ("gone".into(), true)].into()),
            ignored: Arc::new(ignored),
            notices: Some(false),
        };
        assert_eq!(from_stored(&to_stored(&settings)), settings);
        let old = store::Settings::default();
        assert_eq!(from_stored(&old), Settings::default());
    }
}
