//! Goal: an error of a tethered child is told once, by its tether, and is no crash for the log; a
//! panic is. Method: what is logged is kept by a subscriber of this thread.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use belay_runtime::*;

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What is logged until a tether has met five failures of its child.
async fn logged_of(fail: impl Fn() -> Result<(), Exit> + Send + Sync + Clone + 'static) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let tether = Tether::new("line", TetherOptions::default(), move |_| {
        let fail = fail.clone();
        ChildSpec::task("socket", move |_| async move { fail() })
    });
    let mut watch = tether.watch();
    let node = Node::start(Supervisor::builder("node").child(tether.spec()))
        .await
        .unwrap();
    while watch.changed().await.unwrap().failures < 5 {}
    node.stop(Duration::from_secs(1)).await;
    drop(guard);
    String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_tethered_child_is_no_crash_for_the_log() {
    let text = logged_of(|| Err(Exit::error_coded("refused", "connection refused"))).await;
    assert!(text.contains("tether cut"), "{text}");
    assert!(text.contains("connection refused"), "{text}");
    assert!(!text.contains("process crashed"), "{text}");
    let text = logged_of(|| panic!("a fault of ours")).await;
    assert!(text.contains("process crashed"), "{text}");
}
