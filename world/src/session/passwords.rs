//! `[process]` Passwords and tokens: the work of the login pool for the dialogue and for a session
//! in play. No password is hashed here but there.

use super::body::{Phase, SessionBody};
use super::effect::StoreAnswer;
use super::process::{Ctx, SessionProcess, post};
use super::question::Secret;
use crate::account::{Name, PasswordCost, ResumeToken, SALT_BYTES, hash_password, verify_password};
use crate::event::{Event, LoginEvent, Text};
use crate::ids::LineId;
use crate::login::LoginAnswer;
use crate::ops::metrics::{self, LoginOutcome};
use crate::ring::{SessionMessage, Wake};
use crate::store::Redeemed;
use belay_runtime::{Busy, JobOutcome, Span, Ticket};
use std::time::Duration;

/// A worker of the login pool hashes a password.
static HASH: Span = Span::new("login.hash");

/// A login that is through before this is not told of a queue.
const PLACE_FIRST: Duration = Duration::from_millis(300);

/// How often who waits for the login pool is told a changed place.
const PLACE_EVERY: Duration = Duration::from_secs(1);

/// How long a resume token holds.
const TOKEN_LASTS: Duration = Duration::from_secs(24 * 3600);

impl SessionProcess {
    pub(super) fn verify(&mut self, ctx: &mut Ctx, hash: Secret, password: Secret) {
        let reply = post(ctx);
        let submitted = self.node.pool.submit(
            move || is_right(&password, &hash.0),
            move |outcome| {
                reply(match outcome {
                    JobOutcome::Done(right) => LoginAnswer::Verified(right),
                    JobOutcome::Crashed(_) | JobOutcome::Cancelled | JobOutcome::Expired => {
                        LoginAnswer::Busy
                    }
                });
            },
        );
        self.queued(ctx, submitted);
    }

    pub(super) fn hash(&mut self, ctx: &mut Ctx, password: Secret) {
        let reply = post(ctx);
        let cost = self.node.password_cost;
        let submitted = self.node.pool.submit(
            move || salted(&password, cost),
            move |outcome| {
                reply(match outcome {
                    JobOutcome::Done(Some(hash)) => LoginAnswer::Hashed(hash),
                    JobOutcome::Done(None)
                    | JobOutcome::Crashed(_)
                    | JobOutcome::Cancelled
                    | JobOutcome::Expired => LoginAnswer::Busy,
                });
            },
        );
        self.queued(ctx, submitted);
    }

    fn queued<J, D>(&mut self, ctx: &mut Ctx, submitted: Result<Ticket, Busy<J, D>>) {
        match submitted {
            Ok(ticket) => {
                self.ticket = Some((ticket, 0));
                ctx.send_after(PLACE_FIRST, SessionMessage::Wake(Wake::Queue));
            }
            Err(_) => {
                metrics::login_ended(LoginOutcome::Busy);
                post(ctx)(LoginAnswer::Busy);
            }
        }
    }

    /// Tells the place in the login queue, if it changed, and comes back later.
    pub(super) fn tell_place(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let Some((ticket, told)) = &mut self.ticket else {
            return;
        };
        let Some(place) = ticket.position().filter(|place| *place > 0) else {
            return;
        };
        if place != *told {
            *told = place;
            if matches!(body.phase, Phase::Login(_)) {
                body.show(Event::Login(LoginEvent::InLine(place)));
            }
        }
        ctx.send_after(PLACE_EVERY, SessionMessage::Wake(Wake::Queue));
    }

    /// Is this the account's password? For the dialogue of a session in play.
    pub(super) fn check_password(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        line: LineId,
        password: Secret,
    ) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let reply = stored(ctx, line);
        let Ok(name) = Name::restore(&state.identity.account_name) else {
            return reply(StoreAnswer::Failed);
        };
        let pool = self.node.pool.clone();
        self.node.store.load_account(name, move |found| {
            let Ok(Some(account)) = found else {
                return reply(StoreAnswer::Failed);
            };
            let hash = account.password_hash;
            let busy = reply.clone();
            let submitted = pool.submit(
                move || is_right(&password, &hash),
                move |outcome| {
                    reply(match outcome {
                        JobOutcome::Done(right) => StoreAnswer::PasswordChecked(right),
                        JobOutcome::Crashed(_) | JobOutcome::Cancelled | JobOutcome::Expired => {
                            StoreAnswer::Failed
                        }
                    });
                },
            );
            if submitted.is_err() {
                busy(StoreAnswer::Busy);
            }
        });
    }

    /// Hashes and records a new password.
    pub(super) fn set_password(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        line: LineId,
        password: Secret,
    ) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let reply = stored(ctx, line);
        let Some((account, _)) = state.identity.account else {
            return reply(StoreAnswer::Failed);
        };
        let (store, cost, busy) = (
            self.node.store.clone(),
            self.node.password_cost,
            reply.clone(),
        );
        let submitted = self.node.pool.submit(
            move || salted(&password, cost),
            move |outcome| {
                let JobOutcome::Done(Some(hash)) = outcome else {
                    return reply(StoreAnswer::Failed);
                };
                store.set_password(account, hash.0, move |set| {
                    reply(set.map_or(StoreAnswer::Failed, |()| StoreAnswer::PasswordSet));
                });
            },
        );
        if submitted.is_err() {
            busy(StoreAnswer::Busy);
        }
    }

    /// Makes a resume token and shows it once it is on record.
    pub(super) fn issue_token(&self, body: &SessionBody, ctx: &Ctx, line: LineId) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let reply = stored(ctx, line);
        let mut bytes = [0_u8; 16];
        let (Some((account, character)), Ok(())) =
            (state.identity.account, getrandom::fill(&mut bytes))
        else {
            return reply(StoreAnswer::Failed);
        };
        let token = ResumeToken::from_random(bytes);
        let text = Text::from(token.to_text());
        let holder = Redeemed { account, character };
        self.node
            .store
            .issue_token(token.hash(), holder, TOKEN_LASTS, move |issued| {
                reply(issued.map_or(StoreAnswer::Failed, |()| StoreAnswer::Token(text)));
            });
    }
}

fn stored(ctx: &Ctx, line: LineId) -> impl Fn(StoreAnswer) + Clone + Send + 'static {
    let address = ctx.address();
    move |answer| drop(address.try_send_owed(SessionMessage::Stored(line, answer)))
}

fn is_right(password: &Secret, hash: &str) -> bool {
    let _hash = HASH.enter();
    verify_password(&password.0, hash).unwrap_or(false)
}

fn salted(password: &Secret, cost: PasswordCost) -> Option<Secret> {
    let _hash = HASH.enter();
    let mut salt = [0_u8; SALT_BYTES];
    getrandom::fill(&mut salt).ok()?;
    hash_password(&password.0, &salt, cost).ok().map(Secret)
}
