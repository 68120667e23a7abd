//! `[pure]` The one place where text from outside is made fit for a player's screen.
//!
//! Out go: control characters (C0, DEL, C1), whole escape sequences of terminals, whatever steers
//! the direction of text, whatever is invisible, private use, tags, and what no character is
//! assigned to. Line ends and odd spaces become spaces. Marks are not
//! piled up. What is too long is cut.
//!
//! Orders to play sounds (MSP) are broken up. Nothing here knows about MXP or colours: a client
//! that can do those escapes what it shows.

use std::iter::Peekable;
use std::str::Chars;

use crate::limits::{
    FOREIGN_MESSAGE_CHARS_MAX, FOREIGN_NAME_CHARS_MAX, MARKS_IN_A_ROW_MAX, REASON_CHARS_MAX,
};

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// The name of a player or a game; `None` when nothing is left. An `@` of any width becomes a
/// space, since it stands between a player and a game.
pub(super) fn name(text: &str) -> Option<String> {
    let mut clean = cleaned(text, FOREIGN_NAME_CHARS_MAX, |char| match char {
        '@' | '\u{fe6b}' | '\u{ff20}' => ' ',
        other => other,
    });
    clean.truncate(clean.trim_end().len());
    (!clean.is_empty()).then_some(clean)
}

/// The words of a message, in one line; `None` when nothing is left.
pub(super) fn message(text: &str) -> Option<String> {
    line(text, FOREIGN_MESSAGE_CHARS_MAX)
}

/// A text of a hub in a reason.
pub(super) fn reason(text: &str) -> Option<String> {
    line(text, REASON_CHARS_MAX)
}

fn line(text: &str, chars_max: usize) -> Option<String> {
    let mut clean = cleaned(text, chars_max + 1, |char| char);
    if let Some((end, _)) = clean.char_indices().nth(chars_max) {
        clean.truncate(end);
        clean.truncate(clean.trim_end().len());
        clean.push_str("...");
    }
    clean.truncate(clean.trim_end().len());
    (!clean.is_empty()).then_some(clean)
}

/// At most so many characters, without spaces in front.
fn cleaned(text: &str, chars_max: usize, map: impl Fn(char) -> char) -> String {
    let mut clean = String::with_capacity(text.len().min(chars_max.saturating_mul(4)));
    let (mut count, mut marks) = (0, 0);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if is_introducer(char) {
            skip_sequence(char, &mut chars);
            continue;
        }
        let char = match char {
            _ if is_space(char) => ' ',
            _ if is_unwanted(char) => continue,
            '(' if is_order(&clean) => ' ',
            _ => map(char),
        };
        if char == ' ' && clean.is_empty() {
            continue;
        }
        if is_mark(char) {
            marks += 1;
            if marks > MARKS_IN_A_ROW_MAX || clean.is_empty() {
                continue;
            }
        } else {
            marks = 0;
        }
        if count == chars_max {
            break;
        }
        clean.push(char);
        count += 1;
    }
    clean
}

/// Whether a bracket would make it what clients with MSP take for an order to play a sound, which
/// they may fetch from anywhere.
fn is_order(text: &str) -> bool {
    let order = text.len().checked_sub("!!SOUND".len());
    let order = order.and_then(|start| text.get(start..));
    order.is_some_and(|order| {
        ["!!SOUND", "!!MUSIC"]
            .iter()
            .any(|known| order.eq_ignore_ascii_case(known))
    })
}

/// What begins an escape sequence, in 7 or 8 bits.
const fn is_introducer(char: char) -> bool {
    matches!(
        char,
        ESCAPE | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}'
    )
}

