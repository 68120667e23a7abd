//! `[edge]` A WebSocket: frames in are decoded for the desk, frames out are gathered into writes.
//!
//! ```text
//!           frame after a quiet moment              frame soon after a write
//! Waiting ───────────────────────────► Flushing ◄── timer ── Gathering ◄── Waiting
//!    ▲                                    │
//!    └──────────── all written ───────────┘   Close: write, close frame, linger, end
//! ```
//! While it gathers or flushes it leaves its queue alone, so that whoever sends does not wake it.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};

use belay_runtime::{Context, Exit, Incoming};
use futures_util::{Sink as _, Stream as _, StreamExt as _};
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::door::{Door, count};
use super::seats::Seat;
use super::stream::{Stream, drain};
use crate::hub::core::SocketId;
use crate::hub::desk::{DeskMessage, SocketMessage, SocketPort};
use crate::limits::{
    CLOSE_LINGER, FRAME_IN_BYTES_MAX, FRAMES_PER_WRITE, GATHER, READ_BUFFER_BYTES,
    READS_AFTER_CLOSE_MAX, UNLIMITED_FRAMES_MAX, UNLIMITED_WITHIN, WRITE_BUFFER_BYTES,
    WRITE_STALL_MAX,
};
use crate::protocol::Decoded;

/// What a WebSocket begins with.
pub(super) struct SocketStart {
    pub(super) id: SocketId,
    pub(super) stream: Stream,
    /// What came behind the request.
    pub(super) early: Vec<u8>,
    pub(super) seat: Seat,
}

/// Why a socket ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The other side has closed, or is gone.
    Gone,
    /// We close, with these.
    Close(CloseCode, &'static str),
}

/// What the socket does with its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Waiting,
    /// Something is in the buffer, to be written at this time.
    Gathering(Instant),
    /// The buffer is being written.
    Flushing,
}

/// What happened on the side of the network.
enum Happened {
    Received(Option<Result<Message, Error>>),
    Written(Result<(), Error>),
    TimeIsUp,
}

struct Socket {
    id: SocketId,
    door: Arc<Door>,
    port: SocketPort,
    web: WebSocketStream<Stream>,
    output: Output,
    last_received: Instant,
    last_written: Instant,
    flushing_since: Instant,
    /// Frames that the core does not limit, and since when they are counted.
    unlimited: (u32, Instant),
    timer: Pin<Box<Sleep>>,
    _seat: Seat,
}

/// The process of a WebSocket, until it is closed.
pub(super) async fn run(
    door: Arc<Door>,
    start: SocketStart,
    mut ctx: Context<SocketMessage>,
) -> Result<(), Exit> {
    let (id, address) = (start.id, start.seat.address());
    let port = SocketPort::new(ctx.address(), ctx.process());
    let mut socket = Socket::new(door, start, port.clone(), ctx.now()).await;
    let opened = DeskMessage::Opened {
        socket: id,
        address,
        port,
    };
    let mut end = socket.tell(&ctx, opened).await.err();
    let end = loop {
        if let Some(end) = end {
            break end;
        }
        end = socket.turn(&mut ctx).await;
    };
    drop(ctx);
    socket.finish(end).await;
    Ok(())
}

