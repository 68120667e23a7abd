//! `[pure]` The gate of one zone on one node: what the node's sessions write to the zone's rooms
//! goes through here while the zone is elsewhere, moving, or owned by nobody.
//!
//! ```text
//!            opened                       shut, bounced, down, a newer owner
//!   shut ──────────────► open ────────────────────────────────────────────► shut
//!   (letters wait)       (letters go to the owner)
//! ```
//! Every ask has a token, and each token leaves the gate exactly once: with the letter to an owner
//! that is this node, with an answer ([`Gate::answered`]), or ended. A letter that comes back from
//! an owner that has not looked at it takes its old place in the queue; so letters of one session
//! reach the zone in order and once. After a move the gate opens only when the owner before has
//! settled: all that was sent to it is answered or has come back.

mod flow;
mod letter;
#[cfg(test)]
mod tests;

use self::letter::{Kind, bytes, kind};
use super::frame::{Letter, Opening, What};
use super::limits::{HOLD_MAX, SETTLE_MAX, TOLD_AFTER};
use crate::ids::Being;
use crate::room::Undelivered;
use belay_cluster::{Epoch, NodeId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

/// Who owns a zone, and in which epoch.
pub(super) type Owner = (NodeId, Epoch);

/// Who of this node stands in the zone's rooms, as far as the node knows.
pub(super) type Standing<'a> = &'a dyn Fn() -> Vec<Being>;

/// What is to be done outside the gate, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Out<T> {
    /// The letter goes to the owner; with its token if that is this node.
    Pass(Owner, u64, Letter, Option<T>),
    /// The ask of this token ends without an answer.
    End(T, End),
    /// The owner before is to say when all is answered.
    Settle(Owner),
    /// The owner is to forget who stood there of this node.
    Anew(Owner),
    /// This being is to enter its room again.
    Return(Being),
    /// This being is to know that what it did waits.
    Waits(Being),
}

/// How an ask ends without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody knows whether it was done.
    Lost,
    /// It was not done.
    Undelivered(Undelivered),
}

#[derive(Debug)]
struct Held<T> {
    number: u64,
    letter: Letter,
    token: Option<T>,
    since: Instant,
}

#[derive(Debug)]
struct Asked<T> {
    token: T,
    being: Being,
    to: Owner,
    enters: bool,
}

/// The gate of one zone.
#[derive(Debug)]
pub(super) struct Gate<T> {
    me: NodeId,
    owner: Option<Owner>,
    open: bool,
    /// Since when it is open or shut.
    since: Instant,
    /// Who is to settle, and since when.
    settling: Option<(Owner, Instant)>,
    /// The last one that letters went to, until it has settled.
    debt: Option<Owner>,
    /// What is said in older epochs counts for nothing.
    accepted: Epoch,
    number: u64,
    held: VecDeque<Held<T>>,
    held_bytes: usize,
    asked: BTreeMap<u64, Asked<T>>,
    /// Those who are to enter anew; what else they write waits until they did.
    returning: BTreeSet<Being>,
    /// Those who know that what they did waits.
    told: BTreeSet<Being>,
    /// Something may have been lost on the way: who stands where is to be said anew.
    in_doubt: bool,
}

impl<T> Gate<T> {
    /// A gate that is shut, of a zone of which nothing is known.
    pub(super) fn new(me: NodeId, now: Instant) -> Self {
        Self {
            me,
            owner: None,
            open: false,
            since: now,
            settling: None,
            debt: None,
            accepted: Epoch(0),
            number: 0,
            held: VecDeque::new(),
            held_bytes: 0,
            asked: BTreeMap::new(),
            returning: BTreeSet::new(),
            told: BTreeSet::new(),
            in_doubt: false,
        }
    }

    /// Whether letters go through at once.
    pub(super) fn is_open(&self) -> bool {
        self.open && self.settling.is_none()
    }

    /// Whether nothing waits here, so that letters to this node itself need not come by.
    pub(super) fn is_clear(&self) -> bool {
        self.is_open() && self.held.is_empty() && self.returning.is_empty()
    }

    /// Whether the owner before has settled. Else it is to settle, if it was not asked to.
    pub(super) fn settle(&mut self, now: Instant, out: &mut Vec<Out<T>>) -> bool {
        if self.settling.is_none()
            && let Some(debt) = self.debt
        {
            self.settling = Some((debt, now));
            out.push(Out::Settle(debt));
        }
        self.settling.is_none()
    }

    /// The token of an ask of this being that waits.
    pub(super) fn token(&self, being: Being) -> Option<&T> {
        let mut held = self.held.iter();
        held.find_map(|one| one.token.as_ref().filter(|_| one.letter.being == being))
    }

    /// Letters that wait.
    pub(super) fn waiting(&self) -> usize {
        self.held.len()
    }

    /// Whether what the zone says in this epoch still counts.
    pub(super) fn accepts(&self, epoch: Epoch) -> bool {
        epoch >= self.accepted
    }

    /// A letter of a session of this node. An ask has a token.
    pub(super) fn post(
        &mut self,
        letter: Letter,
        token: Option<T>,
        now: Instant,
        out: &mut Vec<Out<T>>,
    ) {
        let (being, kind) = (letter.being, kind(&letter));
        if kind == Kind::Gone {
            self.returning.remove(&being);
        }
        let number = self.next();
        if !self.is_open() || (kind == Kind::There && self.returning.contains(&being)) {
            return self.hold(number, (letter, token), now, out);
        }
        self.pass(number, letter, token, out);
        if kind == Kind::Enter && self.returning.remove(&being) {
            self.release(being, out);
        }
    }

