//! Goal: a crash is logged with its place, and not more than the limit allows. Method: a tracing
//! subscriber that keeps what is logged, in a program of its own: whether a place logs at all is
//! remembered for all threads, so tests beside this one could switch it off.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use belay_runtime::*;
use common::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A message with kinds.
enum Told {
    Count(Reply<u32>),
    Break,
}

impl Kind for Told {
    const KINDS: &'static [&'static str] = &["count", "break"];

    fn kind(&self) -> u8 {
        match self {
            Self::Count(_) => 0,
            Self::Break => 1,
        }
    }
}

/// Breaks when told, with two messages behind; and the second time before it is told anything.
struct Brittle;

impl Process for Brittle {
    type Message = Told;

    async fn init(&mut self, ctx: &mut Context<Told>) -> Result<(), Exit> {
        assert!(ctx.incarnation() != 1, "fragile");
        Ok(())
    }

    async fn handle(&mut self, ctx: &mut Context<Told>, told: Told) -> Result<Flow, Exit> {
        match told {
            Told::Count(reply) => drop(reply.send(ctx.incarnation())),
            Told::Break => {
                for _ in 0..2 {
                    assert!(ctx.address().try_send(Told::Break).is_ok());
                }
                tokio::time::advance(Duration::from_millis(1_500)).await;
                panic!("broken");
            }
        }
        Ok(Flow::Continue)
    }
}

/// The records of the crashes of a process that breaks twice.
async fn break_twice(log: &Log) -> Vec<String> {
    let mailbox = Mailbox::with_kinds(Capacity::new(4));
    let spec = ChildSpec::process("brittle", &mailbox, || Brittle).queue(MailboxPolicy::Discard);
    let builder = Supervisor::builder("node")
        .intensity(Intensity::UNLIMITED)
        .child(spec);
    let bed = test_kit::start_with(builder).await;
    let address = mailbox.address();
    address.try_send(Told::Break).unwrap();
    until("it broke twice", || crashes(log).len() == 2).await;
    assert_eq!(address.call(LONG, Told::Count).await, Ok(2));
    bed.finish().await;
    crashes(log)
}

fn crashes(log: &Log) -> Vec<String> {
    let text = log.text();
    let lines = text.lines().filter(|line| line.contains("process crashed"));
    lines.map(str::to_owned).collect()
}

fn check_says_all(lines: &[String]) {
    let [handling, starting] = lines else {
        panic!("two crashes: {lines:?}");
    };
    for said in [
        r#"name="brittle""#,
        "reason=panic: broken at ",
        r#"kind="break""#,
        "uptime_ms=1500",
        "queue_len=2",
        "restarts=0",
        "omitted=0",
    ] {
        assert!(handling.contains(said), "{said} in {handling}");
    }
    for said in [
        "reason=panic: fragile",
        "uptime_ms=0",
        "queue_len=0",
        "restarts=1",
    ] {
        assert!(starting.contains(said), "{said} in {starting}");
    }
    assert!(!starting.contains("kind="), "{starting}");
    // Whether stacks are taken is up to who runs the tests.
    let taken = Backtrace::capture().status() == BacktraceStatus::Captured;
    assert_eq!(handling.contains("backtrace="), taken, "{handling}");
}

#[tokio::test(start_paused = true)]
async fn crashes_are_logged_with_their_place_and_not_more_than_the_limit_allows() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    check_says_all(&break_twice(&log).await);
    log.0.lock().unwrap().clear();
    tokio::time::advance(limits::CRASH_REPORT_PERIOD).await;
    let journal = Journal::default();
    let (spec, address) = obedient("room:1", &journal);
    let builder = Supervisor::builder("node")
        .intensity(Intensity::UNLIMITED)
        .child(spec);
    let bed = test_kit::start_with(builder).await;
    let rounds = limits::CRASH_REPORTS_MAX + 15;
    for _ in 0..rounds {
        order(&address, Order::Panic("broken"));
        settled(&address).await;
    }
    let lines = crashes(&log);
    assert!(
        !lines.is_empty() && lines.len() <= limits::CRASH_REPORTS_MAX as usize,
        "{lines:?}"
    );
    assert!(lines[0].contains("ERROR belay_runtime"), "{}", lines[0]);
    assert!(lines[0].contains(r#"name="room:1""#), "{}", lines[0]);
    assert!(lines[0].contains("common/mod.rs:"), "{}", lines[0]);
    tokio::time::advance(limits::CRASH_REPORT_PERIOD * 1_000).await;
    order(&address, Order::Panic("broken"));
    settled(&address).await;
    let text = log.text();
    let last = text.lines().last().unwrap();
    assert!(
        last.contains("omitted=") && !last.contains("omitted=0"),
        "{last}"
    );
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_killed_because_it_does_not_stop_in_time_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    // The limit is one for the program, and the other test uses it up.
    tokio::time::advance(limits::CRASH_REPORT_PERIOD * 2_000).await;
    let stubborn = |name: &str| ChildSpec::task(name, |_| std::future::pending());
    let builder = Supervisor::builder("node")
        .child(stubborn("told").shutdown(Shutdown::Timeout(Duration::from_secs(2))))
        .child(stubborn("cut off").shutdown(Shutdown::Brutal));
    let node = Node::start(builder).await.unwrap();
    assert_eq!(node.stop(LONG).await, StopReport::default());
    let text = log.text();
    let killed = "process did not stop in time and was killed";
    assert_eq!(text.matches(killed).count(), 1, "{text}");
    assert!(text.contains(r#"name="told""#), "{text}");
}
