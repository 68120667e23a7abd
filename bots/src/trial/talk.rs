//! `[edge]` A connection as a bot of a trial uses it: pieces come, lines go.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};

use crate::limits::READ_BYTES;
use crate::link::{Link, Lost};
use crate::tail::{Heard, Tail};
use crate::target::Target;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// A piece of what the node said.
#[derive(Debug)]
pub(super) enum Piece {
    /// A whole line without its end.
    Line(Vec<u8>),
    /// The text before a prompt's end.
    Prompt(Vec<u8>),
}

impl Piece {
    /// As it is told to what decides.
    pub(super) fn heard(&self) -> Heard<'_> {
        match self {
            Self::Line(text) => Heard::Line(text),
            Self::Prompt(text) => Heard::Prompt(text),
        }
    }
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Talk {
    link: Link,
    tail: Tail,
    /// What was read and not yet taken; at most what one read gave.
    pieces: VecDeque<Piece>,
}

impl Talk {
    /// Connects to a telnet port.
    ///
    /// # Errors
    /// The system's.
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        Ok(Self {
            link: Link::open(Target::telnet(address)).await?,
            tail: Tail::default(),
            pieces: VecDeque::new(),
        })
    }

    /// Queues a line; it goes out with the next wait for a piece.
    pub(super) fn type_line(&mut self, line: &str) {
        self.link.queue(line.as_bytes());
        self.link.queue(b"\r\n");
    }

    /// What goes out next, to be appended to.
    pub(super) fn out(&mut self) -> &mut Vec<u8> {
        self.link.queued()
    }

    /// Writes what is queued and waits for the next piece.
    ///
    /// # Errors
    /// The connection has ended.
    ///
    /// # Cancel safety
    /// Cancel safe: no piece is lost.
    pub(super) async fn next(&mut self) -> Result<Piece, Lost> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Piece, Lost>> {
        if self.link.has_queued()
            && let Poll::Ready(Err(lost)) = self.link.poll_flush(context)
            && self.pieces.is_empty()
        {
            return Poll::Ready(Err(lost));
        }
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                return Poll::Ready(Ok(piece));
            }
            let Self { link, tail, pieces } = self;
            let read = BUFFER.with_borrow_mut(|buffer| {
                link.poll_text(context, buffer).map_ok(|got| {
                    let text = buffer.get(..got.text_bytes).unwrap_or_default();
                    tail.feed(text, |heard| {
                        pieces.push_back(match heard {
                            Heard::Line(text) => Piece::Line(text.to_vec()),
                            Heard::Prompt(text) => Piece::Prompt(text.to_vec()),
                        });
                    });
                })
            });
            ready!(read)?;
        }
    }
}
