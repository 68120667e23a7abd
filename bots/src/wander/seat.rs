//! `[edge]` One bot: one task, one socket, one timer, a few hundred bytes.
//!
//! ```text
//! enter ─(attempts with growing, jittered waits)→ play: wait → command → answer → wait …
//! ```
//! Reading borrows the worker thread's buffer; a command is one write; at most one command waits
//! for its answer. The task ends when the node drops it or when the driver aborts it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until, timeout, timeout_at};

use super::play::{Answer, Player};
use super::run::Run;
use crate::dialogue::{self, YOU_SAY};
use crate::dice::Dice;
use crate::limits::{
    LOGIN_ATTEMPTS_MAX, NUDGE_AFTER, READ_BYTES, RETRY_WAIT_FIRST, RETRY_WAIT_MAX,
};
use crate::link::{Link, Lost};
use crate::login::{Failure, Login, Step};
use crate::tail::{Heard, Tail};

/// A cause told by an error is cut after so many letters.
const CAUSE_LETTERS_MAX: usize = 60;

/// A timer that shall not fire before the end of the run.
const NEVER: Duration = Duration::from_secs(24 * 3600);

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// A bot's whole life.
pub(crate) async fn live(run: Arc<Run>, number: u32) {
    let mut dice = Dice::new(run.options.seed, run.options.first + number);
    let Some((link, tail, exits)) = enter(&run, number, &mut dice).await else {
        return;
    };
    let player = Player::new(run.options.first + number, exits);
    let listens = run.listens(number);
    let mut seat = Seat {
        run: &run,
        link,
        tail,
        player,
        dice,
        listens,
        typed_us: None,
    };
    let lost = seat.play().await;
    seat.settle(run.options.answer_deadline, false);
    run.tally.leave(&lost.to_string());
}

/// Why one attempt did not lead into the world.
enum NotIn {
    Silent,
    Connect(io::Error),
    Lost(Lost),
    Refused(Failure),
}

impl NotIn {
    fn cause(&self) -> String {
        match self {
            Self::Silent => "silence during login".to_owned(),
            Self::Connect(error) => error.to_string().chars().take(CAUSE_LETTERS_MAX).collect(),
            Self::Lost(lost) => format!("{lost} during login"),
            Self::Refused(failure) => failure.to_string(),
        }
    }

    fn is_worth_another(&self) -> bool {
        match self {
            Self::Silent | Self::Connect(_) | Self::Lost(_) | Self::Refused(Failure::Busy) => true,
            Self::Refused(_) => false,
        }
    }
}

/// Attempts until one leads in; `None` when given up, which is counted.
async fn enter(run: &Run, number: u32, dice: &mut Dice) -> Option<(Link, Tail, u16)> {
    let began = Instant::now();
    let until = began + run.options.login_deadline;
    let mut wait = RETRY_WAIT_FIRST;
    let mut attempts = 1;
    let cause = loop {
        let (cause, again) = match timeout_at(until, attempt(run, number)).await {
            Ok(Ok(entered)) => {
                run.tally.enter(began.elapsed(), run.now_us());
                return Some(entered);
            }
            Ok(Err(not_in)) => (not_in.cause(), not_in.is_worth_another()),
            Err(_) => ("deadline".to_owned(), false),
        };
        let next = Instant::now() + dice.between(wait / 2, wait * 3 / 2);
        if !again || attempts == LOGIN_ATTEMPTS_MAX || next >= until {
            break cause;
        }
        run.tally.retried.count(&cause);
        sleep_until(next).await;
        wait = (wait * 2).min(RETRY_WAIT_MAX);
        attempts += 1;
    };
    run.tally.login_failed.count(&cause);
    run.tally.given_up.fetch_add(1, Relaxed);
    None
}

/// One connection from the greeting to the world; with the exits seen there.
async fn attempt(run: &Run, number: u32) -> Result<(Link, Tail, u16), NotIn> {
    let target = run.options.target_of(number);
    let mut link = Link::open(target).await.map_err(NotIn::Connect)?;
    let mut tail = Tail::default();
    let mut login = Login::new(run.options.who(number));
    let mut exits = 0;
    let mut silence_max = NUDGE_AFTER.min(run.options.silence_deadline);
    let mut is_greeted = false;
    let mut is_nudged = false;
    let outcome = loop {
        let mut outcome = None;
        let read = poll_fn(|context| {
            let hear = |heard: Heard<'_>| {
                if let Heard::Line(line) = heard {
                    exits = dialogue::exits(line).unwrap_or(exits);
                }
                let step = login.step(heard);
                if step != Step::Wait && outcome.is_none() {
                    outcome = Some(step);
                }
            };
            read_pieces(&mut link, &mut tail, context, hear)
        });
        match timeout(silence_max, read).await {
            Ok(Ok(bytes)) => {
                run.tally.bytes_in.fetch_add(bytes, Relaxed);
                is_greeted = true;
            }
            Ok(Err(lost)) => break Err(NotIn::Lost(lost)),
            Err(_) if is_greeted || is_nudged => break Err(NotIn::Silent),
            Err(_) => {
                link.queue_nop();
                is_nudged = true;
            }
        }
        match outcome {
            Some(Step::Type(line)) => link.queue(format!("{line}\r\n").as_bytes()),
            Some(Step::In) => break Ok(()),
            Some(Step::Failed(failure)) => break Err(NotIn::Refused(failure)),
            Some(Step::Wait) | None => {}
        }
        let options = &run.options;
        silence_max = if login.is_patient() {
            options.login_deadline
        } else {
            options.silence_deadline
        };
    };
    run.tally
        .in_line
        .fetch_add(u32::from(login.was_in_line()), Relaxed);
    run.tally
        .place_rises
        .fetch_add(login.place_rises(), Relaxed);
    outcome.map(|()| (link, tail, exits))
}