    /// The answer to this ask came from there: who asked, and the token; nothing if it has ended.
    pub(super) fn answered(&mut self, from: Owner, number: u64) -> Option<(Being, T)> {
        let known = self.asked.get(&number).is_some_and(|ask| ask.to == from);
        let ask = if known {
            self.asked.remove(&number)
        } else {
            None
        };
        ask.map(|ask| (ask.being, ask.token))
    }

    /// The owner takes letters. These stood in its rooms, as far as this node knows. `false`: a
    /// later owner is known.
    pub(super) fn opened(
        &mut self,
        (from, how): (Owner, Opening),
        standing: Standing<'_>,
        now: Instant,
        out: &mut Vec<Out<T>>,
    ) -> bool {
        if self.owner.is_some_and(|known| from.1 < known.1) {
            return false;
        }
        let fresh = how == Opening::Fresh;
        if fresh {
            self.settling = None;
            self.debt = None;
            self.accepted = from.1;
            self.end_asked(|_| true, out);
        } else if let Some(debt) = self.debt
            && debt.1 < from.1
            && self.settling.is_none()
        {
            self.settling = Some((debt, now));
            out.push(Out::Settle(debt));
        }
        self.owner = Some(from);
        self.open = true;
        self.since = now;
        self.told.clear();
        if fresh || self.in_doubt {
            if !fresh {
                out.push(Out::Anew(from));
            }
            self.begin_anew(standing(), out);
        }
        self.flush(out);
        true
    }

    /// The owner takes no more letters.
    pub(super) fn shut(&mut self, from: Owner, now: Instant, out: &mut Vec<Out<T>>) {
        if self.owner.is_some_and(|known| from.1 < known.1) {
            return;
        }
        self.close(now);
        if self.settling.is_none() && self.debt == Some(from) {
            self.settling = Some((from, now));
            out.push(Out::Settle(from));
        }
    }

    /// The owner before has answered or sent back everything.
    pub(super) fn settled(&mut self, from: Owner, out: &mut Vec<Out<T>>) {
        if self.settling.is_some_and(|(who, _)| who == from) {
            self.settling = None;
            self.debt = None;
            self.flush(out);
        }
    }

    /// A letter comes back that no room has seen.
    pub(super) fn bounced(
        &mut self,
        from: Owner,
        (number, letter): (u64, Letter),
        now: Instant,
        out: &mut Vec<Out<T>>,
    ) {
        let token = match letter.what {
            What::Cast(_) => None,
            What::Ask(..) => match self.answered(from, number) {
                Some((_, token)) => Some(token),
                None => return,
            },
        };
        if self.owner == Some(from) && self.settling.is_none() {
            self.close(now);
        }
        let at = self.held.partition_point(|held| held.number < number);
        self.held_bytes += bytes(&letter);
        self.held.insert(
            at,
            Held {
                number,
                letter,
                token,
                since: now,
            },
        );
        self.flush(out);
    }

    /// The wire to this node is gone.
    pub(super) fn down(
        &mut self,
        node: NodeId,
        standing: Standing<'_>,
        now: Instant,
        out: &mut Vec<Out<T>>,
    ) {
        self.end_asked(|ask| ask.to.0 == node, out);
        if self.owner.is_some_and(|owner| owner.0 == node) {
            self.close(now);
            self.in_doubt = true;
        }
        if self.debt.is_some_and(|owner| owner.0 == node) {
            self.debt = None;
            self.in_doubt = true;
        }
        if self.settling.is_some_and(|(owner, _)| owner.0 == node) {
            self.settling = None;
            self.in_doubt = true;
            if let (true, Some(owner)) = (self.open, self.owner) {
                out.push(Out::Anew(owner));
                self.begin_anew(standing(), out);
            }
            self.flush(out);
        }
    }

    /// The cluster says who owns the zone; or that nobody does since the end of this epoch.
    pub(super) fn placed(&mut self, owner: Result<Owner, Epoch>, now: Instant) {
        match (owner, self.owner) {
            (Ok(owner), known) => {
                if known.is_none_or(|known| known.1 < owner.1) {
                    self.close(now);
                    self.owner = Some(owner);
                }
            }
            (Err(last), Some(known)) if last >= known.1 => {
                self.close(now);
                self.owner = None;
            }
            (Err(_), _) => {}
        }
    }

    /// From now on letters wait; the zone of this node itself holds still or ends.
    pub(super) fn close(&mut self, now: Instant) {
        if self.open {
            self.open = false;
            self.since = now;
        }
    }

    /// Ends what has waited too long.
    pub(super) fn tick(&mut self, standing: Standing<'_>, now: Instant, out: &mut Vec<Out<T>>) {
        let late = |since: Instant, most| now.saturating_duration_since(since) >= most;
        if let Some((owner, since)) = self.settling
            && late(since, SETTLE_MAX)
        {
            self.down(owner.0, standing, now, out);
        }
        if self.open && !self.returning.is_empty() && late(self.since, HOLD_MAX) {
            self.returning.clear();
            self.flush(out);
        }
        let waits = |one: &&Held<T>| one.token.is_some() && late(one.since, TOLD_AFTER);
        for one in self.held.iter().filter(waits) {
            if self.told.insert(one.letter.being) {
                out.push(Out::Waits(one.letter.being));
            }
        }
        let held = std::mem::take(&mut self.held);
        for one in held {
            let is_late = late(one.since, HOLD_MAX);
            if is_late && let Some(token) = one.token {
                self.held_bytes = self.held_bytes.saturating_sub(bytes(&one.letter));
                out.push(Out::End(token, End::Undelivered(Undelivered::OutOfReach)));
            } else {
                self.held.push_back(one);
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}
