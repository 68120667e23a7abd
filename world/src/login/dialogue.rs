//! `[pure]` The steps of the login dialogue.

use super::effect::{AccountFound, CharacterFound, LoginAnswer, LoginEffect, LoginEffects};
use crate::account::{Name, Password};
use crate::event::{Event, LoginEvent, SystemEvent, Text};
use crate::session::Secret;

/// What the operator set.
#[derive(Clone, Copy, Debug)]
pub struct LoginRules {
    /// Guests are let in.
    pub guests: bool,
    /// Wrong passwords on one connection; then it is closed.
    pub failures_max: u8,
    /// Characters of one account.
    pub characters_max: usize,
}

/// Where the dialogue stands.
#[derive(Clone, Debug, Default, PartialEq)]
enum Stage {
    /// Nothing was said yet.
    #[default]
    Silent,
    /// Waits for a name.
    Name,
    /// The store looks for this account.
    Finding(Text),
    /// Waits for yes or no: create it?
    Create(Text),
    /// Waits for the first password of a new account.
    NewPassword(Text),
    /// Waits for it again.
    Repeat(Text, Secret),
    /// The pool hashes.
    Hashing(Text),
    /// The store makes the account.
    Creating(Text),
    /// Waits for the password.
    Password(AccountFound),
    /// The limiter is asked whether this may be tried.
    Asking(AccountFound, Secret),
    /// The pool verifies.
    Verifying(AccountFound),
    /// The store looks for characters.
    Listing(AccountFound),
    /// Waits for the choice of a character.
    Choose(AccountFound, Vec<CharacterFound>),
    /// Waits for the name of a new character.
    CharacterName(AccountFound),
    /// The store makes it, with this name.
    Making(AccountFound, Text),
    /// The store looks for the token.
    Redeeming,
    /// The claim and the load are on their way.
    Entering,
}

/// The state of a login.
#[derive(Clone, Debug, Default)]
pub struct LoginState {
    stage: Stage,
    failures: u8,
}

impl LoginState {
    /// The account whose password is being verified.
    pub fn verifying(&self) -> Option<&str> {
        if let Stage::Verifying(account) = &self.stage {
            return Some(&account.name);
        }
        None
    }

    /// Whether a line can be handled now; else it waits for an answer first.
    pub fn ready(&self) -> bool {
        match self.stage {
            Stage::Name
            | Stage::Create(_)
            | Stage::NewPassword(_)
            | Stage::Repeat(..)
            | Stage::Password(_)
            | Stage::Choose(..)
            | Stage::CharacterName(_) => true,
            Stage::Silent
            | Stage::Finding(_)
            | Stage::Hashing(_)
            | Stage::Creating(_)
            | Stage::Asking(..)
            | Stage::Verifying(_)
            | Stage::Listing(_)
            | Stage::Making(..)
            | Stage::Redeeming
            | Stage::Entering => false,
        }
    }
}

/// The connection is there.
pub fn start(state: &mut LoginState, rules: &LoginRules, out: &mut LoginEffects) {
    show(out, LoginEvent::Greeting);
    ask_name(state, rules, out);
}

/// A line was typed.
pub fn typed(state: &mut LoginState, rules: &LoginRules, text: &str, out: &mut LoginEffects) {
    let text = text.trim();
    if !state.ready() {
        return;
    }
    match std::mem::take(&mut state.stage) {
        Stage::Name => name(state, rules, text, out),
        Stage::Create(name) => create(state, rules, name, text, out),
        Stage::NewPassword(name) => new_password(state, name, text, out),
        Stage::Repeat(name, first) => repeat(state, name, first, text, out),
        Stage::Password(account) => {
            out.push(LoginEffect::Hide(false));
            out.push(LoginEffect::MayTry(account.name.clone()));
            state.stage = Stage::Asking(account, Secret(text.to_owned()));
        }
        Stage::Choose(account, list) => choose(state, rules, (account, list), text, out),
        Stage::CharacterName(account) => character_name(state, account, text, out),
        waiting @ (Stage::Silent
        | Stage::Finding(_)
        | Stage::Hashing(_)
        | Stage::Creating(_)
        | Stage::Asking(..)
        | Stage::Verifying(_)
        | Stage::Listing(_)
        | Stage::Making(..)
        | Stage::Redeeming
        | Stage::Entering) => state.stage = waiting,
    }
}

