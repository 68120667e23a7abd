//! `[process]` Carries out what a session in play wants of other games, and takes what comes from
//! there.

use super::body::{Phase, SessionBody};
use super::effect::NetworkOrder;
use super::process::{Ctx, SessionProcess};
use crate::bridge::{Outgoing, Remote, Shown, rule_added, rule_lifted};
use crate::command::BridgeOrder;
use crate::event::{Event, Received, Text, Told};
use crate::ids::LineId;
use crate::limits;
use crate::ring::{BeingPort, NetworkTell, Receipt};
use crate::room::Answer;
use crate::store::{NewNetworkRule, RuleKind, RuleSubject};
use crate::talk::Speaker;

const NOT_HERE: &str = "nobody of that name plays just now";

impl SessionProcess {
    /// Carries out one effect.
    pub(super) fn network(&mut self, body: &mut SessionBody, ctx: &mut Ctx, order: NetworkOrder) {
        let bridge = &self.node.bridge;
        match order {
            NetworkOrder::Tell {
                line,
                to,
                whole,
                text,
            } => {
                let (Phase::Playing(state), Some(player)) = (&body.phase, &self.player) else {
                    return;
                };
                let from = state.identity.name.clone();
                let reply = reply(ctx, line);
                let ignored = state.settings.ignored.clone();
                let tell = Outgoing {
                    from,
                    to,
                    whole,
                    text,
                };
                let ignores = |who: &Remote| ignored.covers(&who.clone().into());
                bridge.tell(player, tell, ignores, reply);
            }
            NetworkOrder::Games(prefix) => {
                body.show(Event::Bridge(bridge.games(prefix.as_deref())));
            }
            NetworkOrder::Notices(choice) => {
                if let Some(player) = &self.player {
                    player.set_notices(choice.unwrap_or_else(|| bridge.tells_notices()));
                }
            }
            NetworkOrder::ShowNotices(choice) => {
                let on = choice.unwrap_or_else(|| bridge.tells_notices());
                body.show(Event::Bridge(Shown::Notices(on)));
            }
            NetworkOrder::Bridge(line, order) => self.bridge(body, reply(ctx, line), order),
        }
    }

    /// Who plays, here and elsewhere.
    pub(super) fn who(&self, body: &mut SessionBody, asked: Option<&str>) {
        let elsewhere = self.node.bridge.who(asked);
        if asked.is_some_and(|asked| asked.contains('@')) {
            let shown = elsewhere.map_or(Event::Told(Told::Nothing), Event::Bridge);
            return body.show(shown);
        }
        let (people, total) = self.node.players.list(asked, limits::WHO_MAX);
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        let here = Event::Told(Told::Who { people, total });
        match elsewhere {
            None => body.show(here),
            Some(elsewhere) => {
                body.show_quietly(here);
                body.show(Event::Bridge(elsewhere));
            }
        }
    }

    /// Somebody in another game tells the player something. Whom the player ignores, and who is too
    /// fast, learns no more than that nobody read it.
    pub(super) fn told_elsewhere(&self, body: &mut SessionBody, ctx: &Ctx, tell: NetworkTell) {
        let NetworkTell {
            from,
            text,
            receipt,
        } = tell;
        let from = Speaker::from(from);
        let Phase::Playing(state) = &mut body.phase else {
            return receipt.lost();
        };
        let now = ctx.now().into_std();
        if state.settings.ignored.covers(&from) || !state.told.take(now) {
            return receipt.lost();
        }
        state.reply_to = Some(from.address());
        body.show(Event::Received(Received::Tell { from, text }));
        receipt.shown();
    }

