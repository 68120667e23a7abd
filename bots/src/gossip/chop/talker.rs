//! `[edge]` The pretended game that talks: on the hub whenever it is there.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::super::credentials::Credentials;
use super::super::game::{NotIn, Said, answer_beat, enter, message};
use super::super::token::Token;
use super::super::wire::{Rest, Wire};
use super::run::Run;
use crate::limits::TALKER_RETRY_WAIT;
use crate::link::Lost;

/// So many messages are said quickly when the hub is back: a hub allows 10 at once.
const QUICK: u32 = 8;

/// From one quick message to the next.
const QUICK_GAP: Duration = Duration::from_millis(100);

/// Talks for ever.
pub(super) async fn talk(run: &Run, credentials: &Credentials) {
    loop {
        match life(run, credentials).await {
            // The hub is away, as it should be.
            Err(NotIn::Connect(_)) => {}
            Err(not_in) => run.talker_lost.count(&not_in.cause()),
            Ok(lost) => run.talker_lost.count(&lost.to_string()),
        }
        sleep(TALKER_RETRY_WAIT).await;
    }
}

/// One life of the hub; how it ended.
async fn life(run: &Run, credentials: &Credentials) -> Result<Lost, NotIn> {
    let opened = Wire::open(&credentials.hub, None).await;
    let (wire, mut rest) = opened.map_err(NotIn::Connect)?;
    let began_us = run.now_us();
    enter(&wire, &mut rest, credentials, &run.options.channel).await?;
    run.ledger().begin_life(began_us);
    let gap = Duration::from_secs_f64(1.0 / run.options.rate);
    let mut next = Instant::now();
    let mut said = 0;
    let lost = loop {
        let done = tokio::select! {
            heard = hear(run, &wire, &mut rest) => heard,
            () = sleep_until(next) => say(run, &wire),
        };
        if let Err(lost) = done {
            break lost;
        }
        if Instant::now() >= next {
            said += 1;
            next += if said < QUICK {
                QUICK_GAP.min(gap)
            } else {
                gap
            };
        }
    };
    Ok(lost)
}

/// Says the next message, unless the account is full.
fn say(run: &Run, wire: &Wire) -> Result<(), Lost> {
    let mut ledger = run.ledger();
    let Some(number) = ledger.next() else {
        return Ok(());
    };
    let now_us = run.now_us();
    let token = Token {
        sender: 0,
        number,
        sent_us: now_us,
    };
    let text = format!("chop {}", run.tag.mark(token));
    wire.send(&message(&run.options.channel, number, "Talker", &text))?;
    ledger.say(now_us);
    Ok(())
}

async fn hear(run: &Run, wire: &Wire, rest: &mut Rest) -> Result<(), Lost> {
    let mut beats = 0;
    let read = wire.read(rest, |frame| match Said::of(frame) {
        Said::Beat => beats += 1,
        Said::Ack(Some(number)) => run.ledger().ack(number),
        Said::Refused(error) => run.refused.count(&error),
        Said::Ack(None) | Said::Welcome { .. } | Said::Other => {}
    });
    let read = read.await;
    for _ in 0..beats {
        answer_beat(wire)?;
    }
    read.map(drop)
}
