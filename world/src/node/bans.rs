//! `[process]` The bans in memory, so that a connection or a name is checked without waiting. The
//! store has them on record; a change is written there and shows here at once.

use crate::account::Name;
use crate::event::Text;
use crate::store::{Ban, BanSubject, Clock, NewBan, StorePort, find_ban};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, PoisonError, RwLock};

/// All bans that hold.
#[derive(Clone)]
pub struct Bans {
    held: Arc<RwLock<Arc<[Ban]>>>,
    clock: Clock,
}

impl std::fmt::Debug for Bans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bans")
            .field("count", &self.held().len())
            .finish_non_exhaustive()
    }
}

impl Bans {
    /// These bans hold.
    pub fn new(bans: Vec<Ban>, clock: Clock) -> Self {
        Self {
            held: Arc::new(RwLock::new(bans.into())),
            clock,
        }
    }

    /// The reason why this address is banned, if it is.
    pub fn address(&self, address: IpAddr) -> Option<Text> {
        let held = self.held();
        find_ban(&held, address, None, None, (self.clock)()).map(|ban| Text::from(&*ban.reason))
    }

    /// The reason why this account is banned, if it is.
    pub fn account(&self, name: &Name) -> Option<Text> {
        let held = self.held();
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let ban = find_ban(&held, nowhere, Some(name), Some(name), (self.clock)());
        ban.map(|ban| Text::from(&*ban.reason))
    }

    /// From here on this ban holds, whatever the record says until it is read again: who was just
    /// removed must not be back before that.
    pub fn hold(&self, ban: &NewBan) {
        let now = (self.clock)();
        let ban = Ban {
            subject: ban.subject.clone(),
            reason: ban.reason.clone(),
            by: ban.by.clone(),
            at: now,
            until: ban.lasts.map(|lasts| now.after(lasts)),
        };
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let others = held.iter().filter(|held| held.subject != ban.subject);
        *held = others.cloned().chain([ban.clone()]).collect();
    }

    /// From here on this subject is not banned.
    pub fn lift(&self, subject: &BanSubject) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let others = held.iter().filter(|ban| ban.subject != *subject);
        *held = others.cloned().collect();
    }

    /// Reads the record again, and hands over the bans that did not hold before.
    pub fn refresh(&self, store: &StorePort, news: impl FnOnce(Vec<Ban>) + Send + 'static) {
        let bans = self.clone();
        store.list_bans(move |list| match list {
            Ok(list) => {
                let list: Arc<[Ban]> = list.into();
                let held = {
                    let mut held = bans.held.write().unwrap_or_else(PoisonError::into_inner);
                    std::mem::replace(&mut *held, list.clone())
                };
                let held = |ban: &&Ban| held.iter().any(|one| one.subject == ban.subject);
                news(list.iter().filter(|ban| !held(ban)).cloned().collect());
            }
            Err(error) => tracing::error!(target: "belay_world", %error, "bans not read"),
        });
    }

    fn held(&self) -> Arc<[Ban]> {
        self.held
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
