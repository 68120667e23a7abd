//! `[pure]` Names compared whatever the case of their letters, in any script, without a copy.

/// Whether two names are the same.
#[must_use]
pub fn same_name(one: &str, other: &str) -> bool {
    lower(one).eq(lower(other))
}

/// Whether a name begins so.
#[must_use]
pub fn name_begins(name: &str, start: &str) -> bool {
    let mut name = lower(name);
    lower(start).all(|wanted| name.next() == Some(wanted))
}

fn lower(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count_in_any_script() {
        for (one, other) in [("Ann", "aNN"), ("\u{c9}lan", "\u{e9}LAN"), ("", "")] {
            assert!(same_name(one, other), "{one} {other}");
            assert!(name_begins(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("Ann", "Anna"),
            ("Anna", "Ann"),
            ("Ann", ""),
            ("e", "\u{e9}"),
        ] {
            assert!(!same_name(one, other), "{one} {other}");
        }
        for (name, start) in [("Ann", ""), ("\u{c9}lan", "\u{e9}l"), ("Anna", "aNN")] {
            assert!(name_begins(name, start), "{name} {start}");
        }
        for (name, start) in [("", "a"), ("Ann", "Anna"), ("Ann", "nn")] {
            assert!(!name_begins(name, start), "{name} {start}");
        }
    }
}
