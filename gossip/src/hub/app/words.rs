//! `[pure]` How lists say things: plain sentences, a line for each thing.

use time::OffsetDateTime;

use crate::hub::directory::is_unseen;

/// A moment, to the minute.
pub(super) fn moment(unix_ms: i64) -> String {
    let Ok(time) = OffsetDateTime::from_unix_timestamp(unix_ms.div_euclid(1_000)) else {
        return "some day".to_owned();
    };
    let (year, month, day) = (time.year(), u8::from(time.month()), time.day());
    let (hour, minute) = (time.hour(), time.minute());
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Text from outside, without what could move a terminal's cursor.
pub(super) fn foreign(text: &str) -> String {
    text.chars()
        .filter(|character| !is_unseen(*character))
        .collect()
}

/// `1 game`, `2 games`, `no games`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_moments_and_counts() {
        assert_eq!(moment(0), "1970-01-01 00:00 UTC");
        assert_eq!(moment(1_796_000_000_000), "2026-11-30 00:53 UTC");
        assert_eq!(moment(i64::MAX), "some day");
        assert_eq!(count(0, "game", "games"), "no games");
        assert_eq!(count(1, "game", "games"), "1 game");
        assert_eq!(count(2, "game", "games"), "2 games");
    }
}
