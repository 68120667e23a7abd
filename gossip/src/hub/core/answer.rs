//! `[pure]` How frames leave the hub, and which answers a request gets.
//!
//! Known clients break on answers that they did not ask for, so (unless the hub is to answer like
//! the reference, [`Replies::Reference`]):
//!
//! * An acknowledgement or a failure needs a `ref` in the request, or the debug mode that a client
//!   asked for when it authenticated.
//! * Frames without an event answer only what is no JSON, no known event, or not authenticated.
//! * Before a socket that abused the limits is closed it gets one failure of `authenticate`.

use uuid::{Builder, Uuid};

use super::bucket::Poured;
use super::effect::{CloseWith, Effect, Frame};
use super::hub::{Hub, Turn};
use super::input::SocketId;
use super::rules::Replies;
use crate::hub::directory::GameId;
use crate::protocol::{Event, EventName, Reference};

/// The answer to what was understood and cannot be handled.
pub(super) const TRY_AGAIN: &str = "an error occurred, try again";

/// The answer to what is over a limit.
pub(super) const RATE_LIMITED: &str = "rate limit exceeded";

/// A request, as far as its answer needs it.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) socket: SocketId,
    pub(super) game: GameId,
    pub(super) event: EventName,
    pub(super) reference: Option<Reference>,
    /// Whether it is answered at all.
    pub(super) answered: bool,
}

impl Ask {
    /// The reference where it is one, which null is not.
    pub(super) fn real_reference(&self) -> Option<&Reference> {
        self.reference
            .as_ref()
            .filter(|reference| !reference.is_null())
    }
}

impl Hub {
    /// Sends an event to one socket.
    pub(super) fn send(&mut self, socket: SocketId, event: &Event, turn: &mut Turn<'_>) {
        self.send_text(socket, event.name(), event.encode().into(), turn);
    }

    /// Sends a frame that was written before to one socket.
    pub(super) fn send_text(
        &mut self,
        socket: SocketId,
        event: Option<EventName>,
        text: Frame,
        turn: &mut Turn<'_>,
    ) {
        match event {
            Some(event) => self.figures.sent.add(event, 1),
            None => self.figures.sent_eventless += 1,
        }
        turn.out.push(Effect::Send(socket, text));
    }

    /// Sends an event, written once, to many sockets.
    pub(super) fn broadcast(&mut self, to: Vec<SocketId>, event: &Event, turn: &mut Turn<'_>) {
        if to.is_empty() {
            return;
        }
        if let Some(name) = event.name() {
            self.figures.sent.add(name, to.len());
        }
        turn.out.push(Effect::Broadcast(to, event.encode().into()));
    }

    /// The request was understood.
    pub(super) fn ack(&mut self, ask: &Ask, turn: &mut Turn<'_>) {
        if ask.answered {
            let event = Event::Ack {
                event: ask.event,
                reference: ask.reference.clone(),
            };
            self.send(ask.socket, &event, turn);
        }
    }

    /// The request was refused.
    pub(super) fn fail(&mut self, ask: &Ask, error: &str, turn: &mut Turn<'_>) {
        if ask.answered {
            let event = failure(Some(ask.event), ask.reference.clone(), error);
            self.send(ask.socket, &event, turn);
        }
    }

    /// A failure that names neither event nor reference.
    pub(super) fn fail_eventless(&mut self, socket: SocketId, error: &str, turn: &mut Turn<'_>) {
        self.send(socket, &failure(None, None, error), turn);
    }

    /// Answers for a bucket; says whether the request may go on.
    pub(super) fn fits(&mut self, poured: Poured, ask: &Ask, turn: &mut Turn<'_>) -> bool {
        match poured {
            Poured::Fits => return true,
            Poured::Over => {
                self.figures.rate_limited += 1;
                self.fail(ask, RATE_LIMITED, turn);
            }
            Poured::Abuse => {
                let error = "disconnected due to rate limit abuse";
                let event = failure(Some(EventName::Authenticate), None, error);
                self.close_abuser(ask.socket, &event, turn);
            }
        }
        false
    }

    /// Answers for the bucket of all frames; says whether the frame may go on. A frame that is no
    /// request has nothing by which it could be answered.
    pub(super) fn fits_all(
        &mut self,
        poured: Poured,
        ask: Option<&Ask>,
        socket: SocketId,
        turn: &mut Turn<'_>,
    ) -> bool {
        let reference = self.rules.replies == Replies::Reference;
        match poured {
            Poured::Fits => return true,
            Poured::Over => {
                self.figures.rate_limited += 1;
                match ask {
                    _ if reference => self.fail_eventless(socket, RATE_LIMITED, turn),
                    Some(ask) => self.fail(ask, RATE_LIMITED, turn),
                    None => {}
                }
            }
            Poured::Abuse => {
                let event = (!reference).then_some(EventName::Authenticate);
                let event = failure(event, None, "rate limit exceeded, goodbye");
                self.close_abuser(socket, &event, turn);
            }
        }
        false
    }

    fn close_abuser(&mut self, socket: SocketId, event: &Event, turn: &mut Turn<'_>) {
        self.figures.rate_limited += 1;
        self.figures.abused += 1;
        self.send(socket, event, turn);
        self.close(socket, CloseWith::REFUSED, turn);
    }

    /// A new UUID of version 4.
    pub(super) fn new_uuid(&mut self) -> Uuid {
        use rand::RngExt as _;
        Builder::from_random_bytes(self.rng.random()).into_uuid()
    }

    /// A new reference, for a frame that nobody asked for.
    pub(super) fn new_reference(&mut self) -> Option<Reference> {
        Some(reference_of(self.new_uuid()))
    }
}

pub(super) fn reference_of(uuid: Uuid) -> Reference {
    let mut buffer = Uuid::encode_buffer();
    Reference::text(uuid.hyphenated().encode_lower(&mut buffer))
}

/// A failure as an event.
pub(super) fn failure(
    event: Option<EventName>,
    reference: Option<Reference>,
    error: &str,
) -> Event {
    Event::Failure {
        event,
        reference,
        error: error.to_owned(),
    }
}
