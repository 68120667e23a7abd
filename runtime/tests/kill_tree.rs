//! Goal: a supervisor that is killed restarts once, however deep its tree is and whatever is in it,
//! and all of the tree works again. Method: kills on several threads, where what is killed and what
//! takes its place run at the same time.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

use std::time::Duration;

use belay_runtime::*;

const SECOND: Duration = Duration::from_secs(1);
const KILLS: u32 = 60;

fn answers(mailbox: &Mailbox<Reply<()>>) -> ChildSpec {
    let answer = |mut ctx: Context<Reply<()>>| async move {
        loop {
            match ctx.next().await {
                Incoming::Message(reply) => drop(reply.send(())),
                Incoming::Timer(_) | Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    };
    ChildSpec::body("answers", mailbox, answer)
}

/// A supervisor `top` of a supervisor of what `children` makes.
fn nested(children: impl FnMut() -> Vec<ChildSpec> + Clone + Send + 'static) -> ChildSpec {
    ChildSpec::supervisor("top", move || {
        let mut children = children.clone();
        let below = ChildSpec::supervisor("below", move || {
            Supervisor::builder("below").children(children())
        });
        Supervisor::builder("top").child(below)
    })
}

/// Kills the only child of the node over and over; `works` waits until its tree works again.
async fn check(tree: ChildSpec, works: impl AsyncFn()) {
    let unlimited = Intensity::UNLIMITED;
    let node = Supervisor::builder("node").intensity(unlimited).child(tree);
    let node = Node::start(node).await.unwrap();
    let top = node.tree().children.first().unwrap().pid;
    let top = ProcessRef::find(top).unwrap();
    for kill in 1..=KILLS {
        top.kill();
        let restarts = loop {
            let tree = node.tree();
            let top = tree.children.first().unwrap();
            if top.restarts >= kill && top.state == State::Running {
                break top.restarts;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(restarts, kill, "{}", node.tree().to_text());
        works().await;
    }
    assert_eq!(node.stop(SECOND * 9).await, StopReport::default());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn regression_a_child_of_a_nested_supervisor_is_started_when_its_last_life_is_over() {
    let mailbox = Mailbox::new(Capacity::new(8));
    let (child, address) = (mailbox.clone(), mailbox.address());
    check(nested(move || vec![answers(&child)]), async || {
        address.call(SECOND * 9, |reply| reply).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn regression_what_a_handle_is_of_works_again_after_a_kill_from_above() {
    let rooms = DynamicSupervisor::new("rooms", DynamicOptions::default());
    let options = PoolOptions {
        threads: 1,
        queue_max: 8,
    };
    let pool = WorkerPool::new("pool", options);
    let mailbox = Mailbox::new(Capacity::new(8));
    let (child, address) = (mailbox.clone(), mailbox.address());
    let tether = Tether::new("tether", TetherOptions::default(), move |_| answers(&child));
    let handles = (rooms.clone(), pool.clone(), tether.clone());
    let children = move || {
        let (rooms, pool, tether) = &handles;
        vec![rooms.spec(), pool.spec(), tether.spec()]
    };
    check(nested(children), async || {
        let room = ChildSpec::task("room", |_| std::future::pending()).shutdown(Shutdown::Brutal);
        rooms.start_child(room).await.unwrap();
        assert_eq!(pool.run(|| 7).await.unwrap(), 7);
        // It attaches its child by itself, and tries again when the last one is not gone yet.
        while address.call(SECOND * 9, |reply| reply).await.is_err() {
            tether.attach_now();
            tokio::task::yield_now().await;
        }
    })
    .await;
}
