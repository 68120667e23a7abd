//! `[pure]` The input machine: bytes in, answers and [`Input`] out.
//!
//! ```text
//!          FF            FB..FE          option
//!   Data ──────► Iac ──────────────► Verb ──────► Data
//!    ▲            │ FA                                  FF
//!    │            └──► SbOption ──option──► Sb ◄───────────► SbIac ──F0──► delivered, Data
//!    │                    │ not agreed       │ too long        │ other: ends undelivered,
//!    │     FF F0          ▼                  ▼                 ▼        then as in Iac
//!    └─── SbSkipIac ◄── SbSkip ◄─────────────┘
//! ```
//!
//! State survives any chunking and no input is copied but the pending line and a subnegotiation of
//! at most [`limits::CHARSET_BYTES_MAX`] bytes.

use std::mem;

use super::charset::{CharsetTalk, Heard};
use super::code::{
    ARE_YOU_THERE, CHARSET, COMMAND_MIN, DO, DONT, ECHO, ERASE_CHARACTER, ERASE_LINE, IAC,
    INTERRUPT, NAWS, SB, SE, TTYPE, WILL, WONT,
};
use super::codec::Codec;
use super::decode::decode;
use super::input::{CloseReason, Input, Line};
use super::limits;
use super::line::{Edit, Width};
use super::options::{Change, Received, Side};
use super::terminal::Dialogue;
use super::ticks::Tick;
use super::window;
use crate::text::Charset;

/// Where the input machine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Among what the player types.
    #[default]
    Data,
    /// After IAC.
    Iac,
    /// After IAC and WILL, WONT, DO or DONT.
    Verb(u8),
    /// After IAC SB.
    SbOption,
    /// In the body of a subnegotiation of this option.
    Sb(u8),
    /// After IAC in such a body.
    SbIac(u8),
    /// In a body that is not kept.
    SbSkip,
    /// After IAC in such a body.
    SbSkipIac,
}

/// What one call of [`Codec::feed`] works with.
pub(super) struct Turn<'a> {
    pub(super) now: Tick,
    pub(super) out: &'a mut Vec<u8>,
    pub(super) events: &'a mut dyn FnMut(Input),
    /// Lines delivered so far.
    pub(super) lines: usize,
}

impl Codec {
    /// Takes one byte.
    pub(super) fn step(&mut self, byte: u8, turn: &mut Turn<'_>) {
        if let Some(kind) = self.first.look(byte) {
            self.deaf = true;
            self.line.erase_line();
            return (turn.events)(Input::NotTelnet(kind));
        }
        match self.state {
            State::Data if byte == IAC => self.state = State::Iac,
            State::Data => self.data(byte, turn),
            State::Iac => self.command(byte, turn),
            State::Verb(verb) => {
                self.state = State::Data;
                self.negotiate(verb, byte, turn);
            }
            State::SbOption => self.open(byte, turn),
            State::Sb(option) if byte == IAC => self.state = State::SbIac(option),
            State::Sb(option) => self.gather(option, byte, turn),
            State::SbIac(option) => match byte {
                SE => {
                    self.state = State::Data;
                    self.deliver(option, turn);
                }
                IAC => self.gather(option, byte, turn),
                // Real clients and old servers send broken ends: what follows is a command.
                _ => {
                    self.gathered = Vec::new();
                    self.fault(turn);
                    self.command(byte, turn);
                }
            },
            State::SbSkip if byte == IAC => self.state = State::SbSkipIac,
            State::SbSkip => {}
            State::SbSkipIac if byte == SE => self.state = State::Data,
            State::SbSkipIac => self.state = State::SbSkip,
        }
    }

