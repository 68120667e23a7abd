//! `[process]` What outlives an incarnation of a session: the dialogue or the play, the connection,
//! the lines that wait. It is the heirloom of the session's supervisor.

use super::state::PlayState;
use crate::bridge::Shown as Elsewhere;
use crate::cluster::people::Hold;
use crate::event::Event;
use crate::ids::{ConnectionId, LineId};
use crate::limits;
use crate::login::LoginState;
use crate::node::Entry;
use crate::ops::metrics;
use crate::ring::{ConnectionMessage, ConnectionPort, Shown, TerminalNow};
use crate::talk::Talk;
use crate::view::Notice;
use belay_runtime::TrySendError;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a session is about.
#[derive(Debug)]
pub enum Phase {
    /// Somebody logs in.
    Login(Box<LoginState>),
    /// Somebody plays.
    Playing(Box<PlayState>),
    /// The player has left; the session holds its account until the save of this line is on record,
    /// so that the next login reads it.
    Leaving(LineId),
    /// It is over.
    Ended,
}

impl Phase {
    /// Whether the save of this line is the last thing that a session waits for.
    pub(super) fn ends_with(&self, saved: LineId) -> bool {
        matches!(self, Self::Leaving(last) if *last == saved)
    }
}

/// A text that came while the connection was lost.
#[derive(Debug)]
enum Missed {
    Own(Event),
    Shared(Arc<Notice>),
}

/// A line that waits.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) cut: Option<u32>,
}

/// What outlives an incarnation.
#[derive(Debug)]
pub struct SessionBody {
    /// Login, play, or over.
    pub(super) phase: Phase,
    /// The connection, while there is one.
    pub(super) link: Option<ConnectionPort>,
    /// What the terminal is, as far as known.
    pub(super) terminal: Option<TerminalNow>,
    /// Typed ahead.
    pub(super) lines: VecDeque<Line>,
    /// Lines done that the connection was not told of.
    pub(super) lines_done: u16,
    /// The claim on the account and the entry in the list of players; they end with the session.
    pub(super) claim: Option<Hold>,
    pub(super) entry: Option<Entry>,
    /// Messages that the mailbox had no room for, as far as the player was told.
    pub(super) refused_told: u32,
    /// Something ambient was dropped that the player was not told of.
    pub(super) dropped: bool,
    /// The connection did not take a message, or was just taken over: it may be gone.
    pub(super) unreachable: bool,
    missed: VecDeque<Missed>,
    missed_more: u32,
}

impl SessionBody {
    /// A session that begins with a login on this connection.
    pub fn new(link: ConnectionPort) -> Self {
        Self {
            phase: Phase::Login(Box::default()),
            link: Some(link),
            terminal: None,
            lines: VecDeque::new(),
            lines_done: 0,
            claim: None,
            entry: None,
            refused_told: 0,
            dropped: false,
            unreachable: false,
            missed: VecDeque::new(),
            missed_more: 0,
        }
    }

    /// Whether input of this connection counts: not if another took the session over.
    pub(super) fn listens_to(&self, id: ConnectionId) -> bool {
        self.link.as_ref().is_some_and(|link| link.id == id)
    }

    /// Keeps a line for later. The connection does not send more than there is room for.
    pub(super) fn keep(&mut self, line: Line) -> bool {
        let room = self.lines.len() < limits::LINES_AHEAD_MAX;
        if room {
            self.lines.push_back(line);
        } else {
            self.lines_done = self.lines_done.saturating_add(1);
        }
        room
    }

    /// The next line to handle.
    pub(super) fn next_line(&mut self) -> Option<Line> {
        let line = self.lines.pop_front()?;
        self.lines_done = self.lines_done.saturating_add(1);
        Some(line)
    }

