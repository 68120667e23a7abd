//! `[pure]` A line cut into words. Quotes keep words together where they open at the start of a
//! word and close at the end of one, so that `ann's` stays a word; a quote that never closes is a
//! letter like others.

use super::limits::ECHO_CHARS_MAX;
use crate::text::clean;
use std::borrow::Cow;

/// The words of a line, first to last.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

/// One word, or several between quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The text without count and quotes.
    pub(super) text: &'a str,
    /// The digits of `2.` before it.
    pub(super) count: Option<&'a str>,
    /// It stood between quotes: never an article or a preposition.
    pub(super) quoted: bool,
    /// As it was typed.
    pub(super) raw: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// What stands after the words taken so far.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Leaves out the next word when it is `word`, whatever its case.
    pub(super) fn pass_over(&mut self, word: &str) {
        let mut ahead = self.clone();
        if ahead.next().is_some_and(|next| next.is(word)) {
            *self = ahead;
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let line = self.rest;
        if line.is_empty() {
            return None;
        }
        let (count, after) = split_count(line);
        let (text, rest, quoted) = match split_quoted(after) {
            Some((inside, rest)) => (inside, rest, true),
            None => {
                let (word, rest) = split_word(after);
                (word, rest, false)
            }
        };
        self.rest = rest.trim_start();
        let raw_len = line.len().saturating_sub(rest.len());
        let raw = line.split_at_checked(raw_len).map_or(line, |(raw, _)| raw);
        Some(Word {
            text,
            count,
            quoted,
            raw,
        })
    }
}

impl Word<'_> {
    /// Whether this is exactly the bare word `word`, whatever its case.
    pub(super) fn is(&self, word: &str) -> bool {
        !self.quoted && self.count.is_none() && self.text.eq_ignore_ascii_case(word)
    }
}

/// The line up to the first white space, and the rest with it.
pub(super) fn split_word(line: &str) -> (&str, &str) {
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    line.split_at_checked(end).unwrap_or((line, ""))
}

/// The line without what could hurt another's screen, and with blanks for tabs. The edge has
/// cleaned it before; whoever reads player text later need not trust that.
pub(super) fn safe(line: &str) -> Cow<'_, str> {
    match clean(line) {
        line if line.contains('\t') => Cow::Owned(line.replace('\t', " ")),
        line => line,
    }
}

/// `text` cut to what an answer shows again.
pub(super) fn echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(ECHO_CHARS_MAX) {
        Some((end, _)) => {
            let (shown, _) = text.split_at_checked(end).unwrap_or((text, ""));
            Cow::Owned(format!("{shown}..."))
        }
        None => Cow::Borrowed(text),
    }
}

/// `2.` before something else.
fn split_count(line: &str) -> (Option<&str>, &str) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let Some((count, after)) = line.split_at_checked(digits) else {
        return (None, line);
    };
    match after.strip_prefix('.') {
        Some(word)
            if !count.is_empty()
                && word
                    .chars()
                    .next()
                    .is_some_and(|sign| !sign.is_whitespace()) =>
        {
            (Some(count), word)
        }
        _ => (None, line),
    }
}

/// The inside of quotes that open here and close at the end of a word, and what follows.
fn split_quoted(line: &str) -> Option<(&str, &str)> {
    let quote = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '\'' | '"'))?;
    let inner = line.strip_prefix(quote)?;
    inner.match_indices(quote).find_map(|(at, _)| {
        let (inside, after) = inner.split_at_checked(at)?;
        let after = after.strip_prefix(quote)?;
        let closes = after.is_empty() || after.starts_with(char::is_whitespace);
        (closes && !inside.trim().is_empty()).then_some((inside.trim(), after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(&str, Option<&str>, bool)]) {
        let got: Vec<_> = Words::new(line)
            .map(|word| (word.text, word.count, word.quoted))
            .collect();
        assert_eq!(got, expected, "{line:?}");
    }

    #[test]
    fn quotes_and_counts_are_read_where_they_belong() {
        check("", &[]);
        check("  a  b ", &[("a", None, false), ("b", None, false)]);
        check(
            "'brass lantern' to",
            &[("brass lantern", None, true), ("to", None, false)],
        );
        check("\"brass lantern\"", &[("brass lantern", None, true)]);
        check("2.sword", &[("sword", Some("2"), false)]);
        check("2.'old sword'", &[("old sword", Some("2"), true)]);
        check("2. sword", &[("2.", None, false), ("sword", None, false)]);
        check(
            "ann's 'cat",
            &[("ann's", None, false), ("'cat", None, false)],
        );
        check("'ann's cat'", &[("ann's cat", None, true)]);
        check("'' x", &[("''", None, false), ("x", None, false)]);
    }

    #[test]
    fn long_words_are_cut_in_answers_at_a_character() {
        assert_eq!(echo("short"), "short");
        let long = "\u{e9}".repeat(100);
        assert_eq!(
            echo(&long),
            format!("{}...", "\u{e9}".repeat(ECHO_CHARS_MAX))
        );
    }
}
