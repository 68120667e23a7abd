//! `[edge]` From what is to be said to the socket: one write per turn.

use super::body::{Connection, End, Turned};
use super::framing::CloseCode;
use super::output::{Bounds, Output};
use super::pen::Pen;
use super::scratch::Scratch;
use super::stats::{MessageKind, stats};
use crate::event::{Event, SystemEvent};
use crate::ops::metrics;
use belay_runtime::Span;
use bytes::Bytes;
use std::io;
use std::ops::ControlFlow;
use tokio::time::Instant;

/// Renders what is for this player alone.
static RENDER: Span = Span::new("connection.render");

/// Hands bytes to the kernel.
static WRITE: Span = Span::new("connection.write");

impl Connection {
    /// Text for this player alone.
    pub(super) fn own(&mut self, event: &Event, scratch: &mut Scratch) {
        let _render = RENDER.enter();
        let bounds = self.bounds();
        let pen = Pen {
            viewer: self.terminal.class(),
            world: self.reception.world(),
        };
        let text = &mut scratch.text;
        let count = self
            .output
            .own(text, &self.framing, bounds, |out| pen.event(event, out));
        stats().note_text(MessageKind::Own, count);
    }

    /// Text about others.
    pub(super) fn ambient(&mut self, bytes: Bytes, kind: MessageKind) {
        stats().note_text(kind, bytes.len());
        if !self.output.ambient(bytes, self.bounds()) {
            stats().ambient_dropped.add(1);
            metrics::ambient_dropped(1);
        }
    }

    /// Writes what is to be written now, with one call of the kernel.
    pub(super) fn flush(&mut self, scratch: &mut Scratch, now: Instant) -> Turned {
        if self.output.is_blocked() {
            self.output.keep(&scratch.protocol);
            scratch.protocol.clear();
            let written = {
                let _write = WRITE.enter();
                self.socket.try_write(self.output.unsent())
            };
            match written {
                Ok(count) => self.note_written(count, now, |output| output.sent(count, now)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return ControlFlow::Break(End::Lost),
            }
        }
        if !self.output.is_blocked() {
            self.write_text(scratch, now)?;
        }
        if self.output.is_beyond(self.bounds()) {
            stats().cut_backlog.add(1);
            let connection = self.link.id().0;
            tracing::info!(connection, reason = "does not read", "connection cut");
            return ControlFlow::Break(End::Lost);
        }
        if self.ended.is_some() && self.in_flight == 0 && !self.has_input() {
            return ControlFlow::Break(End::Closing(CloseCode::Normal));
        }
        ControlFlow::Continue(())
    }

    fn write_text(&mut self, scratch: &mut Scratch, now: Instant) -> Turned {
        if self.output.is_due(now, self.bounds()) {
            if self.output.take_lost() {
                self.own(&Event::System(SystemEvent::LostTrack), scratch);
            }
            let (answered, text) = (self.in_flight == 0, &mut scratch.text);
            let pen = Pen {
                viewer: self.terminal.class(),
                world: self.reception.world(),
            };
            self.output
                .complete(text, &self.framing, answered, |out| pen.prompt(out));
        }
        scratch.wire.extend_from_slice(&scratch.protocol);
        if !scratch.text.is_empty() {
            self.framing.frame(&scratch.text, &mut scratch.wire);
        }
        if scratch.wire.is_empty() {
            return ControlFlow::Continue(());
        }
        let written = {
            let _write = WRITE.enter();
            self.socket.try_write(&scratch.wire)
        };
        match written {
            Ok(count) => {
                self.note_written(count, now, |output| output.wrote(&scratch.wire, count, now));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.output.keep(&scratch.wire);
            }
            Err(_) => return ControlFlow::Break(End::Lost),
        }
        ControlFlow::Continue(())
    }

    fn note_written(&mut self, count: usize, now: Instant, note: impl FnOnce(&mut Output)) {
        stats().writes.add(1);
        stats().bytes_out.add(count);
        note(&mut self.output);
        self.framing.note_output(now.into_std());
    }

    pub(super) fn bounds(&self) -> Bounds {
        let settings = self.reception.settings();
        Bounds {
            gap: settings.output_gap,
            backlog_bytes: settings.backlog_bytes,
        }
    }
}
