//! `[edge]` Counters: bots that stand in one zone and say numbers, one after the other, whether or
//! not the one before was answered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::ledger::Ledger;
use super::life::{End, Life};
use super::talk::{Piece, Talk};
use super::torus::{Spot, Torus, spot};
use crate::dialogue::{EXITS, YOU_SAY};
use crate::limits::ANSWER_DEADLINE;

/// What the counters share with the scenario.
#[derive(Debug)]
pub(super) struct Desk {
    /// All times are since this.
    pub(super) start: Instant,
    /// How long each waits between two numbers; `None` for silence.
    pub(super) every: watch::Sender<Option<Duration>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    ledger: Ledger,
    placed: u32,
}

impl Desk {
    /// Everybody is silent.
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            every: watch::Sender::new(None),
            state: Mutex::default(),
        }
    }

    /// How many stand where they shall.
    pub(super) fn placed(&self) -> u32 {
        self.lock().placed
    }

    /// Looks at the account.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Ledger) -> T) -> T {
        read(&self.lock().ledger)
    }

    /// Begins a new account; all numbers begin anew. Only while nobody counts.
    pub(super) fn clear(&self) {
        self.lock().ledger = Ledger::default();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Plays a counter until the task is aborted.
pub(super) async fn count(mut life: Life, room: Spot, desk: Arc<Desk>, torus: Arc<Torus>) {
    let mut orders = desk.every.subscribe();
    loop {
        let mut talk = life.come().await;
        let end = match walk(&mut life, &mut talk, room, &torus).await {
            Ok(()) => {
                desk.lock().placed += 1;
                let end = say(&mut life, &mut talk, &desk, &mut orders).await;
                desk.lock().placed -= 1;
                end
            }
            Err(end) => end,
        };
        life.left(&end);
    }
}

/// Walks to a room.
///
/// # Errors
/// The connection ended on the way.
pub(super) async fn walk(
    life: &mut Life,
    talk: &mut Talk,
    room: Spot,
    torus: &Torus,
) -> Result<(), End> {
    let mut here = None;
    let mut line = "look";
    loop {
        talk.type_line(line);
        let again = Instant::now() + ANSWER_DEADLINE;
        loop {
            tokio::select! {
                piece = life.hear(talk) => match piece? {
                    Piece::Line(line) if line.starts_with(EXITS.as_bytes()) => break,
                    Piece::Line(line) => here = spot(&line).or(here),
                    Piece::Prompt(_) => {}
                },
                () = sleep_until(again) => break,
            }
        }
        match here {
            Some(at) => match torus.step(at, room) {
                Some(step) => line = step,
                None => return Ok(()),
            },
            None => line = "look",
        }
        // Once a step was typed, only the name of the next room tells where one is.
        here = None;
    }
}

async fn say(
    life: &mut Life,
    talk: &mut Talk,
    desk: &Desk,
    orders: &mut watch::Receiver<Option<Duration>>,
) -> End {
    let mut next = None;
    orders.mark_changed();
    loop {
        tokio::select! {
            biased;
            heard = life.hear(talk) => match heard {
                Ok(Piece::Line(line)) => {
                    if let Some(number) = said(&line) {
                        let at = desk.start.elapsed();
                        desk.lock().ledger.answered(life.number, number, at);
                    }
                }
                Ok(Piece::Prompt(_)) => {}
                Err(end) => return end,
            },
            Ok(()) = orders.changed() => {
                let every = *orders.borrow_and_update();
                next = every.map(|every| Instant::now() + life.dice.between(Duration::ZERO, every));
            }
            () = super::life::until(next) => {
                let at = desk.start.elapsed();
                let number = desk.lock().ledger.typed(life.number, at);
                talk.type_line(&format!("say {number}"));
                let every = *orders.borrow();
                next = next.zip(every).map(|(next, every)| next + every);
            }
        }
    }
}

/// The number that the node says was said: `You say, "17"`.
fn said(line: &[u8]) -> Option<u32> {
    let rest = line.strip_prefix(YOU_SAY.as_bytes())?;
    let rest = std::str::from_utf8(rest).ok()?;
    rest.trim_matches(|letter: char| !letter.is_ascii_digit())
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_own_number_is_one() {
        assert_eq!(said(b"You say, \"17\""), Some(17));
        assert_eq!(said(b"You say, \"17.\""), Some(17));
        for other in ["Ann says, \"17\"", "You say, \"1 and 2\"", "You say, \"x\""] {
            assert_eq!(said(other.as_bytes()), None, "{other}");
        }
    }
}
