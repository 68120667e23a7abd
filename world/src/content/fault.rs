//! `[pure]` What is wrong with the content: where, how bad, and what would be right.

use std::fmt;

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The world cannot be used.
    Error,
    /// The world can be used, but is probably not what was meant.
    Warning,
}

/// A place in a text, counted from 1; columns are characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

/// One thing that is wrong. Displays as `file:line:column: error: text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, as it was named to the loader.
    pub file: String,
    /// The place; `None` when the fault is about the file as a whole.
    pub place: Option<Place>,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and what is allowed, in one line.
    pub text: String,
}

/// All faults of one run, by file and place. Displays as one line each, and one more when some
/// were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Faults {
    /// The faults, at most [`FAULTS_MAX`](super::limits::FAULTS_MAX).
    pub list: Vec<Fault>,
    /// How many errors there are, those left out included.
    pub errors: usize,
    /// How many warnings there are, those left out included.
    pub warnings: usize,
}

impl Faults {
    /// Adds an error about a file as a whole.
    pub(super) fn push_file_error(&mut self, file: &str, text: String) {
        self.errors += 1;
        if self.list.len() < super::limits::FAULTS_MAX {
            let severity = Severity::Error;
            self.list.push(Fault {
                file: file.to_owned(),
                place: None,
                severity,
                text,
            });
        }
    }

    /// Adds what another run found.
    pub(super) fn append(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        let free = super::limits::FAULTS_MAX.saturating_sub(self.list.len());
        self.list.extend(other.list.into_iter().take(free));
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{place}: {}: {}", self.file, self.severity, self.text),
            None => write!(f, "{}: {}: {}", self.file, self.severity, self.text),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{fault}")?;
        }
        let left_out = (self.errors + self.warnings).saturating_sub(self.list.len());
        if left_out > 0 {
            write!(f, "\n... and {left_out} more")?;
        }
        Ok(())
    }
}
