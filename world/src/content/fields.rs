//! `[pure]` Reads the fields of one TOML table: what is missing, unknown or of the wrong kind is a
//! fault with its place, and reading goes on with a stand-in. No world comes of a text with an
//! error, so a stand-in is never seen.
//!
//! The tables come from the parser's tree with spans and not through serde, because serde ends at
//! the first fault and a builder wants all of them.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::limits::KEYWORDS_MAX;
use super::log::{At, FaultLog, Located};
use super::text::{self, TextRule};

/// One table of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'t> {
    table: &'t DeTable<'t>,
    /// Where the table begins.
    pub(super) at: At,
    /// How messages name it: `[[room]]`.
    what: &'static str,
}

impl<'t> Fields<'t> {
    /// The table; keys that are not allowed in it are faults.
    pub(super) fn new(
        log: &mut FaultLog<'_>,
        what: &'static str,
        at: At,
        table: &'t DeTable<'t>,
        allowed: &[&str],
    ) -> Self {
        for key in table.keys() {
            let word: &str = key.get_ref();
            if allowed.contains(&word) {
                continue;
            }
            let near = log.suggestion(word, allowed.iter().copied());
            log.error(
                At::new(at.file, &key.span()),
                format!(
                    "unknown key \"{}\" in {what}{near}; allowed: {}",
                    shown(word),
                    allowed.join(", ")
                ),
            );
        }
        Self { table, at, what }
    }

    /// The table in a value, or a fault.
    pub(super) fn of_value(
        log: &mut FaultLog<'_>,
        what: &'static str,
        file: u32,
        value: &'t Spanned<DeValue<'t>>,
        allowed: &[&str],
    ) -> Option<Self> {
        let at = At::new(file, &value.span());
        let Some(table) = value.get_ref().as_table() else {
            let kind = kind_of(value.get_ref());
            log.error(at, format!("{what} must be a table, found {kind}"));
            return None;
        };
        Some(Self::new(log, what, at, table, allowed))
    }

    /// The value of a key and where it stands.
    pub(super) fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    fn at_value(&self, value: &Spanned<DeValue<'_>>) -> At {
        At::new(self.at.file, &value.span())
    }

    fn missing(&self, log: &mut FaultLog<'_>, key: &str) {
        log.error(self.at, format!("{} has no \"{key}\"", self.what));
    }

    /// A text that must be there. Without it the stand-in is empty and stands at the table.
    pub(super) fn text(
        &self,
        log: &mut FaultLog<'_>,
        key: &str,
        rule: TextRule,
    ) -> Located<String> {
        match self.text_if_any(log, key, rule) {
            Some(text) => text,
            None => {
                if self.value(key).is_none() {
                    self.missing(log, key);
                }
                Located {
                    at: self.at,
                    value: String::new(),
                }
            }
        }
    }

    /// A text that may be missing; `None` also when it is no text at all, which is a fault.
    pub(super) fn text_if_any(
        &self,
        log: &mut FaultLog<'_>,
        key: &str,
        rule: TextRule,
    ) -> Option<Located<String>> {
        let value = self.value(key)?;
        read_text(log, key, self.at.file, value, rule)
    }

    /// Texts in a list; empty when there is none.
    pub(super) fn texts(
        &self,
        log: &mut FaultLog<'_>,
        key: &str,
        rule: TextRule,
        count_max: usize,
    ) -> Vec<Located<String>> {
        let file = self.at.file;
        self.list(log, key, count_max)
            .iter()
            .filter_map(|value| read_text(log, key, file, value, rule))
            .collect()
    }

    /// Keywords that must be there, each one once.
    pub(super) fn keywords(&self, log: &mut FaultLog<'_>) -> Vec<Located<String>> {
        let words = self.texts(log, "keywords", text::KEYWORD, KEYWORDS_MAX);
        match self.value("keywords") {
            None => self.missing(log, "keywords"),
            Some(value) if is_empty_list(value) => {
                let what = self.what;
                log.error(
                    self.at_value(value),
                    format!("\"keywords\" of {what} is empty"),
                );
            }
            Some(_) => {}
        }
        for (index, word) in words.iter().enumerate() {
            if words
                .iter()
                .take(index)
                .any(|other| other.value == word.value)
            {
                log.warning(
                    word.at,
                    format!("the keyword \"{}\" stands here twice", word.value),
                );
            }
        }
        words
    }