/// An answer came. [`LoginAnswer::Loaded`] ends the dialogue and is not for it.
pub fn step(
    state: &mut LoginState,
    rules: &LoginRules,
    answer: LoginAnswer,
    out: &mut LoginEffects,
) {
    match answer {
        LoginAnswer::Banned(reason) => {
            return out.push(LoginEffect::Close(Event::Login(LoginEvent::Banned(reason))));
        }
        LoginAnswer::InLine(place) => {
            if matches!(state.stage, Stage::Hashing(_) | Stage::Verifying(_)) {
                show(out, LoginEvent::InLine(place));
            }
            return;
        }
        LoginAnswer::Busy => {
            return out.push(LoginEffect::Close(Event::Login(LoginEvent::Busy)));
        }
        LoginAnswer::Account(_)
        | LoginAnswer::Wait(_)
        | LoginAnswer::Verified(_)
        | LoginAnswer::Hashed(_)
        | LoginAnswer::AccountCreated(_)
        | LoginAnswer::Characters(_)
        | LoginAnswer::CharacterCreated(_)
        | LoginAnswer::Redeemed(_)
        | LoginAnswer::Loaded(_) => {}
    }
    expected(state, rules, answer, out);
}

/// The answer that the stage waits for.
fn expected(
    state: &mut LoginState,
    rules: &LoginRules,
    answer: LoginAnswer,
    out: &mut LoginEffects,
) {
    match (std::mem::take(&mut state.stage), answer) {
        (Stage::Finding(name), LoginAnswer::Account(found)) => match found {
            Some(account) => {
                state.stage = Stage::Password(account);
                out.push(LoginEffect::Hide(true));
                show(out, LoginEvent::AskPassword);
            }
            None => ask_create(state, rules, name, out),
        },
        (Stage::Asking(account, password), LoginAnswer::Wait(0)) => {
            out.push(LoginEffect::Clock { running: false });
            out.push(LoginEffect::Verify(account.hash.clone(), password));
            state.stage = Stage::Verifying(account);
        }
        (Stage::Verifying(_), LoginAnswer::Wait(seconds)) => {
            out.push(LoginEffect::Clock { running: true });
            show(out, LoginEvent::SlowDown(seconds));
            ask_name(state, rules, out);
        }
        (Stage::Asking(..), LoginAnswer::Wait(seconds)) => {
            show(out, LoginEvent::SlowDown(seconds));
            ask_name(state, rules, out);
        }
        (Stage::Verifying(account), LoginAnswer::Verified(right)) => {
            out.push(LoginEffect::Clock { running: true });
            verified(state, rules, account, right, out);
        }
        (Stage::Hashing(name), LoginAnswer::Hashed(hash)) => {
            out.push(LoginEffect::Clock { running: true });
            out.push(LoginEffect::CreateAccount(name.clone(), hash));
            state.stage = Stage::Creating(name);
        }
        (Stage::Creating(name), LoginAnswer::AccountCreated(made)) => match made {
            Some(account) => ask_character_name(state, account, out),
            None => {
                show(out, LoginEvent::NameTaken(name));
                ask_name(state, rules, out);
            }
        },
        (Stage::Listing(account), LoginAnswer::Characters(list)) => {
            listed(state, account, list, out);
        }
        (Stage::Making(account, name), LoginAnswer::CharacterCreated(made)) => match made {
            Some(character) => claim(state, account, character, out),
            None => {
                show(out, LoginEvent::NameTaken(name));
                ask_character_name(state, account, out);
            }
        },
        (Stage::Redeeming, LoginAnswer::Redeemed(found)) => match found {
            Some((account, character)) => claim(state, account, character, out),
            None => {
                show(out, LoginEvent::BadToken);
                ask_name(state, rules, out);
            }
        },
        // An answer to a question that is no longer asked.
        (stage, _) => state.stage = stage,
    }
}

