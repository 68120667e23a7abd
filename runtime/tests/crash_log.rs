//! Goal: a crash is logged with its place, and not more than the limit allows. Method: a tracing
//! subscriber that keeps what is logged, in a program of its own: whether a place logs at all is
//! remembered for all threads, so tests beside this one could switch it off.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::io::Write;
use std::sync::{Arc, Mutex};

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

#[tokio::test(start_paused = true)]
async fn crashes_are_logged_with_their_place_and_not_more_than_the_limit_allows() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let journal = Journal::default();
    let (spec, address) = obedient("room:1", &journal);
    let builder = Supervisor::builder("node")
        .intensity(Intensity::UNLIMITED)
        .child(spec);
    let node = Node::start(builder).await.unwrap();
    let crashes = limits::CRASH_REPORTS_MAX + 15;
    for _ in 0..crashes {
        order(&address, Order::Panic("broken"));
        settled(&address).await;
    }
    let text = log.text();
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains("process crashed"))
        .collect();
    assert!(
        !lines.is_empty() && lines.len() <= limits::CRASH_REPORTS_MAX as usize,
        "{text}"
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
    stop(node).await;
}
