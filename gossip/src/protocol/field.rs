//! `[pure]` A field of a payload as it came, since the protocol answers a missing one, a null and
//! one of the wrong type differently.

use serde_json::{Map, Value};

use super::clean::cut_to_bytes;
use crate::limits::{LIST_MAX, MESSAGE_BYTES_MAX};

/// A field of a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The key is not there.
    #[default]
    Missing,
    /// The value is null.
    Null,
    /// The value is of another type.
    Wrong,
    /// The value.
    Is(T),
}

impl<T> Field<T> {
    /// The value, if it is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Missing | Self::Null | Self::Wrong => None,
        }
    }

    /// The value, if it is one.
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Missing | Self::Null | Self::Wrong => None,
        }
    }

    /// Reads the field `key` of `payload` with `read`, which says `None` to a wrong type.
    pub(super) fn take(
        payload: &mut Map<String, Value>,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Self {
        match payload.remove(key) {
            None => Self::Missing,
            Some(Value::Null) => Self::Null,
            Some(value) => read(value).map_or(Self::Wrong, Self::Is),
        }
    }
}

/// A string of any length within the frame.
pub(super) fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// A string, cut to [`MESSAGE_BYTES_MAX`].
pub(super) fn message(value: Value) -> Option<String> {
    let mut text = string(value)?;
    cut_to_bytes(&mut text, MESSAGE_BYTES_MAX);
    Some(text)
}

/// A list of strings only, its first [`LIST_MAX`] entries.
pub(super) fn strings(value: Value) -> Option<Vec<String>> {
    let Value::Array(values) = value else {
        return None;
    };
    values.into_iter().take(LIST_MAX).map(string).collect()
}

/// The strings of a list, its first [`LIST_MAX`] entries; others in it are passed over.
pub(super) fn strings_among(value: Value) -> Option<Vec<String>> {
    let Value::Array(values) = value else {
        return None;
    };
    let values = values.into_iter().take(LIST_MAX);
    Some(values.filter_map(string).collect())
}
