//! `[pure]` How a bot gets in: what to type at each prompt until the world opens.
//!
//! ```text
//! Name ─guest→ ……………………………………………………………………………………………→ Welcome + prompt = in
//! Name ─NAME→ Create ─yes→ NewPassword → RepeatPassword → (in line) → CharacterName ─Enter→ in
//!          └→ Password → (in line) → [WhichCharacter ─1→] in
//! ```
//! A prompt that comes a second time says that the answer was refused.

use std::fmt;

use crate::dialogue::{self, Prompt};
use crate::tail::Heard;

/// As whom a bot logs in.
#[derive(Clone, PartialEq, Eq)]
pub enum Who {
    /// A guest; the node chooses the name.
    Guest,
    /// An account; it is created when the node does not know it.
    Account {
        /// Letters only; also the name of the first character.
        name: String,
        /// The password, for the new account as well.
        password: String,
    },
    /// Whose session the node gave this resume token for.
    Token(String),
}

impl fmt::Debug for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guest => f.write_str("Guest"),
            Self::Account { name, .. } => write!(f, "Account({name})"),
            Self::Token(_) => f.write_str("Token"),
        }
    }
}

/// Why a login came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Failure {
    /// The node takes nobody just now; worth another attempt.
    #[error("busy")]
    Busy,
    /// The account's or the character's name was refused (refused).
    #[error("name refused")]
    NameRefused,
    /// Name and password do not belong together (refused).
    #[error("wrong password")]
    WrongPassword,
    /// The node does not take this password for a new account (refused).
    #[error("password refused")]
    PasswordRefused,
    /// The node does not take this resume token (refused).
    #[error("token refused")]
    TokenRefused,
}

/// What to do after a piece of the node's text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing yet.
    Wait,
    /// Type this line.
    Type(String),
    /// In the world.
    In,
    /// Not in, and this connection will not get in.
    Failed(Failure),
}

/// The login of one connection.
#[derive(Debug)]
pub(crate) struct Login {
    who: Who,
    asked: Vec<Prompt>,
    wrong: bool,
    welcomed: Option<(String, bool)>,
    place: Option<u32>,
    place_rises: u32,
}

impl Login {
    /// A login that has not yet heard the first prompt.
    pub(crate) fn new(who: Who) -> Self {
        Self {
            who,
            asked: Vec::new(),
            wrong: false,
            welcomed: None,
            place: None,
            place_rises: 0,
        }
    }

    /// The name the node gave, and whether it was a return; once in.
    pub(crate) fn welcomed(&self) -> Option<&(String, bool)> {
        self.welcomed.as_ref()
    }

    /// Whether the node told a place in its queue.
    pub(crate) fn was_in_line(&self) -> bool {
        self.place.is_some()
    }

    /// Whether the node may be silent for long: a password is being hashed, maybe in a queue.
    pub(crate) fn is_patient(&self) -> bool {
        self.asked
            .iter()
            .any(|asked| matches!(asked, Prompt::Password | Prompt::RepeatPassword))
    }

    /// How often the told place was worse than the one before: must be 0 in a fair queue.
    pub(crate) fn place_rises(&self) -> u32 {
        self.place_rises
    }

    /// Takes one piece of text.
    pub(crate) fn step(&mut self, heard: Heard<'_>) -> Step {
        match heard {
            Heard::Line(line) => self.line(&String::from_utf8_lossy(line)),
            Heard::Prompt(text) => self.prompt(&String::from_utf8_lossy(text)),
        }
    }

    fn line(&mut self, line: &str) -> Step {
        if line.starts_with(dialogue::BUSY) {
            return Step::Failed(Failure::Busy);
        }
        if line.starts_with(dialogue::WRONG_PASSWORD) {
            self.wrong = true;
        }
        if let Some(place) = dialogue::place_in_line(line) {
            self.place_rises += u32::from(self.place.is_some_and(|before| before < place));
            self.place = Some(place);
        }
        if !self.asked.is_empty()
            && let Some((name, back)) = dialogue::welcome(line)
        {
            self.welcomed = Some((name.to_owned(), back));
        }
        Step::Wait
    }

    fn prompt(&mut self, text: &str) -> Step {
        let prompt = dialogue::prompt(text);
        if prompt == Prompt::Other {
            return Step::Wait;
        }
        if prompt == Prompt::Play || self.welcomed.is_some() {
            return Step::In;
        }
        if self.asked.contains(&prompt) {
            return Step::Failed(self.refused(prompt));
        }
        self.asked.push(prompt);
        Step::Type(self.answer(prompt))
    }

    /// What a prompt that is asked again says about the answer before.
    fn refused(&self, prompt: Prompt) -> Failure {
        match prompt {
            Prompt::Password => Failure::WrongPassword,
            Prompt::NewPassword | Prompt::RepeatPassword => Failure::PasswordRefused,
            Prompt::Name if matches!(self.who, Who::Token(_)) => Failure::TokenRefused,
            Prompt::Name if self.wrong => Failure::WrongPassword,
            Prompt::Name
            | Prompt::Create
            | Prompt::CharacterName
            | Prompt::WhichCharacter
            | Prompt::Play
            | Prompt::Other => Failure::NameRefused,
        }
    }

