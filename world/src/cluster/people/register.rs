//! `[pure]` The owner of a partition of the accounts: which session holds which account, in one
//! term of ownership.
//!
//! ```text
//! begin ── recall ─► all living nodes ── holds ─► (all answered or given up) ─► open
//!
//! open:  free ── claim ─► granted ── claim of another ─► told to make way ── released ─► granted
//!                                     └ claim of a third: the second is given up ┘
//! ```
//! The last claim wins, and only after the session before it has said that it is over: by then its
//! last save is on record. Before it is open nobody is granted anything, for a node that has not
//! answered may have a session that plays. What nodes say may be lost with a wire: a claim is said
//! again until it is answered, a session that is told to make way and is none says so, and each
//! wire that comes up begins with a recall.

use crate::ids::AccountId;
use crate::store::limits::NUMBERS_PER_EPOCH;
use belay_cluster::{Epoch, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Sessions of an account that a register remembers after they were given up; the oldest is
/// forgotten, and if it claims again it counts as a new login.
const GIVEN_UP_MAX: usize = 8;

/// A session, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seat {
    /// On which node.
    pub(super) node: NodeId,
    /// Which session there.
    pub(super) session: u64,
}

/// An account that a session holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    /// Which account.
    pub(super) account: AccountId,
    /// Which session.
    pub(super) session: u64,
    /// The number of its claim: later ones have higher ones.
    pub(super) number: u64,
}

/// What a register has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The session has the account.
    Granted(Seat, Holding),
    /// The session is to save and end.
    MakeWay(Seat, AccountId),
    /// A later login came before this one was granted.
    GivenUp(Seat, AccountId),
}

/// See the module.
#[derive(Debug)]
pub(super) struct Register {
    epoch: Epoch,
    last_number: u64,
    /// How often a node was asked what it holds.
    recalls: u64,
    /// Who has not yet said what it holds.
    unheard: BTreeSet<NodeId>,
    accounts: BTreeMap<AccountId, Account>,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    seat: Seat,
    number: u64,
    /// After so many recalls it was granted: an answer to one of them may not have it.
    since: u64,
}

#[derive(Debug, Default)]
struct Account {
    holder: Option<Holder>,
    next: Option<Seat>,
    given_up: Vec<Seat>,
}

impl Register {
    /// A register of this term; all living nodes are to be asked what they hold.
    pub(super) fn begin(epoch: Epoch, living: &BTreeSet<NodeId>) -> Self {
        Self {
            epoch,
            last_number: epoch.0.saturating_mul(NUMBERS_PER_EPOCH),
            recalls: 0,
            unheard: living.clone(),
            accounts: BTreeMap::new(),
        }
    }

    /// The term.
    pub(super) fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// How many accounts are held or waited for.
    pub(super) fn len(&self) -> usize {
        self.accounts.len()
    }

    /// A node is asked what it holds; the number goes with the question and the answer.
    pub(super) fn recall(&mut self) -> u64 {
        self.recalls += 1;
        self.recalls
    }

    /// Whether it grants.
    pub(super) fn is_open(&self) -> bool {
        self.unheard.is_empty()
    }

    /// A session wants the account. It may say so again.
    pub(super) fn claim(&mut self, account: AccountId, by: Seat, out: &mut Vec<Word>) {
        let entry = self.accounts.entry(account).or_default();
        if entry.given_up.contains(&by) {
            return out.push(Word::GivenUp(by, account));
        }
        let before = entry.next.replace(by).filter(|before| *before != by);
        if let Some(before) = before {
            give_up(entry, account, before, out);
        }
        self.settle(account, out);
    }

    /// A session does not want the account any more, or is over.
    pub(super) fn released(&mut self, account: AccountId, by: Seat, out: &mut Vec<Word>) {
        let Some(entry) = self.accounts.get_mut(&account) else {
            return;
        };
        entry.next = entry.next.filter(|next| *next != by);
        entry.holder = entry.holder.filter(|holder| holder.seat != by);
        entry.given_up.retain(|seat| *seat != by);
        self.settle(account, out);
    }

    /// A node says all that its sessions hold of this partition, asked with this number. What it
    /// was granted after that is on its way.
    pub(super) fn holds(
        &mut self,
        (node, recall): (NodeId, u64),
        holdings: &[Holding],
        out: &mut Vec<Word>,
    ) {
        let held = holdings.iter().map(|one| (one.account, one.session));
        let held: BTreeSet<_> = held.collect();
        for (account, entry) in &mut self.accounts {
            let gone = |holder: &Holder| {
                let Holder { seat, since, .. } = *holder;
                let denied = seat.node == node && !held.contains(&(*account, seat.session));
                denied && since < recall
            };
            entry.holder = entry.holder.filter(|holder| !gone(holder));
        }
        for holding in holdings {
            self.last_number = self.last_number.max(holding.number);
            self.is_held(node, *holding, out);
        }
        self.unheard.remove(&node);
        self.settle_all(out);
    }

    fn is_held(&mut self, node: NodeId, holding: Holding, out: &mut Vec<Word>) {
        let Holding {
            account,
            session,
            number,
        } = holding;
        let seat = Seat { node, session };
        let since = self.recalls;
        let entry = self.accounts.entry(account).or_default();
        match entry.holder {
            // A node that had been given up is back with a session that another took over.
            Some(other) if other.seat != seat && other.number > number => {
                return out.push(Word::MakeWay(seat, account));
            }
            Some(other) if other.seat != seat => out.push(Word::MakeWay(other.seat, account)),
            Some(_) | None => {}
        }
        entry.holder = Some(Holder {
            seat,
            number,
            since,
        });
    }

    /// These nodes are given up: nobody there holds or wants anything, nor says what it holds.
    pub(super) fn lost(&mut self, lost: impl Fn(NodeId) -> bool, out: &mut Vec<Word>) {
        self.unheard.retain(|node| !lost(*node));
        for entry in self.accounts.values_mut() {
            entry.holder = entry.holder.filter(|holder| !lost(holder.seat.node));
            entry.next = entry.next.filter(|seat| !lost(seat.node));
        }
        self.settle_all(out);
    }

    fn settle_all(&mut self, out: &mut Vec<Word>) {
        for account in self.accounts.keys().copied().collect::<Vec<_>>() {
            self.settle(account, out);
        }
    }

    fn settle(&mut self, account: AccountId, out: &mut Vec<Word>) {
        if !self.is_open() {
            return;
        }
        let Some(entry) = self.accounts.get_mut(&account) else {
            return;
        };
        match (entry.holder, entry.next) {
            (None, None) => {
                self.accounts.remove(&account);
            }
            (Some(_), None) => {}
            (Some(holder), Some(next)) if holder.seat.node != next.node => {
                out.push(Word::MakeWay(holder.seat, account));
            }
            // On one node an account has one session: who claims it is the only one.
            (holder, Some(next)) => {
                let again = holder.filter(|holder| holder.seat == next);
                let number = again.map_or(self.last_number + 1, |holder| holder.number);
                self.last_number = self.last_number.max(number);
                entry.next = None;
                entry.holder = Some(Holder {
                    seat: next,
                    number,
                    since: self.recalls,
                });
                let holding = Holding {
                    account,
                    session: next.session,
                    number,
                };
                out.push(Word::Granted(next, holding));
            }
        }
    }
}

fn give_up(entry: &mut Account, account: AccountId, seat: Seat, out: &mut Vec<Word>) {
    if entry.given_up.len() >= GIVEN_UP_MAX {
        entry.given_up.remove(0);
    }
    entry.given_up.push(seat);
    out.push(Word::GivenUp(seat, account));
}
