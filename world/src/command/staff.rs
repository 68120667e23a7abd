//! `[pure]` Orders for staff. That the one who types may give them is checked before.

use super::limits::BAN_SECONDS_MAX;
use super::noun::Noun;
use super::order::{BanKind, BanOrder, Command, CrashTarget, Unclear};
use super::speech::{optional, person};
use super::words::{Word, Words};
use core::net::IpAddr;

/// `goto ann`, `goto town/square`.
pub(super) fn goto(rest: &str) -> Result<Command, Unclear> {
    person(&mut Words::new(rest), "Go to which room or person?").map(Command::Goto)
}

/// `kick ann spamming`.
pub(super) fn kick(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    let who = person(&mut words, "Kick whom?")?;
    let reason = optional(words.rest())?;
    Ok(Command::Kick { who, reason })
}

/// `ban account|address VALUE [7d|12h|30m|forever] [reason]`; without a time it is for ever.
pub(super) fn ban(rest: &str) -> Result<Command, Unclear> {
    const QUESTION: &str = "Ban which account or address?";
    let mut words = Words::new(rest);
    let kind = match words.next() {
        None => return Err(Unclear::missing(QUESTION)),
        Some(word) => ban_kind(word)?,
    };
    let value = person(&mut words, QUESTION)?;
    if kind == BanKind::Address && value.parse::<IpAddr>().is_err() {
        return Err(Unclear::bad(
            &value,
            "an address such as 192.0.2.1 or 2001:db8::1",
        ));
    }
    let mut ahead = words.clone();
    let seconds = match ahead.next().map(|word| ban_time(word.raw)).transpose()? {
        Some(BanTime::Seconds(seconds)) => {
            words = ahead;
            Some(seconds)
        }
        Some(BanTime::Forever) => {
            words = ahead;
            None
        }
        Some(BanTime::NotATime) | None => None,
    };
    let reason = optional(words.rest())?;
    Ok(Command::Ban(BanOrder {
        kind,
        value,
        seconds,
        reason,
    }))
}

/// `crash room`, `crash mob cat`, `crash session [ann]`.
pub(super) fn crash(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    let Some(word) = words.next() else {
        return Err(Unclear::missing(
            "Crash what: room, mob, channel or session?",
        ));
    };
    let target = if word.is("room") {
        CrashTarget::Room
    } else if word.is("mob") {
        CrashTarget::Mob(Noun::read(words, "Crash which mob?")?)
    } else if word.is("channel") {
        CrashTarget::Channel(person(&mut words, "Crash which channel?")?)
    } else if word.is("session") {
        let whose = match words.rest() {
            "" => None,
            _ => Some(person(&mut words, "Whose session?")?),
        };
        CrashTarget::Session(whose)
    } else {
        return Err(Unclear::bad(
            rest,
            "room, mob or channel and its name, or session and a name",
        ));
    };
    Ok(Command::Crash(target))
}

enum BanTime {
    Seconds(u64),
    Forever,
    /// A first word of the reason.
    NotATime,
}

fn ban_kind(word: Word<'_>) -> Result<BanKind, Unclear> {
    let is_one = |names: [&str; 3]| names.into_iter().any(|name| word.is(name));
    if is_one(["account", "name", "character"]) {
        Ok(BanKind::Account)
    } else if is_one(["address", "ip", "host"]) {
        Ok(BanKind::Address)
    } else {
        Err(Unclear::bad(word.raw, "account or address, then which one"))
    }
}

/// A word that begins with a digit must be a time, lest a slip makes a ban for ever.
fn ban_time(word: &str) -> Result<BanTime, Unclear> {
    if word.eq_ignore_ascii_case("forever") {
        return Ok(BanTime::Forever);
    }
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let Some((count, unit)) = word.split_at_checked(digits).filter(|_| digits > 0) else {
        return Ok(BanTime::NotATime);
    };
    let unit_s = match unit {
        "m" | "M" => Some(60),
        "h" | "H" => Some(60 * 60),
        "d" | "D" => Some(24 * 60 * 60),
        _ => None,
    };
    let seconds = count
        .parse::<u64>()
        .ok()
        .zip(unit_s)
        .and_then(|(count, unit_s)| count.checked_mul(unit_s))
        .filter(|seconds| (1..=BAN_SECONDS_MAX).contains(seconds));
    match seconds {
        Some(seconds) => Ok(BanTime::Seconds(seconds)),
        None => Err(Unclear::bad(
            word,
            "a time such as 30m, 12h or 7d, at most 3650d, or forever",
        )),
    }
}