/// Takes the rest of the sequence that was begun; one that does not end takes all.
fn skip_sequence(introducer: char, chars: &mut Peekable<Chars<'_>>) {
    let kind = match introducer {
        ESCAPE => match chars.peek().copied() {
            Some(kind @ ('[' | ']' | 'P' | 'X' | '^' | '_')) => {
                chars.next();
                kind
            }
            _ => ESCAPE,
        },
        '\u{9b}' => '[',
        _ => ']',
    };
    match kind {
        '[' => {
            while chars.next_if(|char| matches!(char, ' '..='?')).is_some() {}
            chars.next_if(|char| matches!(char, '@'..='~'));
        }
        // ESC, intermediates, and one final character.
        ESCAPE => {
            while chars.next_if(|char| matches!(char, ' '..='/')).is_some() {}
            chars.next_if(|char| matches!(char, '0'..='~'));
        }
        // A string, up to BEL or ST.
        _ => {
            while let Some(char) = chars.next() {
                match char {
                    BELL | '\u{9c}' => break,
                    ESCAPE if chars.next_if_eq(&'\\').is_some() => break,
                    _ => {}
                }
            }
        }
    }
}

/// Spaces of all widths, and what would begin a new line.
const fn is_space(char: char) -> bool {
    matches!(
        char,
        ' ' | '\t'..='\r' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
            | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}'
    )
}

fn is_unwanted(char: char) -> bool {
    char.is_control() || is_invisible(char) || (!char.is_ascii() && !is_printable(char))
}

/// Whether the standard library finds that it can be shown: it is assigned, and no format
/// character. It tells by what it escapes in a text; behind another character, marks are shown.
fn is_printable(char: char) -> bool {
    let mut bytes = *b"a    ";
    let [_, rest @ ..] = &mut bytes;
    let length = 1 + char.encode_utf8(rest).len();
    let text = bytes
        .get(..length)
        .and_then(|bytes| str::from_utf8(bytes).ok());
    text.is_some_and(|text| text.escape_debug().nth(2).is_none())
}

/// Whether it stands above, below or around the letter before: at the beginning of a text the
/// standard library escapes such as well.
fn is_mark(char: char) -> bool {
    !char.is_ascii() && char.escape_debug().nth(1).is_some()
}