    /// The byte after IAC.
    fn command(&mut self, byte: u8, turn: &mut Turn<'_>) {
        self.state = State::Data;
        match byte {
            IAC => self.data(byte, turn),
            WILL | WONT | DO | DONT => self.state = State::Verb(byte),
            SB => {
                self.state = State::SbOption;
                self.subnegotiation_since = turn.now;
            }
            INTERRUPT => {
                self.line.erase_line();
                (turn.events)(Input::Interrupt);
            }
            ARE_YOU_THERE => self.are_you_there(turn),
            ERASE_CHARACTER => self.line.erase_character(self.width()),
            ERASE_LINE => self.line.erase_line(),
            // NOP, GA, marks, and signals that mean nothing to a game.
            COMMAND_MIN.. => {}
            _ => self.fault(turn),
        }
    }

    fn data(&mut self, byte: u8, turn: &mut Turn<'_>) {
        let bytes_max = if self.logged_in {
            limits::LINE_BYTES_MAX
        } else {
            limits::LINE_BYTES_MAX_BEFORE_LOGIN
        };
        let was_pending = self.line.is_pending();
        match self.line.push(byte, bytes_max, self.width()) {
            Edit::Ended => self.line_ended(turn),
            Edit::Pending if !was_pending => self.line_since = turn.now,
            Edit::Pending => {}
        }
    }

    fn line_ended(&mut self, turn: &mut Turn<'_>) {
        let (bytes, cut) = self.line.take();
        let decoded = decode(bytes, cut, self.charset.reading());
        if decoded.was_latin1 {
            self.change_charset(turn, CharsetTalk::note_latin1);
        }
        turn.lines += 1;
        (turn.events)(Input::Line(Line {
            text: decoded.text,
            cut,
            hidden: self.hiding,
        }));
    }

    fn are_you_there(&mut self, turn: &mut Turn<'_>) {
        let due = self
            .last_alive
            .is_none_or(|last| turn.now.is_past(last, limits::ARE_YOU_THERE_GAP));
        if due {
            self.last_alive = Some(turn.now);
            (turn.events)(Input::AreYouThere);
        }
    }

    fn negotiate(&mut self, verb: u8, option: u8, turn: &mut Turn<'_>) {
        let spent = self.budget.negotiation(turn.now);
        if spent.is_some() {
            return self.close(spent, turn);
        }
        let Received {
            side,
            change,
            fault,
        } = self.options.receive(verb, option, turn.out);
        if fault {
            self.fault(turn);
        }
        match (change, side, option) {
            (Change::On, Side::Him, TTYPE) => {
                self.dialogue = Some(Box::new(Dialogue::begin(turn.out)));
            }
            (Change::Off, Side::Him, TTYPE) => {
                let dialogue = self.dialogue.take().unwrap_or_default();
                (turn.events)(Input::Terminal(dialogue.settle()));
            }
            (Change::On, Side::Us, CHARSET) => self.charset.ask(turn.out),
            (Change::Off, Side::Us, CHARSET) => self.charset.stop(),
            (Change::Off, Side::Us, ECHO) => (turn.events)(Input::EchoRefused),
            _ => {}
        }
    }

    /// The option of a subnegotiation; what is not agreed is not even stored.
    fn open(&mut self, option: u8, turn: &mut Turn<'_>) {
        let agreed = match option {
            TTYPE | NAWS => self.options.is_on(Side::Him, option),
            CHARSET => [Side::Us, Side::Him]
                .iter()
                .any(|side| self.options.is_on(*side, option)),
            _ => false,
        };
        self.state = match (agreed, option) {
            (true, _) => State::Sb(option),
            (false, IAC) => State::SbSkipIac,
            (false, _) => State::SbSkip,
        };
        if !agreed {
            self.fault(turn);
        }
    }

    fn gather(&mut self, option: u8, byte: u8, turn: &mut Turn<'_>) {
        let bytes_max = match option {
            NAWS => limits::NAWS_BYTES,
            // The name and the byte before it.
            TTYPE => limits::TERMINAL_NAME_BYTES_MAX + 1,
            _ => limits::CHARSET_BYTES_MAX,
        };
        if self.gathered.len() < bytes_max {
            self.gathered.push(byte);
            self.state = State::Sb(option);
        } else {
            self.gathered = Vec::new();
            self.state = State::SbSkip;
            self.fault(turn);
        }
    }

