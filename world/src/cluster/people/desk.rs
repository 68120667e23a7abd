//! `[pure]` This node's claims: which of its sessions hold which accounts, which wait, and who is
//! to be asked.
//!
//! A node remembers the latest term of each partition whose owner it has answered, and listens to
//! no earlier one: what an owner of before had granted on its way here would else be held by two.

use super::limits::PARTITIONS;
use super::register::Holding;
use crate::ids::AccountId;
use belay_cluster::{Epoch, NodeId, View};
use std::collections::BTreeMap;

/// A part of the accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Partition(pub(super) u8);

/// What is held of a partition? Asked by its owner in this term, with a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) partition: Partition,
    pub(super) epoch: Epoch,
    pub(super) number: u64,
}

/// What is to be said. `P` is how a session is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice<P> {
    /// To the owner: this session wants the account.
    Claim(NodeId, AccountId, u64),
    /// To the owner: this session is over, or wants it no more.
    Released(NodeId, AccountId, u64),
    /// To the owner: these hold accounts of the partition.
    Holds(NodeId, Question, Vec<Holding>),
    /// To the session: the account is its own, with this number.
    Granted(P, u64),
    /// To the session: a later login came first.
    GivenUp(P),
    /// To the session: save and end.
    MakeWay(P),
}

/// See the module.
#[derive(Debug)]
pub(super) struct Desk<P> {
    mine: BTreeMap<AccountId, Mine<P>>,
    owners: BTreeMap<Partition, (NodeId, Epoch)>,
    /// The latest term that was heard of.
    latest: BTreeMap<Partition, Epoch>,
}

#[derive(Debug)]
struct Mine<P> {
    session: u64,
    port: P,
    number: Option<u64>,
}

impl Partition {
    /// The part that this account belongs to.
    pub(super) fn of(account: AccountId) -> Self {
        // Numbers are handed out one after the other: the last digits spread them well enough.
        let part = account.0.rem_euclid(i64::from(PARTITIONS));
        Self(u8::try_from(part).unwrap_or(0))
    }

    /// All of them.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..PARTITIONS).map(Self)
    }
}

impl<P: Clone> Desk<P> {
    pub(super) fn new() -> Self {
        Self {
            mine: BTreeMap::new(),
            owners: BTreeMap::new(),
            latest: BTreeMap::new(),
        }
    }

    /// A session of this node, the only one of its account here, wants the account; or still does.
    pub(super) fn claim(
        &mut self,
        account: AccountId,
        (session, port): (u64, P),
        out: &mut Vec<Notice<P>>,
    ) {
        let known = self.mine.get(&account);
        let number = known
            .filter(|mine| mine.session == session)
            .and_then(|mine| mine.number);
        if let Some(number) = number {
            return out.push(Notice::Granted(port, number));
        }
        let mine = Mine {
            session,
            port,
            number: None,
        };
        self.mine.insert(account, mine);
        self.say(account, session, Notice::Claim, out);
    }

    /// The session is over, or wants it no more.
    pub(super) fn release(&mut self, account: AccountId, session: u64, out: &mut Vec<Notice<P>>) {
        if self.of(account, session).is_some() {
            self.mine.remove(&account);
            self.say(account, session, Notice::Released, out);
        }
    }

    /// The cluster has changed: who waits asks a new owner.
    pub(super) fn changed(&mut self, view: &View, out: &mut Vec<Notice<P>>) {
        for partition in Partition::all() {
            let owner = view.owner(&super::shards::accounts(partition.0));
            let before = match owner {
                Some(owner) => self.owners.insert(partition, owner),
                None => self.owners.remove(&partition),
            };
            if owner.is_some() && owner != before {
                self.ask_again(|account| Partition::of(account) == partition, out);
            }
        }
    }

    /// The owner of this partition in this term asks what is held.
    pub(super) fn recall(&mut self, from: NodeId, question: Question, out: &mut Vec<Notice<P>>) {
        let partition = question.partition;
        if !self.listens(partition, question.epoch) {
            return;
        }
        let mine = self.mine.iter().filter_map(|(account, mine)| {
            let number = mine
                .number
                .filter(|_| Partition::of(*account) == partition)?;
            Some(Holding {
                account: *account,
                session: mine.session,
                number,
            })
        });
        out.push(Notice::Holds(from, question, mine.collect()));
        for (account, mine) in &self.mine {
            if mine.number.is_none() && Partition::of(*account) == partition {
                out.push(Notice::Claim(from, *account, mine.session));
            }
        }
    }

    /// The owner grants the account to a session here.
    pub(super) fn granted(
        &mut self,
        (from, epoch): (NodeId, Epoch),
        holding: Holding,
        out: &mut Vec<Notice<P>>,
    ) {
        let Holding {
            account,
            session,
            number,
        } = holding;
        if !self.listens(Partition::of(account), epoch) {
            return;
        }
        match self.of(account, session) {
            Some(mine) if mine.number.is_none() => {
                mine.number = Some(number);
                out.push(Notice::Granted(mine.port.clone(), number));
            }
            Some(_) => {}
            None => out.push(Notice::Released(from, account, session)),
        }
    }

    /// The owner wants the account for another login.
    pub(super) fn make_way(
        &mut self,
        (from, epoch): (NodeId, Epoch),
        (account, session): (AccountId, u64),
        out: &mut Vec<Notice<P>>,
    ) {
        if !self.listens(Partition::of(account), epoch) {
            return;
        }
        match self.of(account, session) {
            Some(mine) => out.push(Notice::MakeWay(mine.port.clone())),
            None => out.push(Notice::Released(from, account, session)),
        }
    }

    /// The owner has given the account to a later login.
    pub(super) fn given_up(
        &mut self,
        epoch: Epoch,
        (account, session): (AccountId, u64),
        out: &mut Vec<Notice<P>>,
    ) {
        if !self.listens(Partition::of(account), epoch) {
            return;
        }
        if let Some(mine) = self.of(account, session)
            && mine.number.is_none()
        {
            out.push(Notice::GivenUp(mine.port.clone()));
        }
    }

    /// What an owner of before says counts for nothing any more.
    fn listens(&mut self, partition: Partition, epoch: Epoch) -> bool {
        let latest = self.latest.entry(partition).or_default();
        *latest = (*latest).max(epoch);
        *latest == epoch
    }

    fn of(&mut self, account: AccountId, session: u64) -> Option<&mut Mine<P>> {
        let mine = self.mine.get_mut(&account)?;
        (mine.session == session).then_some(mine)
    }

    fn ask_again(&self, which: impl Fn(AccountId) -> bool, out: &mut Vec<Notice<P>>) {
        for (account, mine) in &self.mine {
            if mine.number.is_none() && which(*account) {
                self.say(*account, mine.session, Notice::Claim, out);
            }
        }
    }

    /// Says something to the owner, as far as there is one.
    fn say(
        &self,
        account: AccountId,
        session: u64,
        what: impl Fn(NodeId, AccountId, u64) -> Notice<P>,
        out: &mut Vec<Notice<P>>,
    ) {
        if let Some((owner, _)) = self.owners.get(&Partition::of(account)) {
            out.push(what(*owner, account, session));
        }
    }
}
