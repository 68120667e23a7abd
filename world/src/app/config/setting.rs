//! `[pure]` One setting: its key, its kind with the allowed range, its default and its doc; and how
//! a value of each kind is read.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use belay_cluster::NodeName;
use tracing_subscriber::EnvFilter;

use super::checked::Config;
use super::cluster::{check_place, parse_name};
use super::quantity::{duration_text, parse_duration, parse_size, size_text};
use super::raw::RawValue;
use crate::store::{ParseStoreUrlError, StoreUrl, without_secrets};

/// The field of a [`Config`] that a setting fills.
type Field<T> = fn(&mut Config) -> &mut T;

/// A word that a setting takes, and what it does to a [`Config`].
type Choice = (&'static str, fn(&mut Config));

/// One row of the table.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The dotted key, such as `save.every`.
    pub key: &'static str,
    /// The flag of its own, such as `--telnet`, when it has one.
    pub flag: Option<&'static str>,
    /// The default, as an operator would write it (a list: empty).
    pub default: &'static str,
    /// One line for `belay config`.
    pub doc: &'static str,
    /// What values it takes and where they go.
    pub kind: Kind,
}

/// What values a setting takes, and the field of [`Config`] that they fill.
#[derive(Debug, Clone)]
pub enum Kind {
    /// `address:port`.
    Address(Field<SocketAddr>),
    /// `address:port`, or nothing.
    AddressOrEmpty(Field<Option<SocketAddr>>),
    /// A path that must not be empty.
    Path(Field<PathBuf>),
    /// A path, or nothing.
    PathOrEmpty(Field<PathBuf>),
    /// A duration with a unit.
    Duration(RangeInclusive<Duration>, Field<Duration>),
    /// A size with a unit, in bytes.
    Size(RangeInclusive<u64>, Field<usize>),
    /// A whole number.
    Count(RangeInclusive<u32>, Field<u32>),
    /// `true` or `false`.
    Flag(Field<bool>),
    /// One of some words, each with what it does.
    Choice(&'static [Choice]),
    /// A log level, or a filter by target.
    LogFilter(Field<String>),
    /// A list of web origins.
    Origins(Field<Vec<String>>),
    /// The word `sqlite`, or the address of a server, in which a password is a secret.
    StoreUrl(Field<StoreUrl>),
    /// The name of a node, or nothing.
    NodeName(Field<Option<NodeName>>),
    /// `HOST:PORT`, or nothing.
    PlaceOrEmpty(Field<String>),
    /// A list of `HOST:PORT`.
    Places(Field<Vec<String>>),
}

impl Setting {
    /// The part of the key before the dot: the TOML table.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.key.split_once('.').map_or("", |(section, _)| section)
    }

    /// The part of the key after the dot.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.key.split_once('.').map_or(self.key, |(_, name)| name)
    }

    /// The default as a raw value.
    #[must_use]
    pub fn default_value(&self) -> RawValue {
        if self.kind.is_list() {
            return RawValue::List(split_list(self.default));
        }
        RawValue::Text(self.default.to_owned())
    }
}