    fn deliver(&mut self, option: u8, turn: &mut Turn<'_>) {
        let body = mem::take(&mut self.gathered);
        match option {
            NAWS => match window::decode(&body) {
                Some(size) if self.window != Some(size) => {
                    self.window = Some(size);
                    (turn.events)(Input::Window(size));
                }
                Some(_) => {}
                None => self.fault(turn),
            },
            TTYPE => self.terminal_answer(&body, turn),
            _ => self.charset_talk(&body, turn),
        }
    }

    /// Each request is answered, so it counts as an option request.
    fn charset_talk(&mut self, body: &[u8], turn: &mut Turn<'_>) {
        let spent = self.budget.negotiation(turn.now);
        if spent.is_some() {
            return self.close(spent, turn);
        }
        let mut heard = Heard::Fine;
        let mut answer = Vec::new();
        self.change_charset(turn, |talk| heard = talk.hear(body, &mut answer));
        turn.out.append(&mut answer);
        if heard == Heard::Fault {
            self.fault(turn);
        }
    }

    fn terminal_answer(&mut self, body: &[u8], turn: &mut Turn<'_>) {
        // An answer that nobody asked for is no better than a broken one.
        let answer = self
            .dialogue
            .as_mut()
            .map(|dialogue| dialogue.answer(body, turn.out));
        let Some(Ok(news)) = answer else {
            return self.fault(turn);
        };
        let Some(info) = news else {
            return;
        };
        if info.settled {
            self.dialogue = None;
        }
        if info.utf8() {
            self.change_charset(turn, CharsetTalk::note_utf8);
        }
        (turn.events)(Input::Terminal(info));
    }

    /// Tells when `work` changes the charset for output.
    fn change_charset(&mut self, turn: &mut Turn<'_>, work: impl FnOnce(&mut CharsetTalk)) {
        let before = self.charset.chosen();
        work(&mut self.charset);
        if self.charset.chosen() != before {
            (turn.events)(Input::Charset(self.charset.chosen()));
        }
    }

    fn fault(&mut self, turn: &mut Turn<'_>) {
        let spent = self.budget.fault(turn.now);
        self.close(spent, turn);
    }

    /// Goes deaf and says why, once.
    pub(super) fn close(&mut self, reason: Option<CloseReason>, turn: &mut Turn<'_>) {
        let Some(reason) = reason.filter(|_| !self.deaf) else {
            return;
        };
        self.deaf = true;
        self.line.erase_line();
        self.gathered = Vec::new();
        self.dialogue = None;
        (turn.events)(Input::Close(reason));
    }

    /// What hangs for too long at `now`.
    pub(super) fn overdue(&self, now: Tick) -> Option<CloseReason> {
        let late = |since: Tick, time| now.is_past(since, time);
        if self.deaf {
            None
        } else if self.in_subnegotiation()
            && late(self.subnegotiation_since, limits::SUBNEGOTIATION_OPEN_MAX)
        {
            Some(CloseReason::OpenSubnegotiation)
        } else if self.line_can_be_late()
            && late(self.line_since, limits::PENDING_LINE_MAX_BEFORE_LOGIN)
        {
            Some(CloseReason::PendingLine)
        } else {
            None
        }
    }

    /// Whether a subnegotiation is open, kept or not.
    pub(super) fn in_subnegotiation(&self) -> bool {
        match self.state {
            State::Data | State::Iac | State::Verb(_) => false,
            State::SbOption | State::Sb(_) | State::SbIac(_) | State::SbSkip | State::SbSkipIac => {
                !self.deaf
            }
        }
    }

    /// Whether an unfinished line has a deadline.
    pub(super) fn line_can_be_late(&self) -> bool {
        !self.logged_in && !self.deaf && self.line.is_pending()
    }

    fn width(&self) -> Width {
        match self.charset.chosen() {
            Charset::Utf8 | Charset::Ascii => Width::Utf8,
            Charset::Latin1 => Width::OneByte,
        }
    }
}
