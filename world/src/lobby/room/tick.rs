//! `[pure]` A tick of a room: what happened since the last one, said once to all.

use super::admit::Newcomer;
use super::effect::{Answered, Effect, Now};
use super::frames::Pages;
use super::kept::weight;
use super::state::{RoomState, Said, Want, WantWhy};
use crate::lobby::ids::Seq;
use crate::lobby::limits::{HISTORY_LINES, TICK};
use crate::lobby::protocol::{Change, Chat, PlayerEntry, ServerMessage, TickBody};
use crate::lobby::shared::Shared;
use std::sync::Arc;

impl<P: Clone> RoomState<P> {
    /// Makes the tick, if it is due and something is pending.
    pub(super) fn tick(&mut self, now: Now, effects: &mut Vec<Effect<P>>) {
        self.retry(now);
        let is_due = self.ticked.is_none_or(|ticked| now.at >= ticked + TICK);
        if !is_due || !self.is_pending() {
            return;
        }
        self.ticked = Some(now.at);
        // A place that is left may be taken in the same tick: who left is told first.
        for left in &self.untold.left {
            self.members.free(left.slot);
        }
        let next = Seq(self.seq.0 + 1);
        let newcomers = self.admit(next, now);
        let body = self.body(next, &newcomers, now);
        self.tell(body, effects);
        let mut pages = Pages::default();
        for newcomer in newcomers {
            self.welcome(&newcomer, &mut pages, now, effects);
        }
        for want in std::mem::take(&mut self.wants) {
            self.serve(&want, &mut pages, now, effects);
        }
        self.tell_waiting(now, effects);
        self.report(effects);
    }

    /// Those whose sockets took no more are tried again, all together.
    fn retry(&mut self, now: Now) {
        if self.retry_at.is_some_and(|at| at <= now.at) {
            self.retry_at = None;
            for guest in std::mem::take(&mut self.stale) {
                self.want_again(guest, WantWhy::Refused);
            }
        }
    }

    /// What happened. Everything in it counts as told from here on.
    fn body(&mut self, seq: Seq, newcomers: &[Newcomer], now: Now) -> TickBody {
        let left = std::mem::take(&mut self.untold.left);
        let joined = newcomers.iter().filter_map(|newcomer| {
            let member = self.members.get(newcomer.guest)?;
            Some(member.entry(now))
        });
        let joined: Vec<PlayerEntry> = joined.collect();
        let slots = std::mem::take(&mut self.untold.changed);
        let changed = slots
            .into_iter()
            .filter_map(|slot| {
                self.members
                    .at_mut(slot)
                    .map(|member| member.take_change(now))
            })
            .filter(|change| !change.fields.is_empty());
        let changed: Vec<Change> = changed.collect();
        let said = std::mem::take(&mut self.untold.said);
        let chat: Vec<Chat> = said.into_iter().map(|said| self.line(said)).collect();
        let room = std::mem::take(&mut self.untold.room).then(|| self.entry());
        TickBody {
            seq,
            left,
            joined,
            changed,
            chat,
            room,
        }
    }

    /// A line as it is told, by its place if whoever said it sits still. It is remembered by name.
    fn line(&mut self, said: Said) -> Chat {
        let Said {
            guest,
            name,
            text,
            at,
        } = said;
        if self.history.len() >= HISTORY_LINES {
            self.history.pop_front();
        }
        let past = Chat {
            slot: None,
            name,
            text,
            at,
        };
        self.history.push_back(past.clone());
        match self.members.get(guest) {
            Some(member) => Chat {
                slot: Some(member.slot),
                name: "".into(),
                ..past
            },
            None => past,
        }
    }

    /// Tells the tick, if anything is in it.
    fn tell(&mut self, body: TickBody, effects: &mut Vec<Effect<P>>) {
        let TickBody {
            left,
            joined,
            changed,
            chat,
            room,
            ..
        } = &body;
        let people = left.is_empty() && joined.is_empty() && changed.is_empty();
        if people && chat.is_empty() && room.is_none() {
            return;
        }
        self.seq = body.seq;
        let bytes = weight(&body);
        let frame = Shared::of_room(self.about.id, vec![ServerMessage::Tick(body)]);
        let frame = Arc::new(frame);
        self.kept.push(self.seq, bytes, frame.clone());
        effects.push(Effect::Tick(frame));
    }

    fn welcome(
        &mut self,
        newcomer: &Newcomer,
        pages: &mut Pages,
        now: Now,
        effects: &mut Vec<Effect<P>>,
    ) {
        let Some(member) = self.members.get(newcomer.guest) else {
            return;
        };
        let (port, slot, instead) = (member.port.clone(), member.slot, newcomer.instead);
        let frames = pages.whole(self, (slot, instead), now);
        let answer = Answered::Seated { slot, instead };
        effects.push(Effect::Answer(port.clone(), newcomer.tag, answer));
        effects.push(Effect::Snapshot {
            guest: newcomer.guest,
            port,
            entry: true,
            unasked: false,
            frames,
        });
    }

    /// Tells the whole, or what was missed, to one who wants it.
    fn serve(&mut self, want: &Want, pages: &mut Pages, now: Now, effects: &mut Vec<Effect<P>>) {
        let (guest, last) = (want.guest, self.seq);
        let Some(member) = self.members.get_mut(guest) else {
            return;
        };
        member.since = last;
        member.wants = false;
        member.is_stale = false;
        let (port, slot, came) = (member.port.clone(), member.slot, member.came);
        self.stale.remove(&guest);
        let (instead, seen) = match &want.why {
            WantWhy::Again { instead, .. } => (*instead, None),
            WantWhy::Resumed { seen, .. } => (false, *seen),
            WantWhy::Drained | WantWhy::Refused => (false, None),
        };
        let tag = want.why.tag();
        if let Some(tag) = tag {
            let answer = Answered::Seated { slot, instead };
            effects.push(Effect::Answer(port.clone(), tag, answer));
        }
        // Whoever saw nothing since they came knows neither their place nor who came with them.
        let seen = seen.filter(|seen| *seen >= came);
        let frames = seen
            .and_then(|seen| self.missed(seen))
            .unwrap_or_else(|| pages.whole(self, (slot, instead), now));
        effects.push(Effect::Snapshot {
            guest,
            port,
            entry: tag.is_some(),
            unasked: matches!(want.why, WantWhy::Refused),
            frames,
        });
    }

    /// The ticks after `seen`, if all of them are kept.
    fn missed(&self, seen: Seq) -> Option<Vec<Arc<Shared>>> {
        let missed = self.kept.after(seen, self.seq)?;
        let resumed = ServerMessage::Resumed {
            room: self.about.id,
            seq: seen,
        };
        let mut frames = Vec::with_capacity(1 + missed.len());
        frames.push(Arc::new(Shared::of_room(self.about.id, vec![resumed])));
        frames.extend(missed);
        Some(frames)
    }

    /// Tells the hall what it has to know.
    fn report(&mut self, effects: &mut Vec<Effect<P>>) {
        let came = std::mem::take(&mut self.untold.came);
        let left = std::mem::take(&mut self.untold.gone);
        if !came.is_empty() || !left.is_empty() {
            self.untold.report = true;
            effects.push(Effect::Seats { came, left });
        }
        if std::mem::take(&mut self.untold.report) {
            effects.push(Effect::Listed(self.entry()));
        }
    }
}