fn name(state: &mut LoginState, rules: &LoginRules, text: &str, out: &mut LoginEffects) {
    let lower = text.to_ascii_lowercase();
    if let Some(token) = lower.strip_prefix("resume ") {
        out.push(LoginEffect::Redeem(Secret(token.trim().to_owned())));
        state.stage = Stage::Redeeming;
        return;
    }
    match &*lower {
        "" => ask_name(state, rules, out),
        "quit" => {
            let bye = SystemEvent::Goodbye("Goodbye.".into());
            out.push(LoginEffect::Close(Event::System(bye)));
        }
        "screenreader" => {
            out.push(LoginEffect::ScreenReader);
            out.push(LoginEffect::Show(Event::Did(
                crate::event::Did::ScreenReader(true),
            )));
            ask_name(state, rules, out);
        }
        "guest" if rules.guests => {
            out.push(LoginEffect::EnterGuest);
            state.stage = Stage::Entering;
        }
        "guest" => {
            show(out, LoginEvent::NoGuests);
            ask_name(state, rules, out);
        }
        _ => match Name::parse(text) {
            Ok(name) => {
                let name = Text::from(name.as_str());
                out.push(LoginEffect::FindAccount(name.clone()));
                state.stage = Stage::Finding(name);
            }
            Err(why) => {
                show(out, LoginEvent::BadName(why.to_string().into()));
                ask_name(state, rules, out);
            }
        },
    }
}

fn ask_create(state: &mut LoginState, rules: &LoginRules, name: Text, out: &mut LoginEffects) {
    match Name::parse(&name) {
        Ok(_) => {
            show(out, LoginEvent::AskCreate(name.clone()));
            state.stage = Stage::Create(name);
        }
        Err(why) => {
            show(out, LoginEvent::BadName(why.to_string().into()));
            ask_name(state, rules, out);
        }
    }
}

fn create(
    state: &mut LoginState,
    rules: &LoginRules,
    name: Text,
    text: &str,
    out: &mut LoginEffects,
) {
    match &*text.to_ascii_lowercase() {
        "y" | "yes" => ask_new_password(state, name, out),
        "n" | "no" => ask_name(state, rules, out),
        _ => {
            show(out, LoginEvent::YesOrNo);
            show(out, LoginEvent::AskCreate(name.clone()));
            state.stage = Stage::Create(name);
        }
    }
}

fn ask_new_password(state: &mut LoginState, name: Text, out: &mut LoginEffects) {
    out.push(LoginEffect::Hide(true));
    show(out, LoginEvent::AskNewPassword);
    state.stage = Stage::NewPassword(name);
}

fn new_password(state: &mut LoginState, name: Text, text: &str, out: &mut LoginEffects) {
    out.push(LoginEffect::Hide(false));
    match good_password(text, &name) {
        Ok(()) => {
            out.push(LoginEffect::Hide(true));
            show(out, LoginEvent::AskRepeat);
            state.stage = Stage::Repeat(name, Secret(text.to_owned()));
        }
        Err(why) => {
            show(out, LoginEvent::BadPassword(why));
            ask_new_password(state, name, out);
        }
    }
}

fn repeat(state: &mut LoginState, name: Text, first: Secret, text: &str, out: &mut LoginEffects) {
    out.push(LoginEffect::Hide(false));
    if first.0 == text {
        out.push(LoginEffect::Clock { running: false });
        out.push(LoginEffect::Hash(first));
        state.stage = Stage::Hashing(name);
    } else {
        show(out, LoginEvent::PasswordsDiffer);
        ask_new_password(state, name, out);
    }
}

