//! `[pure]` Times as they stand in tells.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Whether the text is a date and time in the extended format of ISO 8601 that ends in `Z`.
pub fn is_utc_time(text: &str) -> bool {
    text.ends_with('Z') && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// The time in that format, to the second.
pub fn format_time(time: OffsetDateTime) -> String {
    let time = time.to_offset(time::UtcOffset::UTC);
    let time = time.replace_nanosecond(0).unwrap_or(time);
    time.format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utc_times_are_taken() {
        let good = ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456Z"];
        let bad = [
            "",
            "Z",
            "2026-01-02T03:04:05+00:00",
            "2026-13-02T03:04:05Z",
            "2026-01-02 03:04:05",
            "2026-01-02",
        ];
        for text in good {
            assert!(is_utc_time(text), "{text}");
        }
        for text in bad {
            assert!(!is_utc_time(text), "{text}");
        }
        let time = OffsetDateTime::from_unix_timestamp(1_767_323_045).unwrap();
        assert_eq!(format_time(time), "2026-01-02T03:04:05Z");
    }
}
