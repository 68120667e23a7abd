//! `[pure]` The bytes of a line into text.

/// How sure we are of the client's charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The client said UTF-8: what is broken becomes U+FFFD.
    Utf8,
    /// Nobody said: a line that is not UTF-8 is Latin-1.
    Guess,
}

/// A decoded line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    /// Its text, without control characters but TAB.
    pub(super) text: String,
    /// It was no UTF-8 and was read as Latin-1.
    pub(super) was_latin1: bool,
}

/// Windows-1252 for 80..=9F; NUL where it has no character.
const WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Decodes a line. A line that was cut may end inside a character, which is dropped then.
pub(super) fn decode(mut bytes: Vec<u8>, cut: bool, reading: Reading) -> Decoded {
    if cut
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    let (mut text, was_latin1) = match (String::from_utf8(bytes), reading) {
        (Ok(text), _) => (text, false),
        (Err(error), Reading::Utf8) => (
            String::from_utf8_lossy(error.as_bytes()).into_owned(),
            false,
        ),
        (Err(error), Reading::Guess) => (
            error.as_bytes().iter().map(|byte| latin1(*byte)).collect(),
            true,
        ),
    };
    if text.contains(is_dropped) {
        text.retain(|c| !is_dropped(c));
    }
    Decoded { text, was_latin1 }
}

fn latin1(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252
            .get(usize::from(byte - 0x80))
            .copied()
            .unwrap_or('\0'),
        _ => char::from(byte),
    }
}

fn is_dropped(c: char) -> bool {
    c.is_control() && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], reading: Reading, expected: &str, was_latin1: bool) {
        let text = expected.to_owned();
        assert_eq!(
            decode(bytes.to_vec(), false, reading),
            Decoded { text, was_latin1 }
        );
    }

    #[test]
    fn utf8_wins_and_latin1_is_the_fallback() {
        check("Zoë 日".as_bytes(), Reading::Guess, "Zoë 日", false);
        check(b"Zo\xeb", Reading::Guess, "Zoë", true);
        check(b"\x93hi\x94 \x80\x81\xff", Reading::Guess, "“hi” €ÿ", true);
        check(b"Zo\xeb!", Reading::Utf8, "Zo\u{fffd}!", false);
        check(b"", Reading::Guess, "", false);
    }

    #[test]
    fn c1_controls_are_dropped() {
        check(
            "a\u{9b}31mb\u{85}\tc".as_bytes(),
            Reading::Utf8,
            "a31mb\tc",
            false,
        );
    }

    #[test]
    fn a_cut_never_leaves_half_a_character() {
        let whole = "ab日".as_bytes();
        for (length, expected) in [(2, "ab"), (3, "ab"), (4, "ab"), (5, "ab日")] {
            let decoded = decode(whole[..length].to_vec(), true, Reading::Guess);
            assert_eq!(
                decoded,
                Decoded {
                    text: expected.into(),
                    was_latin1: false
                }
            );
        }
    }
}
