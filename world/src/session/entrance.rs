//! `[process]` The login side of a session: the dialogue's effects go to the store and the login
//! pool, whose answers come back as messages. Nothing here waits, and no password is hashed here.

use super::body::{Phase, SessionBody};
use super::bucket::Bucket;
use super::effect::StoreAnswer;
use super::link;
use super::network;
use super::process::{Ctx, SessionProcess, post};
use super::question::Secret;
use super::state::{Held, Identity, PlayState};
use super::stored::from_stored;
use super::talk;
use crate::account::{Name, ResumeToken, SALT_BYTES, hash_password, verify_password};
use crate::being::{Card, Item, Journey};
use crate::bridge::limits::{TELLS_BURST, TELLS_PER_S};
use crate::command::Rights;
use crate::event::{Event, LoginEvent, Text};
use crate::ids::{AccountId, CharacterId, LineId};
use crate::limits;
use crate::login::{
    self, AccountFound, CharacterFound, Entering, LoginAnswer, LoginEffect, LoginState,
};
use crate::node::{Holder, Player, Services};
use crate::ops::metrics::{self, LoginOutcome};
use crate::ring::{Arrival, ConnectionMessage, SessionMessage, SessionPort, Wake};
use crate::store::{
    AccountCreation, AccountRecord, CharacterCreation, CharacterSheet, Redeemed, Role,
};
use belay_runtime::{Busy, ClaimError, JobOutcome, Span, Ticket};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A worker of the login pool hashes a password.
static HASH: Span = Span::new("login.hash");

/// How often a claim is tried while another session of the account makes way: longer than one may
/// take to end.
const CLAIM_TRIES_MAX: u16 = 120;

/// Between two tries.
const CLAIM_PAUSE: Duration = Duration::from_millis(200);

/// How long the holder of an account has to answer whether it takes a connection over.
const TAKE_OVER_PATIENCE: Duration = Duration::from_secs(2);

/// A login that is through before this is not told of a queue.
const PLACE_FIRST: Duration = Duration::from_millis(300);

/// How often who waits for the login pool is told a changed place.
const PLACE_EVERY: Duration = Duration::from_secs(1);

