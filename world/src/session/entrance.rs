//! `[process]` The login side of a session: the dialogue's effects go to the store and the login
//! pool, whose answers come back as messages. Nothing here waits, and no password is hashed here.

use super::body::{Phase, SessionBody};
use super::entering::guest;
use super::process::{Ctx, SessionProcess, post};
use super::question::Secret;
use crate::account::{Name, ResumeToken};
use crate::event::{Event, LoginEvent, Text};
use crate::ids::AccountId;
use crate::login::{self, AccountFound, CharacterFound, LoginAnswer, LoginEffect, LoginState};
use crate::ops::metrics::{self, LoginOutcome};
use crate::ring::ConnectionMessage;
use crate::store::{AccountCreation, AccountRecord, CharacterCreation, Redeemed, Role};
use std::sync::PoisonError;

impl SessionProcess {
    /// The connection is there: greet it.
    pub(super) fn login_start(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let peer = body.link.as_ref().map(|link| link.peer);
        if let Some(reason) = peer.and_then(|peer| self.node.bans.address(peer)) {
            metrics::login_ended(LoginOutcome::Banned);
            return self.end(body, ctx, Event::Login(LoginEvent::Banned(reason)));
        }
        self.dialogue(body, ctx, |state, rules, out| {
            login::start(state, rules, out)
        });
    }

    /// A line of the dialogue.
    pub(super) fn login_typed(&mut self, body: &mut SessionBody, ctx: &mut Ctx, text: &str) {
        self.dialogue(body, ctx, |state, rules, out| {
            login::typed(state, rules, text, out)
        });
    }

    /// The store or the pool answered.
    pub(super) fn login_answer(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        answer: LoginAnswer,
    ) {
        if matches!(answer, LoginAnswer::Hashed(_) | LoginAnswer::Verified(_)) {
            self.ticket = None;
        }
        self.by_token |= matches!(answer, LoginAnswer::Redeemed(Some(_)));
        let mut answer = answer;
        if matches!(answer, LoginAnswer::Verified(true)) {
            // Of many guesses at once each has passed the limiter before the first one failed.
            let seconds = self.must_wait(body, ctx);
            if seconds > 0 {
                answer = LoginAnswer::Wait(seconds);
            }
        }
        if let LoginAnswer::Loaded(entering) = answer {
            return self.enter(body, ctx, *entering);
        }
        self.dialogue(body, ctx, |state, rules, out| {
            login::step(state, rules, answer, out)
        });
    }

    fn dialogue(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        step: impl FnOnce(&mut LoginState, &login::LoginRules, &mut login::LoginEffects),
    ) {
        let Phase::Login(state) = &mut body.phase else {
            return;
        };
        let mut next = state.clone();
        let mut effects = Vec::new();
        step(&mut next, &self.node.login, &mut effects);
        *state = next;
        for effect in effects {
            self.login_effect(body, ctx, effect);
        }
    }

    fn login_effect(&mut self, body: &mut SessionBody, ctx: &mut Ctx, effect: LoginEffect) {
        match effect {
            LoginEffect::Show(event) => body.show(event),
            LoginEffect::Hide(hide) => body.tell(ConnectionMessage::Hide(hide)),
            LoginEffect::Clock { running } => {
                body.tell(ConnectionMessage::LoginClock { running });
            }
            LoginEffect::ScreenReader => body.tell(ConnectionMessage::ScreenReader(Some(true))),
            LoginEffect::Close(event) => self.end(body, ctx, event),
            LoginEffect::FindAccount(name) => self.find_account(ctx, &name),
            LoginEffect::MayTry(name) => {
                let seconds = self.may_try(body, ctx, &name);
                post(ctx)(LoginAnswer::Wait(seconds));
            }
            LoginEffect::Failed(name) => {
                metrics::login_ended(LoginOutcome::WrongPassword);
                self.failed(body, ctx, &name);
            }
            LoginEffect::Verify(hash, password) => self.verify(ctx, hash, password),
            LoginEffect::Hash(password) => self.hash(ctx, password),
            LoginEffect::CreateAccount(name, hash) => self.create_account(ctx, &name, hash),
            LoginEffect::FindCharacters(account) => self.find_characters(ctx, account),
            LoginEffect::CreateCharacter(account, name) => {
                self.create_character(ctx, account, &name);
            }
            LoginEffect::Redeem(token) => self.redeem(ctx, &token),
            LoginEffect::Claim(account, character) => {
                self.claim(body, ctx, *account, character);
            }
            LoginEffect::EnterGuest => {
                let name = Text::from(self.node.guest_name());
                self.enter(body, ctx, guest(name));
            }
        }
    }

