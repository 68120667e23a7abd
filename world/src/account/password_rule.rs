//! `[pure]` What a new password may be.

use std::fmt;

use super::limits::{PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN};
use super::name::Name;

/// A password that satisfies the rules. It never prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Password {
    text: Box<str>,
}

impl Password {
    /// Checks a new password for the account `name`.
    ///
    /// # Errors
    /// The rule that the text breaks; all are **refused**: tell the player.
    pub fn parse(text: &str, name: &Name) -> Result<Self, PasswordError> {
        // One more than the bound is enough to know, however long the text is.
        let characters = text.chars().take(PASSWORD_CHARACTERS_MAX + 1).count();
        if characters < PASSWORD_CHARACTERS_MIN {
            return Err(PasswordError::TooShort);
        }
        if characters > PASSWORD_CHARACTERS_MAX {
            return Err(PasswordError::TooLong);
        }
        if text.eq_ignore_ascii_case(name.as_str()) {
            return Err(PasswordError::IsTheName);
        }
        Ok(Self { text: text.into() })
    }

    /// The text, for hashing.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Why a text is no password. All are **refused**: tell the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Fewer than [`PASSWORD_CHARACTERS_MIN`] characters.
    #[error("a password has at least {PASSWORD_CHARACTERS_MIN} characters")]
    TooShort,
    /// More than [`PASSWORD_CHARACTERS_MAX`] characters.
    #[error("a password has at most {PASSWORD_CHARACTERS_MAX} characters")]
    TooLong,
    /// The name of the account in any case.
    #[error("a password must not be the name")]
    IsTheName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_length_in_characters_and_refuses_the_name() {
        let name = Name::parse("Annabelle").unwrap();
        let check = |text: &str, expected: Result<(), PasswordError>| {
            assert_eq!(Password::parse(text, &name).map(|_| ()), expected, "{text}");
        };
        check("1234567", Err(PasswordError::TooShort));
        check("12345678", Ok(()));
        check("\u{e9}\u{e9}\u{e9}\u{e9}", Err(PasswordError::TooShort));
        check(&"x".repeat(128), Ok(()));
        check(&"x".repeat(129), Err(PasswordError::TooLong));
        check(&"\u{e9}".repeat(128), Ok(()));
        check("annaBELLE", Err(PasswordError::IsTheName));
        check("annabelle1", Ok(()));
    }

    #[test]
    fn does_not_print_itself() {
        let name = Name::parse("Ann").unwrap();
        let password = Password::parse("open sesame", &name).unwrap();
        assert_eq!(format!("{password:?}"), "Password(..)");
        assert_eq!(password.expose(), "open sesame");
    }
}
