//! `[pure]` What is wrong with a configuration, and where each value came from.

use std::fmt;
use std::sync::Arc;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody wrote it: the table's default.
    Default,
    /// A line of the configuration file.
    File {
        /// The file's name, as the operator gave it.
        name: Arc<str>,
        /// The line, counted from 1.
        line: usize,
    },
    /// A flag of its own, such as `--telnet`.
    Flag(&'static str),
    /// `--set KEY=VALUE`.
    Set,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { name, line } => write!(f, "{name}:{line}"),
            Origin::Flag(flag) => f.write_str(flag),
            Origin::Set => f.write_str("--set"),
        }
    }
}

/// One fault of a configuration. All of them are the operator's to mend (**refused**).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The file is not TOML, or a flag is not `KEY=VALUE`.
    Syntax {
        /// Where it stands.
        origin: Origin,
        /// What the parser says.
        fault: String,
    },
    /// No setting has this name.
    UnknownKey {
        /// Where it stands.
        origin: Origin,
        /// The name as written.
        key: String,
        /// The setting whose name is nearest, when one is near.
        nearest: Option<&'static str>,
    },
    /// The value cannot be what the setting needs.
    BadValue {
        /// Where it stands.
        origin: Origin,
        /// The setting.
        key: &'static str,
        /// The value as written.
        value: String,
        /// What is wrong with it.
        fault: String,
        /// What would be right, with units.
        allowed: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Syntax { origin, fault } => write!(f, "{origin}: {fault}"),
            Problem::UnknownKey {
                origin,
                key,
                nearest,
            } => {
                write!(f, "{origin}: unknown key {key}")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean {nearest}?"),
                    None => f.write_str("; \"belay config\" lists all keys"),
                }
            }
            Problem::BadValue {
                origin,
                key,
                value,
                fault,
                allowed,
            } => {
                write!(
                    f,
                    "{origin}: {key} = \"{value}\" {fault}; allowed: {allowed}"
                )
            }
        }
    }
}

/// All problems of one configuration, in the order in which they were found. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report(pub Vec<Problem>);

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the configuration has a problem:")?,
            n => write!(f, "the configuration has {n} problems:")?,
        }
        self.0
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for Report {}
