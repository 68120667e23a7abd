//! `[pure]` What a terminal can show: what its client says of it, and what the player chose
//! instead. The size of its window is not here: lines are the client's to wrap.

use crate::ring::TerminalNow;
use crate::text::{Charset, Depth, ViewerClass};

/// The terminal of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terminal {
    client_depth: Option<Depth>,
    client_screen_reader: bool,
    chosen_depth: Option<Depth>,
    chosen_screen_reader: Option<bool>,
    charset: Charset,
    /// What the session was told last.
    told: Option<TerminalNow>,
}

impl Terminal {
    /// The client says what it can do.
    pub(super) fn client_says(&mut self, depth: Option<Depth>, screen_reader: bool) {
        self.client_depth = depth;
        self.client_screen_reader = screen_reader;
    }

    /// The player chose a depth, or leaves it to the client again.
    pub(super) fn choose_depth(&mut self, depth: Option<Depth>) {
        self.chosen_depth = depth;
    }

    /// The player chose the screen-reader mode, or leaves it to the client again.
    pub(super) fn choose_screen_reader(&mut self, on: Option<bool>) {
        self.chosen_screen_reader = on;
    }

    /// Output is to be encoded so.
    pub(super) fn set_charset(&mut self, charset: Charset) {
        self.charset = charset;
    }

    /// For whom text is rendered.
    pub(super) fn class(&self) -> ViewerClass {
        ViewerClass {
            depth: self.chosen_depth.or(self.client_depth).unwrap_or_default(),
            charset: self.charset,
            screen_reader: self
                .chosen_screen_reader
                .unwrap_or(self.client_screen_reader),
        }
    }

    /// What the session is to be told, if it is not what it was told last.
    pub(super) fn news(&mut self) -> Option<TerminalNow> {
        let viewer = self.class();
        let now = TerminalNow {
            depth: viewer.depth,
            charset: viewer.charset,
            screen_reader: viewer.screen_reader,
        };
        (self.told.replace(now) != Some(now)).then_some(now)
    }

    /// A session that knows nothing of this terminal listens from now on.
    pub(super) fn forget_told(&mut self) {
        self.told = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_players_choice_outranks_the_client_and_can_be_taken_back() {
        let mut terminal = Terminal::default();
        assert_eq!(terminal.class().depth, Depth::Ansi16);
        terminal.client_says(Some(Depth::True), true);
        assert_eq!(terminal.class().depth, Depth::True);
        assert!(terminal.class().screen_reader);
        terminal.choose_depth(Some(Depth::None));
        terminal.choose_screen_reader(Some(false));
        assert_eq!(terminal.class().depth, Depth::None);
        assert!(!terminal.class().screen_reader);
        terminal.choose_depth(None);
        terminal.choose_screen_reader(None);
        assert_eq!(terminal.class().depth, Depth::True);
        assert!(terminal.class().screen_reader);
    }

    #[test]
    fn the_session_is_told_of_changes_only() {
        let mut terminal = Terminal::default();
        assert!(terminal.news().is_some());
        assert!(terminal.news().is_none());
        terminal.set_charset(Charset::Latin1);
        assert_eq!(terminal.news().unwrap().charset, Charset::Latin1);
        terminal.forget_told();
        assert!(terminal.news().is_some());
    }
}
