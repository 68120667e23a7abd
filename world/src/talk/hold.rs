//! `[process]` What players here say on a channel whose order nobody makes just now: it waits, in
//! the order in which it was said, until it can be said or has waited too long.

use super::message::ChannelMessage;
use super::process::{ChannelProcess, Voice, answer, local};
use super::relay::{Saying, Seat};
use super::step::Deed;
use crate::event::{Event, Refusal};
use crate::limits;
use belay_runtime::Context;
use std::collections::BTreeMap;
use std::time::Instant;

/// Words that wait, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Hold {
    last: u64,
    held: BTreeMap<u64, Saying>,
}

impl Hold {
    /// The number of the next words.
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// These words wait, at their place.
    ///
    /// # Errors
    /// Too many wait.
    fn put(&mut self, saying: Saying) -> Result<(), Saying> {
        if self.held.len() >= limits::CHANNEL_HELD_MAX {
            return Err(saying);
        }
        self.held.insert(saying.number, saying);
        Ok(())
    }

    fn next(&mut self) -> Option<Saying> {
        self.held.pop_first().map(|(_, saying)| saying)
    }

    fn late(&mut self, now: Instant) -> Vec<Saying> {
        let is_late =
            |one: &Saying| now.saturating_duration_since(one.since) >= limits::CHANNEL_HELD_FOR;
        let late = self.held.iter().filter(|(_, one)| is_late(one));
        let late: Vec<u64> = late.map(|(number, _)| *number).collect();
        late.iter()
            .filter_map(|number| self.held.remove(number))
            .collect()
    }
}

impl ChannelProcess {
    /// A player here speaks, behind those whose words wait.
    pub(super) fn say(&mut self, ctx: &mut Context<ChannelMessage>, mut saying: Saying) {
        saying.since = ctx.now().into_std();
        let put = self.heir.with(|body| {
            saying.number = body.hold.number();
            body.hold.put(saying)
        });
        if let Err(saying) = put {
            answer(saying.receipt, Event::Refused(Refusal::ChannelOut));
        }
        self.release(ctx);
    }

    /// Words come back that no order has: they wait at their old place for a moment.
    pub(super) fn came_back(&mut self, ctx: &mut Context<ChannelMessage>, saying: Saying) {
        if let Some(relay) = self.shared.relay.get() {
            relay.came_back(self.shared.channel);
        }
        if let Err(saying) = self.heir.with(|body| body.hold.put(saying)) {
            answer(saying.receipt, Event::Refused(Refusal::ChannelOut));
        }
        self.look_later(ctx);
    }

    /// Says what waits, if it can be said; who has waited too long is told.
    pub(super) fn release(&mut self, ctx: &mut Context<ChannelMessage>) {
        let now = ctx.now().into_std();
        for late in self.heir.with(|body| body.hold.late(now)) {
            answer(late.receipt, Event::Refused(Refusal::ChannelOut));
        }
        loop {
            let seat = self.seat();
            if seat == Seat::Nowhere {
                break;
            }
            let Some(saying) = self.heir.with(|body| body.hold.next()) else {
                return;
            };
            match (seat, self.shared.relay.get()) {
                (Seat::Here(term), _) => {
                    let Saying {
                        name,
                        text,
                        by,
                        receipt,
                        ..
                    } = saying;
                    let line = self.line(local(name, text));
                    self.order(ctx, Deed::Say(line, by, term), Voice::Here(receipt));
                }
                (Seat::Elsewhere, Some(relay)) => relay.forward(self.shared.channel, saying),
                (Seat::Elsewhere | Seat::Nowhere, _) => {
                    answer(saying.receipt, Event::Refused(Refusal::ChannelOut));
                }
            }
        }
        self.look_later(ctx);
    }

    /// Looks again in a moment, if words wait.
    fn look_later(&mut self, ctx: &mut Context<ChannelMessage>) {
        let waits = self.heir.with(|body| !body.hold.held.is_empty());
        if waits && !self.looks {
            self.looks = true;
            ctx.send_after(limits::CHANNEL_LOOK_EVERY, ChannelMessage::Look);
        }
    }
}
