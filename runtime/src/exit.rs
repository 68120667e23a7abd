//! `[pure]` Why a process ended.

use std::fmt;
use std::sync::Arc;

use crate::limits::CRASH_TEXT_BYTES_MAX;

/// Why a process (one incarnation of it) ended.
///
/// Cheap to clone: a crash is shared.
#[derive(Clone, Debug)]
pub enum Exit {
    /// It had nothing more to do.
    Normal,
    /// Its supervisor, or somebody linked to it, asked it to stop.
    Shutdown,
    /// It was ended from outside without being asked.
    Killed,
    /// It failed.
    Crash(Arc<Crash>),
}

impl Exit {
    /// An exit for an error that was met, with a text for people.
    ///
    /// The text is cut at [`CRASH_TEXT_BYTES_MAX`].
    pub fn error(text: impl Into<String>) -> Self {
        Self::crash(CrashKind::Error, text.into())
    }

    /// As [`error`](Self::error), with a code for programs, so that whoever decides about the exit
    /// need not read the text: a [tether](crate::TetherOptions::delay_for), one that is linked or
    /// monitors, a search in the log. In OTP an exit reason is any term, and matched on.
    ///
    /// ```
    /// use belay_runtime::Exit;
    ///
    /// let exit = Exit::error_coded("bad-credentials", "ann: no such account");
    /// assert_eq!(exit.code(), Some("bad-credentials"));
    /// assert_eq!(exit.to_string(), "error bad-credentials: ann: no such account");
    /// ```
    pub fn error_coded(code: &'static str, text: impl Into<String>) -> Self {
        Self::coded(CrashKind::Error, Some(code), text.into())
    }

    /// The code of the error, when it has one.
    ///
    /// A supervisor that does not start because of a child, or gives up over it, has the code of
    /// the child's exit.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Crash(crash) => crash.code,
            Self::Normal | Self::Shutdown | Self::Killed => None,
        }
    }

    pub(crate) fn crash(kind: CrashKind, text: String) -> Self {
        Self::coded(kind, None, text)
    }

    pub(crate) fn coded(kind: CrashKind, code: Option<&'static str>, text: String) -> Self {
        Self::Crash(Arc::new(Crash {
            kind,
            code,
            text: cut(text),
            location: None,
            backtrace: None,
        }))
    }

    /// True for [`Exit::Killed`] and [`Exit::Crash`]: the exits after which a
    /// [transient](crate::Restart::Transient) child is restarted.
    pub fn is_abnormal(&self) -> bool {
        match self {
            Self::Normal | Self::Shutdown => false,
            Self::Killed | Self::Crash(_) => true,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("normal"),
            Self::Shutdown => f.write_str("shutdown"),
            Self::Killed => f.write_str("killed"),
            Self::Crash(crash) => crash.fmt(f),
        }
    }
}

/// What is known of a failure.
#[derive(Debug)]
pub struct Crash {
    /// How it failed.
    pub kind: CrashKind,
    /// What it was, for programs: see [`Exit::error_coded`].
    pub code: Option<&'static str>,
    /// What it said.
    pub text: String,
    /// Where a panic was raised; `None` for errors, and when no
    /// [`Node`](crate::Node) was started, which is what installs the panic hook.
    pub location: Option<Location>,
    /// The stack at the panic, when `RUST_BACKTRACE` asks for it. Taken only for crashes that are
    /// reported (see [`CRASH_REPORTS_MAX`](crate::limits::CRASH_REPORTS_MAX)).
    pub backtrace: Option<String>,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "{} {code}: {}", self.kind, self.text)?,
            None => write!(f, "{}: {}", self.kind, self.text)?,
        }
        match &self.location {
            Some(location) => write!(f, " at {location}"),
            None => Ok(()),
        }
    }
}

/// The ways to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashKind {
    /// The code panicked.
    Panic,
    /// The code returned an error.
    Error,
    /// It did not start [in time](crate::ChildSpec::start_within).
    Start,
    /// A supervisor gave up: its children failed more often than its intensity allows.
    Intensity,
}

impl fmt::Display for CrashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panic => "panic",
            Self::Error => "error",
            Self::Start => "no start",
            Self::Intensity => "restart intensity reached",
        })
    }
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as the compiler was given it.
    pub file: Box<str>,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

pub(crate) fn cut(mut text: String) -> String {
    if text.len() > CRASH_TEXT_BYTES_MAX {
        let mut end = CRASH_TEXT_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_failed_and_where() {
        let location = Location {
            file: "room.rs".into(),
            line: 7,
        };
        let crash = Crash {
            kind: CrashKind::Panic,
            code: None,
            text: "no floor".into(),
            location: Some(location),
            backtrace: None,
        };
        assert_eq!(crash.to_string(), "panic: no floor at room.rs:7");
        assert_eq!(Exit::error("no disk").to_string(), "error: no disk");
        let coded = Exit::error_coded("no-disk", "sda is gone");
        assert_eq!(coded.to_string(), "error no-disk: sda is gone");
        assert_eq!((coded.code(), Exit::Killed.code()), (Some("no-disk"), None));
    }

    #[test]
    fn cuts_a_text_over_the_limit_between_two_letters() {
        let Exit::Crash(crash) = Exit::error("a".to_owned() + &"é".repeat(CRASH_TEXT_BYTES_MAX))
        else {
            panic!("an error is a crash")
        };
        assert_eq!(crash.text.len(), CRASH_TEXT_BYTES_MAX - 1);
    }

    #[test]
    fn only_failures_are_abnormal() {
        assert!(!Exit::Normal.is_abnormal() && !Exit::Shutdown.is_abnormal());
        assert!(Exit::Killed.is_abnormal() && Exit::error("x").is_abnormal());
    }
}
