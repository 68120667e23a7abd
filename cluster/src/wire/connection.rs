//! `[edge]` The process of one wire that stands: takes what came, gathers what waits, and writes
//! it at once.

use super::frame::{Decoder, Frame, Kind, encode};
use super::greet::Framed;
use super::handshake::refusal_text;
use super::limits::{FAREWELL_WITHIN, GATHER_BYTES, GATHER_MESSAGES, READ_BYTES};
use super::outbox::Outbox;
use super::pulse::{Beat, Pace, Pulse};
use super::seats::Seated;
use super::stream::{Stream, why};
use belay_runtime::{Context, Incoming};
use bytes::{Buf as _, Bytes, BytesMut};
use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Poll};
use tokio::io::{AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until, timeout};

/// A wire that stands.
pub(super) struct Wire {
    io: Io,
    seated: Seated,
    outbox: Arc<Outbox>,
    pulse: Pulse,
    /// What the last ping of the other end wants back.
    owed_pong: Option<Bytes>,
    /// This node closes the wire.
    stopping: bool,
}

/// The connection and what is written to it.
struct Io {
    stream: Stream,
    decoder: Decoder,
    /// What is to be written.
    out: BytesMut,
    /// Something was written that may still be held back.
    unflushed: bool,
}

/// What a poll of the connection did.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    read: usize,
    written: usize,
}

/// Why the wire ends, in words.
struct End(String);

impl End {
    fn new(why: &str) -> Self {
        Self(why.to_owned())
    }
}

/// What a wire waited for.
enum Woken {
    Incoming(Incoming<Bytes>),
    Stopping,
    Done(io::Result<Done>),
    Closed(&'static str),
    Time,
}

impl Wire {
    pub(super) fn new(
        framed: Framed,
        seated: Seated,
        outbox: Arc<Outbox>,
        pace: Pace,
        now: Instant,
    ) -> Self {
        Self {
            io: Io {
                stream: framed.stream,
                decoder: framed.decoder,
                out: BytesMut::new(),
                unflushed: true,
            },
            seated,
            outbox,
            pulse: Pulse::new(pace, now.into_std()),
            owed_pong: None,
            stopping: false,
        }
    }

    /// Runs until the wire ends, and says why.
    pub(super) async fn run(mut self, ctx: &mut Context<Bytes>) -> String {
        let mut alarm = pin!(sleep_until(Instant::from_std(self.pulse.due())));
        loop {
            if let Err(End(why)) = self.turn(ctx) {
                return why;
            }
            if self.stopping {
                self.farewell(ctx).await;
                return "this node closes it".to_owned();
            }
            let due = Instant::from_std(self.pulse.due());
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            let idle = self.io.out.is_empty();
            let woken = tokio::select! {
                biased;
                why = self.outbox.closed() => Woken::Closed(why.why()),
                woken = waiting(ctx, idle) => woken,
                done = poll_fn(|cx| self.io.poll(cx)) => Woken::Done(done),
                () = &mut alarm => Woken::Time,
            };
            match woken {
                Woken::Incoming(Incoming::Message(body) | Incoming::Timer(body)) => {
                    self.put(&body);
                }
                Woken::Incoming(Incoming::Signal(_)) | Woken::Time => {}
                Woken::Incoming(Incoming::Shutdown) | Woken::Stopping => self.stopping = true,
                Woken::Done(Ok(done)) => self.count(done),
                Woken::Done(Err(error)) => return why(&error),
                Woken::Closed(why) => return why.to_owned(),
            }
        }
    }

