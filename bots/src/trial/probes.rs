//! `[edge]` Probes: bots that stand in a room of a certain zone, on a certain node, and look again
//! and again when they are told to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::life::{End, Life};
use super::talk::{Piece, Talk};
use super::torus::{Spot, Torus, spot};
use crate::dialogue::{self, EXITS};
use crate::limits::{ANSWER_DEADLINE, BEATS_MAX, REFUSED_WAIT};

/// What probes are told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    /// Be quiet.
    Rest,
    /// Look at every beat from then on, if the look before was answered, and again when there was
    /// no answer for so long.
    Look {
        since: Instant,
        every: Duration,
        again: Duration,
    },
}

/// An answer to a look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beat {
    /// Which probe.
    pub(super) probe: usize,
    /// When it was first typed.
    pub(super) typed: Instant,
    /// When it was answered.
    pub(super) answered: Instant,
}

/// What probes share with the scenario.
#[derive(Debug)]
pub(super) struct Board {
    orders: watch::Sender<Order>,
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    beats: Vec<Beat>,
    /// Which probes stand where they shall.
    placed: Vec<bool>,
}

/// Where a probe stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stand {
    /// The shard of its zone.
    pub(super) zone: String,
    /// Its room.
    pub(super) room: Spot,
    /// The number of its node.
    pub(super) node: usize,
}

impl Board {
    /// For so many probes, which rest.
    pub(super) fn new(probes: usize) -> Self {
        Self {
            orders: watch::Sender::new(Order::Rest),
            answers: Mutex::new(Answers {
                beats: Vec::new(),
                placed: vec![false; probes],
            }),
        }
    }

    /// Tells all probes.
    pub(super) fn order(&self, order: Order) {
        self.orders.send_replace(order);
    }

    /// What was answered since the last time.
    pub(super) fn take(&self) -> Vec<Beat> {
        std::mem::take(&mut self.lock().beats)
    }

    /// How many probes are not where they shall stand.
    pub(super) fn missing(&self) -> usize {
        self.lock().placed.iter().filter(|placed| !**placed).count()
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Plays a probe until the task is aborted.
pub(super) async fn probe(
    mut life: Life,
    index: usize,
    room: Spot,
    board: Arc<Board>,
    torus: Arc<Torus>,
) {
    let orders = board.orders.subscribe();
    let mut probe = Probe {
        index,
        room,
        board,
        torus,
        orders,
        here: None,
        typed: None,
        next: Instant::now(),
    };
    loop {
        let mut talk = life.come().await;
        probe.here = None;
        probe.next = Instant::now();
        let end = probe.stand(&mut life, &mut talk).await;
        probe.placed(false);
        life.left(&end);
    }
}

struct Probe {
    index: usize,
    room: Spot,
    board: Arc<Board>,
    torus: Arc<Torus>,
    orders: watch::Receiver<Order>,
    /// The room whose name was seen last.
    here: Option<Spot>,
    /// When the look that waits was first typed.
    typed: Option<Instant>,
    /// When something is to be typed.
    next: Instant,
}

impl Probe {
    async fn stand(&mut self, life: &mut Life, talk: &mut Talk) -> End {
        loop {
            tokio::select! {
                biased;
                heard = life.hear(talk) => match heard {
                    Ok(Piece::Line(line)) => self.line(&line),
                    Ok(Piece::Prompt(_)) => {}
                    Err(end) => return end,
                },
                Ok(()) = self.orders.changed() => {
                    self.typed = None;
                    self.next = Instant::now();
                }
                () = sleep_until(self.next) => self.on_time(talk),
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let now = Instant::now();
        if let Some(here) = spot(line) {
            self.here = Some(here);
        } else if line.starts_with(EXITS.as_bytes()) {
            let is_there = self.here == Some(self.room);
            self.placed(is_there);
            let order = *self.orders.borrow();
            match (order, self.typed) {
                (Order::Look { since, every, .. }, Some(typed)) if is_there => {
                    self.typed = None;
                    self.next = beat_after(since, every, now);
                    let (probe, answered) = (self.index, now);
                    let mut answers = self.board.lock();
                    if answers.beats.len() < BEATS_MAX {
                        answers.beats.push(Beat {
                            probe,
                            typed,
                            answered,
                        });
                    }
                }
                _ => self.next = now,
            }
        } else if self.typed.is_some() && dialogue::refusal(line).is_some() {
            self.next = self.next.min(now + REFUSED_WAIT);
        }
    }

    fn on_time(&mut self, talk: &mut Talk) {
        let now = Instant::now();
        if let Some(here) = self.here
            && let Some(step) = self.torus.step(here, self.room)
        {
            // The answer names the next room; without one, it looks where it is.
            talk.type_line(step);
            self.here = None;
            self.next = now + ANSWER_DEADLINE;
            return;
        }
        let order = *self.orders.borrow();
        match order {
            Order::Look { again, .. } => {
                talk.type_line("look");
                self.typed.get_or_insert(now);
                self.next = now + again;
            }
            Order::Rest if self.here.is_none() => {
                talk.type_line("look");
                self.next = now + ANSWER_DEADLINE;
            }
            Order::Rest => self.next = now + ANSWER_DEADLINE * 360,
        }
    }

    fn placed(&self, placed: bool) {
        if let Some(entry) = self.board.lock().placed.get_mut(self.index) {
            *entry = placed;
        }
    }
}

/// The first beat after now.
fn beat_after(since: Instant, every: Duration, now: Instant) -> Instant {
    let passed = now.saturating_duration_since(since).as_micros();
    let every_us = every.as_micros().max(1);
    let beats = u32::try_from(passed / every_us).unwrap_or(u32::MAX);
    since + every * beats.saturating_add(1)
}
