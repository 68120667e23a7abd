//! `[pure]` Faults in the options of a command: all of them are told at once.

use std::fmt;

/// One fault in the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The option with its dashes.
    pub option: &'static str,
    /// What was given.
    pub value: String,
    /// What is allowed.
    pub allowed: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}: expected {}",
            self.option, self.value, self.allowed
        )
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    /// One more.
    pub(crate) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// The value if there is no fault, else all of them.
    pub(crate) fn judge<T>(self, value: T) -> Result<T, Vec<Fault>> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self.0)
        }
    }

    /// Reads a value; a fault and `None` when it cannot be read.
    pub(crate) fn read<T>(
        &mut self,
        option: &'static str,
        text: &str,
        allowed: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = read(text.trim());
        if value.is_none() {
            self.0.push(Fault {
                option,
                value: format!("{text:?}"),
                allowed,
            });
        }
        value
    }

    /// Reads a value if one was given.
    pub(crate) fn maybe<T>(
        &mut self,
        option: &'static str,
        text: Option<&String>,
        allowed: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(option, text?, allowed, read)
    }
}

/// Puts a value that could be read into its place.
pub(crate) trait Store<T> {
    /// Leaves the place as it is without a value.
    fn store(self, place: &mut T);
}

impl<T> Store<T> for Option<T> {
    fn store(self, place: &mut T) {
        if let Some(value) = self {
            *place = value;
        }
    }
}
