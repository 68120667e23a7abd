//! `[process]` A channel's process: it puts what is said into an order, answers who spoke, and
//! tells all others who are on it.
//!
//! What it remembers is its supervisor's heirloom ([`ChannelBody`]), also how far it came in
//! telling many: after a crash the next incarnation goes on there. The message that met the crash
//! is dropped, and its [`Receipt`] tells the sender.

use super::channels::Members;
use super::hold::Hold;
use super::line::{ChannelLine, Foreign, Mark, Past, Speaker};
use super::message::{ChannelMessage, Outlet};
use super::relay::{Origin, Own, Relay, Saying, Seat};
use super::shown::Talk;
use super::state::{ChannelState, Spoken};
use super::step::{Deed, Effect, decide};
use crate::event::{Event, Refusal, Text};
use crate::ids::ChannelId;
use crate::limits;
use crate::ops::metrics;
use crate::ring::Receipt;
use crate::room::Answer;
use crate::view::Notice;
use belay_cluster::NodeId;
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
    /// The way to other nodes, once there is one.
    pub relay: Arc<OnceLock<Arc<dyn Relay>>>,
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
    pub(super) hold: Hold,
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
    pub(super) heir: Heir<ChannelBody>,
    pub(super) shared: ChannelContext,
    /// The next slice is on its way.
    armed: bool,
    /// The next look at the words that wait is on its way.
    pub(super) looks: bool,
}

impl ChannelBody {
    /// A channel on which nobody has spoken.
    pub fn new(channel: ChannelId) -> Self {
        Self {
            state: ChannelState::new(channel),
            telling: None,
            hold: Hold::default(),
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
            looks: false,
        }
    }

    pub(super) fn line(&self, heard: Foreign) -> ChannelLine {
        ChannelLine {
            channel: self.shared.channel,
            speaker: heard.speaker,
            text: heard.text,
            missed: heard.missed,
        }
    }

    /// Where the order of this channel is made now.
    pub(super) fn seat(&self) -> Seat {
        let relay = self.shared.relay.get();
        relay.map_or(Seat::Here(0), |relay| relay.seat(self.shared.channel))
    }

    /// Somebody of another game speaks.
    fn hear(&mut self, ctx: &mut Context<ChannelMessage>, heard: Foreign) {
        match (self.seat(), self.shared.relay.get()) {
            (Seat::Here(term), _) => {
                let line = self.line(heard);
                self.order(ctx, Deed::Hear(line, term), Voice::Nobody);
            }
            (Seat::Elsewhere, Some(relay)) => relay.foreign(self.shared.channel, heard),
            (Seat::Elsewhere | Seat::Nowhere, _) => metrics::ambient_dropped(1),
        }
    }

    /// Puts a line at its place, which is decided here.
    pub(super) fn order(
        &mut self,
        ctx: &mut Context<ChannelMessage>,
        deed: Deed<Pid>,
        from: Voice,
    ) {
        let now = ctx.now().into_std();
        // Before anything stands: what meets a crash of the outlet was not said.
        let remark = self.goes_out(&deed);
        let effect = self.heir.with(|body| decide(&mut body.state, deed, now));
        let relay = self.shared.relay.get();
        match effect {
            Some(Effect::Said(mark, line)) => {
                if let Some(relay) = relay {
                    let origin = match &from {
                        Voice::There(origin) => Some((*origin, remark.clone())),
                        Voice::Here(_) | Voice::Nobody => None,
                    };
                    relay.spread(mark, &line, origin);
                }
                if let Voice::Here(receipt) = from {
                    answer(receipt, Event::Talk(Talk::Said { line, remark }));
                }
            }
            Some(Effect::Refused) => match from {
                Voice::Here(receipt) => answer(receipt, Event::Refused(Refusal::ChannelBusy)),
                Voice::There(origin) => relay.into_iter().for_each(|relay| relay.refuse(origin)),
                Voice::Nobody => metrics::ambient_dropped(1),
            },
            Some(Effect::Dropped) => metrics::ambient_dropped(1),
            Some(Effect::Answer(_) | Effect::Learnt) | None => {}
        }
        self.tell(ctx);
    }

