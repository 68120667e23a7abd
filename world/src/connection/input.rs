//! `[edge]` From bytes to the session: what a connection does with what it reads.

use super::body::{Connection, End, Turned};
use super::framing::{CloseCode, Heard};
use super::limits::LINES_IN_FLIGHT_MAX;
use super::scratch::Scratch;
use super::session_link::NotTaken;
use super::stats::stats;
use crate::event::{Event, Refusal, SystemEvent};
use crate::ring::{ConnectionMessage, Input};
use belay_runtime::Context;
use std::ops::ControlFlow;
use tokio::time::Instant;

impl Connection {
    /// The socket gave so many bytes; none: the peer sends nothing more.
    pub(super) fn read(&mut self, scratch: &mut Scratch, count: usize, now: Instant) -> Turned {
        if count == 0 {
            self.ended = Some(now);
            return ControlFlow::Continue(());
        }
        stats().reads.add(1);
        stats().bytes_in.add(count);
        assert!(self.held.is_empty(), "nothing is read while input waits");
        let input = std::mem::take(&mut scratch.input);
        let turned = self.take(input.get(..count).unwrap_or_default(), scratch, now);
        scratch.input = input;
        turned
    }

    /// Goes on with input that waited for the session, if it may.
    pub(super) fn resume(&mut self, scratch: &mut Scratch, now: Instant) -> Turned {
        if !self.may_read() || !self.has_input() {
            return ControlFlow::Continue(());
        }
        let held = std::mem::take(&mut self.held);
        self.take(&held, scratch, now)
    }

    /// Passes on what the bytes hold until the session has enough; the rest is held.
    fn take(&mut self, mut bytes: &[u8], scratch: &mut Scratch, now: Instant) -> Turned {
        loop {
            if !self.may_read() {
                self.held = bytes.to_vec();
                return ControlFlow::Continue(());
            }
            let room = LINES_IN_FLIGHT_MAX - self.in_flight;
            let mut heard = std::mem::take(&mut scratch.heard);
            let out = (&mut heard, &mut scratch.protocol);
            let taken = self.framing.feed(bytes, room, now.into_std(), out);
            bytes = bytes.get(taken..).unwrap_or_default();
            for heard in heard.drain(..) {
                self.heard(heard, scratch)?;
            }
            scratch.heard = heard;
            if bytes.is_empty() && !self.framing.has_more() {
                return ControlFlow::Continue(());
            }
        }
    }

    fn heard(&mut self, heard: Heard, scratch: &mut Scratch) -> Turned {
        match heard {
            Heard::Line { text, cut, hidden } => {
                if !hidden {
                    self.output.line_typed();
                }
                return self.line(text, cut, scratch);
            }
            Heard::Interrupt => drop(self.link.send(Input::Interrupt)),
            Heard::AreYouThere => self.own(&Event::System(SystemEvent::Alive), scratch),
            Heard::EchoRefused => {
                drop(self.link.send(Input::Echoes));
            }
            Heard::Terminal {
                depth,
                screen_reader,
            } => {
                self.terminal.client_says(depth, screen_reader);
                self.terminal.set_charset(self.framing.charset());
                return self.tell_terminal();
            }
            Heard::Charset(charset) => {
                self.terminal.set_charset(charset);
                return self.tell_terminal();
            }
            Heard::Gone => return ControlFlow::Break(End::Closing(CloseCode::Normal)),
            Heard::Broken(broken) => return self.broken(broken, scratch),
        }
        ControlFlow::Continue(())
    }

    fn line(&mut self, text: String, cut: Option<u32>, scratch: &mut Scratch) -> Turned {
        match self.link.send(Input::Line { text, cut }) {
            Ok(()) => {
                self.in_flight += 1;
                stats().lines_in.add(1);
            }
            Err(NotTaken::Busy) => self.own(&Event::Refused(Refusal::TooFast), scratch),
            Err(NotTaken::Ended) => return ControlFlow::Break(End::SessionGone),
        }
        ControlFlow::Continue(())
    }

    /// What a session said before it ended is in the mailbox. Only of one that said nothing the
    /// player is told here that it is gone.
    pub(super) fn last_words(
        &mut self,
        ctx: &mut Context<ConnectionMessage>,
        scratch: &mut Scratch,
    ) -> Turned {
        while let Some(incoming) = ctx.try_next() {
            self.incoming(incoming, scratch, ctx.now())?;
        }
        if self.link.has_ended() {
            let goodbye = "Your session has ended. Please connect again.".into();
            self.own(&Event::System(SystemEvent::Goodbye(goodbye)), scratch);
            return ControlFlow::Break(End::Closing(CloseCode::Normal));
        }
        ControlFlow::Continue(())
    }
}