    /// Takes all frames that came, looks at the time, and gathers what waits.
    fn turn(&mut self, ctx: &mut Context<Bytes>) -> Result<(), End> {
        let now = ctx.now().into_std();
        while let Some(frame) = self.next_frame()? {
            self.take(frame, now)?;
        }
        match self.pulse.beat(now) {
            Beat::Rest => {}
            Beat::Ping(number) => encode(Kind::Ping, &number.to_be_bytes(), &mut self.io.out),
            Beat::Dead => return Err(End::new("the node does not answer")),
        }
        // A node that asks and does not read gets one answer, to what it asked last.
        if self.io.out.len() < GATHER_BYTES
            && let Some(pong) = self.owed_pong.take()
        {
            encode(Kind::Pong, &pong, &mut self.io.out);
        }
        let mut left = GATHER_MESSAGES;
        while left > 0
            && self.io.out.len() < GATHER_BYTES
            && let Some(incoming) = self.try_next(ctx)
        {
            self.put(&incoming);
            left -= 1;
        }
        Ok(())
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, End> {
        let next = self.io.decoder.next();
        next.map_err(|error| End(format!("garbage: {error}")))
    }

    fn take(&mut self, frame: Frame, now: std::time::Instant) -> Result<(), End> {
        match frame.kind {
            Kind::Message => {
                self.outbox.count(|it| it.frames_in.add(1));
                if !self.seated.deliver(frame.body) {
                    return Err(End::new("replaced by a newer connection"));
                }
            }
            Kind::Ping if frame.body.len() == size_of::<u64>() => {
                self.owed_pong = Some(frame.body);
            }
            Kind::Pong if let Ok(number) = <[u8; 8]>::try_from(&*frame.body) => {
                if let Some(took) = self.pulse.pong(u64::from_be_bytes(number), now) {
                    self.outbox.count(|it| it.answered(took));
                }
            }
            Kind::Refused => {
                let text = refusal_text(&frame.body);
                return Err(End(format!("the other node refuses: {text}")));
            }
            Kind::Ping
            | Kind::Pong
            | Kind::Hello
            | Kind::Ready
            | Kind::JoinAsk
            | Kind::JoinAnswer
            | Kind::Knock
            | Kind::Places => return Err(End::new("garbage: a frame out of turn")),
        }
        Ok(())
    }

    /// A message that waits.
    fn try_next(&mut self, ctx: &mut Context<Bytes>) -> Option<Bytes> {
        loop {
            match ctx.try_next()? {
                Incoming::Message(body) | Incoming::Timer(body) => return Some(body),
                Incoming::Signal(_) => {}
                // It is said only once.
                Incoming::Shutdown => self.stopping = true,
            }
        }
    }

    fn put(&mut self, body: &Bytes) {
        encode(Kind::Message, body, &mut self.io.out);
        self.outbox.taken(body.len());
        self.outbox.count(|it| it.frames_out.add(1));
    }

    fn count(&self, done: Done) {
        self.outbox.count(|it| it.bytes_in.add(done.read));
        self.outbox.count(|it| it.bytes_out.add(done.written));
        if done.written > 0 {
            self.outbox.count(|it| it.writes.add(1));
        }
    }

    /// Writes what waits, as far as the other end takes it in time.
    async fn farewell(&mut self, ctx: &mut Context<Bytes>) {
        let write = async {
            loop {
                while let Some(body) = self.try_next(ctx) {
                    self.put(&body);
                }
                if self.io.out.is_empty() && !self.io.unflushed {
                    break self.io.stream.shutdown().await;
                }
                let written = poll_fn(|cx| self.io.poll_write(cx)).await?;
                self.count(Done { read: 0, written });
            }
        };
        drop(timeout(FAREWELL_WITHIN, write).await);
    }
}

/// The next message when there is room for it, else only the wish that the process stops.
async fn waiting(ctx: &mut Context<Bytes>, idle: bool) -> Woken {
    if idle {
        Woken::Incoming(ctx.next().await)
    } else {
        ctx.stopping().await;
        Woken::Stopping
    }
}

impl Io {
    /// Writes and reads; ready when either got on.
    fn poll(&mut self, cx: &mut task::Context<'_>) -> Poll<io::Result<Done>> {
        let mut done = Done::default();
        if !self.out.is_empty() || self.unflushed {
            match self.poll_write(cx) {
                Poll::Ready(Ok(written)) => done.written = written,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {}
            }
        }
        let want = self.decoder.lacking().max(READ_BYTES);
        self.decoder.buffer.reserve(want);
        let read = pin!(self.stream.read_buf(&mut self.decoder.buffer)).poll(cx);
        match read {
            Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            Poll::Ready(Ok(read)) => done.read = read,
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => {}
        }
        if done.read + done.written > 0 {
            Poll::Ready(Ok(done))
        } else {
            Poll::Pending
        }
    }

    /// Writes until the buffer is empty and nothing is held back, or nothing more is taken.
    fn poll_write(&mut self, cx: &mut task::Context<'_>) -> Poll<io::Result<usize>> {
        let mut written = 0;
        while !self.out.is_empty() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.out) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    self.out.advance(count);
                    written += count;
                    self.unflushed = true;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending if written > 0 => return Poll::Ready(Ok(written)),
                Poll::Pending => return Poll::Pending,
            }
        }
        match Pin::new(&mut self.stream).poll_flush(cx) {
            Poll::Ready(Ok(())) => {
                self.unflushed = false;
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending if written > 0 => Poll::Ready(Ok(written)),
            Poll::Pending => Poll::Pending,
        }
    }
}
