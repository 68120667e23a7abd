//! `[process]` The bridge's process: it tells players who comes and goes elsewhere, and that the
//! network is out of reach. Lines and tells do not pass through it.

use super::limits::{TELL_SLICE, TELL_SLICE_GAP, TELLS_WAITING_MAX};
use super::message::BridgeMessage;
use super::network::Network;
use super::notices::{Notices, Signed};
use super::outage::Reach;
use super::shared::Shared;
use super::shown::{Out, Shown};
use crate::event::Event;
use crate::node::Player;
use crate::ring::SessionMessage;
use crate::view::Notice;
use belay_runtime::{Context, Exit, Flow, Process};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How often it is seen to what is due.
const TICK: Duration = Duration::from_millis(500);

/// One incarnation of the bridge's process.
pub(super) struct BridgeProcess {
    shared: Arc<Shared>,
    client: Arc<dyn Network>,
    notices: Notices,
    online: bool,
    telling: VecDeque<Telling>,
    slicing: bool,
}

/// A line on its way to some players.
struct Telling {
    notice: Arc<Notice>,
    to: Vec<Arc<Player>>,
}

type Ctx = Context<BridgeMessage>;

impl BridgeProcess {
    pub(super) fn new(shared: Arc<Shared>, client: Arc<dyn Network>) -> Self {
        Self {
            shared,
            client,
            notices: Notices::default(),
            online: false,
            telling: VecDeque::new(),
            slicing: false,
        }
    }

    /// The client may have changed since it last said so.
    fn look(&mut self, ctx: &Ctx) {
        let now = ctx.now().into_std();
        self.shared.note(&self.client.status(), now);
        let online = self.shared.outage().reach() == Reach::Well;
        match (std::mem::replace(&mut self.online, online), online) {
            (false, true) => self.notices.online(now),
            (true, false) => self.notices.offline(),
            (false, false) | (true, true) => {}
        }
    }

    /// Does what is due.
    fn due(&mut self, ctx: &mut Ctx) {
        let now = ctx.now().into_std();
        for signed in self.notices.take_due(now) {
            self.tell_signed(ctx, signed);
        }
        if !self.shared.outage().announce(now) {
            return;
        }
        let on: Vec<_> = self.shared.remote_channels().collect();
        let mut to = Vec::new();
        self.shared.players.for_each(|player| {
            let is_on = on.iter().any(|channel| player.is_on(*channel));
            if is_on && !player.is_linkdead() {
                to.push(player.clone());
            }
        });
        // Who spoke meanwhile knows it already.
        let mut outage = self.shared.outage();
        to.retain(|player| outage.tell(&player.name));
        drop(outage);
        self.shared.counts.outages.add();
        self.tell(ctx, Shown::Out(Out::OfReach), to);
    }

    fn tell_signed(&mut self, ctx: &mut Ctx, signed: Signed) {
        let mut to = Vec::new();
        self.shared.players.for_each(|player| {
            // To who comes back later it is no news.
            if player.wants_notices() && !player.is_linkdead() {
                to.push(player.clone());
            }
        });
        self.shared.counts.notices.add();
        self.tell(ctx, Shown::Signed(signed), to);
    }

    fn tell(&mut self, ctx: &mut Ctx, shown: Shown, to: Vec<Arc<Player>>) {
        if self.telling.len() >= TELLS_WAITING_MAX {
            return self.shared.counts.dropped.add();
        }
        let notice = Arc::new(Notice::new(Event::Bridge(shown)));
        self.telling.push_back(Telling { notice, to });
        if !self.slicing {
            self.slice(ctx);
        }
    }

    /// Tells the next ones.
    fn slice(&mut self, ctx: &mut Ctx) {
        let mut left = TELL_SLICE;
        while let Some(first) = self.telling.front_mut() {
            let rest = first.to.split_off(first.to.len().min(left));
            left = left.saturating_sub(first.to.len());
            for player in std::mem::replace(&mut first.to, rest) {
                let message = SessionMessage::Notice(first.notice.clone());
                if player.session.try_send(message).is_err() {
                    self.shared.counts.dropped.add();
                }
            }
            if !first.to.is_empty() {
                break;
            }
            self.telling.pop_front();
        }
        self.slicing = !self.telling.is_empty();
        if self.slicing {
            ctx.send_after(TELL_SLICE_GAP, BridgeMessage::Slice);
        }
    }
}

impl Process for BridgeProcess {
    type Message = BridgeMessage;

    async fn init(&mut self, ctx: &mut Ctx) -> Result<(), Exit> {
        self.look(ctx);
        ctx.send_after(TICK, BridgeMessage::Tick);
        Ok(())
    }

    async fn handle(&mut self, ctx: &mut Ctx, message: BridgeMessage) -> Result<Flow, Exit> {
        match message {
            BridgeMessage::Signed(sign, who) => {
                let now = ctx.now().into_std();
                if let Some(signed) = self.notices.sign(sign, who, now) {
                    self.tell_signed(ctx, signed);
                }
            }
            BridgeMessage::GameUp(game) => self.notices.game_up(&game, ctx.now().into_std()),
            BridgeMessage::GameDown(game) => self.notices.game_down(&game),
            BridgeMessage::Status => self.look(ctx),
            BridgeMessage::Tick => {
                self.client.tick();
                self.look(ctx);
                self.due(ctx);
                ctx.send_after(TICK, BridgeMessage::Tick);
            }
            BridgeMessage::Slice => self.slice(ctx),
        }
        Ok(Flow::Continue)
    }
}

impl fmt::Debug for BridgeProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BridgeProcess")
            .field("online", &self.online)
            .field("telling", &self.telling.len())
            .finish_non_exhaustive()
    }
}
