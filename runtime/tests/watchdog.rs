//! Goal: the watchdog names who blocks a worker, while that lasts and when it is over. Method:
//! processes that block on a channel until the watchdog's hook lets them go; what is logged is
//! kept by a subscriber for the whole program, because the watchdog has a thread of its own.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use belay_runtime::*;
use common::*;

const THRESHOLD: Duration = Duration::from_millis(20);

/// One watchdog at a time: each sees the processes of all tests.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Keeps what is logged by all threads.
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

/// The lines about a process.
fn logged(name: &str) -> Vec<String> {
    let text = String::from_utf8(log().0.lock().unwrap().clone()).unwrap();
    let name = format!("name={name:?}");
    let lines = text.lines().filter(|line| line.contains(&name));
    lines.map(str::to_owned).collect()
}

fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| {
        let log = Log::default();
        let writer = log.clone();
        tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .init();
        log
    })
}

enum Job {
    /// Blocks its thread until it is let go.
    Block,
    Done(Reply<()>),
}

impl Kind for Job {
    const KINDS: &'static [&'static str] = &["block", "done"];

    fn kind(&self) -> u8 {
        match self {
            Self::Block => 0,
            Self::Done(_) => 1,
        }
    }
}

struct Blocker(Arc<Mutex<Receiver<()>>>);

impl Process for Blocker {
    type Message = Job;

    async fn handle(&mut self, _: &mut Context<Job>, job: Job) -> Result<Flow, Exit> {
        match job {
            Job::Block => self.0.lock().unwrap().recv().unwrap(),
            Job::Done(reply) => drop(reply.send(())),
        }
        Ok(Flow::Continue)
    }
}

fn blocker(name: &str) -> (ChildSpec, Address<Job>, SyncSender<()>) {
    let (release, blocked) = sync_channel(64);
    let (mailbox, blocked) = (
        Mailbox::with_kinds(Capacity::new(64)),
        Arc::new(Mutex::new(blocked)),
    );
    let spec = ChildSpec::process(name, &mailbox, move || Blocker(Arc::clone(&blocked)));
    (spec, mailbox.address(), release)
}

/// A watchdog that lets a process of this name go once it has seen that it blocks, and what it
/// tells of it.
fn watchdog(of: &'static str, release: SyncSender<()>) -> (ChildSpec, Receiver<SlowHandler>) {
    let (tell, told) = sync_channel(64);
    let options = WatchdogOptions {
        threshold: THRESHOLD,
    };
    let watchdog = Watchdog::new(options).on_slow(move |slow| {
        if slow.name() != of {
            return;
        }
        tell.send(slow.clone()).unwrap();
        if !slow.is_over() {
            release.send(()).unwrap();
        }
    });
    (watchdog.spec(), told)
}

#[tokio::test]
async fn names_a_handler_that_blocks_the_only_worker_while_it_does() {
    let _alone = ALONE.lock().await;
    log();
    let before = stats().slow_handlers_total;
    let (spec, address, release) = blocker("wedged");
    let (watchdog, told) = watchdog("wedged", release);
    let builder = Supervisor::builder("node").child(watchdog).child(spec);
    let node = Node::start(builder).await.unwrap();
    for round in 1..=2 {
        address.try_send(Job::Block).unwrap();
        assert_eq!(address.call(LONG, Job::Done).await, Ok(()));
        // Only the end of the block lets the call come back: it is told of already.
        let slow = told.try_recv().unwrap();
        assert!(!slow.is_over() && slow.took() >= THRESHOLD, "{slow:?}");
        assert_eq!((slow.name(), slow.kind()), ("wedged", Some("block")));
        assert_eq!(slow.pid(), find(&node.tree(), "wedged").pid);
        let over = told.recv_timeout(LONG).unwrap();
        assert!(over.is_over() && over.took() >= slow.took(), "{over:?}");
        assert_eq!((over.pid(), over.kind()), (slow.pid(), Some("block")));
        check_log(&logged("wedged"), round, &slow);
    }
    assert!(stats().slow_handlers_total >= before + 2);
    let busy = find(&node.tree(), "wedged").busy_us;
    assert!(u128::from(busy) >= 2 * THRESHOLD.as_micros(), "{busy}");
    stop(node).await;
}

/// Two lines a round, and nothing of the time between them.
fn check_log(lines: &[String], rounds: usize, slow: &SlowHandler) {
    assert_eq!(lines.len(), 2 * rounds, "{lines:?}");
    let [.., begun, over] = lines else {
        panic!("two lines a round: {lines:?}")
    };
    let pid = format!("pid={}", slow.pid().number());
    for line in [begun, over] {
        assert!(line.contains("WARN belay_runtime"), "{line}");
        for said in [&*pid, r#"kind="block""#, "took_ms="] {
            assert!(line.contains(said), "{said} in {line}");
        }
    }
    assert!(begun.contains("handler blocks a worker"), "{begun}");
    assert!(over.contains("handler has blocked a worker"), "{over}");
}

#[tokio::test]
async fn names_code_of_a_process_that_blocks_outside_of_messages() {
    let _alone = ALONE.lock().await;
    log();
    let (release, blocked) = sync_channel(64);
    let (watchdog, told) = watchdog("slow to begin", release);
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let builder = Supervisor::builder("node").child(watchdog);
    let node = Node::start(builder.child(children.spec())).await.unwrap();
    let spec = ChildSpec::task("slow to begin", move |_| async move {
        blocked.recv().unwrap();
        Ok(())
    });
    let child = children.start_child(spec).await.unwrap();
    let slow = told.recv_timeout(LONG).unwrap();
    assert_eq!((slow.pid(), slow.kind()), (child.pid(), None));
    // It has ended meanwhile, and is told of by its name all the same.
    let over = told.recv_timeout(LONG).unwrap();
    assert!(over.is_over() && over.pid() == child.pid(), "{over:?}");
    stop(node).await;
}
