//! Goal: the profile is in the log when the operator sends SIGUSR1. Method: the real signal, sent
//! to this program by another, and a tracing subscriber for all threads; in a program of its own,
//! because both are for the whole program.
#![cfg(unix)]

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use belay_runtime::*;
use tokio::sync::Notify;

/// Keeps what is logged, and tells when something was.
#[derive(Clone, Default)]
struct Log(Arc<(Mutex<Vec<u8>>, Notify)>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    async fn has(&self, text: &str) {
        while !self.text().contains(text) {
            self.0.1.notified().await;
        }
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut kept = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        self.0.1.notify_one();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn send_signal() {
    let own = std::process::id().to_string();
    let mut kill = Command::new("sh");
    let sent = kill.args(["-c", "kill -USR1 \"$0\"", &own]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[tokio::test]
async fn a_signal_and_a_call_put_the_profile_into_the_log() {
    static STEP: Span = Span::new("step");
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let profiler = Profiler::new(ProfilerOptions::default());
    let node = Node::start(Supervisor::builder("node").child(profiler.spec()))
        .await
        .unwrap();
    drop(STEP.enter());

    send_signal();
    log.has("SIGUSR1").await;
    let text = log.text();
    assert!(text.contains("INFO belay_runtime: profile"), "{text}");
    assert!(text.contains("step: self "), "{text}");

    profiler.dump("handler was slow").unwrap();
    log.has("handler was slow").await;

    // The operator is heard after code has asked too often.
    for _ in 0..limits::PROFILE_DUMPS_MAX {
        profiler.dump("too often").unwrap();
    }
    let signals = |log: &Log| log.text().matches("SIGUSR1").count();
    send_signal();
    while signals(&log) < 2 {
        log.0.1.notified().await;
    }
    node.stop(Duration::from_secs(5)).await;
    let dumps = log.text().matches("handler was slow").count();
    let often = log.text().matches("too often").count();
    assert_eq!(dumps + often, limits::PROFILE_DUMPS_MAX as usize);
}