    fn answer(&self, prompt: Prompt) -> String {
        let (name, password) = match &self.who {
            Who::Guest => (dialogue::GUEST, ""),
            Who::Account { name, password } => (name.as_str(), password.as_str()),
            Who::Token(token) if prompt == Prompt::Name => {
                return format!("{} {token}", dialogue::RESUME);
            }
            Who::Token(_) => ("", ""),
        };
        let answer = match prompt {
            Prompt::Name => name,
            Prompt::Create => dialogue::YES,
            Prompt::NewPassword | Prompt::RepeatPassword | Prompt::Password => password,
            Prompt::WhichCharacter => dialogue::FIRST_CHARACTER,
            Prompt::CharacterName | Prompt::Play | Prompt::Other => "",
        };
        answer.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a script: `<` a line, `?` a prompt, `>` what the bot must type at the prompt before.
    fn check(who: Who, script: &[&str], expected: &Step) -> Login {
        let mut login = Login::new(who);
        let mut last = Step::Wait;
        for entry in script {
            let (kind, text) = entry.split_at(1);
            match kind {
                "<" => last = login.step(Heard::Line(text.as_bytes())),
                "?" => last = login.step(Heard::Prompt(text.as_bytes())),
                _ => assert_eq!(last, Step::Type(text.to_owned())),
            }
        }
        assert_eq!(&last, expected);
        login
    }

    fn ann() -> Who {
        Who::Account {
            name: "Ann".into(),
            password: "secret".into(),
        }
    }

    const NAME: &str = "?Name (or \"guest\"): ";

    #[test]
    fn a_guest_gets_in() {
        let script = [
            "<Welcome to Belay.",
            NAME,
            ">guest",
            "<Welcome, Guest12.",
            "<Hall",
            "?> ",
        ];
        let login = check(Who::Guest, &script, &Step::In);
        assert!(!login.is_patient());
        assert_eq!(login.welcomed(), Some(&("Guest12".to_owned(), false)));
    }

    #[test]
    fn a_new_account_is_created_and_waits_in_line() {
        let script = [
            NAME,
            ">Ann",
            "?There is no account named Ann. Create it? (yes/no): ",
            ">yes",
            "?New password: ",
            ">secret",
            "?Repeat the password: ",
            ">secret",
            "<You are number 12 in line.",
            "<You are number 3 in line.",
            "?Character name: ",
            ">",
            "<Welcome, Ann.",
            "?> ",
        ];
        let login = check(ann(), &script, &Step::In);
        assert!(login.is_patient());
        assert!(login.was_in_line());
        assert_eq!(login.place_rises(), 0);
    }

    #[test]
    fn a_known_account_comes_back() {
        let script = [
            NAME,
            ">Ann",
            "?Password: ",
            ">secret",
            "<Characters: 1. Ann",
            "?Which (number or name, or \"new\"): ",
            ">1",
            "<Welcome back, Ann.",
            "?> ",
        ];
        let login = check(ann(), &script, &Step::In);
        assert_eq!(login.welcomed(), Some(&("Ann".to_owned(), true)));
    }

    #[test]
    fn a_token_leads_in_or_is_refused() {
        let token = Who::Token("abc".into());
        assert_eq!(format!("{token:?}"), "Token");
        let back = [NAME, ">resume abc", "<Welcome back, Ann.", "?> "];
        let login = check(token.clone(), &back, &Step::In);
        assert_eq!(login.welcomed(), Some(&("Ann".to_owned(), true)));
        let used = [NAME, "<That token is unknown, used or too old.", NAME];
        check(token, &used, &Step::Failed(Failure::TokenRefused));
    }

    #[test]
    fn refusals_have_their_causes() {
        let wrong = [
            NAME,
            "?Password: ",
            "<That name or password is wrong.",
            NAME,
        ];
        check(ann(), &wrong, &Step::Failed(Failure::WrongPassword));
        let reserved = [NAME, "<That name is reserved.", NAME];
        check(ann(), &reserved, &Step::Failed(Failure::NameRefused));
        let short = [
            NAME,
            "?Create it? (yes/no): ",
            "?New password: ",
            "?New password: ",
        ];
        check(ann(), &short, &Step::Failed(Failure::PasswordRefused));
        check(
            ann(),
            &["<Busy, try again later."],
            &Step::Failed(Failure::Busy),
        );
    }

    #[test]
    fn a_place_that_gets_worse_is_counted() {
        let mut login = Login::new(ann());
        for place in [5, 3, 4, 2] {
            login.step(Heard::Line(
                format!("You are number {place} in line.").as_bytes(),
            ));
        }
        assert_eq!(login.place_rises(), 1);
    }
}
