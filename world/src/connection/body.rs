//! `[edge]` The process of one socket: waits for the socket, its mailbox and its deadlines, and in
//! each turn takes what came, then writes once.

use super::clocks::{Alarm, LoginClock};
use super::framing::{Broken, CloseCode, Framing};
use super::limits::{
    HALF_CLOSED_MAX, LINES_IN_FLIGHT_MAX, LINES_IN_FLIGHT_RESUME, MESSAGES_PER_TURN,
};
use super::output::Output;
use super::reception::Reception;
use super::scratch::Scratch;
use super::seats::Seat;
use super::session_link::SessionLink;
use super::stats::{MessageKind, stats};
use super::terminal::Terminal;
use crate::event::{Event, LoginEvent, SystemEvent};
use crate::ring::{ConnectionMessage, Input, Shown};
use belay_runtime::{Context, Exit, Incoming};
use std::future::poll_fn;
use std::io;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

/// One connection. It owns the socket and everything about bytes.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) socket: TcpStream,
    pub(super) framing: Framing,
    pub(super) output: Output,
    pub(super) terminal: Terminal,
    pub(super) link: SessionLink,
    pub(super) login: LoginClock,
    /// Input that waits because the session is behind.
    pub(super) held: Vec<u8>,
    /// Lines that the session has not done yet.
    pub(super) in_flight: u16,
    /// Too many are in flight: nothing is read until enough are done.
    pub(super) paused: bool,
    /// The peer sends nothing more, since then.
    pub(super) ended: Option<Instant>,
    pub(super) reception: Arc<Reception>,
    _seat: Seat,
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The socket is gone or not worth another byte.
    Lost,
    /// We close: what waits is written first.
    Closing(CloseCode),
    /// The session is gone; what it said last may still be in the mailbox.
    SessionGone,
}

/// What a connection waited for.
enum Woken {
    Message(Incoming<ConnectionMessage>),
    /// The socket gave so many bytes, into these buffers.
    Read(Box<Scratch>, usize),
    /// The socket takes bytes again.
    Writable,
    Failed(io::Error),
    Time,
}

pub(super) type Turned = ControlFlow<End>;

impl Connection {
    pub(crate) fn new(
        reception: Arc<Reception>,
        socket: TcpStream,
        (framing, seat): (Framing, Seat),
        link: SessionLink,
        now: Instant,
    ) -> Box<Self> {
        let login = LoginClock::Running(now + reception.settings().login_deadline);
        Box::new(Self {
            socket,
            framing,
            output: Output::new(now),
            terminal: Terminal::default(),
            link,
            login,
            held: Vec::new(),
            in_flight: 0,
            paused: false,
            ended: None,
            reception,
            _seat: seat,
        })
    }

    /// Runs until the connection ends. Boxed, because a future keeps an argument twice: once as it
    /// came in, and once as it is used.
    pub(crate) async fn run(
        mut self: Box<Self>,
        mut ctx: Context<ConnectionMessage>,
    ) -> Result<(), Exit> {
        let mut alarm = Alarm::default();
        let mut sleep = pin!(sleep_until(ctx.now()));
        let mut turned = self.open(&mut ctx);
        while turned.is_continue() {
            if let Some(due) = alarm.want(self.next_due()) {
                sleep.as_mut().reset(due);
            }
            let woken = tokio::select! {
                incoming = ctx.next() => Woken::Message(incoming),
                woken = poll_fn(|cx| self.poll_socket(cx)) => woken,
                () = &mut sleep, if alarm.is_set() => {
                    alarm.rang();
                    Woken::Time
                }
            };
            turned = self.turn(woken, &mut ctx);
        }
        if let ControlFlow::Break(End::Closing(code)) = turned {
            // On the heap, so that a connection in play does not carry the room for its end.
            Box::pin(self.farewell(code, ctx.now())).await;
        }
        Ok(())
    }

    /// What is sent at once: the offers, and what the session has said already.
    fn open(&mut self, ctx: &mut Context<ConnectionMessage>) -> Turned {
        let mut scratch = Scratch::take();
        self.framing.opening(&mut scratch.protocol);
        let turned = self.finish_turn(ControlFlow::Continue(()), ctx, &mut scratch);
        scratch.put_back();
        turned
    }