    /// Staff looks after the bridge. What changes something is on record.
    fn bridge(
        &self,
        body: &SessionBody,
        reply: impl FnOnce(Shown) + Send + 'static,
        order: BridgeOrder,
    ) {
        let bridge = &self.node.bridge;
        let done = |what: &str| Shown::Done(what.into());
        match order {
            BridgeOrder::Status => reply(Shown::Report(bridge.report().lines())),
            BridgeOrder::List => reply(Shown::Report(bridge.report().rule_lines())),
            BridgeOrder::On => {
                self.record(body, "bridge on", "", "");
                bridge.on();
                reply(done("The bridge to other games is switched on"));
            }
            BridgeOrder::Off => {
                self.record(body, "bridge off", "", "");
                bridge.off();
                reply(done("The bridge to other games is switched off"));
            }
            BridgeOrder::Retry if bridge.retry() => reply(done("The bridge connects now")),
            BridgeOrder::Retry => {
                let why = "The bridge waits for no next try. Type bridge for how it is";
                reply(Shown::NotDone(why.into()));
            }
            BridgeOrder::Reload => bridge.reload(move |file| {
                reply(Shown::Done(format!("Credentials: {file}").into()));
            }),
            BridgeOrder::Mute { who, reason } => {
                let player = self.node.players.find_exactly(&who);
                let is_here = player.is_some();
                let who = player.map_or(who, |player| player.name.clone());
                // A name is taken as it stands: staff should see a slip.
                let reply = move |shown| {
                    let done = if let Shown::Done(done) = &shown {
                        (!is_here).then(|| format!("{done}; {NOT_HERE}"))
                    } else {
                        None
                    };
                    reply(done.map_or(shown, |done| Shown::Done(done.into())));
                };
                self.add_rule(body, (RuleKind::Mute, who), reason, reply);
            }
            BridgeOrder::Block { game, reason } => {
                let game = bridge.spelling(&game);
                self.add_rule(body, (RuleKind::Block, game), reason, reply);
            }
            BridgeOrder::Unmute(who) => self.lift_rule(body, (RuleKind::Mute, who), reply),
            BridgeOrder::Unblock(game) => self.lift_rule(body, (RuleKind::Block, game), reply),
        }
    }

    fn add_rule(
        &self,
        body: &SessionBody,
        (kind, name): (RuleKind, Text),
        reason: Text,
        reply: impl FnOnce(Shown) + Send + 'static,
    ) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let action = match kind {
            RuleKind::Mute => "bridge mute",
            RuleKind::Block => "bridge block",
        };
        self.record(body, action, &name, &reason);
        let rule = NewNetworkRule {
            subject: subject(kind, &name),
            reason: reason.to_string(),
            by: state.identity.name.to_string(),
        };
        let node = &self.node;
        node.bridge.add_rule(&node.store, rule, move |added| {
            reply(match rule_added(kind, &name, added) {
                Ok(done) => Shown::Done(done.into()),
                Err(why) => Shown::NotDone(why.into()),
            });
        });
    }

    fn lift_rule(
        &self,
        body: &SessionBody,
        (kind, name): (RuleKind, Text),
        reply: impl FnOnce(Shown) + Send + 'static,
    ) {
        let action = match kind {
            RuleKind::Mute => "bridge unmute",
            RuleKind::Block => "bridge unblock",
        };
        self.record(body, action, &name, "");
        let (node, subject) = (&self.node, subject(kind, &name));
        node.bridge.lift_rule(&node.store, subject, move |lifted| {
            reply(match rule_lifted(kind, &name, lifted) {
                Ok(done) => Shown::Done(done.into()),
                Err(why) => Shown::NotDone(why.into()),
            });
        });
    }
}

/// The answer to this line goes to the session's own mailbox.
fn reply(ctx: &Ctx, line: LineId) -> impl FnOnce(Shown) + Send + 'static {
    let receipt = Receipt::new(BeingPort::Session(ctx.address()), line);
    move |shown| drop(receipt.answer(Answer::Show(Box::new(Event::Bridge(shown)))))
}

fn subject(kind: RuleKind, name: &str) -> RuleSubject {
    RuleSubject {
        kind,
        name: name.to_owned(),
    }
}