fn verified(
    state: &mut LoginState,
    rules: &LoginRules,
    account: AccountFound,
    right: bool,
    out: &mut LoginEffects,
) {
    if right {
        out.push(LoginEffect::FindCharacters(account.id));
        state.stage = Stage::Listing(account);
        return;
    }
    out.push(LoginEffect::Failed(account.name));
    state.failures = state.failures.saturating_add(1);
    if state.failures >= rules.failures_max {
        return out.push(LoginEffect::Close(Event::Login(LoginEvent::Wrong)));
    }
    show(out, LoginEvent::Wrong);
    ask_name(state, rules, out);
}

fn listed(
    state: &mut LoginState,
    account: AccountFound,
    list: Vec<CharacterFound>,
    out: &mut LoginEffects,
) {
    if list.is_empty() {
        return ask_character_name(state, account, out);
    }
    // Also when there is but one: here is where another one is made.
    ask_character(state, account, list, out);
}

fn ask_character(
    state: &mut LoginState,
    account: AccountFound,
    list: Vec<CharacterFound>,
    out: &mut LoginEffects,
) {
    let names = list.iter().map(|one| one.name.clone()).collect();
    show(out, LoginEvent::AskCharacter(names));
    state.stage = Stage::Choose(account, list);
}

fn choose(
    state: &mut LoginState,
    rules: &LoginRules,
    (account, list): (AccountFound, Vec<CharacterFound>),
    text: &str,
    out: &mut LoginEffects,
) {
    if text.eq_ignore_ascii_case("new") && list.len() < rules.characters_max {
        return ask_character_name(state, account, out);
    }
    let number = match text {
        "" => Ok(1),
        number => number.parse::<usize>(),
    };
    let by_number = number
        .ok()
        .and_then(|number| list.get(number.wrapping_sub(1)));
    let chosen = by_number.or_else(|| list.iter().find(|one| one.name.eq_ignore_ascii_case(text)));
    match chosen.cloned() {
        Some(character) => claim(state, account, character, out),
        None => {
            show(out, LoginEvent::NoSuchCharacter);
            ask_character(state, account, list, out);
        }
    }
}

fn ask_character_name(state: &mut LoginState, account: AccountFound, out: &mut LoginEffects) {
    show(out, LoginEvent::AskCharacterName);
    state.stage = Stage::CharacterName(account);
}

fn character_name(
    state: &mut LoginState,
    account: AccountFound,
    text: &str,
    out: &mut LoginEffects,
) {
    let wanted = if text.is_empty() { &account.name } else { text };
    match Name::parse(wanted) {
        Ok(name) => {
            let name = Text::from(name.as_str());
            out.push(LoginEffect::CreateCharacter(account.id, name.clone()));
            state.stage = Stage::Making(account, name);
        }
        Err(why) => {
            show(out, LoginEvent::BadName(why.to_string().into()));
            ask_character_name(state, account, out);
        }
    }
}

fn claim(
    state: &mut LoginState,
    account: AccountFound,
    character: CharacterFound,
    out: &mut LoginEffects,
) {
    out.push(LoginEffect::Claim(Box::new(account), character));
    state.stage = Stage::Entering;
}

fn ask_name(state: &mut LoginState, rules: &LoginRules, out: &mut LoginEffects) {
    show(
        out,
        LoginEvent::AskName {
            guests: rules.guests,
        },
    );
    state.stage = Stage::Name;
}

fn show(out: &mut LoginEffects, event: LoginEvent) {
    out.push(LoginEffect::Show(Event::Login(event)));
}

/// Whether a new password can be used, or why not.
pub(crate) fn good_password(text: &str, name: &str) -> Result<(), Text> {
    let name = Name::restore(name).map_err(|why| Text::from(why.to_string()))?;
    match Password::parse(text, &name) {
        Ok(_) => Ok(()),
        Err(why) => Err(Text::from(why.to_string())),
    }
}