/// Writes what is queued, then reads once and cuts the text into pieces; gives the bytes read.
fn read_pieces(
    link: &mut Link,
    tail: &mut Tail,
    context: &mut Context<'_>,
    hear: impl FnMut(Heard<'_>),
) -> Poll<Result<u64, Lost>> {
    if let Poll::Ready(Err(lost)) = link.poll_flush(context) {
        return Poll::Ready(Err(lost));
    }
    BUFFER.with_borrow_mut(|buffer| {
        link.poll_text(context, buffer).map_ok(|got| {
            tail.feed(buffer.get(..got.text_bytes).unwrap_or_default(), hear);
            u64::try_from(got.raw_bytes).unwrap_or(0)
        })
    })
}

/// One bot in the world.
struct Seat<'a> {
    run: &'a Run,
    link: Link,
    tail: Tail,
    player: Player,
    dice: Dice,
    listens: bool,
    /// When the command that waits for its answer was typed.
    typed_us: Option<u64>,
}

impl Seat<'_> {
    /// Plays until the connection is lost.
    async fn play(&mut self) -> Lost {
        let first = self
            .dice
            .between(Duration::ZERO, self.run.options.pace.most);
        let mut timer = pin!(sleep_until(Instant::now() + first));
        poll_fn(|context| self.poll(context, timer.as_mut())).await
    }

    fn poll(&mut self, context: &mut Context<'_>, mut timer: Pin<&mut Sleep>) -> Poll<Lost> {
        loop {
            if self.link.has_queued()
                && let Poll::Ready(Err(lost)) = self.link.poll_flush(context)
            {
                return Poll::Ready(lost);
            }
            match self.poll_read(context) {
                Poll::Ready(Err(lost)) => return Poll::Ready(lost),
                Poll::Ready(Ok(is_answered)) => {
                    if is_answered {
                        timer.as_mut().reset(self.next_command());
                    }
                    continue;
                }
                Poll::Pending => {}
            }
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let next = self.on_time();
            timer.as_mut().reset(next);
        }
    }

    /// Reads once; whether the awaited answer was in it.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, Lost>> {
        BUFFER.with_borrow_mut(|buffer| {
            self.link.poll_text(context, buffer).map_ok(|got| {
                let bytes = u64::try_from(got.raw_bytes).unwrap_or(0);
                self.run.tally.bytes_in.fetch_add(bytes, Relaxed);
                self.hear(buffer.get(..got.text_bytes).unwrap_or_default())
            })
        })
    }

    /// Takes cleaned text; whether the awaited answer was in it.
    fn hear(&mut self, text: &[u8]) -> bool {
        if !self.player.is_waiting() && !self.listens {
            self.tail.skip(text);
            return false;
        }
        let Self {
            run,
            tail,
            player,
            listens,
            ..
        } = self;
        let now_us = run.now_us();
        let mut answer = None;
        tail.feed(text, |heard| {
            let Heard::Line(line) = heard else {
                return;
            };
            answer = answer.or_else(|| player.hear(line, run.tag));
            if *listens && !line.starts_with(YOU_SAY.as_bytes()) {
                note_heard(run, line, now_us);
            }
        });
        let Some(answer) = answer else {
            return false;
        };
        let typed_us = self.typed_us.unwrap_or(now_us);
        if let Answer::Refused(cause) = answer
            && self.run.in_window(typed_us)
        {
            self.run.tally.refused.count(cause);
        }
        self.settle(Duration::from_micros(now_us.saturating_sub(typed_us)), true);
        true
    }

    /// The command that waits is over, answered or not; counted if it was typed in the window.
    fn settle(&mut self, took: Duration, is_answered: bool) {
        let Some(typed_us) = self.typed_us.take() else {
            return;
        };
        if !self.run.in_window(typed_us) {
            return;
        }
        let tally = &self.run.tally;
        tally.latency.record(took);
        tally.unanswered.fetch_add(u64::from(!is_answered), Relaxed);
        tally.waiting.fetch_sub(1, Relaxed);
    }

    /// The timer fired: the answer is overdue, or it is time for a command. When to fire next.
    fn on_time(&mut self) -> Instant {
        if self.player.is_waiting() {
            self.player.give_up();
            self.settle(self.run.options.answer_deadline, false);
            return self.next_command();
        }
        if !self.run.typing.load(Relaxed) {
            return Instant::now() + NEVER;
        }
        let run = self.run;
        let typed_us = run.now_us();
        let line = self.link.queued();
        let before = line.len();
        let said = self
            .player
            .command(run.options.mix, run.tag, &mut self.dice, line);
        let bytes = u64::try_from(line.len() - before).unwrap_or(0);
        if let Some(token) = said {
            run.says.sent(token, typed_us);
        }
        run.tally.bytes_out.fetch_add(bytes, Relaxed);
        if run.in_window(typed_us) {
            run.tally.commands.fetch_add(1, Relaxed);
            run.tally.waiting.fetch_add(1, Relaxed);
        }
        self.typed_us = Some(typed_us);
        Instant::now() + run.options.answer_deadline
    }

    fn next_command(&mut self) -> Instant {
        let pace = self.run.options.pace;
        Instant::now() + self.dice.between(pace.least, pace.most)
    }
}

/// Measures how late the words of other bots of this run are.
fn note_heard(run: &Run, line: &[u8], now_us: u64) {
    run.tag.tokens(line, |token| {
        if let Some(said_us) = run.says.time_us(token)
            && run.in_window(said_us)
        {
            run.tally
                .heard
                .record(Duration::from_micros(now_us.saturating_sub(said_us)));
        }
    });
}
