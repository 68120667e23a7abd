//! `[pure]` Small English: articles and lists.

/// Beginnings that are written with a vowel but spoken with a consonant.
const CONSONANT_SOUNDS: [&str; 7] = ["eu", "ewe", "one", "uni", "use", "usu", "uti"];

/// Beginnings with a silent h.
const SILENT_H: [&str; 4] = ["heir", "honest", "honour", "hour"];

/// `a` or `an`, by the sound of the first word.
#[must_use]
pub fn article(noun: &str) -> &'static str {
    let starts = |beginnings: &[&str]| {
        beginnings.iter().any(|beginning| {
            noun.get(..beginning.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(beginning))
        })
    };
    let vowel = matches!(
        noun.bytes().next().map(|byte| byte.to_ascii_lowercase()),
        Some(b'a' | b'e' | b'i' | b'o' | b'u')
    );
    // "Unimportant" and its like begin with a prefix, but a MUD has more unicorns than those.
    if starts(&SILENT_H) || (vowel && !starts(&CONSONANT_SOUNDS)) {
        "an"
    } else {
        "a"
    }
}

/// A noun with its article: "a sword", "an old sword".
#[must_use]
pub fn with_article(noun: &str) -> String {
    format!("{} {noun}", article(noun))
}

/// Names as a sentence has them: "", "Ann", "Ann and Bob", "Ann, Bob and Cid".
#[must_use]
pub fn list_in_words<T: AsRef<str>>(names: &[T]) -> String {
    let mut sentence = String::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            sentence.push_str(if at + 1 == names.len() { " and " } else { ", " });
        }
        sentence.push_str(name.as_ref());
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        for (noun, expected) in [
            ("sword", "a sword"),
            ("old sword", "an old sword"),
            ("Apple", "an Apple"),
            ("unicorn", "a unicorn"),
            ("umbrella", "an umbrella"),
            ("ugly unicorn", "an ugly unicorn"),
            ("hour glass", "an hour glass"),
            ("horse", "a horse"),
            ("one-eyed cat", "a one-eyed cat"),
            ("ewer", "a ewer"),
            ("", "a "),
            ("é", "a é"),
        ] {
            assert_eq!(with_article(noun), expected);
        }
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list_in_words::<&str>(&[]), "");
        assert_eq!(list_in_words(&["Ann"]), "Ann");
        assert_eq!(list_in_words(&["Ann", "Bob"]), "Ann and Bob");
        assert_eq!(list_in_words(&["Ann", "Bob", "Cid"]), "Ann, Bob and Cid");
    }
}