impl Kind {
    /// Whether it takes several values.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Kind::Origins(_) | Kind::Places(_))
    }

    /// Reads `value` and puts it into its field of `config`.
    ///
    /// # Errors
    /// What is wrong with the value, as the end of a sentence that begins with it.
    pub fn put(&self, value: &RawValue, config: &mut Config) -> Result<(), String> {
        let text = match (self, value) {
            (Kind::Origins(field), _) => {
                *field(config) = parse_origins(value)?;
                return Ok(());
            }
            (Kind::Places(field), _) => {
                *field(config) = parse_places(value)?;
                return Ok(());
            }
            (_, RawValue::Text(text)) => text.trim(),
            (_, RawValue::List(_)) => return Err("is a list".to_owned()),
        };
        match self {
            Kind::Address(field) => *field(config) = parse_address(text)?,
            Kind::AddressOrEmpty(field) if text.is_empty() => *field(config) = None,
            Kind::AddressOrEmpty(field) => *field(config) = Some(parse_address(text)?),
            Kind::NodeName(field) => *field(config) = parse_name(text)?,
            Kind::PlaceOrEmpty(field) => {
                if !text.is_empty() {
                    check_place(text)?;
                }
                text.clone_into(field(config));
            }
            Kind::Path(_) if text.is_empty() => return Err("is empty".to_owned()),
            Kind::Path(field) | Kind::PathOrEmpty(field) => *field(config) = PathBuf::from(text),
            Kind::Duration(range, field) => {
                *field(config) = within(parse_duration(text)?, range)?;
            }
            Kind::Size(range, field) => {
                let bytes = within(parse_size(text)?, range)?;
                *field(config) =
                    usize::try_from(bytes).map_err(|e| format!("is too large: {e}"))?;
            }
            Kind::Count(range, field) => *field(config) = within(parse_count(text)?, range)?,
            Kind::Flag(field) => *field(config) = parse_flag(text)?,
            Kind::Choice(choices) => match choices.iter().find(|(word, _)| *word == text) {
                Some((_, choose)) => choose(config),
                None => return Err("is none of the words".to_owned()),
            },
            Kind::LogFilter(field) => {
                EnvFilter::try_new(text).map_err(|e| format!("is not a filter ({e})"))?;
                text.clone_into(field(config));
            }
            Kind::StoreUrl(field) => {
                *field(config) = text
                    .parse()
                    .map_err(|e: ParseStoreUrlError| e.to_string())?;
            }
            // Answered above: a list may be written as one text.
            Kind::Origins(_) | Kind::Places(_) => {}
        }
        Ok(())
    }

    /// A value as it may be shown: without its secrets.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        match self {
            Kind::StoreUrl(_) => without_secrets(text),
            Kind::Address(_)
            | Kind::Path(_)
            | Kind::PathOrEmpty(_)
            | Kind::Duration(..)
            | Kind::Size(..)
            | Kind::Count(..)
            | Kind::Flag(_)
            | Kind::Choice(_)
            | Kind::LogFilter(_)
            | Kind::AddressOrEmpty(_)
            | Kind::NodeName(_)
            | Kind::PlaceOrEmpty(_)
            | Kind::Places(_)
            | Kind::Origins(_) => text.to_owned(),
        }
    }

    /// What is allowed, with units and an example.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self {
            Kind::Address(_) => {
                "address:port, like 127.0.0.1:4000, 0.0.0.0:4000 or [::]:4000".to_owned()
            }
            Kind::AddressOrEmpty(_) => {
                "address:port, like 127.0.0.1:4090 or 10.0.0.5:4090, or nothing".to_owned()
            }
            Kind::NodeName(_) => {
                "a name of 1 to 32 of a-z, 0-9 and -, a letter first, or nothing".to_owned()
            }
            Kind::PlaceOrEmpty(_) => {
                "host:port, like 10.0.0.5:4090 or north.example:4090, or nothing".to_owned()
            }
            Kind::Places(_) => {
                "a list of host:port like [\"10.0.0.5:4090\"]; in --set with commas".to_owned()
            }
            Kind::Path(_) => "a path".to_owned(),
            Kind::PathOrEmpty(_) => "a path, or nothing".to_owned(),
            Kind::Duration(range, _) => format!(
                "a duration from {} to {}, with its unit (ms, s, m, h, d)",
                duration_text(*range.start()),
                duration_text(*range.end())
            ),
            Kind::Size(range, _) => format!(
                "a size from {} to {}, with its unit (B, KiB, MiB, GiB)",
                size_text(*range.start()),
                size_text(*range.end())
            ),
            Kind::Count(range, _) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            Kind::Flag(_) => "true or false".to_owned(),
            Kind::Choice(choices) => choices
                .iter()
                .map(|(word, _)| *word)
                .collect::<Vec<_>>()
                .join(" or "),
            Kind::LogFilter(_) => {
                "error, warn, info, debug, trace or off, or a filter by target like \
                 \"info,belay_world=debug\""
                    .to_owned()
            }
            Kind::Origins(_) => {
                "a list of origins like [\"https://example.org\"]; in --set with commas".to_owned()
            }
            Kind::StoreUrl(_) => {
                "sqlite, or postgres://user:password@host:5432/database".to_owned()
            }
        }
    }
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if text.parse::<std::net::IpAddr>().is_ok() {
        return Err("has no port".to_owned());
    }
    if text.starts_with("localhost") {
        return Err("is a name; write its address, 127.0.0.1 or [::1]".to_owned());
    }
    Err("is not an address with a port".to_owned())
}

fn parse_count(text: &str) -> Result<u32, String> {
    match text.parse::<i128>() {
        Ok(number) if number < 0 => Err("is below zero".to_owned()),
        Ok(number) => u32::try_from(number).map_err(|e| format!("is far too large ({e})")),
        Err(_) if text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty() => {
            Err("is far too large".to_owned())
        }
        Err(_) => Err("is not a whole number".to_owned()),
    }
}

fn parse_flag(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("is neither true nor false".to_owned()),
    }
}

fn parse_origins(value: &RawValue) -> Result<Vec<String>, String> {
    let origins = entries(value);
    for origin in &origins {
        let host = origin
            .strip_prefix("https://")
            .or_else(|| origin.strip_prefix("http://"));
        let whole = host.is_some_and(|host| {
            !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && b != b'/')
        });
        if !whole {
            return Err(format!(
                "has the entry \"{origin}\", which is not an origin"
            ));
        }
    }
    Ok(origins)
}

fn parse_places(value: &RawValue) -> Result<Vec<String>, String> {
    let places = entries(value);
    for place in &places {
        check_place(place).map_err(|fault| format!("has the entry \"{place}\", which {fault}"))?;
    }
    Ok(places)
}

fn entries(value: &RawValue) -> Vec<String> {
    match value {
        RawValue::List(entries) => entries.clone(),
        RawValue::Text(text) => split_list(text),
    }
}

fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

fn within<T: PartialOrd + Copy>(value: T, range: &RangeInclusive<T>) -> Result<T, String> {
    if value < *range.start() {
        return Err("is too small".to_owned());
    }
    if value > *range.end() {
        return Err("is too large".to_owned());
    }
    Ok(value)
}
