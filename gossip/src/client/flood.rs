//! `[pure]` How much a hub may send: what is too much is dropped after a glance, and a hub that
//! floods is cut off.
//!
//! The glance looks for the name of the event and of the game in the raw text, without reading it
//! as JSON. It may be mistaken; all that hangs on it is in which bucket the frame is put.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::bucket::Bucket;
use crate::limits::{
    ANSWER_RATE, BEAT_RATE, CHATTER_RATE, FLOOD_AT_ONCE, FLOOD_BYTES_PER_SECOND,
    FLOOD_FRAMES_PER_SECOND, FLOOD_SECONDS, GAME_CHATTER_RATE, GAMES_MEASURED_MAX, NOISE_RATE,
    TELL_RATE,
};

/// Bytes at the beginning of a frame in which the event's name is looked for.
const GLANCE_BYTES: usize = 512;

/// What to do with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Read,
    Drop,
    Cut,
}

/// What kind of frame it seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Chatter,
    Tell,
    Answer,
    Beat,
    Noise,
}

/// The measures of one connection.
#[derive(Debug)]
pub(super) struct Guard {
    chatter: Bucket,
    tells: Bucket,
    answers: Bucket,
    beats: Bucket,
    noise: Bucket,
    games: BTreeMap<String, Bucket>,
    other_games: Bucket,
    /// When the running second began, and what came in it.
    second: Instant,
    frames: u32,
    bytes: usize,
    /// Seconds in a row that were a flood.
    floods: u32,
}

impl Guard {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            chatter: Bucket::new(CHATTER_RATE, now),
            tells: Bucket::new(TELL_RATE, now),
            answers: Bucket::new(ANSWER_RATE, now),
            beats: Bucket::new(BEAT_RATE, now),
            noise: Bucket::new(NOISE_RATE, now),
            games: BTreeMap::new(),
            other_games: Bucket::new(GAME_CHATTER_RATE, now),
            second: now,
            frames: 0,
            bytes: 0,
            floods: 0,
        }
    }

    /// Judges a text frame.
    pub(super) fn judge(&mut self, text: &str, now: Instant) -> Verdict {
        if self.is_flood(text.len(), now) {
            return Verdict::Cut;
        }
        let fits = match kind(text) {
            Kind::Chatter => self.game_has_room(text, now) && self.chatter.take(now),
            Kind::Tell => self.game_has_room(text, now) && self.tells.take(now),
            Kind::Answer => self.answers.take(now),
            Kind::Beat => self.beats.take(now),
            Kind::Noise => self.noise.take(now),
        };
        if fits { Verdict::Read } else { Verdict::Drop }
    }

    /// Counts a frame; whether the connection is to be cut.
    pub(super) fn is_flood(&mut self, bytes: usize, now: Instant) -> bool {
        let gone = now.saturating_duration_since(self.second);
        if gone >= Duration::from_secs(1) {
            let in_a_row = gone < Duration::from_secs(2) && self.exceeds(1);
            self.floods = if in_a_row { self.floods + 1 } else { 0 };
            (self.second, self.frames, self.bytes) = (now, 0, 0);
        }
        self.frames = self.frames.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.floods >= FLOOD_SECONDS || self.exceeds(FLOOD_AT_ONCE)
    }

    fn exceeds(&self, times: u32) -> bool {
        let bytes = usize::try_from(times).unwrap_or(usize::MAX);
        self.frames > FLOOD_FRAMES_PER_SECOND.saturating_mul(times)
            || self.bytes > FLOOD_BYTES_PER_SECOND.saturating_mul(bytes)
    }

    fn game_has_room(&mut self, text: &str, now: Instant) -> bool {
        let game = value_of(text, "\"game\"").or_else(|| value_of(text, "\"from_game\""));
        let Some(game) = game.filter(|game| game.len() <= GLANCE_BYTES) else {
            return self.other_games.take(now);
        };
        if let Some(bucket) = self.games.get_mut(game) {
            return bucket.take(now);
        }
        if self.games.len() >= GAMES_MEASURED_MAX {
            self.games.retain(|_, bucket| !bucket.is_empty(now));
        }
        if self.games.len() >= GAMES_MEASURED_MAX {
            return self.other_games.take(now);
        }
        let fresh = Bucket::new(GAME_CHATTER_RATE, now);
        self.games.entry(game.to_owned()).or_insert(fresh).take(now)
    }

    /// How many games are measured.
    #[cfg(test)]
    pub(super) fn games(&self) -> usize {
        self.games.len()
    }
}

fn kind(text: &str) -> Kind {
    let start = text.floor_char_boundary(GLANCE_BYTES);
    match text
        .get(..start)
        .and_then(|start| value_of(start, "\"event\""))
    {
        Some(
            "channels/broadcast" | "players/sign-in" | "players/sign-out" | "games/connect"
            | "games/disconnect",
        ) => Kind::Chatter,
        Some("tells/receive") => Kind::Tell,
        Some("heartbeat" | "restart" | "authenticate") => Kind::Beat,
        Some(
            "players/status"
            | "games/status"
            | "tells/send"
            | "tells/receipt"
            | "channels/subscribe"
            | "channels/unsubscribe"
            | "channels/send"
            | "channels/history"
            | "channels/receipt"
            | "players/status-end"
            | "games/status-end",
        ) => Kind::Answer,
        Some(_) | None => Kind::Noise,
    }
}

