//! `[pure]` What a text in an area file may hold, and the form in which it is kept.

use super::fields::shown;
use super::limits::{
    ABOUT_BYTES_MAX, CHANNEL_NAME_BYTES_MAX, DESCRIPTION_BYTES_MAX, GREETING_BYTES_MAX,
    KEY_BYTES_MAX, KEYWORD_BYTES_MAX, LONG_BYTES_MAX, NAME_BYTES_MAX, REFERENCE_BYTES_MAX,
    SAY_BYTES_MAX,
};

/// A kind of text: its shape and how long it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextRule {
    shape: Shape,
    bytes_max: usize,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// The key of a zone, room, item or mob.
    Key,
    /// `key` or `zone/key`.
    Reference,
    /// A word that a player types.
    Keyword,
    /// The name of a channel: a word that a player types.
    Channel,
    /// The name of a channel on the network.
    Remote,
    /// One line.
    Line,
    /// Paragraphs: line ends and runs of spaces become one space, empty lines part paragraphs.
    Prose,
    /// Lines that stay as they are.
    Lines,
}

pub(super) const KEY: TextRule = TextRule {
    shape: Shape::Key,
    bytes_max: KEY_BYTES_MAX,
};
pub(super) const REFERENCE: TextRule = TextRule {
    shape: Shape::Reference,
    bytes_max: REFERENCE_BYTES_MAX,
};
pub(super) const KEYWORD: TextRule = TextRule {
    shape: Shape::Keyword,
    bytes_max: KEYWORD_BYTES_MAX,
};
pub(super) const CHANNEL: TextRule = TextRule {
    shape: Shape::Channel,
    bytes_max: CHANNEL_NAME_BYTES_MAX,
};
pub(super) const REMOTE: TextRule = TextRule {
    shape: Shape::Remote,
    bytes_max: CHANNEL_NAME_BYTES_MAX,
};
pub(super) const ABOUT: TextRule = TextRule {
    shape: Shape::Line,
    bytes_max: ABOUT_BYTES_MAX,
};
pub(super) const NAME: TextRule = TextRule {
    shape: Shape::Line,
    bytes_max: NAME_BYTES_MAX,
};
pub(super) const LONG: TextRule = TextRule {
    shape: Shape::Line,
    bytes_max: LONG_BYTES_MAX,
};
pub(super) const SAY: TextRule = TextRule {
    shape: Shape::Line,
    bytes_max: SAY_BYTES_MAX,
};
pub(super) const DESCRIPTION: TextRule = TextRule {
    shape: Shape::Prose,
    bytes_max: DESCRIPTION_BYTES_MAX,
};
pub(super) const GREETING: TextRule = TextRule {
    shape: Shape::Lines,
    bytes_max: GREETING_BYTES_MAX,
};

impl TextRule {
    /// The text in the form in which it is kept, or what is wrong with it, to follow "is" or
    /// "holds" with the name of the field in front: `"name" is empty`.
    pub(super) fn check(self, text: &str) -> Result<String, String> {
        if let Some(control) = text.chars().find(|c| is_unprintable(*c)) {
            return Err(format!(
                "holds the control character U+{:04X}; only printable text is allowed",
                u32::from(control)
            ));
        }
        let kept = match self.shape {
            Shape::Key | Shape::Reference | Shape::Keyword | Shape::Channel | Shape::Remote => {
                text.to_owned()
            }
            Shape::Line => one_line(text)?,
            Shape::Prose => paragraphs(text),
            Shape::Lines => lines(text),
        };
        if kept.is_empty() {
            return Err("is empty".to_owned());
        }
        if kept.len() > self.bytes_max {
            return Err(format!(
                "is {} bytes long; at most {} are allowed",
                kept.len(),
                self.bytes_max
            ));
        }
        self.check_characters(&kept)?;
        Ok(kept)
    }

    fn check_characters(self, text: &str) -> Result<(), String> {
        let (right, allowed) = match self.shape {
            Shape::Key => (is_key(text), "lower-case letters a-z, digits, '-' and '_'"),
            Shape::Reference => (
                text.split_once('/')
                    .map_or_else(|| is_key(text), |(z, k)| is_key(z) && is_key(k)),
                "a key, or a zone's key, '/' and a key",
            ),
            Shape::Keyword => (
                text.bytes().all(|b| is_key_byte(b) || b == b'\''),
                "one word of lower-case letters a-z, digits, '-', '_' and '",
            ),
            Shape::Channel => (
                text.bytes().all(|byte| byte.is_ascii_alphabetic()),
                "letters a-z, without blanks",
            ),
            Shape::Remote => (
                text.bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')),
                "letters a-z, '-' and '_'",
            ),
            Shape::Line | Shape::Prose | Shape::Lines => (true, ""),
        };
        if right {
            Ok(())
        } else {
            Err(format!("is \"{}\"; allowed: {allowed}", shown(text)))
        }
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_key_byte)
}

const fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
}

/// Characters that a terminal would act on, and those that reorder or hide others.
fn is_unprintable(c: char) -> bool {
    let is_line_end = matches!(c, '\n' | '\r');
    let is_hidden = matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
    );
    (c.is_control() && !is_line_end) || is_hidden
}

fn one_line(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.contains(['\n', '\r']) {
        return Err("holds a line end; one line is allowed".to_owned());
    }
    Ok(text.to_owned())
}

fn paragraphs(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at_paragraph_start = false;
    for line in text.lines() {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_none() {
            at_paragraph_start = true;
        }
        for word in words {
            if !kept.is_empty() {
                kept.push(if at_paragraph_start { '\n' } else { ' ' });
            }
            at_paragraph_start = false;
            kept.push_str(word);
        }
    }
    kept
}

fn lines(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.trim_end().lines() {
        kept.push_str(line.trim_end());
        kept.push('\n');
    }
    // The last line has no end, and a text of empty lines is empty.
    kept.truncate(kept.trim_end_matches('\n').len());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_joined_into_paragraphs() {
        let text = "\n  One line\n  and  another.\r\n\n\nA second\nparagraph.\n";
        let expected = "One line and another.\nA second paragraph.";
        assert_eq!(DESCRIPTION.check(text).as_deref(), Ok(expected));
    }

    #[test]
    fn lines_stay_as_they_are_but_for_their_ends() {
        let text = "  a  b \r\n\n  c\n\n";
        assert_eq!(GREETING.check(text).as_deref(), Ok("  a  b\n\n  c"));
    }

    #[test]
    fn what_a_terminal_would_act_on_is_refused() {
        for text in [
            "\u{1b}[2J",
            "a\tb",
            "a\u{7f}",
            "a\u{9b}",
            "a\u{202e}b",
            "a\u{200b}b",
        ] {
            let wrong = DESCRIPTION.check(text).unwrap_err();
            assert!(wrong.contains("control character U+"), "{wrong}");
        }
    }

    #[test]
    fn keys_references_and_keywords_are_plain() {
        for good in ["pier", "a-1_b"] {
            assert_eq!(KEY.check(good).as_deref(), Ok(good));
        }
        for bad in ["Pier", "a b", "a/b", "", "p\u{e9}age"] {
            assert!(KEY.check(bad).is_err(), "{bad}");
        }
        assert!(REFERENCE.check("a/b").is_ok());
        for bad in ["/b", "a/", "a/b/c", "A/b"] {
            assert!(REFERENCE.check(bad).is_err(), "{bad}");
        }
        assert!(KEYWORD.check("widow's").is_ok());
        assert!(KEYWORD.check("two words").is_err());
    }
}
