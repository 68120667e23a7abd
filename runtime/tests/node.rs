//! Goal: the tree as data and text, subtrees on threads, and the end of a node. Method: small
//! trees.

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use belay_runtime::*;
use common::*;

#[tokio::test]
async fn the_tree_shows_queues_restarts_and_children() {
    let journal = Journal::default();
    let (spec, address) = obedient("room:1", &journal);
    let rooms = DynamicSupervisor::new("rooms", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(rooms.spec()))
        .await
        .unwrap();
    let room = rooms.start_child(spec).await.unwrap();
    let (told, tell) = tokio::sync::oneshot::channel();
    order(&address, Order::Panic("broken"));
    settled(&address).await;
    order(&address, Order::Wait(tell));
    until("it waits", || address.is_empty()).await;
    order(&address, Order::Note(1));
    order(&address, Order::Note(2));
    let tree = node.tree();
    assert_eq!((tree.kind, tree.mailbox), ("supervisor", None));
    let shown = find(&tree, "room:1");
    let mailbox = shown.mailbox.expect("it has one");
    assert_eq!(
        (mailbox.depth, mailbox.high_water, mailbox.capacity),
        (2, 2, 64)
    );
    assert_eq!(
        (shown.pid, shown.handled, shown.restarts),
        (room.pid(), 3, 1)
    );
    let text = tree.to_text();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("node <") && lines[0].contains("running, supervisor of 1"));
    assert!(lines[1].starts_with("  rooms <") && lines[1].contains("dynamic supervisor of 1"));
    assert!(lines[2].starts_with("    room:1 <") && lines[2].contains("panic: broken"));
    assert!(text.is_ascii());
    told.send(()).unwrap();
    settled(&address).await;
    stop(node).await;
}

#[tokio::test]
async fn a_subtree_runs_on_a_thread_of_its_own() {
    let mailbox = Mailbox::<Reply<String>>::new(Capacity::new(4));
    let subtree_mailbox = mailbox.clone();
    let subtree = ChildSpec::supervisor("apart", move || {
        let body = |mut ctx: Context<Reply<String>>| async move {
            while let Incoming::Message(reply) = ctx.next().await {
                let name = std::thread::current().name().unwrap_or_default().to_owned();
                if ctx.incarnation() == 0 {
                    panic!("the first time");
                }
                drop(reply.send(name));
            }
            Ok(())
        };
        Supervisor::builder("apart").child(ChildSpec::body("leaf", &subtree_mailbox, body))
    });
    let bed = test_kit::start([subtree.on_thread()]).await;
    let leaf = mailbox.address();
    assert_eq!(
        leaf.call(LONG, |reply| reply).await,
        Err(CallError::Dropped)
    );
    assert_eq!(leaf.call(LONG, |reply| reply).await, Ok("apart".to_owned()));
    bed.finish().await;
    assert!(leaf.is_closed());
}

#[tokio::test]
async fn a_blocked_child_on_a_thread_is_left_behind_and_named() {
    let (unblock, blocked) = mpsc::sync_channel::<()>(0);
    let blocked = Mutex::new(blocked);
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let spec = ChildSpec::once_body("wedged", &mailbox, move |mut ctx: Context<()>| async move {
        ctx.next().await;
        assert!(
            blocked.lock().unwrap().recv().is_err(),
            "it is only ever dropped"
        );
        Ok(())
    });
    let spec = spec.on_thread().shutdown(Shutdown::Brutal);
    let node = Node::start(Supervisor::builder("node").child(spec))
        .await
        .unwrap();
    mailbox.address().try_send(()).unwrap();
    until("it is wedged", || mailbox.address().is_empty()).await;
    let report = node.stop(Duration::from_millis(50)).await;
    assert_eq!(report.not_stopped, ["wedged", "node"]);
    drop(unblock);
}

