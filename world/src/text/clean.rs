//! `[pure]` Makes text of strangers harmless before another player sees it.
//!
//! Removed: control characters but TAB, whole escape sequences, C1, line separators, bidirectional
//! overrides, the byte order mark, marks with nothing to stand on, and marks piled too high.

use std::borrow::Cow;

/// Combining marks that may follow one base character; more are dropped.
pub const COMBINING_MARKS_MAX: u8 = 4;

/// Text that is safe to show to others, without white space at its ends. Borrows when nothing had
/// to change; cleaning twice changes nothing more.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(trim(text));
    }
    let mut kept = String::with_capacity(text.len());
    let mut marks = COMBINING_MARKS_MAX;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        if next == '\u{1b}' && rest.next_if_eq(&'[').is_some() || next == '\u{9b}' {
            while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
            let _final_byte = rest.next_if(|c| matches!(c, '@'..='~'));
            continue;
        }
        if is_forbidden(next) {
            continue;
        }
        if is_mark(next) {
            if marks >= COMBINING_MARKS_MAX {
                continue;
            }
            marks += 1;
        } else if is_trimmed(next) {
            // White space at the start is cut below, so a mark after it has nothing to stand on.
            marks = if kept.is_empty() {
                COMBINING_MARKS_MAX
            } else {
                0
            };
        } else {
            marks = 0;
        }
        if !(kept.is_empty() && is_trimmed(next)) {
            kept.push(next);
        }
    }
    kept.truncate(trim(&kept).len());
    Cow::Owned(kept)
}

/// Whether nothing but the trimming can be needed: printable ASCII and TAB.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_trimmed)
}

fn is_trimmed(c: char) -> bool {
    c.is_whitespace()
}

/// Characters that move the cursor, hide text or turn it around.
fn is_forbidden(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(
            c,
            '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
}

/// Characters that take no room of their own: combining marks of the scripts in use, joiners and
/// variation selectors. Joiners count as marks so that they cannot be piled up either.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{0300}'..='\u{036f}'
            | '\u{0483}'..='\u{0489}'
            | '\u{0591}'..='\u{05bd}'
            | '\u{05bf}'
            | '\u{05c1}'..='\u{05c2}'
            | '\u{05c4}'..='\u{05c5}'
            | '\u{05c7}'
            | '\u{0610}'..='\u{061a}'
            | '\u{064b}'..='\u{065f}'
            | '\u{0670}'
            | '\u{06d6}'..='\u{06dc}'
            | '\u{06df}'..='\u{06e4}'
            | '\u{06e7}'..='\u{06e8}'
            | '\u{06ea}'..='\u{06ed}'
            | '\u{093c}'
            | '\u{094d}'
            | '\u{0e31}'
            | '\u{0e34}'..='\u{0e3a}'
            | '\u{0e47}'..='\u{0e4e}'
            | '\u{0eb1}'
            | '\u{0eb4}'..='\u{0ebc}'
            | '\u{0ec8}'..='\u{0ece}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{20d0}'..='\u{20f0}'
            | '\u{302a}'..='\u{302f}'
            | '\u{3099}'..='\u{309a}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fe20}'..='\u{fe2f}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text), expected, "for {text:?}");
    }

    #[test]
    fn removes_what_could_hurt_another_screen() {
        check("hello", "hello");
        check("  hello \t", "hello");
        check("a\tb", "a\tb");
        check("a\x07b\x00c\r\nd\x7f", "abcd");
        check("\x1b[1zbold\x1b[0m!", "bold!");
        check("\x1b]0;title\x07x", "]0;titlex");
        check("\u{9b}31mred\u{85}\u{90}", "red");
        check("abc\u{202e}fed\u{2066}\u{2069}\u{feff}", "abcfed");
        check("one\u{2028}two", "onetwo");
        check("", "");
        check("\x1b", "");
        check("\x1b[", "");
        check("\x1b[12;", "");
        check("\x1b\x1b[31m[31m", "[31m");
    }

    #[test]
    fn keeps_other_scripts_and_few_marks() {
        check("Zoë сказал «да» 日本語", "Zoë сказал «да» 日本語");
        check("e\u{301}", "e\u{301}");
        check(
            "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}x\u{301}",
            "e\u{301}\u{302}\u{303}\u{304}x\u{301}",
        );
    }

    #[test]
    fn a_mark_needs_something_of_its_own_to_stand_on() {
        check("\u{301}abc", "abc");
        check(" \u{301}abc", "abc");
        check("\u{1b}\u{301}abc", "abc");
    }

    #[test]
    fn borrows_when_nothing_changes() {
        assert!(matches!(
            clean(" plain words "),
            Cow::Borrowed("plain words")
        ));
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing_more(
            text in "[ -~\\t\u{1b}\u{7}\u{9b}\u{301}\u{202e}é日\u{a0}]{0,40}",
        ) {
            let once = clean(&text).into_owned();
            prop_assert_eq!(clean(&once), once.as_str());
            prop_assert!(once.chars().all(|c| !is_forbidden(c)));
        }

        #[test]
        fn any_text_comes_out_clean(text in any::<String>()) {
            let once = clean(&text).into_owned();
            prop_assert_eq!(clean(&once), once.as_str());
            prop_assert!(once.len() <= text.len());
        }
    }
}
