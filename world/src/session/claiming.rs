//! `[process]` A login claims its account: on this node first, then in the cluster. There is one
//! session of an account, and the last login wins.
//!
//! ```text
//! claim ─ taken here ─► its session takes the connection over, or makes way ─► claim again
//!   └ free here ─► owner of the partition ─┬ granted: load the character, and play
//!                  (it has the session     ├ given up: a later login came first
//!                   elsewhere make way)    └ no answer: asked again, told, in the end "busy"
//! ```

use super::body::{Phase, SessionBody};
use super::entering::entering;
use super::process::{Ctx, SessionProcess, post};
use crate::account::Name;
use crate::cluster::people::{ClaimAnswer, Hold, Waiter};
use crate::event::{Event, LoginEvent, SystemEvent};
use crate::login::{AccountFound, CharacterFound, LoginAnswer};
use crate::node::Holder;
use crate::ops::metrics::{self, LoginOutcome};
use crate::ring::{Arrival, SessionMessage, SessionPort, Wake};
use crate::store::SessionEpoch;
use belay_runtime::ClaimError;
use std::sync::PoisonError;
use std::time::Duration;

/// How often a claim is tried while another session of the account makes way: longer than one may
/// take to end.
const CLAIM_TRIES_MAX: u16 = 120;

/// Between two tries.
const CLAIM_PAUSE: Duration = Duration::from_millis(200);

/// How long the holder of an account has to answer whether it takes a connection over.
const TAKE_OVER_PATIENCE: Duration = Duration::from_secs(2);

/// How often the owner of an account's partition is asked: longer than a session elsewhere may take
/// to end, and than a cluster takes to replace an owner that died.
const OWNER_TRIES_MAX: u16 = 50;

/// After so many the player is told to wait.
const OWNER_TRIES_QUIET: u16 = 3;

/// Between two of them.
const OWNER_PAUSE: Duration = Duration::from_millis(500);

impl SessionProcess {
    /// One session per account: the first claim holds; another gets the session that holds it.
    pub(super) fn claim(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        account: AccountFound,
        character: CharacterFound,
    ) {
        if let Ok(name) = Name::restore(&account.name) {
            let mut throttle = self
                .node
                .throttle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            throttle.succeeded(&name);
        }
        let holder = Holder {
            session: ctx.address(),
            character: character.id,
        };
        let taken = match self
            .node
            .claims
            .register(account.id, holder, &ctx.process())
        {
            Ok(registration) => {
                let people = &self.node.people;
                body.claim = Some(people.hold(registration, account.id, self.id));
                self.claiming = Some(Box::new((account, character)));
                return self.ask_owner(body, ctx, 0);
            }
            Err(ClaimError::Taken { existing, .. }) => existing,
            Err(ClaimError::OwnerFull(_)) => {
                return self.end(body, ctx, Event::Login(LoginEvent::Busy));
            }
        };
        self.claim_tries += 1;
        if self.claim_tries > CLAIM_TRIES_MAX {
            return self.end(body, ctx, Event::Login(LoginEvent::Busy));
        }
        let pause = if taken.character == character.id {
            self.bring_connection(body, ctx, &taken.session)
        } else {
            drop(taken.session.try_send_owed(SessionMessage::MakeWay));
            CLAIM_PAUSE
        };
        self.claiming = Some(Box::new((account, character)));
        let again = Wake::Claim(self.claim_tries);
        ctx.send_after(pause, SessionMessage::Wake(again));
    }

    /// Brings the connection to the session that holds the account; how long its answer may take.
    fn bring_connection(&self, body: &SessionBody, ctx: &Ctx, holder: &SessionPort) -> Duration {
        let Some(connection) = body.link.clone() else {
            return CLAIM_PAUSE;
        };
        let arrival = Arrival {
            connection,
            terminal: body.terminal,
            from: ctx.address(),
            by_token: self.by_token,
        };
        match holder.try_send_owed(SessionMessage::TakeOver(Box::new(arrival))) {
            Ok(()) => TAKE_OVER_PATIENCE,
            Err(_) => CLAIM_PAUSE,
        }
    }

