//! `[pure]` Durations and sizes as text. A unit is always written: `60s`, `64KiB`.

use std::time::Duration;

/// Units of a duration, in milliseconds, from the largest to the smallest.
const DURATION_UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// Units of a size, in bytes, from the largest to the smallest.
const SIZE_UNITS: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// Reads a duration such as `30ms`, `60s`, `5m`, `2h` or `1d`.
///
/// # Errors
/// What is wrong with the text, as the end of a sentence that begins with it.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    parse(text, &DURATION_UNITS).map(Duration::from_millis)
}

/// Reads a size such as `512B`, `64KiB` or `1MiB`, in bytes.
///
/// # Errors
/// What is wrong with the text, as the end of a sentence that begins with it.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    parse(text, &SIZE_UNITS)
}

/// Writes a duration with the largest unit that divides it.
pub(crate) fn duration_text(value: Duration) -> String {
    let ms = u64::try_from(value.as_millis()).unwrap_or(u64::MAX);
    text(ms, &DURATION_UNITS, "0s")
}

/// Writes a size with the largest unit that divides it.
pub(super) fn size_text(bytes: u64) -> String {
    text(bytes, &SIZE_UNITS, "0B")
}

fn parse(text: &str, units: &[(&str, u64)]) -> Result<u64, String> {
    let text = text.trim();
    let digits_end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let names = || {
        units
            .iter()
            .rev()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    if digits.is_empty() {
        return Err("does not begin with a number".to_owned());
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(format!("has no unit ({})", names()));
    }
    if unit.starts_with(['.', ',']) {
        return Err("is not a whole number; use a smaller unit".to_owned());
    }
    let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(format!(
            "has the unit \"{unit}\", which is none of {}",
            names()
        ));
    };
    let number = digits.parse::<u64>().ok();
    number
        .and_then(|n| n.checked_mul(*factor))
        .ok_or_else(|| "is far too large".to_owned())
}

fn text(value: u64, units: &[(&str, u64)], zero: &str) -> String {
    let whole = |factor: u64| value != 0 && value.is_multiple_of(factor);
    match units.iter().find(|(_, factor)| whole(*factor)) {
        Some((name, factor)) => format!("{}{name}", value / factor),
        None => zero.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_with_every_unit() {
        for (text, ms) in [
            ("30ms", 30),
            ("60s", 60_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            (" 7 s ", 7_000),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(ms)),
                "{text}"
            );
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_quantity() {
        for (text, fault) in [
            ("60", "has no unit (ms, s, m, h, d)"),
            ("", "does not begin with a number"),
            ("s", "does not begin with a number"),
            ("-5s", "does not begin with a number"),
            ("1.5s", "is not a whole number; use a smaller unit"),
            (
                "5 sec",
                "has the unit \"sec\", which is none of ms, s, m, h, d",
            ),
            ("99999999999999999999s", "is far too large"),
            ("9999999999999999999d", "is far too large"),
        ] {
            assert_eq!(parse_duration(text), Err(fault.to_owned()), "{text}");
        }
        let fault = "has the unit \"KB\", which is none of B, KiB, MiB, GiB";
        assert_eq!(parse_size("64KB"), Err(fault.to_owned()));
    }

    #[test]
    fn what_it_writes_it_reads_back() {
        for text in [
            "30ms", "1500ms", "60ms", "7s", "5m", "90m", "2h", "1d", "0s",
        ] {
            let value = parse_duration(text).expect(text);
            assert_eq!(parse_duration(&duration_text(value)), Ok(value), "{text}");
        }
        for text in ["1B", "1000B", "64KiB", "1MiB", "3GiB", "0B"] {
            assert_eq!(parse_size(text).map(size_text), Ok(text.to_owned()));
        }
    }
}
