//! `[pure]` Long paragraphs broken into lines for those who read with their eyes. A viewer class
//! has no width, so that its bytes can be shared; the lines fit the narrowest usual terminal.

/// Columns of a broken line: a terminal of 80 shows it whole.
pub const COLUMNS: usize = 78;

/// The lines of a paragraph, broken at blanks. A word longer than a line has one of its own.
pub(super) fn lines(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(paragraph);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, after) = first_line(text);
        rest = after;
        Some(line)
    })
}

fn first_line(text: &str) -> (&str, Option<&str>) {
    let Some((limit, _)) = text.char_indices().nth(COLUMNS) else {
        return (text, None);
    };
    // The blank at the break is shown by neither line, so it may stand just after the last column.
    let (head, tail) = text.split_at_checked(limit).unwrap_or((text, ""));
    let at = match (tail.starts_with(' '), head.rfind(' ')) {
        (true, _) => Some(limit),
        (false, Some(at)) if at > 0 => Some(at),
        (false, _) => tail.find(' ').map(|at| limit.saturating_add(at)),
    };
    let Some((line, after)) = at.and_then(|at| text.split_at_checked(at)) else {
        return (text, None);
    };
    let after = after.trim_start_matches(' ');
    (line, (!after.is_empty()).then_some(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn breaks_at_the_last_blank_that_fits() {
        let full = "x".repeat(COLUMNS);
        let longer = "y".repeat(COLUMNS + 5);
        let text = format!("{full} a {longer} b");
        let got: Vec<&str> = lines(&text).collect();
        assert_eq!(got, [full.as_str(), "a", &longer, "b"]);
        assert_eq!(lines("short").collect::<Vec<_>>(), ["short"]);
        assert_eq!(lines("").collect::<Vec<_>>(), [""]);
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_too_long(text in "([a-z\u{e9}]{1,12} ){0,60}[a-z]") {
            let broken: Vec<&str> = lines(&text).collect();
            let words = |text: &str| -> Vec<String> {
                text.split_whitespace().map(str::to_owned).collect()
            };
            prop_assert_eq!(words(&broken.join(" ")), words(&text));
            prop_assert!(broken.iter().all(|line| line.chars().count() <= COLUMNS));
        }
    }
}
