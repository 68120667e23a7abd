//! `[process]` Classes of processes: what their names say before the first `:`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::span::Span;
use crate::limits::{PROFILE_CLASS_BYTES_MAX, PROFILE_CLASSES_MAX};

static IDS: RwLock<BTreeMap<&'static str, ClassId>> = RwLock::new(BTreeMap::new());
static SPANS: [OnceLock<Span>; PROFILE_CLASSES_MAX] =
    [const { OnceLock::new() }; PROFILE_CLASSES_MAX];
static OTHER: Span = Span::new("other");

thread_local! {
    static LAST: Cell<Option<(&'static str, ClassId)>> = const { Cell::new(None) };
}

/// A class of processes: two bytes for a process to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassId(u16);

impl ClassId {
    const OTHER: Self = Self(u16::MAX);

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The span of the polls of its processes.
    pub(super) fn span(self) -> &'static Span {
        let span = SPANS.get(self.index()).and_then(OnceLock::get);
        span.unwrap_or(&OTHER)
    }
}

/// The class of a process of this name: `room` for `room:12`.
///
/// Without a lock when this thread asked about the same class before. The names of classes are
/// kept for ever; [`PROFILE_CLASSES_MAX`] and [`PROFILE_CLASS_BYTES_MAX`] bound them.
pub(crate) fn class(name: &str) -> ClassId {
    let name = prefix(name);
    if let Some((last, id)) = LAST.get()
        && last == name
    {
        return id;
    }
    let (name, id) = find(name).unwrap_or_else(|| intern(name));
    if id != ClassId::OTHER {
        LAST.set(Some((name, id)));
    }
    id
}

/// A name up to its first `:`, and not longer than the name of a class may be.
pub(super) fn prefix(name: &str) -> &str {
    let name = name.split(':').next().unwrap_or_default();
    let end = name.floor_char_boundary(PROFILE_CLASS_BYTES_MAX);
    name.get(..end).unwrap_or(name)
}

fn find(name: &str) -> Option<(&'static str, ClassId)> {
    let ids = IDS.read().unwrap_or_else(PoisonError::into_inner);
    let known = ids.get_key_value(name).map(|(name, id)| (*name, *id));
    let is_full = ids.len() >= PROFILE_CLASSES_MAX;
    known.or_else(|| is_full.then(|| (OTHER.name(), ClassId::OTHER)))
}

#[cold]
fn intern(name: &str) -> (&'static str, ClassId) {
    let mut ids = IDS.write().unwrap_or_else(PoisonError::into_inner);
    if let Some((name, id)) = ids.get_key_value(name) {
        return (name, *id);
    }
    let id = u16::try_from(ids.len()).map_or(ClassId::OTHER, ClassId);
    let Some(span) = SPANS.get(id.index()) else {
        return (OTHER.name(), ClassId::OTHER);
    };
    let name: &'static str = Box::leak(name.into());
    span.get_or_init(|| Span::new(name));
    ids.insert(name, id);
    (name, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_the_name_up_to_the_first_colon() {
        for (name, expected) in [
            ("room:12", "room"),
            ("room:12:mob:3", "room"),
            ("room", "room"),
            (":12", ""),
            ("", ""),
        ] {
            assert_eq!(class(name).span().name(), expected, "{name}");
        }
        assert_eq!(class("room:1"), class("room:2"));
        assert_ne!(class("room:1"), class("zone:1"));
    }

    #[test]
    fn a_long_name_is_cut_between_two_letters() {
        let name = format!("{}\u{e9}:1", "a".repeat(PROFILE_CLASS_BYTES_MAX - 1));
        let expected = "a".repeat(PROFILE_CLASS_BYTES_MAX - 1);
        assert_eq!(class(&name).span().name(), expected);
    }
}