/// Invisible, or steering, or of no meaning that two systems share.
const fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'                          // soft hyphen
            | '\u{34f}'                   // grapheme joiner
            | '\u{61c}'                   // Arabic letter mark
            | '\u{115f}' | '\u{1160}'     // Hangul fillers
            | '\u{17b4}' | '\u{17b5}'     // Khmer vowels that are not shown
            | '\u{180b}'..='\u{180f}'     // Mongolian selectors
            | '\u{200b}'..='\u{200f}'     // zero width, and direction marks
            | '\u{202a}'..='\u{202e}'     // embeddings and overrides of direction
            | '\u{2060}'..='\u{206f}'     // joiners, invisible operators, isolates
            | '\u{3164}'                  // Hangul filler
            | '\u{e000}'..='\u{f8ff}'     // private use
            | '\u{fdd0}'..='\u{fdef}'     // no characters
            | '\u{fe00}'..='\u{fe0f}'     // variation selectors
            | '\u{feff}'                  // byte order mark
            | '\u{ffa0}'                  // Hangul filler
            | '\u{fff0}'..='\u{fffc}'     // annotations, objects
            | '\u{13430}'..='\u{1345f}'   // Egyptian layout
            | '\u{1bca0}'..='\u{1bca3}'   // shorthand layout
            | '\u{1d173}'..='\u{1d17a}'   // musical layout
            | '\u{40000}'..='\u{10ffff}'  // unassigned planes, tags, private use
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_hostile_goes_and_the_rest_stays() {
        let table = [
            ("Hello, world!", "Hello, world!"),
            (
                "Gr\u{fc}\u{df}e \u{4f60}\u{597d} \u{1f600}",
                "Gr\u{fc}\u{df}e \u{4f60}\u{597d} \u{1f600}",
            ),
            ("a <b> & c", "a <b> & c"),
            ("  padded\t\r\n", "padded"),
            (
                "two\r\nlines\u{2028}three\u{2029}four\u{85}five",
                "two  lines three four five",
            ),
            ("be\u{7}ll nu\0l d\u{7f}el c\u{80}1", "bell nul del c1"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25lx\u{1b}[2J\u{1b}[1;1H", "x"),
            ("\u{1b}[38;2;1 qx", "x"),
            ("\u{9b}31mred", "red"),
            (
                "\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\",
                "xlink",
            ),
            ("\u{1b}Pq#0\u{1b}\\y\u{9d}0;t\u{9c}z", "yz"),
            (
                "\u{1b}_apc\u{1b}\\a\u{1b}^pm\u{1b}\\b\u{1b}Xsos\u{1b}\\c",
                "abc",
            ),
            ("\u{1b}(0x\u{1b}cy\u{1b}#8z", "xyz"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}]never ends", "a"),
            ("a\u{1b}\u{1b}[1mb", "ab"),
            ("a\u{1b}[\u{1b}[1mb", "ab"),
            ("\u{1b}[3\u{200b}1m", "1m"),
            (
                "\u{202e}drow\u{202c} \u{2066}x\u{2069}\u{200f}\u{61c}",
                "drow x",
            ),
            (
                "z\u{200b}e\u{200c}r\u{200d}o\u{feff}\u{2060}\u{ad}\u{34f}\u{3164}",
                "zero",
            ),
            ("p\u{e000}\u{f8ff}\u{f0000}\u{10ffff}q", "pq"),
            ("t\u{e0041}\u{e007f}ag", "tag"),
            ("n\u{fffe}\u{ffff}\u{1fffe}\u{fdd0}o", "no"),
            ("\u{50000}u", "u"),
            ("wide\u{3000}\u{2003}\u{a0}\u{2800}x", "wide    x"),
            ("\u{fffd}", "\u{fffd}"),
            ("una\u{378}ssi\u{1fbff}gned", "unassigned"),
            ("\u{7eb}nko\u{7eb}", "nko\u{7eb}"),
            (
                "z\u{301}\u{302}\u{303}\u{304}\u{305}a\u{301}",
                "z\u{301}\u{302}\u{303}a\u{301}",
            ),
            ("\u{301}\u{301}x", "x"),
        ];
        for (text, expected) in table {
            assert_eq!(message(text).as_deref(), Some(expected), "{text:?}");
        }
        for nothing in [
            "",
            " \n",
            "\u{1b}[1m",
            "\u{200b}\u{202e}\u{2800}",
            "\u{1b}]x",
        ] {
            assert_eq!(message(nothing), None, "{nothing:?}");
            assert_eq!(name(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn regression_orders_to_play_sounds_are_broken_up() {
        let table = [
            ("!!SOUND(http://a/b.wav)", "!!SOUND http://a/b.wav)"),
            ("x !!mu\u{200b}sic(b U=http://a)", "x !!music b U=http://a)"),
            ("!SOUND(x) !!(y)", "!SOUND(x) !!(y)"),
        ];
        for (text, expected) in table {
            assert_eq!(message(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn regression_no_width_of_an_at_can_name_another_game() {
        assert_eq!(name("Bo\u{ff20}A\u{fe6b}B").as_deref(), Some("Bo A B"));
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = "\u{e9}".repeat(FOREIGN_MESSAGE_CHARS_MAX + 1);
        let cut = message(&long).unwrap();
        assert_eq!(cut.chars().count(), FOREIGN_MESSAGE_CHARS_MAX + 3);
        assert!(cut.ends_with("\u{e9}..."));
        let fits = "x".repeat(FOREIGN_MESSAGE_CHARS_MAX);
        assert_eq!(message(&fits), Some(fits));
        assert_eq!(name(&long).unwrap().chars().count(), FOREIGN_NAME_CHARS_MAX);
        assert_eq!(reason(&long).unwrap().chars().count(), REASON_CHARS_MAX + 3);
        assert_eq!(name("Bo@Other@").as_deref(), Some("Bo Other"));
        assert_eq!(name("@"), None);
    }

    proptest! {
        #[test]
        fn is_clean_and_stays_as_it_is(text in "\\PC*|[\u{0}-\u{a0}a-z\\[\\];0-9]{0,60}|.{0,60}") {
            for clean in [message(&text), name(&text), reason(&text)].into_iter().flatten() {
                prop_assert!(!clean.is_empty() && clean.trim() == clean);
                prop_assert!(!clean.contains(|c| is_unwanted(c) || is_introducer(c)));
                prop_assert!(!clean.contains(['\n', '\r', '\t']));
            }
            let once = message(&text);
            prop_assert_eq!(once.as_deref().and_then(message), once);
        }
    }
}
