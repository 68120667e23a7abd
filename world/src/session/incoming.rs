//! `[process]` What comes to a session from its connection, from logins, from staff and from the
//! clock.

use super::body::{Line, Phase, SessionBody};
use super::due::due;
use super::link::link_lost;
use super::process::{Ctx, SessionProcess, crash};
use crate::event::{Event, LoginEvent, Refusal, SystemEvent};
use crate::ids::ConnectionId;
use crate::ring::{Input, SessionMessage, Wake};

impl SessionProcess {
    /// What comes from the connection, from logins, from staff and from the clock.
    pub(super) fn receive_order(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        message: SessionMessage,
    ) {
        match message {
            SessionMessage::Input(from, input) => self.input(body, ctx, from, input),
            SessionMessage::Login(asked_by, answer) => {
                if asked_by == ctx.incarnation() {
                    self.login_answer(body, ctx, *answer);
                }
            }
            SessionMessage::TakeOver(arrival) => self.take_over(body, ctx, *arrival),
            SessionMessage::MakeWay => self.end(body, ctx, Event::System(SystemEvent::TakenOver)),
            SessionMessage::Kick(reason) => {
                self.end(body, ctx, Event::System(SystemEvent::Kicked(reason)));
            }
            SessionMessage::NodeStops => {
                self.end(body, ctx, Event::System(SystemEvent::NodeStops));
            }
            SessionMessage::Staff(staff) => {
                if let Phase::Playing(state) = &mut body.phase {
                    state.rights.staff = staff;
                }
                self.player
                    .iter()
                    .for_each(|player| player.set_staff(staff));
            }
            SessionMessage::Crash => crash(),
            SessionMessage::Wake(Wake::Due) => {
                self.armed = None;
                self.play(body, ctx, due);
                self.look_for_place(body, ctx);
                self.leave_adrift(body, ctx);
            }
            SessionMessage::Wake(Wake::Queue) => self.tell_place(body, ctx),
            SessionMessage::Wake(Wake::GiveUp) => body.phase = Phase::Ended,
            SessionMessage::Wake(Wake::Claim(tries)) => self.claim_again(body, ctx, tries),
            SessionMessage::Wake(Wake::Link) => body.unreachable = true,
            SessionMessage::Wake(Wake::Owner(tries)) => self.ask_owner(body, ctx, tries),
            SessionMessage::Claimed(asked_by, answer) => {
                if asked_by == ctx.incarnation() {
                    self.claimed(body, ctx, answer);
                }
            }
            SessionMessage::TookOver(taken) => self.took_over(body, ctx, taken),
            SessionMessage::Banned(network, reason) => {
                if body
                    .link
                    .as_ref()
                    .is_some_and(|link| network.contains(link.peer))
                {
                    self.end(body, ctx, Event::Login(LoginEvent::Banned(reason)));
                }
            }
            SessionMessage::Waits => {
                if matches!(body.phase, Phase::Playing(_)) {
                    body.show(Event::System(SystemEvent::DeedWaits));
                }
            }
            SessionMessage::Notice(_)
            | SessionMessage::Tick(_)
            | SessionMessage::Answer(..)
            | SessionMessage::Lost(_)
            | SessionMessage::Undelivered(..)
            | SessionMessage::Forgotten(_)
            | SessionMessage::RoomClosed(_)
            | SessionMessage::Stored(..)
            | SessionMessage::Receive { .. }
            | SessionMessage::Elsewhere(_)
            | SessionMessage::Follow(..)
            | SessionMessage::Tell { .. } => {}
        }
    }

    pub(super) fn input(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        from: ConnectionId,
        input: Input,
    ) {
        if !body.listens_to(from) {
            return;
        }
        match input {
            Input::Line { text, cut } => {
                if !body.keep(Line { text, cut }) {
                    body.show(Event::Refused(Refusal::TooFast));
                }
            }
            Input::Interrupt => {
                let dropped = u16::try_from(body.lines.len()).unwrap_or(u16::MAX);
                body.lines.clear();
                body.lines_done = body.lines_done.saturating_add(dropped);
            }
            Input::Terminal(terminal) => body.terminal = Some(terminal),
            Input::Echoes => body.show(Event::Login(LoginEvent::EchoWarning)),
            Input::Closed => {
                body.link = None;
                if matches!(body.phase, Phase::Login(_)) {
                    body.phase = Phase::Ended;
                }
                let why = Event::System(SystemEvent::Goodbye("The connection is lost.".into()));
                self.play(body, ctx, |state, scene, out| {
                    link_lost(state, scene, why, out)
                });
            }
        }
    }
}
