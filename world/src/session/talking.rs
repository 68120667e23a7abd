//! `[process]` Carries out what a session in play wants of channels, and takes what others tell it.

use super::body::{Phase, SessionBody};
use super::effect::TalkOrder;
use super::process::{Ctx, SessionProcess};
use super::talk;
use crate::event::{Event, Received, Refusal, Text};
use crate::ids::{ChannelId, LineId};
use crate::limits;
use crate::ring::{BeingPort, Receipt};
use crate::talk::{ChannelSeen, NotTaken, Speaker, Talk};

impl SessionProcess {
    /// Carries out one effect.
    pub(super) fn talk(&mut self, body: &mut SessionBody, ctx: &mut Ctx, order: TalkOrder) {
        match order {
            TalkOrder::Say(line, channel, text) => {
                let Phase::Playing(state) = &body.phase else {
                    return;
                };
                let who = (state.identity.name.clone(), ctx.pid());
                let receipt = receipt(ctx, line);
                let sent = self.node.channels.say(channel, who, text, receipt);
                self.sent(body, ctx, line, sent);
            }
            TalkOrder::History(line, channel) => {
                let sent = self.node.channels.history(channel, receipt(ctx, line));
                self.sent(body, ctx, line, sent);
            }
            TalkOrder::Join(channel) => self.join(body, ctx, channel),
            TalkOrder::Leave(channel) => {
                self.node.channels.leave(channel, &ctx.address());
                if let Some(player) = &self.player {
                    player.left(channel);
                }
            }
            TalkOrder::Crash(channel) => {
                if self.node.channels.crash(channel).is_err() {
                    body.show(Event::Refused(Refusal::ChannelBusy));
                }
            }
            TalkOrder::List => self.list_channels(body),
            TalkOrder::Who(channel) => {
                let players = &self.node.players;
                let (people, total) = players.on_channel(channel, limits::WHO_MAX);
                let total = u32::try_from(total).unwrap_or(u32::MAX);
                body.show(Event::Talk(Talk::Who {
                    channel,
                    people,
                    total,
                }));
            }
        }
    }

    fn sent(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        line: LineId,
        sent: Result<(), NotTaken>,
    ) {
        if let Err(why) = sent {
            self.play(body, ctx, |state, _, out| {
                talk::not_taken(state, line, why, out);
            });
        }
    }

    fn join(&self, body: &mut SessionBody, ctx: &Ctx, channel: ChannelId) {
        if let Err(error) = self.node.channels.join(channel, &ctx.address()) {
            // A group has room for more than a node has sessions.
            tracing::warn!(target: "belay_world", %error, channel = channel.0, "not on a channel");
        }
        if let Some(player) = &self.player {
            player.joined(channel);
            let told = self.node.bridge.joined(&player.name, channel);
            told.into_iter()
                .for_each(|told| body.show_quietly(Event::Bridge(told)));
        }
    }

    fn list_channels(&self, body: &mut SessionBody) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let node = &self.node;
        let members = |id| node.channels.count(id) + node.players.elsewhere_on(id);
        let seen = |(channel, about)| ChannelSeen {
            channel,
            on: state.settings.is_on(about),
            members: u32::try_from(members(channel)).unwrap_or(u32::MAX),
        };
        let list = self.node.world.channels_by_id().map(seen).collect();
        body.show(Event::Talk(Talk::Listed(list)));
    }

    /// Somebody tells the player something. Whom the player ignores is not told that.
    pub(super) fn told(&self, body: &mut SessionBody, from: Speaker, text: Text) {
        let Phase::Playing(state) = &mut body.phase else {
            return;
        };
        if !state.settings.ignored.covers(&from) {
            state.reply_to = Some(from.address());
            body.show(Event::Received(Received::Tell { from, text }));
        }
    }
}

/// The answer goes to this session's own mailbox.
fn receipt(ctx: &Ctx, line: LineId) -> Receipt {
    Receipt::new(BeingPort::Session(ctx.address()), line)
}