    /// Shows the player something owed, or keeps it until the connection is back.
    pub(super) fn show(&mut self, event: Event) {
        let prompt = matches!(&self.phase, Phase::Playing(state) if state.question.is_none());
        match &self.link {
            Some(link) => {
                let lines_done = std::mem::take(&mut self.lines_done);
                let shown = Box::new(Shown {
                    event,
                    lines_done,
                    prompt,
                });
                let message = ConnectionMessage::Show(shown);
                match link.address.try_send_owed(message) {
                    Ok(()) => {}
                    // Told with the next word; else the connection would not read on.
                    Err(TrySendError::Full(_)) => self.lines_done = lines_done,
                    Err(TrySendError::Closed(_)) => self.unreachable = true,
                }
            }
            None => self.miss(Missed::Own(event)),
        }
    }

    /// Shows something owed without a prompt: more follows at once.
    pub(super) fn show_quietly(&mut self, event: Event) {
        if let Some(link) = &self.link {
            // The line is done with what follows; until then the connection expects more.
            let shown = Box::new(Shown {
                event,
                lines_done: 0,
                prompt: false,
            });
            drop(link.address.try_send_owed(ConnectionMessage::Show(shown)));
        }
    }

    /// Passes something ambient on. It is dropped where there is no room, and waits while a
    /// question is open: it would come between the question and its answer.
    pub(super) fn pass(&mut self, notice: Arc<Notice>) {
        let Some(notice) = self.wanted(notice) else {
            return;
        };
        if self.link.is_some() && !self.asking() {
            self.pass_now(ConnectionMessage::Notice(notice));
        } else {
            self.miss(Missed::Shared(notice));
        }
    }

    /// Passes something ambient on that nobody wants later.
    pub(super) fn pass_now(&mut self, message: ConnectionMessage) {
        if self.asking() {
            self.dropped = true;
            return;
        }
        let Some(link) = &self.link else { return };
        match link.address.try_send(message) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.dropped = true;
                metrics::ambient_dropped(1);
            }
            Err(TrySendError::Closed(_)) => self.unreachable = true,
        }
    }

    /// What of this the player wants to read: nothing of those whom they ignore. What is said in a
    /// room is not looked at: in a crowd it comes as one piece for all.
    fn wanted(&self, notice: Arc<Notice>) -> Option<Arc<Notice>> {
        let Phase::Playing(state) = &self.phase else {
            return Some(notice);
        };
        let ignored = &state.settings.ignored;
        if let Event::Talk(Talk::Line(line)) = notice.event() {
            return (!ignored.covers(&line.speaker)).then_some(notice);
        }
        let Event::Bridge(Elsewhere::Signed(signed)) = notice.event() else {
            return Some(notice);
        };
        let mut left = signed.clone();
        left.names
            .retain(|who| !ignored.covers(&who.clone().into()));
        if left.names.len() == signed.names.len() {
            return Some(notice);
        }
        let some = !left.names.is_empty();
        let left = || Arc::new(Notice::new(Event::Bridge(Elsewhere::Signed(left))));
        some.then(left)
    }

    /// Tells the connection something else that is owed.
    pub(super) fn tell(&self, message: ConnectionMessage) {
        if let Some(link) = &self.link {
            drop(link.address.try_send_owed(message));
        }
    }

    /// Whether a question waits for the player's next line.
    pub(super) fn asking(&self) -> bool {
        matches!(&self.phase, Phase::Playing(state) if state.question.is_some())
    }

    /// Whether texts wait that can be shown now.
    pub(super) fn behind(&self) -> bool {
        !self.missed.is_empty() && self.link.is_some() && !self.asking()
    }

    /// How many texts were missed beyond those that are kept.
    pub(super) fn missed_more(&self) -> u32 {
        self.missed_more
    }

    /// Shows what was missed.
    pub(super) fn catch_up(&mut self) {
        self.missed_more = 0;
        for missed in std::mem::take(&mut self.missed) {
            match missed {
                Missed::Own(event) => self.show(event),
                Missed::Shared(notice) => self.pass(notice),
            }
        }
    }

    fn miss(&mut self, missed: Missed) {
        if self.missed.len() >= limits::MISSED_MAX {
            self.missed.pop_front();
            self.missed_more = self.missed_more.saturating_add(1);
        }
        self.missed.push_back(missed);
    }
}
