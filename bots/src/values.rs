//! `[pure]` Reads the values of options from their text; `None` for what is not one.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Most source addresses of a range.
const SOURCES_MAX: u32 = 256;

/// `ADDRESS:PORT`; `localhost` is taken for 127.0.0.1.
pub(crate) fn address(text: &str) -> Option<SocketAddr> {
    text.replace("localhost", "127.0.0.1")
        .parse()
        .ok()
        .filter(|a: &SocketAddr| a.port() != 0)
}

/// A rate per second.
pub(crate) fn rate(text: &str) -> Option<f64> {
    text.parse()
        .ok()
        .filter(|rate| (0.01..=100_000.0).contains(rate))
}

/// A time above 0.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    duration_of(text).filter(|time| !time.is_zero())
}

/// A time with its unit, up to a day.
pub(crate) fn duration_of(text: &str) -> Option<Duration> {
    let split = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at_checked(split)?;
    let unit_s = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = number.trim().parse::<f64>().ok()? * unit_s;
    (0.0..=86_400.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// `A-B` (IPv4) or a list with commas.
pub(crate) fn sources(text: &str) -> Option<Vec<IpAddr>> {
    let Some((from, to)) = text.split_once('-') else {
        return text
            .split(',')
            .map(|part| part.trim().parse().ok())
            .collect();
    };
    let number = |text: &str| text.trim().parse::<Ipv4Addr>().ok().map(u32::from);
    let (from, to) = (number(from)?, number(to)?);
    let fits = from <= to && to - from < SOURCES_MAX;
    fits.then(|| {
        (from..=to)
            .map(|number| IpAddr::V4(Ipv4Addr::from(number)))
            .collect()
    })
}

/// A count as a number to divide; exact below 2^52.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a run stay far below 2^52"
)]
pub(crate) fn as_number(count: u64) -> f64 {
    count as f64
}

/// The whole part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates, which is what a count wants"
)]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_with_their_units() {
        for (text, expected) in [
            ("500ms", Some(Duration::from_millis(500))),
            ("1.5s", Some(Duration::from_millis(1500))),
            ("2m", Some(Duration::from_secs(120))),
            ("1h", Some(Duration::from_secs(3600))),
            ("0s", None),
            ("60", None),
            ("s", None),
            ("-1s", None),
            ("infs", None),
            ("48h", None),
            ("1 week", None),
        ] {
            assert_eq!(duration(text), expected, "{text:?}");
        }
        assert_eq!(duration_of("0s"), Some(Duration::ZERO));
    }

    #[test]
    fn reads_rates_addresses_and_sources() {
        for text in ["0", "-1", "nan", "inf", "1e9", "x"] {
            assert_eq!(rate(text), None, "{text:?}");
        }
        assert!(address("localhost:4000").is_some() && address("[::1]:4000").is_some());
        assert!(address("localhost").is_none() && address("127.0.0.1:0").is_none());
        assert_eq!(sources("127.0.0.2-127.0.0.9").map(|all| all.len()), Some(8));
        assert_eq!(sources("127.0.0.2, ::1").map(|all| all.len()), Some(2));
        for text in ["127.0.0.9-127.0.0.2", "127.0.0.1-127.0.9.1", "here", ""] {
            assert_eq!(sources(text), None, "{text:?}");
        }
    }
}