    /// The holder answered: it has the connection, or it is about to end; then the claim is tried
    /// again.
    pub(super) fn took_over(&mut self, body: &mut SessionBody, ctx: &mut Ctx, taken: bool) {
        if !taken {
            let again = Wake::Claim(self.claim_tries);
            ctx.send_after(CLAIM_PAUSE, SessionMessage::Wake(again));
        } else if matches!(body.phase, Phase::Login(_)) {
            metrics::login_ended(LoginOutcome::Resumed);
            body.link = None;
            body.phase = Phase::Ended;
        }
    }

    /// Tries the claim that is under way once more.
    pub(super) fn claim_again(&mut self, body: &mut SessionBody, ctx: &mut Ctx, tries: u16) {
        if tries != self.claim_tries {
            return;
        }
        if let (Phase::Login(_), Some(claiming)) = (&body.phase, self.claiming.take()) {
            let (account, character) = *claiming;
            self.claim(body, ctx, account, character);
        }
    }

    /// Asks who looks after the account in the cluster for it, and does so again until there is an
    /// answer: what was asked may be lost with a wire or an owner.
    pub(super) fn ask_owner(&mut self, body: &mut SessionBody, ctx: &mut Ctx, tries: u16) {
        let waits = matches!(body.phase, Phase::Login(_))
            && body.claim.as_ref().is_some_and(|claim| !claim.is_granted());
        let Some((account, _)) = self.claiming.as_deref().filter(|_| waits) else {
            return;
        };
        if tries >= OWNER_TRIES_MAX {
            metrics::login_ended(LoginOutcome::Busy);
            return self.end(body, ctx, Event::Login(LoginEvent::Busy));
        }
        if tries == OWNER_TRIES_QUIET {
            body.show(Event::Login(LoginEvent::Waiting));
        }
        let waiter = Waiter {
            session: ctx.address(),
            asked_by: ctx.incarnation(),
        };
        if !self.node.people.claim(account.id, self.id, waiter) {
            return self.claimed(body, ctx, ClaimAnswer::Granted(0));
        }
        let again = Wake::Owner(tries.saturating_add(1));
        ctx.send_after(OWNER_PAUSE, SessionMessage::Wake(again));
    }

    /// The owner of the account's partition has answered; a node that is alone answers itself.
    pub(super) fn claimed(&mut self, body: &mut SessionBody, ctx: &mut Ctx, answer: ClaimAnswer) {
        let (Phase::Login(_), Some(claim)) = (&body.phase, &mut body.claim) else {
            return;
        };
        match answer {
            ClaimAnswer::Granted(number) => {
                claim.grant(number);
                if let Some(claiming) = self.claiming.take() {
                    self.load(claim, ctx, *claiming);
                }
            }
            ClaimAnswer::GivenUp => {
                self.claiming = None;
                self.end(body, ctx, Event::System(SystemEvent::TakenOver));
            }
        }
    }

    /// Nobody before writes for the character from here on; what they wrote is read.
    fn load(
        &self,
        claim: &mut Hold,
        ctx: &Ctx,
        (account, character): (AccountFound, CharacterFound),
    ) {
        let reply = post(ctx);
        let node = self.node.clone();
        self.node.store.touch_login(account.id, |_| {});
        let load = move || {
            let store = node.store.clone();
            store.load_character(character.id, move |sheet| {
                reply(match sheet {
                    Ok(Some(sheet)) => {
                        LoginAnswer::Loaded(Box::new(entering(&node, &account, &sheet)))
                    }
                    Ok(None) | Err(_) => LoginAnswer::Busy,
                });
            });
        };
        let number = SessionEpoch(claim.number());
        if number == SessionEpoch::default() {
            return load();
        }
        let store = &self.node.store;
        claim.write_with(store.for_character(character.id, number));
        let busy = post(ctx);
        store.claim_character(character.id, number, move |claimed| match claimed {
            Ok(()) => load(),
            Err(error) => {
                tracing::warn!(target: "belay_world", %error, "character not claimed");
                busy(LoginAnswer::Busy);
            }
        });
    }
}