/// How long a resume token holds.
const TOKEN_LASTS: Duration = Duration::from_secs(24 * 3600);

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

    fn verify(&mut self, ctx: &mut Ctx, hash: Secret, password: Secret) {
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

    fn hash(&mut self, ctx: &mut Ctx, password: Secret) {
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

    /// One session per account: the first claim holds; another gets the session that holds it.
    fn claim(
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
                body.claim = Some(registration);
                return self.load(ctx, account, character);
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

    fn load(&self, ctx: &Ctx, account: AccountFound, character: CharacterFound) {
        let reply = post(ctx);
        let node = self.node.clone();
        self.node.store.touch_login(account.id, |_| {});
        self.node.store.load_character(character.id, move |sheet| {
            reply(match sheet {
                Ok(Some(sheet)) => LoginAnswer::Loaded(Box::new(entering(&node, &account, &sheet))),
                Ok(None) | Err(_) => LoginAnswer::Busy,
            });
        });
    }

    /// Into the game.
    fn enter(&mut self, body: &mut SessionBody, ctx: &mut Ctx, entering: Entering) {
        if !matches!(body.phase, Phase::Login(_)) {
            return;
        }
        let player = Arc::new(Player::new(entering.name.clone(), ctx.address()));
        if entering.account.is_none() {
            player.set_guest();
        }
        player.set_staff(entering.staff);
        match self.node.players.enter(&player, &ctx.process()) {
            Ok(entry) => body.entry = Some(entry),
            Err(_) => return self.end(body, ctx, Event::Login(LoginEvent::Busy)),
        }
        self.node.bridge.entered(&player);
        self.player = Some(player);
        let start = entering.room.filter(|room| self.node.rooms.is_open(*room));
        let start = start.or_else(|| self.node.start_room(self.id));
        metrics::login_ended(outcome(&entering));
        let (name, back) = (entering.name.clone(), entering.back);
        let settings = entering.settings.clone();
        body.phase = Phase::Playing(Box::new(self.play_state(ctx, entering)));
        body.tell(ConnectionMessage::Hide(false));
        body.tell(ConnectionMessage::LoggedIn);
        if settings.depth.is_some() {
            body.tell(ConnectionMessage::Color(settings.depth));
        }
        if settings.screen_reader.is_some() {
            body.tell(ConnectionMessage::ScreenReader(settings.screen_reader));
        }
        body.show_quietly(Event::Login(LoginEvent::Welcome { name, back }));
        if let Some(room) = start {
            self.play(body, ctx, |state, scene, out| {
                link::begin(state, scene, room, out)
            });
        }
        self.play(body, ctx, network::begin);
        self.play(body, ctx, talk::begin);
        if self.by_token {
            self.play(body, ctx, link::renew_token);
        }
    }

    fn play_state(&self, ctx: &Ctx, entering: Entering) -> PlayState {
        let now = ctx.now().into_std();
        let held = entering.items.iter().map(|item| Held {
            item: *item,
            recorded: None,
        });
        let rules = &self.node.play;
        PlayState {
            card: Arc::new(Card {
                name: entering.name.clone(),
                description: Text::from(format!("{} is here to play.", entering.name)),
                character: entering.account.map(|(_, character)| character),
                mob: None,
                away: false,
                linkdead: false,
            }),
            identity: Arc::new(Identity {
                session: self.id,
                name: entering.name,
                account: entering.account,
                account_name: entering.account_name,
            }),
            rights: Rights {
                staff: entering.staff,
            },
            journey: Journey::new(),
            asks: smallvec::SmallVec::new(),
            line: LineId(0),
            inventory: Arc::new(held.collect()),
            away: None,
            reply_to: None,
            question: None,
            bucket: Bucket::new(rules.commands_per_s, rules.commands_burst, now),
            talk: Bucket::new(limits::TALK_PER_S, limits::TALK_BURST, now),
            told: Bucket::new(TELLS_PER_S, TELLS_BURST, now),
            since: now,
            played_s: entering.played_s,
            settings: entering.settings,
            save_due: None,
            linkdead_due: None,
            adrift_due: None,
            ending: None,
        }
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

fn salted(password: &Secret, cost: crate::account::PasswordCost) -> Option<Secret> {
    let _hash = HASH.enter();
    let mut salt = [0_u8; SALT_BYTES];
    getrandom::fill(&mut salt).ok()?;
    hash_password(&password.0, &salt, cost).ok().map(Secret)
}

fn account_found(record: &AccountRecord) -> AccountFound {
    AccountFound {
        id: record.id,
        name: Text::from(record.name.as_str()),
        hash: Secret(record.password_hash.clone()),
        staff: record.role == Role::Staff,
    }
}

fn outcome(entering: &Entering) -> LoginOutcome {
    match (entering.account, entering.back) {
        (None, _) => LoginOutcome::Guest,
        (Some(_), true) => LoginOutcome::Account,
        (Some(_), false) => LoginOutcome::Created,
    }
}

fn guest(name: Text) -> Entering {
    Entering {
        account_name: name.clone(),
        name,
        account: None,
        staff: false,
        room: None,
        items: Vec::new(),
        settings: super::state::Settings::default(),
        played_s: 0,
        back: false,
    }
}

fn entering(node: &Services, account: &AccountFound, sheet: &CharacterSheet) -> Entering {
    let character = &sheet.character;
    let known = sheet.items.iter().filter_map(|item| {
        Some(Item {
            id: item.id,
            prototype: node.world.item_id(&item.prototype)?,
        })
    });
    Entering {
        name: Text::from(character.name.as_str()),
        account: Some((account.id, character.id)) as Option<(AccountId, CharacterId)>,
        account_name: account.name.clone(),
        staff: account.staff,
        room: node.world.room_id(&character.room_key),
        items: known.collect(),
        settings: from_stored(&character.settings),
        played_s: u64::try_from(character.score.played_seconds).unwrap_or(0),
        back: !character.room_key.is_empty(),
    }
}
