//! `[pure]` Lengths of time as an operator writes them.

use std::time::Duration;

/// The longest that can be said: ten years.
const LONGEST: Duration = Duration::from_secs(3_650 * 86_400);

/// Reads `500ms`, `15s`, `30m`, `2h`, `7d`.
pub(super) fn parse_span(text: &str) -> Result<Duration, String> {
    let help = || "a length of time is a whole number and ms, s, m, h or d, as in 30m".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).ok_or_else(help)?;
    let number: u64 = number.parse().map_err(|_ignored| help())?;
    let unit_ms: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(help()),
    };
    let span = number.checked_mul(unit_ms).map(Duration::from_millis);
    match span {
        Some(span) if span <= LONGEST => Ok(span),
        Some(_) | None => Err("the longest is 3650d".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_with_units_only() {
        let good = [
            ("0s", 0),
            ("500ms", 500),
            ("15s", 15_000),
            ("7d", 604_800_000),
        ];
        for (text, ms) in good {
            assert_eq!(parse_span(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in [
            "",
            "5",
            "s",
            "-1s",
            "1.5s",
            "1 s",
            "4000d",
            "99999999999999999999s",
        ] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }
}