impl Socket {
    async fn new(door: Arc<Door>, start: SocketStart, port: SocketPort, now: Instant) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(WRITE_BUFFER_BYTES)
            .max_message_size(Some(FRAME_IN_BYTES_MAX))
            .max_frame_size(Some(FRAME_IN_BYTES_MAX));
        let SocketStart {
            id,
            stream,
            early,
            seat,
        } = start;
        let idle = door.idle;
        let web =
            WebSocketStream::from_partially_read(stream, early, Role::Server, Some(config)).await;
        Self {
            id,
            door,
            port,
            web,
            output: Output::Waiting,
            last_received: now,
            last_written: now - GATHER,
            flushing_since: now,
            unlimited: (0, now),
            timer: Box::pin(sleep_until(now + idle)),
            _seat: seat,
        }
    }

    /// Waits for one thing and deals with it.
    async fn turn(&mut self, ctx: &mut Context<SocketMessage>) -> Option<End> {
        let happened = if self.output == Output::Waiting {
            tokio::select! {
                incoming = ctx.next() => return self.queue(incoming, ctx),
                happened = self.network() => happened,
            }
        } else {
            tokio::select! {
                () = ctx.stopping() => return Some(going_down()),
                happened = self.network() => happened,
            }
        };
        match happened {
            Happened::Received(Some(Ok(message))) => {
                self.last_received = ctx.now();
                self.received(ctx, message).await.err()
            }
            Happened::Received(Some(Err(error))) => Some(self.failed(&error)),
            Happened::Received(None) | Happened::Written(Err(_)) => Some(End::Gone),
            Happened::Written(Ok(())) => {
                self.output = Output::Waiting;
                self.last_written = ctx.now();
                count(&self.door.figures.writes);
                None
            }
            Happened::TimeIsUp => self.time(ctx),
        }
    }

    /// The next thing on the side of the network. **Cancel safe**: nothing is lost between two
    /// calls.
    async fn network(&mut self) -> Happened {
        poll_fn(|cx| self.poll_network(cx)).await
    }

    fn poll_network(&mut self, cx: &mut TaskContext<'_>) -> Poll<Happened> {
        if self.output == Output::Flushing
            && let Poll::Ready(written) = Pin::new(&mut self.web).poll_flush(cx)
        {
            return Poll::Ready(Happened::Written(written));
        }
        // Before what comes in: who sends without end must not stop this clock.
        if self.timer.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Happened::TimeIsUp);
        }
        let received = ready!(Pin::new(&mut self.web).poll_next(cx));
        Poll::Ready(Happened::Received(received))
    }

    /// Takes from the queue what is there, up to a bound.
    fn queue(
        &mut self,
        first: Incoming<SocketMessage>,
        ctx: &mut Context<SocketMessage>,
    ) -> Option<End> {
        if let Some(end) = self.take(Some(first), ctx) {
            return Some(end);
        }
        if self.output == Output::Waiting {
            let at = self.last_written + GATHER;
            if ctx.now() < at {
                self.output = Output::Gathering(at);
                self.timer.as_mut().reset(at);
            } else {
                self.flush();
            }
        }
        None
    }

    fn take(
        &mut self,
        mut first: Option<Incoming<SocketMessage>>,
        ctx: &mut Context<SocketMessage>,
    ) -> Option<End> {
        for _ in 0..FRAMES_PER_WRITE {
            match first.take().or_else(|| ctx.try_next()) {
                None => break,
                Some(Incoming::Message(SocketMessage::Frame(frame))) => {
                    if let Err(end) = self.put(frame) {
                        return Some(end);
                    }
                }
                Some(Incoming::Message(SocketMessage::Close(with))) => {
                    return Some(End::Close(with.code.into(), with.reason));
                }
                Some(Incoming::Shutdown) => return Some(going_down()),
                Some(Incoming::Timer(_) | Incoming::Signal(_)) => {}
            }
            if self.output == Output::Flushing {
                break;
            }
        }
        None
    }

    fn flush(&mut self) {
        if self.output != Output::Flushing {
            self.output = Output::Flushing;
            self.flushing_since = Instant::now();
        }
    }

    /// Puts a frame into the buffer. When that is full it must be written before the next one.
    fn put(&mut self, frame: Utf8Bytes) -> Result<(), End> {
        self.port.taken(&frame);
        count(&self.door.figures.frames);
        let web = Pin::new(&mut self.web);
        web.start_send(Message::Text(frame))
            .map_err(|_gone| End::Gone)?;
        let mut nobody = TaskContext::from_waker(std::task::Waker::noop());
        if Pin::new(&mut self.web).poll_ready(&mut nobody).is_pending() {
            self.flush();
        }
        Ok(())
    }

    async fn received(
        &mut self,
        ctx: &Context<SocketMessage>,
        message: Message,
    ) -> Result<(), End> {
        match message {
            Message::Text(text) => {
                let frame = Decoded::of(&text);
                if frame == Decoded::NotJson {
                    self.count_unlimited(ctx.now())?;
                }
                let socket = self.id;
                self.tell(ctx, DeskMessage::Frame { socket, frame }).await
            }
            // The answer to a PING is in the buffer; with nothing else to write it goes now.
            Message::Ping(_) => {
                self.count_unlimited(ctx.now())?;
                if self.output == Output::Waiting {
                    self.flush();
                }
                Ok(())
            }
            // The stream ends after the answer to it was written.
            Message::Close(_) => {
                self.flush();
                Ok(())
            }
            Message::Binary(_) | Message::Pong(_) | Message::Frame(_) => {
                self.count_unlimited(ctx.now())
            }
        }
    }

    /// Counts a frame that the core does not limit.
    fn count_unlimited(&mut self, now: Instant) -> Result<(), End> {
        if now.duration_since(self.unlimited.1) >= UNLIMITED_WITHIN {
            self.unlimited = (0, now);
        }
        self.unlimited.0 += 1;
        if self.unlimited.0 > UNLIMITED_FRAMES_MAX {
            return Err(End::Close(CloseCode::Policy, "too many frames"));
        }
        Ok(())
    }

    /// Tells the desk; waits while it has no room, and so does not read.
    async fn tell(&self, ctx: &Context<SocketMessage>, message: DeskMessage) -> Result<(), End> {
        tokio::select! {
            () = ctx.stopping() => Err(going_down()),
            sent = self.door.desk.send(message) => {
                sent.map_err(|_closed| End::Close(CloseCode::Error, "hub fault"))
            }
        }
    }

    fn time(&mut self, ctx: &mut Context<SocketMessage>) -> Option<End> {
        let now = ctx.now();
        if let Output::Gathering(at) = self.output
            && now >= at
        {
            // What has come meanwhile.
            self.output = Output::Waiting;
            if let Some(end) = self.take(None, ctx) {
                return Some(end);
            }
            self.flush();
        }
        let silent_at = self.last_received + self.door.idle;
        if now >= silent_at {
            count(&self.door.figures.idle);
            return Some(End::Close(CloseCode::Normal, ""));
        }
        let mut next = silent_at;
        if self.output == Output::Flushing {
            let stalled_at = self.flushing_since + WRITE_STALL_MAX;
            if now >= stalled_at {
                count(&self.door.figures.stalled);
                return Some(End::Gone);
            }
            next = next.min(stalled_at);
        }
        self.timer.as_mut().reset(next);
        None
    }

    /// What a failed read means for the other side.
    fn failed(&self, error: &Error) -> End {
        if let Error::Capacity(CapacityError::MessageTooLong { .. }) = error {
            count(&self.door.figures.too_large);
            return End::Close(CloseCode::Size, "frame too large");
        }
        if let Error::Utf8(_) = error {
            return End::Close(CloseCode::Invalid, "");
        }
        let reset = ProtocolError::ResetWithoutClosingHandshake;
        if let Error::Protocol(fault) = error
            && *fault != reset
        {
            return End::Close(CloseCode::Protocol, "");
        }
        // The connection itself has failed, or is closed.
        End::Gone
    }

    /// Closes. The other side has a moment to read what was written before.
    async fn finish(mut self, end: End) {
        let End::Close(code, reason) = end else {
            return;
        };
        let reason = Utf8Bytes::from_static(reason);
        let frame = CloseFrame { code, reason };
        let goodbye = async {
            if self.web.close(Some(frame)).await.is_err() {
                return;
            }
            // Until the other side closes as well; what else it says is not for anybody.
            for _ in 0..READS_AFTER_CLOSE_MAX {
                match self.web.next().await {
                    Some(Ok(message)) if message.is_close() => return,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break,
                }
            }
            drain(self.web.get_mut()).await;
        };
        drop(timeout(CLOSE_LINGER, goodbye).await);
    }
}

fn going_down() -> End {
    End::Close(CloseCode::Away, "")
}
