//! `[edge]` One pretended game of a load: one task, one socket.
//!
//! It gets in, in several attempts if need be, and then hears: what came at one reading is counted
//! first and told to the tally at once, so that hearing a message costs a search and no lock.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::game::{Said, answer_beat, connect};
use super::super::seen::{Arrival, Seen};
use super::super::token::is_marked;
use super::super::wire::{Rest, Wire};
use super::run::Run;
use crate::dice::Dice;
use crate::limits::{ENTER_ATTEMPTS_MAX, RETRY_WAIT_FIRST};
use crate::link::Lost;

/// A game's whole life.
pub(super) async fn live(run: Arc<Run>, number: usize) {
    let Some((wire, rest)) = enter(&run, number).await else {
        run.tally.given_up.fetch_add(1, Relaxed);
        return;
    };
    let Some(place) = run.places.get(number) else {
        return;
    };
    let wire = place.wire.get_or_init(|| Arc::new(wire));
    run.tally.online.fetch_add(1, Relaxed);
    run.tally.entered.fetch_add(1, Relaxed);
    let lost = hear(&run, number, wire, rest).await;
    place.is_lost.store(true, Relaxed);
    run.tally.online.fetch_sub(1, Relaxed);
    run.tally.dropped.count(&lost.to_string());
}

/// Attempts until one leads in; `None` when given up, which is counted.
async fn enter(run: &Run, number: usize) -> Option<(Wire, Rest)> {
    let began = Instant::now();
    let mut credentials = run.credentials.get(number)?.clone();
    if let Some(target) = &run.options.target {
        credentials.hub = target.clone();
    }
    let source = run.options.source_of(number);
    let mut dice = Dice::new(0, u32::try_from(number).unwrap_or(0));
    let mut wait = RETRY_WAIT_FIRST;
    for attempt in 1.. {
        let not_in = match connect(&credentials, source, &run.options.channel).await {
            Ok(entered) => {
                run.tally.login.record(began.elapsed());
                run.tally.last_entry_us.fetch_max(run.now_us(), Relaxed);
                return Some(entered);
            }
            Err(not_in) => not_in,
        };
        if attempt == ENTER_ATTEMPTS_MAX || !not_in.is_worth_another() {
            run.tally.login_failed.count(&not_in.cause());
            break;
        }
        run.tally.retried.count(&not_in.cause());
        sleep(dice.between(wait / 2, wait * 3 / 2)).await;
        wait *= 2;
    }
    None
}

/// What one reading gave.
#[derive(Debug, Default)]
struct Batch {
    /// Whose.
    number: usize,
    delivered: u64,
    doubled: u64,
    out_of_order: u64,
    foreign: u64,
    acked: u64,
    beats: u32,
    refused: Vec<String>,
    latencies: Vec<Duration>,
}

/// Hears until the connection ends; how it ended.
async fn hear(run: &Run, number: usize, wire: &Wire, mut rest: Rest) -> Lost {
    let mut senders = vec![Seen::default(); run.options.senders];
    let mut batch = Batch {
        number,
        ..Batch::default()
    };
    loop {
        let mut now_us = None;
        let read = wire.read(&mut rest, |frame| {
            let now_us = *now_us.get_or_insert_with(|| run.now_us());
            batch.take(run, frame, &mut senders, now_us);
        });
        let read = read.await;
        if let Ok(got) = read {
            let bytes = u64::try_from(got.bytes).unwrap_or(0);
            run.tally.bytes_in.fetch_add(bytes, Relaxed);
        }
        let answered = batch.tell(run, wire);
        if let Err(lost) = read.and(answered) {
            return lost;
        }
        if !run.options.gather.is_zero() {
            sleep(run.options.gather).await;
        }
    }
}

impl Batch {
    fn take(&mut self, run: &Run, frame: &[u8], senders: &mut [Seen], now_us: u64) {
        let token = run.tag.find(frame);
        let Some(token) = token else {
            if is_marked(frame) {
                self.foreign += 1;
            } else {
                self.take_other(frame);
            }
            return;
        };
        let index = usize::try_from(token.sender).unwrap_or(usize::MAX);
        if index == self.number {
            // A hub never sends a game its own words.
            self.doubled += 1;
            return;
        }
        let Some(seen) = senders.get_mut(index) else {
            self.foreign += 1;
            return;
        };
        match seen.take(token.number) {
            Arrival::Next => {}
            Arrival::Late => self.out_of_order += 1,
            Arrival::Doubled => {
                self.doubled += 1;
                return;
            }
        }
        self.delivered += 1;
        if run.in_window(token.sent_us) {
            let latency_us = now_us.saturating_sub(token.sent_us);
            self.latencies.push(Duration::from_micros(latency_us));
        }
    }

    fn take_other(&mut self, frame: &[u8]) {
        match Said::of(frame) {
            Said::Beat => self.beats += 1,
            Said::Ack(_) => self.acked += 1,
            Said::Refused(error) => self.refused.push(error),
            Said::Welcome { .. } | Said::Other => {}
        }
    }

    /// Answers and counts what came, and is empty then.
    fn tell(&mut self, run: &Run, wire: &Wire) -> Result<(), Lost> {
        let tally = &run.tally;
        for (count, sum) in [
            (&mut self.delivered, &tally.delivered),
            (&mut self.doubled, &tally.doubled),
            (&mut self.out_of_order, &tally.out_of_order),
            (&mut self.foreign, &tally.foreign),
            (&mut self.acked, &tally.acked),
        ] {
            if *count > 0 {
                sum.fetch_add(std::mem::take(count), Relaxed);
            }
        }
        tally.latency.record_all(self.latencies.drain(..));
        for error in self.refused.drain(..) {
            tally.refused.count(&error);
        }
        for _ in 0..std::mem::take(&mut self.beats) {
            answer_beat(wire)?;
        }
        Ok(())
    }
}