    /// The values in a list; empty when there is none. Those beyond the bound are not read: some
    /// checks compare all with all.
    pub(super) fn list(
        &self,
        log: &mut FaultLog<'_>,
        key: &str,
        count_max: usize,
    ) -> &'t [Spanned<DeValue<'t>>] {
        let Some(value) = self.value(key) else {
            return &[];
        };
        let Some(list) = value.get_ref().as_array() else {
            let kind = kind_of(value.get_ref());
            let wrong = format!("\"{key}\" must be a list, found {kind}");
            let hint = match value.get_ref().as_table() {
                Some(_) => "; tables in a list begin with two brackets, as in [[room]]",
                None => "",
            };
            log.error(self.at_value(value), format!("{wrong}{hint}"));
            return &[];
        };
        let Some(fitting) = list.get(..count_max) else {
            return list;
        };
        if fitting.len() < list.len() {
            let count = list.len();
            let wrong = format!("\"{key}\" has {count} entries; at most {count_max} are allowed");
            log.error(self.at_value(value), wrong);
        }
        fitting
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, log: &mut FaultLog<'_>, key: &str, if_missing: bool) -> bool {
        let Some(value) = self.value(key) else {
            return if_missing;
        };
        value.get_ref().as_bool().unwrap_or_else(|| {
            let kind = kind_of(value.get_ref());
            log.error(
                self.at_value(value),
                format!("\"{key}\" must be true or false, found {kind}"),
            );
            if_missing
        })
    }

    /// A whole number within bounds.
    pub(super) fn number(
        &self,
        log: &mut FaultLog<'_>,
        key: &str,
        allowed: RangeInclusive<u32>,
    ) -> Option<u32> {
        let value = self.value(key)?;
        read_number(log, key, self.at.file, value, allowed)
    }
}

/// A whole number within bounds, or a fault.
pub(super) fn read_number(
    log: &mut FaultLog<'_>,
    key: &str,
    file: u32,
    value: &Spanned<DeValue<'_>>,
    allowed: RangeInclusive<u32>,
) -> Option<u32> {
    let at = At::new(file, &value.span());
    let Some(integer) = value.get_ref().as_integer() else {
        let kind = kind_of(value.get_ref());
        log.error(
            at,
            format!("\"{key}\" must be a whole number, found {kind}"),
        );
        return None;
    };
    let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok();
    let number = number.filter(|number| allowed.contains(number));
    if number.is_none() {
        log.error(
            at,
            format!(
                "\"{key}\" is {integer}; {} to {} is allowed",
                allowed.start(),
                allowed.end()
            ),
        );
    }
    number
}

/// A text by a rule. A text that breaks the rule is a fault, and is kept as a stand-in so that
/// references to it are no faults of their own; `None` when it is no text at all.
pub(super) fn read_text(
    log: &mut FaultLog<'_>,
    key: &str,
    file: u32,
    value: &Spanned<DeValue<'_>>,
    rule: TextRule,
) -> Option<Located<String>> {
    let at = At::new(file, &value.span());
    let Some(text) = value.get_ref().as_str() else {
        let kind = kind_of(value.get_ref());
        log.error(
            at,
            format!("\"{key}\" must be text in quotes, found {kind}"),
        );
        return None;
    };
    let value = rule.check(text).unwrap_or_else(|wrong| {
        log.error(at, format!("\"{key}\" {wrong}"));
        text.to_owned()
    });
    Some(Located { at, value })
}

/// Whether a value is a list with nothing in it.
pub(super) fn is_empty_list(value: &Spanned<DeValue<'_>>) -> bool {
    value
        .get_ref()
        .as_array()
        .is_some_and(|list| list.is_empty())
}

/// The kind of a value in words.
pub(super) const fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A word of the text as a message may show it: printable and short.
pub(super) fn shown(word: &str) -> String {
    const CHARS_MAX: usize = 60;
    let mut shown: String = word.chars().take(CHARS_MAX).collect::<String>();
    if shown.len() < word.len() {
        shown.push_str("...");
    }
    shown.escape_debug().to_string()
}