#[tokio::test]
async fn regression_a_child_left_behind_is_named_when_the_rest_stops_in_time() {
    let (unblock, blocked) = mpsc::sync_channel::<()>(0);
    let mut blocked = Some(blocked);
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let spec = ChildSpec::blocking("wedged", &mailbox, move |ctx| {
        ctx.ready();
        if let Some(blocked) = blocked.take() {
            assert!(blocked.recv().is_err(), "it is only ever dropped");
        }
        Ok(())
    });
    let mut children = Some(spec.shutdown(Shutdown::Brutal));
    let others = DynamicSupervisor::new("others", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(others.spec()))
        .await
        .unwrap();
    let inner = move || Supervisor::builder("inner").children(children.take());
    let inner = ChildSpec::supervisor("inner", inner);
    others.start_child(inner).await.unwrap();
    let wedged = mailbox.address().process().unwrap();
    assert_eq!(node.stop(LONG).await.not_stopped, ["wedged"]);
    drop(unblock);
    wedged.ended().await;
}

#[tokio::test]
async fn dropping_a_node_kills_its_tree() {
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    let node = Node::start(Supervisor::builder("node").child(spec))
        .await
        .unwrap();
    let root = node.root().clone();
    drop(node);
    root.ended().await;
    until("the child ends", || address.is_closed()).await;
}

#[test]
fn a_runtime_that_is_dropped_ends_its_processes() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    let node = runtime
        .block_on(Node::start(Supervisor::builder("node").child(spec)))
        .unwrap();
    drop(runtime);
    assert!(address.is_closed());
    assert!(!node.root().is_alive());
}

#[tokio::test]
async fn counts_processes_restarts_and_crashes() {
    let before = stats();
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    let bed = test_kit::start([spec]).await;
    order(&address, Order::Panic("broken"));
    settled(&address).await;
    let after = stats();
    // Other tests run beside this one.
    assert!(after.restarts_total > before.restarts_total);
    assert!(after.crashes_total > before.crashes_total);
    assert!(after.processes >= 2);
    bed.finish().await;
}

#[tokio::test]
async fn an_heir_hands_its_state_to_the_next_incarnation() {
    struct Floor(Heir<Vec<u32>>);
    impl Process for Floor {
        type Message = (u32, Reply<usize>);
        async fn handle(
            &mut self,
            _: &mut Context<Self::Message>,
            (item, reply): Self::Message,
        ) -> Result<Flow, Exit> {
            assert!(item != 13, "unlucky");
            let items = self.0.with(|items| {
                items.push(item);
                items.len()
            });
            assert_eq!(reply.send(items), Ok(()));
            Ok(Flow::Continue)
        }
    }
    let (heir, mailbox) = (Heir::new(Vec::new()), Mailbox::new(Capacity::new(4)));
    let spec = ChildSpec::process("floor", &mailbox, move || Floor(heir.clone()));
    let bed = test_kit::start([spec]).await;
    let floor = mailbox.address();
    assert_eq!(floor.call(LONG, |reply| (1, reply)).await, Ok(1));
    assert_eq!(
        floor.call(LONG, |reply| (13, reply)).await,
        Err(CallError::Dropped)
    );
    assert_eq!(floor.call(LONG, |reply| (2, reply)).await, Ok(2));
    bed.finish().await;
}

/// Says so when it is dropped.
struct Farewell(Journal);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.write("gone");
    }
}

#[tokio::test]
async fn giving_up_a_start_kills_what_was_started() {
    let journal = Journal::default();
    let farewell = Farewell(journal.clone());
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let spec = ChildSpec::once_body("never ready", &mailbox, |_| async move {
        farewell.0.write("begins");
        std::future::pending().await
    });
    let starting = Node::start(Supervisor::builder("node").child(spec.acknowledged()));
    tokio::select! {
        _ = starting => panic!("it never starts"),
        () = until("it begins", || journal.entries() == ["begins"]) => {}
    }
    until("it is gone", || journal.entries() == ["begins", "gone"]).await;
}
