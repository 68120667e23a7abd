//! Goal: the tree tells of each process what it handled last, how it crashed, and whose child it
//! is. Method: small trees; a process with kinds is looked at while it handles each.

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::*;
use common::*;

/// Each is held until it is let go.
enum Task {
    Read(tokio::sync::oneshot::Receiver<()>),
    Write(tokio::sync::oneshot::Receiver<()>),
    /// Not in the list of names.
    Other(tokio::sync::oneshot::Receiver<()>),
    /// Sets a timer for another.
    Later(Box<Self>),
    Monitor(ProcessRef),
}

impl Kind for Task {
    const KINDS: &'static [&'static str] = &["read", "write", "later", "monitor"];

    fn kind(&self) -> u8 {
        match self {
            Self::Read(_) => 0,
            Self::Write(_) => 1,
            Self::Later(_) => 2,
            Self::Monitor(_) => 3,
            Self::Other(_) => 77,
        }
    }
}

struct Clerk;

impl Process for Clerk {
    type Message = Task;

    async fn handle(&mut self, ctx: &mut Context<Task>, task: Task) -> Result<Flow, Exit> {
        match task {
            Task::Read(told) | Task::Write(told) | Task::Other(told) => drop(told.await),
            Task::Later(task) => drop(ctx.send_after(Duration::from_millis(5), *task)),
            Task::Monitor(other) => drop(ctx.monitor(&other)),
        }
        Ok(Flow::Continue)
    }

    async fn stop(&mut self, _: &mut Context<Task>, _: &Exit) {
        std::future::pending::<()>().await;
    }
}

#[tokio::test(start_paused = true)]
async fn tells_the_kind_of_what_was_handed_out_last() {
    let mailbox = Mailbox::with_kinds(Capacity::new(8));
    let spec = ChildSpec::process("clerk", &mailbox, || Clerk);
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    let child = children.start_child(spec).await.unwrap();
    let last = || find(&node.tree(), "clerk").last_message;
    assert_eq!(last(), None);
    let clerk = mailbox.address();
    type Make = fn(tokio::sync::oneshot::Receiver<()>) -> Task;
    let tasks: [(Make, _); 3] = [
        (Task::Read, "read"),
        (Task::Write, "write"),
        (Task::Other, "?"),
    ];
    for (make, kind) in tasks {
        let (tell, told) = tokio::sync::oneshot::channel();
        clerk.try_send(make(told)).unwrap();
        until(kind, || last() == Some(kind)).await;
        tell.send(()).unwrap();
    }
    let (tell, told) = tokio::sync::oneshot::channel();
    let later = Task::Later(Box::new(Task::Read(told)));
    clerk.try_send(later).unwrap();
    until("it set a timer", || last() == Some("later")).await;
    tokio::time::advance(Duration::from_millis(6)).await;
    until("the timer", || last() == Some("read")).await;
    tell.send(()).unwrap();
    let ended = ChildSpec::task("brief", |_| async { Ok(()) });
    let other = Node::start(Supervisor::builder("other").child(ended))
        .await
        .unwrap();
    let root = other.root().clone();
    clerk.try_send(Task::Monitor(root)).unwrap();
    until("it monitors", || last() == Some("monitor")).await;
    stop(other).await;
    until("a signal", || last() == Some("signal")).await;
    tokio::select! {
        _ = children.stop_child(child.pid()) => panic!("it does not stop by itself"),
        () = until("a stop", || last() == Some("stop")) => {}
    }
    stop(node).await;
}

#[tokio::test]
async fn tells_whose_child_each_is_and_what_it_costs() {
    let journal = Journal::default();
    let (spec, address) = obedient("room:1", &journal);
    let inner = DynamicSupervisor::new("rooms", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(inner.spec()))
        .await
        .unwrap();
    inner.start_child(spec).await.unwrap();
    let busy = || find(&node.tree(), "room:1").busy_us;
    let before = busy();
    for _ in 0..1_000 {
        settled(&address).await;
    }
    assert!(busy() > before);
    let tree = node.tree();
    let pid = |name| find(&tree, name).pid;
    let parent = |name| find(&tree, name).parent;
    assert_eq!(parent("node"), None);
    assert_eq!(parent("rooms"), Some(pid("node")));
    assert_eq!(parent("room:1"), Some(pid("rooms")));
    // It has no kinds: the type stands for them.
    assert_eq!(find(&tree, "room:1").last_message, Some("Order"));
    assert_eq!(find(&tree, "rooms").last_message, None);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn remembers_the_last_crash_over_other_exits() {
    let journal = Journal::default();
    let (spec, address) = obedient("room:1", &journal);
    let limit = Intensity::new(2, Duration::from_secs(60));
    let node = Node::start(Supervisor::builder("node").child(spec.intensity(limit)))
        .await
        .unwrap();
    let room = || find(&node.tree(), "room:1");
    assert_eq!(room().last_crash, None);
    order(&address, Order::Panic("broken"));
    assert_eq!(settled(&address).await, 1);
    tokio::time::advance(Duration::from_secs(2)).await;
    order(&address, Order::KillYourself);
    assert_eq!(settled(&address).await, 2);
    let shown = room();
    let crash = shown.last_crash.expect("it crashed");
    assert!(crash.reason.starts_with("panic: broken at "), "{crash:?}");
    assert_eq!(crash.ago_ms, 2_000);
    assert_eq!(shown.last_exit.as_deref(), Some("killed"));
    let text = node.tree().to_text();
    let line = text.lines().last().unwrap();
    assert!(
        line.contains(", crashed 2 s ago: panic: broken at"),
        "{line}"
    );
    assert!(line.ends_with(", last exit: killed"), "{line}");
    order(&address, Order::Fail("at last"));
    until("it is abandoned", || room().state == State::Abandoned).await;
    let crash = room().last_crash.expect("it crashed again");
    assert_eq!(crash.reason, "error: at last");
    stop(node).await;
}