    fn poll_socket(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Woken> {
        if self.output.is_blocked() && self.socket.poll_write_ready(cx).is_ready() {
            return Poll::Ready(Woken::Writable);
        }
        if self.paused || self.ended.is_some() {
            return Poll::Pending;
        }
        let mut scratch = Scratch::take();
        let mut buffer = ReadBuf::new(&mut scratch.input);
        let polled = Pin::new(&mut self.socket).poll_read(cx, &mut buffer);
        let count = buffer.filled().len();
        match polled {
            Poll::Ready(Ok(())) => Poll::Ready(Woken::Read(scratch, count)),
            Poll::Ready(Err(error)) => {
                scratch.put_back();
                Poll::Ready(Woken::Failed(error))
            }
            Poll::Pending => {
                scratch.put_back();
                Poll::Pending
            }
        }
    }

    /// Takes what came and all messages that are there, then writes once.
    fn turn(&mut self, woken: Woken, ctx: &mut Context<ConnectionMessage>) -> Turned {
        let (mut scratch, turned) = match woken {
            Woken::Read(mut scratch, count) => {
                let turned = self.read(&mut scratch, count, ctx.now());
                (scratch, turned)
            }
            Woken::Message(incoming) => {
                let mut scratch = Scratch::take();
                let turned = self.incoming(incoming, &mut scratch, ctx.now());
                (scratch, turned)
            }
            Woken::Time => {
                let mut scratch = Scratch::take();
                let turned = self.time(&mut scratch, ctx.now());
                (scratch, turned)
            }
            Woken::Writable => (Scratch::take(), ControlFlow::Continue(())),
            Woken::Failed(error) => {
                let connection = self.link.id().0;
                tracing::debug!(connection, reason = %error, "socket failed");
                return ControlFlow::Break(End::Lost);
            }
        };
        let turned = self.finish_turn(turned, ctx, &mut scratch);
        scratch.put_back();
        turned
    }

    fn finish_turn(
        &mut self,
        mut turned: Turned,
        ctx: &mut Context<ConnectionMessage>,
        scratch: &mut Scratch,
    ) -> Turned {
        // Told to stop, the process still says what it was given to say.
        let stopping = turned == ControlFlow::Break(End::Closing(CloseCode::GoingAway));
        if stopping {
            turned = ControlFlow::Continue(());
        }
        let mut left = MESSAGES_PER_TURN;
        while turned.is_continue()
            && left > 0
            && let Some(incoming) = ctx.try_next()
        {
            turned = self.incoming(incoming, scratch, ctx.now());
            left -= 1;
        }
        if stopping && turned.is_continue() {
            turned = ControlFlow::Break(End::Closing(CloseCode::GoingAway));
        }
        if turned.is_continue() {
            turned = self.resume(scratch, ctx.now());
        }
        if turned == ControlFlow::Break(End::SessionGone) {
            turned = self.last_words(ctx, scratch);
        }
        if turned.is_break() {
            self.output.end_play();
        }
        let flushed = self.flush(scratch, ctx.now());
        if turned.is_continue() {
            flushed
        } else {
            turned
        }
    }

    pub(super) fn incoming(
        &mut self,
        incoming: Incoming<ConnectionMessage>,
        scratch: &mut Scratch,
        now: Instant,
    ) -> Turned {
        match incoming {
            Incoming::Message(message) | Incoming::Timer(message) => {
                self.message(message, scratch, now)
            }
            Incoming::Signal(_) => ControlFlow::Continue(()),
            Incoming::Shutdown => ControlFlow::Break(End::Closing(CloseCode::GoingAway)),
        }
    }

    fn message(
        &mut self,
        message: ConnectionMessage,
        scratch: &mut Scratch,
        now: Instant,
    ) -> Turned {
        match message {
            ConnectionMessage::Show(shown) => self.show(&shown, scratch),
            ConnectionMessage::Notice(notice) => {
                let bytes = notice.bytes(self.terminal.class(), self.reception.world());
                self.ambient(bytes, MessageKind::Notice);
            }
            ConnectionMessage::Tick(batch, being) => {
                let (reception, class) = (Arc::clone(&self.reception), self.terminal.class());
                batch.slices(class, reception.world(), being, &mut |bytes| {
                    self.ambient(bytes, MessageKind::Tick);
                });
            }
            ConnectionMessage::Adopt(session) => {
                self.link.adopt(session);
                self.in_flight = 0;
                self.terminal.forget_told();
                return self.tell_terminal();
            }
            ConnectionMessage::Hide(hide) => {
                self.framing.hide(hide, &mut scratch.protocol);
                if !hide {
                    self.output.line_typed();
                }
            }
            ConnectionMessage::LoggedIn => {
                self.framing.logged_in();
                self.output.enter_play();
                self.login = LoginClock::Over;
            }
            ConnectionMessage::LoginClock { running } => self.login.run(running, now),
            ConnectionMessage::Color(depth) => {
                self.terminal.choose_depth(depth);
                return self.tell_terminal();
            }
            ConnectionMessage::ScreenReader(on) => {
                self.terminal.choose_screen_reader(on);
                return self.tell_terminal();
            }
            ConnectionMessage::Close(event) => {
                self.own(&event, scratch);
                return ControlFlow::Break(End::Closing(close_code(&event)));
            }
        }
        ControlFlow::Continue(())
    }

    fn show(&mut self, shown: &Shown, scratch: &mut Scratch) {
        self.in_flight = self.in_flight.saturating_sub(shown.lines_done);
        self.own(&shown.event, scratch);
        if shown.prompt {
            self.output.want_prompt();
        }
    }

    /// Deadlines that are over.
    fn time(&mut self, scratch: &mut Scratch, now: Instant) -> Turned {
        if self.login.due().is_some_and(|due| due <= now) {
            self.own(&Event::Login(LoginEvent::TooSlow), scratch);
            return ControlFlow::Break(End::Closing(CloseCode::Policy));
        }
        if self.framing.next_check() <= now.into_std() {
            if let Some(broken) = self.framing.check(now.into_std(), &mut scratch.protocol) {
                return self.broken(broken, scratch);
            }
            if self.link.has_ended() {
                return ControlFlow::Break(End::SessionGone);
            }
        }
        match self.ended {
            Some(since) if since + HALF_CLOSED_MAX <= now => {
                ControlFlow::Break(End::Closing(CloseCode::Normal))
            }
            Some(_) | None => ControlFlow::Continue(()),
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let due = [
            Some(Instant::from_std(self.framing.next_check())),
            self.login.due(),
            self.output.due(self.bounds()),
            self.ended.map(|since| since + HALF_CLOSED_MAX),
        ];
        due.into_iter().flatten().min()
    }

    pub(super) fn has_input(&self) -> bool {
        !self.held.is_empty() || self.framing.has_more()
    }

    /// Whether another line may be passed on. A connection that stopped reading waits for a while,
    /// so that it does not stop and go with each line.
    pub(super) fn may_read(&mut self) -> bool {
        if self.in_flight >= LINES_IN_FLIGHT_MAX {
            self.paused = true;
        } else if self.in_flight <= LINES_IN_FLIGHT_RESUME {
            self.paused = false;
        }
        !self.paused
    }

    pub(super) fn tell_terminal(&mut self) -> Turned {
        if let Some(now) = self.terminal.news() {
            // A session that is gone or behind shows at the next line.
            drop(self.link.send(Input::Terminal(now)));
        }
        ControlFlow::Continue(())
    }

    pub(super) fn broken(&mut self, broken: Broken, scratch: &mut Scratch) -> Turned {
        stats().cut_protocol.add(1);
        let connection = self.link.id().0;
        tracing::info!(connection, reason = broken.reason, "connection closed");
        scratch.protocol.extend_from_slice(broken.answer);
        ControlFlow::Break(End::Closing(broken.code))
    }
}

fn close_code(event: &Event) -> CloseCode {
    match event {
        Event::System(SystemEvent::Kicked(_)) | Event::Login(LoginEvent::Banned(_)) => {
            CloseCode::Policy
        }
        Event::System(SystemEvent::ShuttingDown | SystemEvent::NodeStops) => CloseCode::GoingAway,
        Event::RoomSeen(_)
        | Event::ThingSeen { .. }
        | Event::WaySeen { .. }
        | Event::ExitsListed(_)
        | Event::Did(_)
        | Event::Seen(_)
        | Event::Received(_)
        | Event::Talk(_)
        | Event::Bridge(_)
        | Event::Refused(_)
        | Event::Told(_)
        | Event::Login(_)
        | Event::System(_) => CloseCode::Normal,
    }
}
