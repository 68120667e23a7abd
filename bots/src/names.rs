//! `[pure]` Names of bots: letters only, as the node wants them.

use crate::limits::{NAME_NUMBER_LETTERS, NAMES_PER_PREFIX};

/// The name of bot `number`: the prefix and the number in letters, `Bot` and 27 give `Botaabb`.
///
/// Numbers from 26^4 on start again at `aaaa`.
#[must_use]
pub fn letters(prefix: &str, number: u32) -> String {
    let mut rest = number % NAMES_PER_PREFIX;
    let mut tail = [b'a'; NAME_NUMBER_LETTERS];
    for letter in tail.iter_mut().rev() {
        *letter += u8::try_from(rest % 26).unwrap_or(0);
        rest /= 26;
    }
    prefix
        .chars()
        .chain(tail.into_iter().map(char::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_has_its_own_name_of_letters() {
        assert_eq!(letters("Bot", 0), "Botaaaa");
        assert_eq!(letters("Bot", 27), "Botaabb");
        let names: BTreeSet<_> = (0..20_000).map(|number| letters("Bot", number)).collect();
        assert_eq!(names.len(), 20_000);
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|letter| letter.is_ascii_alphabetic()))
        );
    }
}
