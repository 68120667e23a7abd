//! `[pure]` Resume tokens: 128 random bits that let a client take its session back without
//! password.
//!
//! The client keeps the text, storage keeps only the hash. A token has the full strength of its
//! random bits, so a plain SHA-256 is enough: there is nothing to guess that salt would protect.

use std::fmt;

use sha2::{Digest, Sha256};

/// Bytes of a token; 128 bits.
pub const TOKEN_BYTES: usize = 16;

/// Letters of the text form: five bits each.
const TEXT_LETTERS: usize = 26;

/// Lower-case base32 (RFC 4648).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A resume token as its client holds it. It never prints: ask for [`ResumeToken::to_text`].
#[derive(Clone, PartialEq, Eq)]
pub struct ResumeToken {
    bytes: [u8; TOKEN_BYTES],
}

impl ResumeToken {
    /// Makes a token of bytes fresh from the system's random source.
    pub const fn from_random(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self { bytes }
    }

    /// The text form: 26 letters and digits of lower-case base32.
    pub fn to_text(&self) -> String {
        let value = u128::from_be_bytes(self.bytes);
        let letter = |index: usize| {
            // The last letter carries the three bits that are left, padded with zeros as in base32.
            let shift = 123 - 5 * i32::try_from(index).unwrap_or(0);
            let five = if shift >= 0 {
                value >> shift
            } else {
                value << -shift
            } & 31;
            let place = usize::try_from(five).unwrap_or(0);
            char::from(ALPHABET.get(place).copied().unwrap_or(b'a'))
        };
        (0..TEXT_LETTERS).map(letter).collect()
    }

    /// Reads the text form, in any case; hyphens and blanks between the letters do not count.
    ///
    /// # Errors
    /// [`ParseTokenError`] (**refused**) when the text is not the whole of a token.
    pub fn parse(text: &str) -> Result<Self, ParseTokenError> {
        let mut value: u128 = 0;
        let mut letters = 0;
        for byte in text.bytes().filter(|byte| !matches!(byte, b'-' | b' ')) {
            let lower = byte.to_ascii_lowercase();
            let place = ALPHABET.iter().position(|letter| *letter == lower);
            let five = place
                .and_then(|place| u128::try_from(place).ok())
                .ok_or(ParseTokenError)?;
            letters += 1;
            value = match letters {
                1..TEXT_LETTERS => (value << 5) | five,
                // Two bits of the last letter are padding and must be zero: one text per token.
                TEXT_LETTERS if five & 3 == 0 => (value << 3) | (five >> 2),
                _ => return Err(ParseTokenError),
            };
        }
        if letters != TEXT_LETTERS {
            return Err(ParseTokenError);
        }
        Ok(Self {
            bytes: value.to_be_bytes(),
        })
    }

    /// What storage keeps.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.bytes).into())
    }
}

impl fmt::Debug for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeToken(..)")
    }
}

/// The SHA-256 of a resume token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Lower-case hexadecimal, as it is stored.
    pub fn to_hex(&self) -> String {
        use fmt::Write as _;
        self.0
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                // Writing to a string cannot fail.
                write!(text, "{byte:02x}").ok();
                text
            })
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

/// The text is not a resume token. **Refused**: tell the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a resume token")]
pub struct ParseTokenError;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn matches_known_base32() {
        let token = ResumeToken::from_random(*b"0123456789abcdef");
        assert_eq!(token.to_text(), "gaytemzugu3doobzmfrggzdfmy");
        assert_eq!(
            ResumeToken::parse("GAYT-EMZU-GU3D-OOBZ-MFRG-GZDF-MY"),
            Ok(token)
        );
    }

    #[test]
    fn refuses_what_is_not_the_whole_of_one_token() {
        let whole = "gaytemzugu3doobzmfrggzdfmy";
        for text in [
            "",
            "a",
            &whole[1..],
            &format!("{whole}a"),
            "gaytemzugu3doobzmfrggzdfmz",
            "1",
        ] {
            assert_eq!(ResumeToken::parse(text), Err(ParseTokenError), "{text}");
        }
        assert_eq!(
            ResumeToken::parse(&"a".repeat(10_000)),
            Err(ParseTokenError)
        );
    }

    #[test]
    fn hash_is_sha256_and_neither_prints() {
        let token = ResumeToken::from_random([0; 16]);
        let hash = token.hash();
        assert_eq!(
            hash.to_hex(),
            "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb"
        );
        assert_eq!(format!("{token:?}{hash:?}"), "ResumeToken(..)TokenHash(..)");
    }

    proptest! {
        #[test]
        fn every_token_comes_back_from_its_text(bytes: [u8; 16]) {
            let token = ResumeToken::from_random(bytes);
            let text = token.to_text();
            prop_assert_eq!(text.len(), TEXT_LETTERS);
            prop_assert_eq!(ResumeToken::parse(&text), Ok(token));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            ResumeToken::parse(&text).ok();
        }
    }
}