/// The text behind a key, when both stand there without escapes. A quote within a text is always
/// escaped, so that a key cannot be put into one.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(key)?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    value
        .strip_prefix('"')?
        .split_once('"')
        .map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn base() -> Instant {
        Instant::now()
    }

    fn chat(game: &str) -> String {
        format!(r#"{{"event":"channels/broadcast","payload":{{"game":"{game}","message":"x"}}}}"#)
    }

    /// How many of so many frames are read, at one moment.
    fn read(guard: &mut Guard, text: &str, count: u32, now: Instant) -> u32 {
        let verdicts = (0..count).map(|_| guard.judge(text, now));
        u32::try_from(verdicts.filter(|verdict| *verdict == Verdict::Read).count()).unwrap()
    }

    #[test]
    fn one_game_cannot_use_up_what_all_have() {
        let now = base();
        let mut guard = Guard::new(now);
        assert_eq!(
            read(&mut guard, &chat("A"), 500, now),
            GAME_CHATTER_RATE.burst
        );
        assert_eq!(read(&mut guard, &chat("B"), 10, now), 10);
        let second = now + Duration::from_secs(1);
        assert_eq!(
            read(&mut guard, &chat("A"), 99, second),
            GAME_CHATTER_RATE.per_second
        );
    }

    #[test]
    fn all_games_together_are_bounded_and_so_is_what_is_measured() {
        let now = base();
        let mut guard = Guard::new(now);
        let read: u32 = (0..GAMES_MEASURED_MAX + 500)
            .map(|game| read(&mut guard, &chat(&format!("G{game}")), 1, now))
            .sum();
        assert_eq!(read, CHATTER_RATE.burst);
        assert_eq!(guard.games(), GAMES_MEASURED_MAX);
    }

    #[test]
    fn regression_chatter_of_many_games_leaves_room_for_tells() {
        let now = base();
        let mut guard = Guard::new(now);
        for game in 0..20 {
            read(&mut guard, &chat(&format!("G{game}")), 50, now);
        }
        assert_eq!(read(&mut guard, &chat("Late"), 1, now), 0);
        let tell = r#"{"event":"tells/receive","payload":{"from_game":"Other","message":"x"}}"#;
        assert_eq!(read(&mut guard, tell, 900, now), GAME_CHATTER_RATE.burst);
        let all: u32 = (0..900)
            .map(|game| {
                read(
                    &mut guard,
                    &tell.replace("Other", &format!("T{game}")),
                    1,
                    now,
                )
            })
            .sum();
        assert_eq!(all, TELL_RATE.burst - GAME_CHATTER_RATE.burst);
    }

    #[test]
    fn beats_and_answers_find_room_beside_chatter() {
        let now = base();
        let mut guard = Guard::new(now);
        read(&mut guard, &chat("A"), 1_000, now);
        let table = [
            (r#"{"event":"heartbeat"}"#, BEAT_RATE.burst),
            (r#"{ "ref": "1", "event" : "players/status" }"#, 900),
            (r#"{"event":"mystery"}"#, NOISE_RATE.burst),
        ];
        for (text, expected) in table {
            assert_eq!(
                read(&mut guard, text, 900, now),
                expected.min(900),
                "{text}"
            );
            guard.frames = 0;
        }
        assert_eq!(
            kind(r#"{"payload":{"message":"\"event\":\"heartbeat\""}}"#),
            Kind::Noise
        );
        assert_eq!(kind("\u{1f600}".repeat(999).as_str()), Kind::Noise);
    }

    #[test]
    fn a_flood_is_cut_after_some_seconds_and_a_deluge_at_once() {
        let now = base();
        let mut guard = Guard::new(now);
        let flood = |guard: &mut Guard, second: u64, frames: u32| {
            let now = now + Duration::from_secs(second);
            (0..frames).any(|_| guard.judge("x", now) == Verdict::Cut)
        };
        assert!(!flood(&mut guard, 0, 2 * FLOOD_FRAMES_PER_SECOND));
        assert!(!flood(&mut guard, 1, 2 * FLOOD_FRAMES_PER_SECOND));
        assert!(!flood(&mut guard, 2, 10), "a quiet second");
        for second in 3..6 {
            assert!(!flood(&mut guard, second, 2 * FLOOD_FRAMES_PER_SECOND));
        }
        assert!(flood(&mut guard, 6, 1));
        let mut guard = Guard::new(now);
        assert!(flood(
            &mut guard,
            0,
            FLOOD_AT_ONCE * FLOOD_FRAMES_PER_SECOND + 1
        ));
        let mut guard = Guard::new(now);
        assert!(!guard.is_flood(10 * FLOOD_BYTES_PER_SECOND, now));
        assert!(guard.is_flood(1, now));
    }
}