    fn find_account(&self, ctx: &Ctx, name: &str) {
        let reply = post(ctx);
        let Ok(name) = Name::restore(name) else {
            return reply(LoginAnswer::Account(None));
        };
        if let Some(reason) = self.node.bans.account(&name) {
            return reply(LoginAnswer::Banned(reason));
        }
        self.node.store.load_account(name, move |found| {
            reply(found.map_or(LoginAnswer::Busy, |found| {
                LoginAnswer::Account(found.as_ref().map(account_found))
            }));
        });
    }

    /// How long the account whose password was verified has to wait.
    fn must_wait(&self, body: &SessionBody, ctx: &Ctx) -> u64 {
        let Phase::Login(state) = &body.phase else {
            return 0;
        };
        state
            .verifying()
            .map_or(0, |name| self.may_try(body, ctx, name))
    }

    fn may_try(&self, body: &SessionBody, ctx: &Ctx, name: &str) -> u64 {
        let (Some(link), Ok(name)) = (&body.link, Name::restore(name)) else {
            return 0;
        };
        let throttle = self
            .node
            .throttle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = ctx.now().into_std();
        throttle
            .check(link.peer, &name, now)
            .map_or_else(|wait| wait.seconds(), |()| 0)
    }

    fn failed(&self, body: &SessionBody, ctx: &Ctx, name: &str) {
        let (Some(link), Ok(name)) = (&body.link, Name::restore(name)) else {
            return;
        };
        let mut throttle = self
            .node
            .throttle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        throttle.failed(link.peer, &name, ctx.now().into_std());
    }

    fn create_account(&self, ctx: &Ctx, name: &str, hash: Secret) {
        let reply = post(ctx);
        let Ok(name) = Name::restore(name) else {
            return reply(LoginAnswer::Busy);
        };
        let shown = Text::from(name.as_str());
        self.node
            .store
            .create_account(name, hash.0.clone(), move |made| {
                reply(match made {
                    Ok(AccountCreation::Created(id)) => {
                        let account = AccountFound {
                            id,
                            name: shown,
                            hash,
                            staff: false,
                        };
                        LoginAnswer::AccountCreated(Some(account))
                    }
                    Ok(AccountCreation::NameTaken) => LoginAnswer::AccountCreated(None),
                    Err(_) => LoginAnswer::Busy,
                });
            });
    }

    fn find_characters(&self, ctx: &Ctx, account: AccountId) {
        let reply = post(ctx);
        self.node.store.list_characters(account, move |found| {
            reply(found.map_or(LoginAnswer::Busy, |list| {
                let found = list.iter().map(|one| CharacterFound {
                    id: one.id,
                    name: Text::from(one.name.as_str()),
                });
                LoginAnswer::Characters(found.collect())
            }));
        });
    }

    fn create_character(&self, ctx: &Ctx, account: AccountId, name: &str) {
        let reply = post(ctx);
        let Ok(name) = Name::restore(name) else {
            return reply(LoginAnswer::Busy);
        };
        let shown = Text::from(name.as_str());
        self.node
            .store
            .create_character(account, name, String::new(), move |made| {
                reply(match made {
                    Ok(CharacterCreation::Created(id)) => {
                        LoginAnswer::CharacterCreated(Some(CharacterFound { id, name: shown }))
                    }
                    Ok(CharacterCreation::NameTaken | CharacterCreation::TooMany) => {
                        LoginAnswer::CharacterCreated(None)
                    }
                    Err(_) => LoginAnswer::Busy,
                });
            });
    }

    fn redeem(&self, ctx: &Ctx, token: &Secret) {
        let reply = post(ctx);
        let Ok(token) = ResumeToken::parse(&token.0) else {
            return reply(LoginAnswer::Redeemed(None));
        };
        let node = self.node.clone();
        self.node
            .store
            .redeem_token(token.hash(), move |found| match found {
                Ok(Some(Redeemed { account, character })) => {
                    let store = node.store.clone();
                    store.load_account_by_id(account, move |account| {
                        let Ok(Some(account)) = account else {
                            return reply(LoginAnswer::Redeemed(None));
                        };
                        if let Some(reason) = node.bans.account(&account.name) {
                            return reply(LoginAnswer::Banned(reason));
                        }
                        let found = CharacterFound {
                            id: character,
                            name: Text::from(""),
                        };
                        reply(LoginAnswer::Redeemed(Some((
                            account_found(&account),
                            found,
                        ))));
                    });
                }
                Ok(None) => reply(LoginAnswer::Redeemed(None)),
                Err(_) => reply(LoginAnswer::Busy),
            });
    }
}

fn account_found(record: &AccountRecord) -> AccountFound {
    AccountFound {
        id: record.id,
        name: Text::from(record.name.as_str()),
        hash: Secret(record.password_hash.clone()),
        staff: record.role == Role::Staff,
    }
}
