//! `[pure]` What is taken out of text before it is passed on.

/// Removes every run from a `<` to the next `>`, as the network has it against MXP; a `<` that is
/// not closed stays.
pub fn strip_markup(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let Some((_, behind)) = after.split_once('>') else {
            break;
        };
        kept.push_str(before);
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// Removes the C0 control characters and DEL.
pub fn strip_controls(text: &mut String) {
    text.retain(|char| !char.is_ascii_control());
}

/// Cuts text to a number of bytes, at a character.
pub fn cut_to_bytes(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

/// Cuts text to a number of characters.
pub fn cut_to_chars(text: &mut String, chars_max: usize) {
    if let Some((end, _)) = text.char_indices().nth(chars_max) {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_a_lone_bracket_stays() {
        let table = [
            ("plain", "plain"),
            ("a < b > c", "a  c"),
            ("<b>bold</b>", "bold"),
            ("i <3 u", "i <3 u"),
            ("<a\nb>x", "x"),
            ("<<>>", ">"),
            ("a<b", "a<b"),
            ("> <", "> <"),
        ];
        for (text, expected) in table {
            assert_eq!(strip_markup(text), expected, "{text}");
        }
    }

    #[test]
    fn controls_go_and_cuts_fall_between_characters() {
        let mut text = "a\u{7}b\r\n\u{7f}\u{1b}[1m\u{e9}".to_owned();
        strip_controls(&mut text);
        assert_eq!(text, "ab[1m\u{e9}");
        cut_to_bytes(&mut text, 6);
        assert_eq!(text, "ab[1m");
        cut_to_chars(&mut text, 2);
        assert_eq!(text, "ab");
    }
}
