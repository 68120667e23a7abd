//! `[process]` What a session in play wants of players on other nodes. The answer comes as that of
//! a room does: it is shown, and ends the command.

use super::body::{Phase, SessionBody};
use super::process::{Ctx, SessionProcess};
use super::state::{Gift, Pending};
use crate::cluster::people::{Errand, OutOfReach, Reply};
use crate::event::{Did, Event, Refusal, Text};
use crate::ids::LineId;
use crate::node::{Far, Found};
use crate::ops::metrics::VerbClass;
use crate::ring::{BeingPort, Receipt};
use crate::room::Answer;

impl SessionProcess {
    /// Tells a player on another node something.
    pub(super) fn tell_far(&mut self, body: &mut SessionBody, ctx: &mut Ctx, far: Far, text: Text) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let tell = Errand::Tell {
            from: state.identity.name.to_string(),
            text: text.to_string(),
        };
        let Some(line) = self.wait_far(body, ctx, VerbClass::Speech) else {
            return;
        };
        let (receipt, name) = (receipt(ctx, line), far.name.clone());
        self.node.people.ask(&far, tell, move |reply| {
            let event = match reply {
                Ok(Reply::Told { name, away }) => Event::Did(Did::Tell {
                    to: name.into(),
                    text,
                    away: away.map(Text::from),
                }),
                other => refused(other, name),
            };
            drop(receipt.answer(Answer::Show(Box::new(event))));
        });
    }

    /// Asks something else of a player on another node; done, it is shown like this.
    pub(super) fn ask_far(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        (far, errand): (Far, Errand),
        done: impl FnOnce(Text) -> Did + Send + 'static,
    ) {
        let Some(line) = self.wait_far(body, ctx, VerbClass::Staff) else {
            return;
        };
        let (receipt, name) = (receipt(ctx, line), far.name.clone());
        self.node.people.ask(&far, errand, move |reply| {
            let event = match reply {
                Ok(Reply::Done { name }) => Event::Did(done(name.into())),
                other => refused(other, name),
            };
            drop(receipt.answer(Answer::Show(Box::new(event))));
        });
    }

    /// Opens an ask of the present line.
    pub(super) fn wait_far(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        verb: VerbClass,
    ) -> Option<LineId> {
        let mut line = None;
        self.play(body, ctx, |state, scene, _| {
            line = Some(state.wait_for(Pending::Show(verb), scene.now));
        });
        line
    }

    /// Hands a thing to another player, wherever they play; whether it is on its way.
    pub(super) fn hand_far(&self, from: &Text, gift: &Gift) -> bool {
        let Some(Found::There(far)) = self.node.players.locate(&gift.to) else {
            return false;
        };
        let (people, item) = (&self.node.people, gift.held.item);
        people.give(&self.node, (&far, from), item, gift.recorded);
        true
    }
}

/// Why nothing came of it; an answer to another question is none.
fn refused(reply: Result<Reply, OutOfReach>, name: Text) -> Event {
    Event::Refused(match reply {
        Err(OutOfReach) => Refusal::OutOfReach(name),
        Ok(Reply::Full { name }) => Refusal::CannotListen(name.into()),
        Ok(
            Reply::Nobody
            | Reply::Told { .. }
            | Reply::Done { .. }
            | Reply::In { .. }
            | Reply::Game(_)
            | Reply::Read(_),
        ) => Refusal::NobodyCalled(name),
    })
}

/// The answer goes to this session's own mailbox.
pub(super) fn receipt(ctx: &Ctx, line: LineId) -> Receipt {
    Receipt::new(BeingPort::Session(ctx.address()), line)
}
