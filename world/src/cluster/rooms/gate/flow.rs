//! `[pure]` How letters wait in a gate, and leave it.

use super::letter::{Kind, bytes, kind};
use super::{Asked, End, Gate, Held, Out};
use crate::cluster::rooms::frame::Letter;
use crate::cluster::rooms::limits::{HOLD_BYTES_MAX, HOLD_CASTS_MAX, HOLD_MAX};
use crate::ids::Being;
use crate::room::Undelivered;
use std::collections::BTreeMap;
use std::time::Instant;

impl<T> Gate<T> {
    /// All who stood there enter again.
    pub(super) fn begin_anew(&mut self, standing: Vec<Being>, out: &mut Vec<Out<T>>) {
        self.in_doubt = false;
        out.extend(standing.iter().map(|being| Out::Return(*being)));
        self.returning = standing.into_iter().collect();
    }

    pub(super) fn hold(
        &mut self,
        number: u64,
        (letter, token): (Letter, Option<T>),
        now: Instant,
        out: &mut Vec<Out<T>>,
    ) {
        let size = bytes(&letter);
        let (full, out_of_reach) = (
            self.held_bytes + size > HOLD_BYTES_MAX,
            !self.open && now.saturating_duration_since(self.since) >= HOLD_MAX,
        );
        let token = match token {
            Some(token) if out_of_reach => {
                let why = Undelivered::OutOfReach;
                return out.push(Out::End(token, End::Undelivered(why)));
            }
            Some(token) if full => {
                return out.push(Out::End(token, End::Undelivered(Undelivered::Busy)));
            }
            None if self.held.len() >= HOLD_CASTS_MAX => {
                self.in_doubt = true;
                return;
            }
            token => token,
        };
        self.held_bytes += size;
        self.held.push_back(Held {
            number,
            letter,
            token,
            since: now,
        });
    }

    /// Lets go what waits and need not wait any more.
    pub(super) fn flush(&mut self, out: &mut Vec<Out<T>>) {
        if !self.is_open() {
            return;
        }
        if let Some(owner) = self.owner {
            self.accepted = self.accepted.max(owner.1);
        }
        for one in std::mem::take(&mut self.held) {
            let kind = kind(&one.letter);
            let returns = self.returning.contains(&one.letter.being);
            if returns && kind == Kind::There {
                self.held.push_back(one);
                continue;
            }
            self.held_bytes = self.held_bytes.saturating_sub(bytes(&one.letter));
            match one.token {
                // The stay that it would end is over: they come back first.
                Some(token) if returns && kind == Kind::Leave => {
                    out.push(Out::End(token, End::Lost));
                }
                token => self.pass(one.number, one.letter, token, out),
            }
        }
    }

    /// They have entered anew: what they wrote before follows, with numbers after that.
    pub(super) fn release(&mut self, being: Being, out: &mut Vec<Out<T>>) {
        for one in std::mem::take(&mut self.held) {
            if one.letter.being != being {
                self.held.push_back(one);
                continue;
            }
            self.held_bytes = self.held_bytes.saturating_sub(bytes(&one.letter));
            let number = self.next();
            self.pass(number, one.letter, one.token, out);
        }
    }

    pub(super) fn pass(
        &mut self,
        number: u64,
        letter: Letter,
        token: Option<T>,
        out: &mut Vec<Out<T>>,
    ) {
        let Some(to) = self.owner else { return };
        if to.0 == self.me {
            return out.push(Out::Pass(to, number, letter, token));
        }
        self.debt = Some(to);
        if let Some(token) = token {
            let (being, enters) = (letter.being, kind(&letter) == Kind::Enter);
            let ask = Asked {
                token,
                being,
                to,
                enters,
            };
            self.asked.insert(number, ask);
        }
        out.push(Out::Pass(to, number, letter, None));
    }

    pub(super) fn end_asked(&mut self, which: impl Fn(&Asked<T>) -> bool, out: &mut Vec<Out<T>>) {
        let (over, kept) = std::mem::take(&mut self.asked)
            .into_iter()
            .partition(|(_, ask)| which(ask));
        self.asked = kept;
        let over: BTreeMap<u64, Asked<T>> = over;
        out.extend(over.into_values().map(|ask| {
            // Who may or may not have come in is to see it that way: the next word clears it up.
            let end = if ask.enters {
                End::Undelivered(Undelivered::OutOfReach)
            } else {
                End::Lost
            };
            Out::End(ask.token, end)
        }));
    }
}