    /// The owner, which is another node, has put a line at its place.
    fn pass(
        &mut self,
        ctx: &mut Context<ChannelMessage>,
        (mark, line): (Mark, ChannelLine),
        own: Option<Own>,
    ) {
        let now = ctx.now().into_std();
        let deed = Deed::Pass(mark, line, own.as_ref().map(|own| own.by));
        let effect = self.heir.with(|body| decide(&mut body.state, deed, now));
        match (effect, own) {
            (Some(Effect::Said(_, line)), Some(own)) => {
                let remark = own.remark;
                answer(own.receipt, Event::Talk(Talk::Said { line, remark }));
            }
            (Some(Effect::Dropped), _) => metrics::ambient_dropped(1),
            (Some(_) | None, _) => {}
        }
        self.tell(ctx);
    }

    /// What another node remembers: what of it is new goes from the owner to all.
    fn learn(&mut self, ctx: &Context<ChannelMessage>, lines: Vec<Past>) {
        let now = ctx.now().into_std();
        let learn = Deed::Learn(lines);
        let effect = self.heir.with(|body| decide(&mut body.state, learn, now));
        let owner = matches!(self.seat(), Seat::Here(_));
        if owner && effect == Some(Effect::Learnt) {
            self.recall(ctx, None);
        }
    }

    /// Says what is remembered here.
    fn recall(&self, ctx: &Context<ChannelMessage>, to: Option<NodeId>) {
        if let Some(relay) = self.shared.relay.get() {
            let now = ctx.now().into_std();
            let past = self.heir.with(|body| body.state.history(now).collect());
            relay.past(self.shared.channel, to, past);
        }
    }

    fn step(&mut self, ctx: &Context<ChannelMessage>, deed: Deed<Pid>, to: Option<Receipt>) {
        let now = ctx.now().into_std();
        let effect = self.heir.with(|body| decide(&mut body.state, deed, now));
        if let (Some(Effect::Answer(event)), Some(receipt)) = (effect, to) {
            answer(receipt, event);
        }
    }

    /// A line of a player on a remote channel goes to other games; what comes back is for that
    /// player.
    fn goes_out(&self, deed: &Deed<Pid>) -> Option<Text> {
        let (Deed::Say(line, ..) | Deed::Hear(line, _)) = deed else {
            return None;
        };
        if matches!(line.speaker, Speaker::Foreign { .. }) {
            return None;
        }
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
        self.release(ctx);
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
                let saying = Saying {
                    name,
                    text,
                    by,
                    receipt,
                    number: 0,
                    since: ctx.now().into_std(),
                };
                self.say(ctx, saying);
            }
            ChannelMessage::Order { name, text, origin } => match self.seat() {
                Seat::Here(term) => {
                    let line = self.line(local(name, text));
                    self.order(ctx, Deed::Hear(line, term), Voice::There(origin));
                }
                Seat::Elsewhere | Seat::Nowhere => {
                    let relay = self.shared.relay.get();
                    relay.into_iter().for_each(|relay| relay.return_to(origin));
                }
            },
            ChannelMessage::Back(saying) => self.came_back(ctx, *saying),
            ChannelMessage::Look => {
                self.looks = false;
                self.release(ctx);
            }
            ChannelMessage::Line(passed) => {
                let (mark, line, own) = *passed;
                self.pass(ctx, (mark, line), own);
            }
            ChannelMessage::Recall(node) => self.recall(ctx, Some(node)),
            ChannelMessage::Past(lines) => self.learn(ctx, lines),
            ChannelMessage::History(receipt) => self.step(ctx, Deed::Recall, Some(receipt)),
            ChannelMessage::Foreign(heard) => self.hear(ctx, heard),
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

/// Who waits for what becomes of a line.
pub(super) enum Voice {
    /// A player here.
    Here(Receipt),
    /// A player of another node.
    There(Origin),
    /// Nobody.
    Nobody,
}

pub(super) fn local(name: Text, text: Text) -> Foreign {
    Foreign {
        speaker: Speaker::Local(name),
        text,
        missed: false,
    }
}

/// The answer that is owed; who is gone needs none.
pub(super) fn answer(to: Receipt, event: Event) {
    drop(to.answer(Answer::Show(Box::new(event))));
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
fn crash() {
    panic!("crash on demand");
}
