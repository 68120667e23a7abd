//! `[process]` A channel's process: it puts what is said into an order, answers who spoke, and
//! tells all others who are on it.
//!
//! What it remembers is its supervisor's heirloom ([`ChannelBody`]), also how far it came in
//! telling many: after a crash the next incarnation goes on there. The message that met the crash
//! is dropped, and its [`Receipt`] tells the sender.

use super::channels::Members;
use super::line::{ChannelLine, Foreign, Speaker};
use super::message::{ChannelMessage, Outlet};
use super::shown::Talk;
use super::state::{ChannelState, Spoken};
use super::step::{Deed, Effect, decide};
use crate::event::{Event, Text};
use crate::ids::ChannelId;
use crate::limits;
use crate::ops::metrics;
use crate::ring::Receipt;
use crate::room::Answer;
use crate::view::Notice;
use belay_runtime::{Context, Exit, Flow, Heir, Member, Pid, Process, Span};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Tells those who are on a channel, or the next of many.
static TELL: Span = Span::new("channel.tell");

/// What all incarnations of a channel share.
#[derive(Clone)]
pub struct ChannelContext {
    /// Which channel.
    pub channel: ChannelId,
    /// Whether other games hear it.
    pub remote: bool,
    /// Who is on it.
    pub members: Members,
    /// Where its lines go besides, once something is plugged in.
    pub outlet: Arc<OnceLock<Arc<dyn Outlet>>>,
}

impl fmt::Debug for ChannelContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelContext")
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}

/// What outlives an incarnation.
#[derive(Debug)]
pub struct ChannelBody {
    state: ChannelState<Pid>,
    telling: Option<Telling>,
}

/// Lines on their way to those who were on the channel when they began, some at a time.
struct Telling {
    lines: Vec<Spoken<Pid>>,
    to: Arc<[Member<Arc<Notice>>]>,
    told: usize,
}

/// One incarnation of a channel.
#[derive(Debug)]
pub struct ChannelProcess {
    heir: Heir<ChannelBody>,
    shared: ChannelContext,
    /// The next slice is on its way.
    armed: bool,
}

impl ChannelBody {
    /// A channel on which nobody has spoken.
    pub fn new(channel: ChannelId) -> Self {
        Self {
            state: ChannelState::new(channel),
            telling: None,
        }
    }
}

impl ChannelProcess {
    /// An incarnation that goes on with this body.
    pub fn new(heir: Heir<ChannelBody>, shared: ChannelContext) -> Self {
        Self {
            heir,
            shared,
            armed: false,
        }
    }

    fn line(&self, heard: Foreign) -> ChannelLine {
        ChannelLine {
            channel: self.shared.channel,
            speaker: heard.speaker,
            text: heard.text,
            missed: heard.missed,
        }
    }

    fn step(&mut self, ctx: &mut Context<ChannelMessage>, deed: Deed<Pid>, to: Option<Receipt>) {
        let now = ctx.now().into_std();
        // Before anything stands: what meets a crash of the outlet was not said.
        let remark = self.goes_out(&deed);
        let effect = self.heir.with(|body| decide(&mut body.state, deed, now));
        match effect {
            Some(Effect::Answer(event)) => answer(to, event),
            Some(Effect::Said(line)) => {
                answer(to, Event::Talk(Talk::Said { line, remark }));
            }
            Some(Effect::Dropped) => metrics::ambient_dropped(1),
            None => {}
        }
        self.tell(ctx);
    }

    /// A line of a player on a remote channel goes to other games; what comes back is for that
    /// player.
    fn goes_out(&self, deed: &Deed<Pid>) -> Option<Text> {
        let Deed::Say(line, _) = deed else {
            return None;
        };
        let outlet = self.shared.outlet.get().filter(|_| self.shared.remote)?;
        let full = self.heir.with(|body| body.state.is_full());
        if full { None } else { outlet.said(line) }
    }

    /// Tells the next ones; many are told in several goes, so that answers find their way in
    /// between.
    fn tell(&mut self, ctx: &mut Context<ChannelMessage>) {
        if self.armed {
            return;
        }
        let _tell = TELL.enter();
        let (heir, shared) = (&self.heir, &self.shared);
        let more = heir.with(|body| {
            while body.telling.is_none() && body.state.waits() {
                body.telling = Some(Telling {
                    lines: body.state.take_waiting(),
                    to: shared.members.members(&shared.channel),
                    told: 0,
                });
            }
            let more = body.telling.as_mut().is_some_and(Telling::slice);
            if !more {
                body.telling = None;
            }
            more || body.state.waits()
        });
        if more {
            self.armed = true;
            ctx.send_after(limits::CROWD_SLICE_GAP, ChannelMessage::Slice);
        }
    }
}

impl Telling {
    /// Tells the next ones; whether more are to be told.
    fn slice(&mut self) -> bool {
        let at_once = (limits::CROWD_SLICE / self.lines.len().max(1)).max(1);
        for _ in 0..at_once {
            let Some(member) = self.to.get(self.told) else {
                return false;
            };
            // Before it is told: whom a crash comes from is not told twice.
            self.told += 1;
            for line in &self.lines {
                let told = line.by == Some(member.pid());
                if !told && member.try_send(line.notice.clone()).is_err() {
                    metrics::ambient_dropped(1);
                }
            }
        }
        self.told < self.to.len()
    }
}

impl fmt::Debug for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telling")
            .field("lines", &self.lines.len())
            .field("to", &self.to.len())
            .field("told", &self.told)
            .finish()
    }
}

impl Process for ChannelProcess {
    type Message = ChannelMessage;

    async fn init(&mut self, ctx: &mut Context<ChannelMessage>) -> Result<(), Exit> {
        self.tell(ctx);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<ChannelMessage>,
        message: ChannelMessage,
    ) -> Result<Flow, Exit> {
        match message {
            ChannelMessage::Say {
                name,
                text,
                by,
                receipt,
            } => {
                let line = self.line(Foreign {
                    speaker: Speaker::Local(name),
                    text,
                    missed: false,
                });
                self.step(ctx, Deed::Say(line, by), Some(receipt));
            }
            ChannelMessage::History(receipt) => self.step(ctx, Deed::Recall, Some(receipt)),
            ChannelMessage::Foreign(heard) => {
                let line = self.line(heard);
                self.step(ctx, Deed::Hear(line), None);
            }
            ChannelMessage::Forget(game) => self.step(ctx, Deed::Forget(game), None),
            ChannelMessage::Slice => {
                self.armed = false;
                self.tell(ctx);
            }
            ChannelMessage::Crash => crash(),
        }
        Ok(Flow::Continue)
    }
}

/// The answer that is owed; who is gone needs none.
fn answer(to: Option<Receipt>, event: Event) {
    if let Some(receipt) = to {
        drop(receipt.answer(Answer::Show(Box::new(event))));
    }
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
fn crash() {
    panic!("crash on demand");
}
