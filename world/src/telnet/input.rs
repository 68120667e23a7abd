//! `[pure]` What a client tells us, apart from its bytes.

use std::fmt;

use super::first::NotTelnet;
use super::terminal::TerminalInfo;
use crate::text::Charset;

/// One thing that the codec found in the input, in the order of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line was typed; an empty one is a press of Enter.
    Line(Line),
    /// The window has another size.
    Window(Window),
    /// We know more about the terminal. The one with `settled` set is the last of a dialogue; a
    /// client that refuses to name its terminal gives one settled and empty.
    Terminal(TerminalInfo),
    /// Output is to use another charset.
    Charset(Charset),
    /// What was typed ahead is to be forgotten.
    Interrupt,
    /// A short visible line is wanted; comes at most once a second.
    AreYouThere,
    /// The client shows what is typed though it was asked to hide it: warn the player.
    EchoRefused,
    /// The peer speaks something else. Send [`NotTelnet::answer`] and close; the codec is deaf now.
    NotTelnet(NotTelnet),
    /// The connection is to be closed without a word; the codec is deaf now.
    Close(CloseReason),
}

/// A line that was typed, without control characters but TAB.
#[derive(Clone, PartialEq, Eq)]
pub struct Line {
    /// The decoded text.
    pub text: String,
    /// It was longer than allowed and lost its end.
    pub cut: bool,
    /// It was typed while input was hidden: never log it.
    pub hidden: bool,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.hidden { "(hidden)" } else { &self.text };
        f.debug_struct("Line")
            .field("text", &text)
            .field("cut", &self.cut)
            .field("hidden", &self.hidden)
            .finish()
    }
}

/// The size of a window in characters, within [`super::limits::COLUMNS`] and
/// [`super::limits::ROWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Width.
    pub columns: u16,
    /// Height.
    pub rows: u16,
}

/// Why the codec wants the connection closed; always the peer's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// More broken protocol than [`super::limits::FAULTS_MAX`].
    Faults,
    /// More option requests than [`super::limits::NEGOTIATIONS_MAX`].
    Negotiations,
    /// A subnegotiation open for [`super::limits::SUBNEGOTIATION_OPEN_MAX`].
    OpenSubnegotiation,
    /// An unfinished line for [`super::limits::PENDING_LINE_MAX_BEFORE_LOGIN`].
    PendingLine,
}

impl CloseReason {
    /// A constant phrase for the log.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Faults => "too many telnet faults",
            Self::Negotiations => "too many option requests",
            Self::OpenSubnegotiation => "subnegotiation never ended",
            Self::PendingLine => "line never ended before login",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_line_keeps_its_secret_in_debug_output() {
        let mut line = Line {
            text: "hunter2".into(),
            cut: false,
            hidden: true,
        };
        assert!(!format!("{:?}", Input::Line(line.clone())).contains("hunter2"));
        line.hidden = false;
        assert!(format!("{line:?}").contains("hunter2"));
    }
}
