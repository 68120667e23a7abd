//! `[pure]` The outer object of a frame: `event`, `ref`, `status`, `error`, `payload`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::reference::Reference;
use crate::limits::{DEPTH_MAX, FRAME_IN_BYTES_MAX, REFERENCE_BYTES_MAX};

/// A frame whose outer object was read. Of a key that stands twice, the last counts.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) event: Option<String>,
    /// Also there when it is null.
    pub(super) reference: Option<Reference>,
    pub(super) status: Option<String>,
    pub(super) error: Option<String>,
    payload: Option<&'a RawValue>,
}

/// Why a frame has no envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoEnvelope {
    NotJson,
    NotAnObject,
}

impl<'a> Envelope<'a> {
    pub(super) fn of(text: &'a str) -> Result<Self, NoEnvelope> {
        if text.len() > FRAME_IN_BYTES_MAX || is_too_deep(text) {
            return Err(NoEnvelope::NotJson);
        }
        match serde_json::from_str::<Self>(text) {
            Ok(envelope) => Ok(envelope),
            Err(_) if serde_json::from_str::<IgnoredAny>(text).is_err() => Err(NoEnvelope::NotJson),
            Err(_) if text.trim_start().starts_with('{') => Err(NoEnvelope::NotJson),
            Err(_) => Err(NoEnvelope::NotAnObject),
        }
    }

    /// The payload, if it is an object.
    pub(super) fn payload(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.payload?.get()).ok()
    }
}

/// Whether arrays and objects are nested too deep; also true of some text that is no JSON.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
    false
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(Key(key)) = map.next_key()? {
            let raw: &'de RawValue = map.next_value()?;
            match &*key {
                "event" => envelope.event = text(raw),
                "ref" if raw.get().len() > REFERENCE_BYTES_MAX => {
                    return Err(serde::de::Error::custom("the ref is too long"));
                }
                "ref" => envelope.reference = Some(Reference::of(raw)),
                "status" => envelope.status = text(raw),
                "error" => envelope.error = text(raw),
                "payload" => envelope.payload = Some(raw),
                _ => {}
            }
        }
        Ok(envelope)
    }
}

/// A key, which need not be copied unless something in it is escaped.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// A string, or none where it is something else.
fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_told_from_what_is_no_json() {
        let table = [
            ("", Some(NoEnvelope::NotJson)),
            ("{", Some(NoEnvelope::NotJson)),
            ("{\"event\":1} x", Some(NoEnvelope::NotJson)),
            ("[1,2]", Some(NoEnvelope::NotAnObject)),
            ("null", Some(NoEnvelope::NotAnObject)),
            (" {} ", None),
            ("{\"event\":1,\"payload\":3}", None),
        ];
        for (text, expected) in table {
            assert_eq!(Envelope::of(text).err(), expected, "{text}");
        }
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let check = |levels| Envelope::of(&deep(levels)).unwrap_err();
        assert_eq!(check(DEPTH_MAX), NoEnvelope::NotAnObject);
        assert_eq!(check(DEPTH_MAX + 1), NoEnvelope::NotJson);
    }

    #[test]
    fn a_reference_is_kept_byte_for_byte_and_a_null_is_there() {
        for reference in ["\"a\\u0041\"", "1.50", "null", "[1, {\"a\": 2}]", "1e400"] {
            let text = format!("{{\"ref\" : {reference} , \"ev\\u0065nt\":\"x\"}}");
            let envelope = Envelope::of(&text).unwrap();
            assert_eq!(envelope.reference.unwrap().as_json(), reference);
            assert_eq!(envelope.event.as_deref(), Some("x"));
        }
        assert_eq!(Envelope::of("{}").unwrap().reference, None);
        let long = format!("{{\"ref\":\"{}\"}}", "x".repeat(REFERENCE_BYTES_MAX));
        assert_eq!(Envelope::of(&long).unwrap_err(), NoEnvelope::NotJson);
    }

    #[test]
    fn the_last_of_two_keys_counts() {
        let envelope = Envelope::of(r#"{"event":"a","event":"b","payload":1,"payload":{"c":2}}"#);
        let envelope = envelope.unwrap();
        assert_eq!(envelope.event.as_deref(), Some("b"));
        assert_eq!(envelope.payload().unwrap().len(), 1);
    }
}
