//! `[pure]` The player's own affairs: colour, screen-reader mode, help, who.

use super::order::{Command, Unclear};
use super::words::{self, Words};
use crate::event::Text;

/// The colour settings, and other words for them.
const COLORS: [(&str, &[&str]); 6] = [
    ("off", &["none", "no", "0"]),
    ("8", &[]),
    ("16", &["on", "ansi"]),
    ("256", &[]),
    ("true", &["truecolor", "24bit"]),
    ("auto", &["default"]),
];

/// `color`, `color 256`.
pub(super) fn color(rest: &str) -> Result<Command, Unclear> {
    let Some(word) = Words::new(rest).next() else {
        return Ok(Command::Color(None));
    };
    let setting = COLORS.iter().find(|(name, aliases)| {
        word.raw.eq_ignore_ascii_case(name)
            || aliases
                .iter()
                .any(|alias| word.raw.eq_ignore_ascii_case(alias))
    });
    match setting {
        Some((name, _)) => Ok(Command::Color(Some((*name).into()))),
        None => Err(Unclear::bad(rest, "off, 8, 16, 256, true or auto")),
    }
}

/// `screenreader`, `screenreader on`.
pub(super) fn screen_reader(rest: &str) -> Result<Command, Unclear> {
    let Some(word) = Words::new(rest).next() else {
        return Ok(Command::ScreenReader(None));
    };
    if word.is("on") {
        Ok(Command::ScreenReader(Some(true)))
    } else if word.is("off") {
        Ok(Command::ScreenReader(Some(false)))
    } else {
        Err(Unclear::bad(rest, "on or off"))
    }
}

/// `help`, `help say`: the topic in lower case.
pub(super) fn help(rest: &str) -> Command {
    Command::Help(lower(rest))
}

/// `who`, `who an`.
pub(super) fn who(rest: &str) -> Command {
    Command::Who(lower(rest))
}

/// A short word in lower case, or none.
fn lower(rest: &str) -> Option<Text> {
    let word = Words::new(rest).next()?;
    Some(words::echo(word.raw).to_lowercase().into())
}
