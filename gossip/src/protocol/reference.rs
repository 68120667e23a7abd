//! `[pure]` The `ref` of a frame: any JSON value, which is given back as it came.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A reference, byte for byte as it came.
#[derive(Clone)]
pub struct Reference(Arc<RawValue>);

impl Reference {
    pub(super) fn of(raw: &RawValue) -> Self {
        Self(Arc::from(raw.to_owned()))
    }

    /// A reference that is a string, such as a UUID.
    pub fn text(text: &str) -> Self {
        let raw = serde_json::value::to_raw_value(text);
        Self(Arc::from(raw.unwrap_or_else(|_| RawValue::NULL.to_owned())))
    }

    /// Its JSON.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// Whether it is the JSON null: there for an acknowledgement, missing where one is required.
    pub fn is_null(&self) -> bool {
        self.as_json() == "null"
    }
}

impl PartialEq for Reference {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for Reference {}

impl std::hash::Hash for Reference {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_json().hash(state);
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
