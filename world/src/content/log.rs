//! `[pure]` Gathers faults while the content is read, and turns byte offsets into lines and columns
//! at the end, in one pass over each text.

use std::ops::Range;

use super::fault::{Fault, Faults, Place, Severity};
use super::limits::{FAULTS_MAX, SUGGESTIONS_MAX};
use super::load::SourceFile;

/// Where something stands: which file of the list, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) file: u32,
    pub(super) offset: u32,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) at: At,
    pub(super) value: T,
}

/// The faults so far. While it is muted it takes none: a text with a broken syntax is only read
/// for the keys in it, and what is missing there is not worth a word.
#[derive(Debug)]
pub(super) struct FaultLog<'a> {
    files: &'a [SourceFile],
    found: Vec<(At, Severity, String)>,
    /// Faults of files that are not in the list.
    placeless: Faults,
    errors: usize,
    warnings: usize,
    suggestions_left: u32,
    muted: bool,
}

impl At {
    pub(super) fn new(file: u32, span: &Range<usize>) -> Self {
        // A file is smaller than 4 GiB by its limit.
        Self {
            file,
            offset: u32::try_from(span.start).unwrap_or(u32::MAX),
        }
    }

    pub(super) const fn start_of(file: u32) -> Self {
        Self { file, offset: 0 }
    }
}

impl<'a> FaultLog<'a> {
    /// A log for these files, and what is wrong with others that could not be read at all.
    pub(super) const fn new(files: &'a [SourceFile], unreadable: Faults) -> Self {
        Self {
            files,
            found: Vec::new(),
            placeless: unreadable,
            errors: 0,
            warnings: 0,
            suggestions_left: SUGGESTIONS_MAX,
            muted: false,
        }
    }

    pub(super) const fn mute(&mut self) {
        self.muted = true;
    }

    pub(super) const fn unmute(&mut self) {
        self.muted = false;
    }

    pub(super) const fn errors(&self) -> usize {
        self.errors + self.placeless.errors
    }

    /// Whether there is a file of this name, readable or not.
    pub(super) fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
            || self.placeless.list.iter().any(|fault| fault.file == name)
    }

    /// An error about a file that may not be there.
    pub(super) fn file_error(&mut self, name: &str, text: impl Into<String>) {
        self.placeless.push_file_error(name, text.into());
    }

    pub(super) fn error(&mut self, at: At, text: impl Into<String>) {
        if !self.muted {
            self.errors += 1;
            self.keep(at, Severity::Error, text.into());
        }
    }

    pub(super) fn warning(&mut self, at: At, text: impl Into<String>) {
        if !self.muted {
            self.warnings += 1;
            self.keep(at, Severity::Warning, text.into());
        }
    }

    fn keep(&mut self, at: At, severity: Severity, text: String) {
        if self.found.len() < FAULTS_MAX {
            self.found.push((at, severity, text));
        }
    }

    /// `file:line:column` of another place, for "is already at …".
    pub(super) fn place_text(&self, at: At) -> String {
        let Some(file) = self.file(at.file) else {
            return String::new();
        };
        if self.muted || self.found.len() >= FAULTS_MAX {
            return file.name.clone();
        }
        let place = Cursor::new(&file.text).go_to(at.offset);
        format!("{}:{place}", file.name)
    }

    /// ` (did you mean "…"?)` when one of the candidates is near the word.
    pub(super) fn suggestion<'w>(
        &mut self,
        word: &str,
        candidates: impl Iterator<Item = &'w str>,
    ) -> String {
        if self.muted || self.suggestions_left == 0 {
            return String::new();
        }
        self.suggestions_left -= 1;
        let Some(near) = nearest(word, candidates) else {
            return String::new();
        };
        format!(" (did you mean \"{near}\"?)")
    }

    fn file(&self, file: u32) -> Option<&'a SourceFile> {
        self.files.get(usize::try_from(file).ok()?)
    }

    /// All faults, by file and place.
    pub(super) fn into_faults(mut self) -> Faults {
        self.found
            .sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        let files = self.files;
        let mut list = Vec::with_capacity(self.found.len());
        let mut current: Option<(u32, Cursor<'_>)> = None;
        for (at, severity, text) in self.found {
            let Some(file) = usize::try_from(at.file).ok().and_then(|i| files.get(i)) else {
                continue;
            };
            let mut cursor = match current.take() {
                Some((number, cursor)) if number == at.file => cursor,
                _ => Cursor::new(&file.text),
            };
            let place = Some(cursor.go_to(at.offset));
            current = Some((at.file, cursor));
            list.push(Fault {
                file: file.name.clone(),
                place,
                severity,
                text,
            });
        }
        let mut faults = self.placeless;
        faults.append(Faults {
            list,
            errors: self.errors,
            warnings: self.warnings,
        });
        faults
    }
}

/// Counts lines and columns of a text, forward only.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    rest: std::str::CharIndices<'t>,
    place: Place,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text.char_indices(),
            place: Place { line: 1, column: 1 },
        }
    }

    /// The place of the byte at this offset, or of the end of the text.
    pub(super) fn go_to(&mut self, offset: u32) -> Place {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        while self.rest.offset() < offset {
            match self.rest.next() {
                Some((_, '\n')) => {
                    self.place.line += 1;
                    self.place.column = 1;
                }
                // A byte order mark has no width.
                Some((0, '\u{feff}')) => {}
                Some(_) => self.place.column += 1,
                None => break,
            }
        }
        self.place
    }
}

/// The candidate with the fewest typing slips, when they are few for the length of the word.
fn nearest<'w>(word: &str, candidates: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let slips_max = (word.len() / 3).clamp(1, 3);
    candidates
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= slips_max)
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(slips, _)| *slips <= slips_max)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_counts_characters_and_stops_at_the_end() {
        let mut cursor = Cursor::new("a\u{e9}b\nc");
        assert_eq!(cursor.go_to(3), Place { line: 1, column: 3 });
        assert_eq!(cursor.go_to(5), Place { line: 2, column: 1 });
        assert_eq!(cursor.go_to(99), Place { line: 2, column: 2 });
    }

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let words = ["north", "northeast", "down"];
        assert_eq!(nearest("nroth", words.into_iter()), Some("north"));
        assert_eq!(nearest("donw", words.into_iter()), Some("down"));
        assert_eq!(nearest("sideways", words.into_iter()), None);
    }
}
