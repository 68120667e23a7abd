//! `[process]` Goal: whatever the child of a tether does, nothing above or beside the tether
//! notices, and the tether is as its rules say. Method: children that play a script, random ones
//! against a simple model, on a paused clock.

#![expect(
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use belay_runtime::*;
use common::*;
use proptest::prelude::{Just, ProptestConfig, any, prop, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as _;
use tokio::time::{Instant, sleep_until};

/// What a child does in one life.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    /// Runs until it is stopped.
    Run,
    PanicInMaker,
    FailStart,
    PanicInStart,
    HangInStart,
    /// Runs so many milliseconds, and then:
    Fail(u64),
    Panic(u64),
    PanicInDrop(u64),
    /// Says that it is well first.
    ProveAndFail(u64),
    /// Does not hear that it is to stop.
    IgnoreStopAndFail(u64),
    Finish(u64),
    KillYourself(u64),
}

use Act::*;

struct Stage {
    acts: VecDeque<Act>,
    begun: Instant,
    /// When each act began.
    starts_ms: Vec<u64>,
}

/// The acts to come, shared by all lives of a child; when there are none left it runs.
#[derive(Clone)]
struct Script(Arc<Mutex<Stage>>);

impl Script {
    fn new(acts: &[Act]) -> Self {
        Self(Arc::new(Mutex::new(Stage {
            acts: acts.iter().copied().collect(),
            begun: Instant::now(),
            starts_ms: Vec::new(),
        })))
    }

    fn next_if(&self, take: impl FnOnce(Act) -> bool) -> Option<Act> {
        let mut stage = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let act = stage.acts.front().copied().unwrap_or(Run);
        if !take(act) {
            return None;
        }
        stage.acts.pop_front();
        let at = stage.begun.elapsed();
        stage.starts_ms.push(u64::try_from(at.as_millis()).unwrap());
        Some(act)
    }

    fn starts_ms(&self) -> Vec<u64> {
        self.0.lock().unwrap().starts_ms.clone()
    }
}

struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in drop");
        }
    }
}

async fn after(ms: u64) {
    sleep_until(Instant::now() + Duration::from_millis(ms)).await;
}

async fn play(ctx: Context<u32>, act: Act, attachment: Attachment) -> Result<(), Exit> {
    match act {
        FailStart => return Err(Exit::error_coded("refused", "no such account")),
        PanicInStart => panic!("in start"),
        HangInStart => std::future::pending().await,
        _ => ctx.ready(),
    }
    let _bomb = matches!(act, PanicInDrop(_)).then(|| PanicsInDrop);
    match act {
        Run => ctx.stopping().await,
        IgnoreStopAndFail(ms) => {
            after(ms).await;
            return Err(Exit::error("told to"));
        }
        ProveAndFail(ms) | Fail(ms) | Panic(ms) | PanicInDrop(ms) | Finish(ms)
        | KillYourself(ms) => {
            if matches!(act, ProveAndFail(_)) {
                attachment.proven();
            }
            tokio::select! {
                () = ctx.stopping() => return Ok(()),
                () = after(ms) => {}
            }
        }
        PanicInMaker | FailStart | PanicInStart | HangInStart => {}
    }
    match act {
        ProveAndFail(_) | Fail(_) => Err(Exit::error("told to")),
        Panic(_) => panic!("told to"),
        KillYourself(_) => {
            ctx.process().kill();
            std::future::pending().await
        }
        _ => Ok(()),
    }
}

fn child(mailbox: &Mailbox<u32>, script: &Script, attachment: Attachment) -> ChildSpec {
    if script.next_if(|act| act == PanicInMaker).is_some() {
        panic!("in maker");
    }
    let script = script.clone();
    ChildSpec::body("child", mailbox, move |ctx| {
        let act = script.next_if(|_| true).unwrap();
        assert!(act != PanicInMaker, "panics when it is made");
        play(ctx, act, attachment.clone())
    })
    .acknowledged()
    .shutdown(Shutdown::Timeout(Duration::from_millis(300)))
}

/// Two quick restarts a second, delays of 100, 200, 400, 800, 1,000 ms.
fn options() -> TetherOptions {
    TetherOptions {
        intensity: Intensity::new(2, Duration::from_secs(1)),
        backoff: Backoff {
            first: Duration::from_millis(100),
            factor: 2.0,
            max: Duration::from_secs(1),
            jitter: 0.0,
        },
        proven_after: Some(Duration::from_millis(500)),
        start_within: Duration::from_millis(200),
        ..TetherOptions::default()
    }
}

/// A tree that bears no restart, of a tether with a scripted child and of a sibling.
struct Scene {
    node: Node,
    tether: Tether,
    script: Script,
    sibling: Address<Order>,
    watch: TetherWatch,
    mailbox: Mailbox<u32>,
    journal: Journal,
}

impl Scene {
    async fn new(options: TetherOptions, acts: &[Act]) -> Self {
        Self::with(options, acts, |spec| spec).await
    }

    async fn with(
        options: TetherOptions,
        acts: &[Act],
        mut change: impl FnMut(ChildSpec) -> ChildSpec + Send + 'static,
    ) -> Self {
        let (script, mailbox) = (Script::new(acts), Mailbox::new(Capacity::new(8)));
        let tether = Tether::new("tether", options, {
            let (script, mailbox) = (script.clone(), mailbox.clone());
            move |attachment| change(child(&mailbox, &script, attachment))
        });
        let journal = Journal::default();
        let (spec, sibling) = obedient("sibling", &journal);
        let watch = tether.watch();
        let builder = Supervisor::builder("node")
            .strategy(Strategy::OneForAll)
            .intensity(Intensity::new(0, LONG))
            .child(spec)
            .child(tether.spec());
        Self {
            node: Node::start(builder).await.unwrap(),
            tether,
            script,
            sibling,
            watch,
            mailbox,
            journal,
        }
    }

    /// Waits until the status is as wanted.
    async fn sees(&mut self, wanted: impl Fn(&TetherStatus) -> bool) -> TetherStatus {
        let look = async {
            loop {
                let status = self.tether.status();
                if wanted(&status) {
                    return status;
                }
                self.watch.changed().await.unwrap();
            }
        };
        let seen = tokio::time::timeout(Duration::from_secs(3_600), look).await;
        seen.unwrap_or_else(|_| panic!("never; it is {}", self.tether.status()))
    }

    async fn state(&mut self, state: TetherState) -> TetherStatus {
        self.sees(|status| status.state == state).await
    }

    /// Nothing above or beside it noticed; the tree stops, and nothing is left.
    async fn end(self) {
        assert_eq!(settled(&self.sibling).await, 0, "the sibling restarted");
        let tree = self.node.tree();
        assert_eq!((tree.restarts, tree.children.len()), (0, 2));
        let tether = find(&tree, "tether");
        assert_eq!((tether.restarts, tether.state), (0, State::Running));
        assert_eq!(tether.kind, "tether");
        stop(self.node).await;
        assert_eq!(self.tether.status().reason.unwrap(), "tether does not run");
    }
}

fn now_ms(scene: &Scene) -> u64 {
    let begun = scene.script.0.lock().unwrap().begun;
    u64::try_from(begun.elapsed().as_millis()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn attaches_its_child_once_it_runs_and_shows_it_in_the_tree() {
    let mut scene = Scene::new(options(), &[]).await;
    let status = scene.state(TetherState::Taut).await;
    assert_eq!((status.reason, status.next_try_ms), (None, None));
    let tree = scene.node.tree();
    assert_eq!(find(&tree, "tether").children[0].name, "child");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn starts_although_its_child_does_not_and_tries_again_with_growing_delays() {
    let acts = [
        FailStart,
        PanicInMaker,
        PanicInStart,
        FailStart,
        FailStart,
        FailStart,
    ];
    let mut scene = Scene::new(options(), &acts).await;
    let status = scene.state(TetherState::Cut).await;
    let text = "cut, next try in 100 ms: error refused: no such account";
    assert_eq!(status.to_string(), text);
    let shown = find(&scene.node.tree(), "tether").detail;
    assert_eq!(shown.as_deref(), Some(text));
    scene.state(TetherState::Taut).await;
    let expected = [0, 100, 300, 700, 1_500, 2_500, 3_500];
    assert_eq!(scene.script.starts_ms(), expected);
    assert_eq!(scene.tether.status().failures, 6);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_quick_restart_keeps_child_and_queue_and_a_cut_closes_the_mailbox() {
    let mut scene = Scene::new(options(), &[Fail(10), Panic(10), PanicInDrop(10)]).await;
    let address = scene.mailbox.address();
    scene.state(TetherState::Taut).await;
    let pid = find(&scene.node.tree(), "child").pid;
    address.try_send(7).unwrap();
    let status = scene.state(TetherState::Cut).await;
    assert_eq!(scene.script.starts_ms(), [0, 10, 20]);
    assert_eq!((status.failures, status.next_try_ms), (3, Some(100)));
    assert!(status.reason.unwrap().contains("in drop"));
    after(1).await;
    assert!(matches!(address.try_send(8), Err(TrySendError::Closed(8))));
    assert!(find(&scene.node.tree(), "tether").children.is_empty());
    scene.state(TetherState::Taut).await;
    assert_ne!(find(&scene.node.tree(), "child").pid, pid);
    address.try_send(9).unwrap();
    assert_eq!(address.len(), 1, "what was queued before the cut is gone");
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn the_queue_survives_a_quick_restart() {
    let mut scene = Scene::new(options(), &[Fail(10)]).await;
    scene.state(TetherState::Taut).await;
    scene.mailbox.address().try_send(7).unwrap();
    after(20).await;
    let child = find(&scene.node.tree(), "child");
    assert_eq!((child.restarts, child.mailbox.unwrap().depth), (1, 1));
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_temporary_child_is_made_anew_for_a_quick_restart() {
    let temporary = |spec: ChildSpec| spec.restart(Restart::Temporary);
    let mut scene = Scene::with(options(), &[Fail(10), KillYourself(10)], temporary).await;
    scene.sees(|status| status.failures == 2).await;
    scene.state(TetherState::Taut).await;
    assert_eq!(scene.script.starts_ms(), [0, 10, 20]);
    assert_eq!(find(&scene.node.tree(), "child").restarts, 0);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_transient_child_may_finish_and_is_attached_again_by_hand() {
    let transient = |spec: ChildSpec| spec.restart(Restart::Transient);
    let mut scene = Scene::with(options(), &[Finish(10), Fail(10)], transient).await;
    scene.state(TetherState::Taut).await;
    let status = scene.state(TetherState::Slack).await;
    assert_eq!(status.reason.unwrap(), "child has finished");
    after(5_000).await;
    assert_eq!(scene.tether.status().state, TetherState::Slack);
    scene.tether.attach_now();
    scene.state(TetherState::Taut).await;
    scene.sees(|status| status.failures == 1).await;
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_start_that_hangs_is_killed() {
    let mut scene = Scene::new(options(), &[HangInStart, Fail(10), HangInStart]).await;
    let status = scene.state(TetherState::Cut).await;
    assert_eq!(now_ms(&scene), 200);
    assert_eq!(
        status.reason.unwrap(),
        "error: start took longer than 200ms"
    );
    scene.sees(|status| status.failures == 3).await;
    scene.state(TetherState::Taut).await;
    // The second failure finds it without credit.
    assert_eq!(scene.script.starts_ms(), [0, 300, 510, 1_110]);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn delays_begin_anew_when_the_child_has_proven_itself() {
    let acts = [
        FailStart,
        FailStart,
        ProveAndFail(200),
        FailStart,
        FailStart,
        Fail(600),
        FailStart,
    ];
    let mut scene = Scene::new(options(), &acts).await;
    scene.sees(|status| status.failures == 7).await;
    scene.state(TetherState::Taut).await;
    let expected = [0, 100, 300, 500, 600, 800, 1_400, 1_500];
    assert_eq!(scene.script.starts_ms(), expected);
    scene.sees(|status| status.attempts == 0).await;
    assert_eq!(now_ms(&scene), 2_000);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn who_gives_word_and_fails_at_once_waits_longer_each_time() {
    let mut scene = Scene::new(options(), &[ProveAndFail(0); 6]).await;
    scene.sees(|status| status.failures == 6).await;
    scene.state(TetherState::Taut).await;
    let expected = [0, 0, 0, 100, 300, 700, 1_500];
    assert_eq!(scene.script.starts_ms(), expected);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_word_of_an_earlier_attachment_proves_nothing() {
    let seen: Arc<Mutex<Vec<Attachment>>> = Arc::default();
    let tether = Tether::new("tether", options(), {
        let seen = Arc::clone(&seen);
        move |attachment| {
            let first = attachment.number() == 0;
            seen.lock().unwrap().push(attachment);
            ChildSpec::task("child", move |ctx| async move {
                if first {
                    return Err(Exit::error("refused"));
                }
                ctx.stopping().await;
                Ok(())
            })
        }
    });
    let node = Node::start(Supervisor::builder("node").child(tether.spec()))
        .await
        .unwrap();
    after(110).await;
    assert_eq!(
        (tether.status().state, tether.status().attempts),
        (TetherState::Taut, 1)
    );
    seen.lock().unwrap()[0].proven();
    after(1).await;
    assert_eq!(tether.status().attempts, 1);
    seen.lock().unwrap()[1].proven();
    after(1).await;
    // It counts when the child has run as long as it was waited for.
    assert_eq!(tether.status().attempts, 1);
    after(90).await;
    assert_eq!(tether.status().attempts, 0);
    stop(node).await;
}

#[tokio::test]
async fn a_maker_that_blocks_holds_up_its_tether_alone() {
    let (free, blocked) = std::sync::mpsc::sync_channel::<()>(1);
    let (enters, entered) = std::sync::mpsc::sync_channel::<()>(1);
    let blocked = Mutex::new(blocked);
    let tether = Tether::new("tether", options(), move |_| {
        enters.try_send(()).ok();
        // A lesson in what not to do.
        blocked.lock().unwrap().recv().ok();
        ChildSpec::task("child", |_| async { Ok(()) })
    });
    let (fellow, address) = obedient("fellow", &Journal::default());
    let builder = Supervisor::builder("node");
    let node = Node::start(builder.child(fellow).child(tether.spec().on_thread()))
        .await
        .unwrap();
    entered.recv().unwrap();
    assert_eq!(settled(&address).await, 0);
    // Its orders do not wait for it.
    tether.attach_now();
    assert_eq!(tether.status().state, TetherState::Slack);
    // It would not stop in any time.
    let report = node.stop(Duration::ZERO).await;
    assert_eq!(report.not_stopped, ["fellow", "tether", "node"]);
    drop(free);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_waits_as_long_as_the_owner_says() {
    let options = options().delay_for(|exit| {
        assert!(
            !exit.to_string().contains("in start"),
            "a panic here says nothing"
        );
        (exit.code() == Some("refused")).then_some(Duration::from_secs(3_000))
    });
    let mut scene = Scene::new(options, &[PanicInStart, FailStart, FailStart]).await;
    let status = scene.sees(|status| status.failures == 2).await;
    assert_eq!(
        (status.state, status.next_try_ms),
        (TetherState::Cut, Some(3_000_000))
    );
    assert_eq!(status.code, Some("refused"));
    assert_eq!(
        status.to_string(),
        "cut, next try in 50 min: error refused: no such account"
    );
    scene.tether.attach_now();
    scene.sees(|status| status.failures == 3).await;
    after(1_000_000).await;
    scene.tether.attach_now();
    let status = scene.state(TetherState::Taut).await;
    assert_eq!((status.reason, status.code), (None, None));
    assert_eq!(scene.script.starts_ms(), [0, 100, 100, 1_000_100]);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn is_switched_off_and_on_by_hand_from_any_thread() {
    let mut scene = Scene::new(options(), &[Run, IgnoreStopAndFail(400)]).await;
    scene.state(TetherState::Taut).await;
    let tether = &scene.tether;
    std::thread::scope(|scope| drop(scope.spawn(|| tether.cut())));
    let status = scene.state(TetherState::Slack).await;
    assert_eq!(status.reason.unwrap(), "switched off");
    after(10_000).await;
    scene.tether.attach_now();
    scene.tether.reattach();
    after(10_000).await;
    assert_eq!(scene.script.starts_ms(), [0], "only attach switches it on");
    scene.tether.attach();
    scene.state(TetherState::Taut).await;
    // This one is deaf: it is killed after 300 ms. Cut and attach do not cancel each other out.
    scene.tether.cut();
    scene.tether.attach();
    scene.state(TetherState::Slack).await;
    scene.state(TetherState::Taut).await;
    assert_eq!(scene.script.starts_ms(), [0, 20_000, 20_300]);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn may_start_switched_off() {
    let options = TetherOptions {
        attaches_at_start: false,
        ..options()
    };
    let mut scene = Scene::new(options, &[]).await;
    after(10_000).await;
    assert_eq!(scene.tether.status().to_string(), "slack: switched off");
    scene.tether.attach();
    scene.state(TetherState::Taut).await;
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn reattach_stops_the_child_and_makes_it_anew() {
    let mut scene = Scene::new(options(), &[FailStart]).await;
    scene.state(TetherState::Taut).await;
    let pid = find(&scene.node.tree(), "child").pid;
    scene.tether.reattach();
    let status = scene.sees(|status| status.attempts == 0).await;
    assert_eq!(status.failures, 1, "it begins anew");
    scene.state(TetherState::Taut).await;
    assert_ne!(find(&scene.node.tree(), "child").pid, pid);
    scene.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_cut_by_hand_holds_over_a_restart_of_the_tether() {
    let script = Script::new(&[]);
    let mailbox = Mailbox::new(Capacity::new(1));
    let tether = Tether::new("tether", options(), {
        let script = script.clone();
        move |attachment| child(&mailbox, &script, attachment)
    });
    let journal = Journal::default();
    let (spec, sibling) = obedient("sibling", &journal);
    let builder = Supervisor::builder("node").strategy(Strategy::OneForAll);
    let node = Node::start(builder.child(spec).child(tether.spec()))
        .await
        .unwrap();
    after(1).await;
    assert_eq!(tether.status().state, TetherState::Taut);
    tether.cut();
    after(1).await;
    order(&sibling, Order::Panic("takes the tether along"));
    after(1_000).await;
    assert_eq!(find(&node.tree(), "tether").restarts, 1);
    assert_eq!(tether.status().to_string(), "slack: switched off");
    tether.attach();
    after(1).await;
    assert_eq!(tether.status().state, TetherState::Taut);
    stop(node).await;
}

/// How long a stop of the tree takes when the tether is in the state that `acts` lead to.
async fn stop_takes(acts: &[Act], state: TetherState) -> (u64, Vec<String>) {
    let mut scene = Scene::new(options(), acts).await;
    scene.sees(|status| status.state == state).await;
    after(50).await;
    let before = now_ms(&scene);
    assert_eq!(scene.node.stop(LONG).await, StopReport::default());
    let begun = scene.script.0.lock().unwrap().begun;
    let after = u64::try_from(begun.elapsed().as_millis()).unwrap();
    (after - before, scene.journal.entries())
}

#[tokio::test(start_paused = true)]
async fn a_stop_comes_first_in_every_state() {
    let stopped = ["sibling starts", "sibling stops: shutdown"];
    let check = |(took, journal): (u64, Vec<String>), expected: u64| {
        assert_eq!(
            (took, journal.as_slice()),
            (expected, &stopped.map(String::from)[..])
        );
    };
    check(stop_takes(&[Run], TetherState::Taut).await, 0);
    check(stop_takes(&[FailStart], TetherState::Cut).await, 0);
    // Starts for 50 ms by then; the kill for its start comes later than its own deadline would.
    check(stop_takes(&[HangInStart], TetherState::Slack).await, 300);
    check(
        stop_takes(&[IgnoreStopAndFail(9_000)], TetherState::Taut).await,
        300,
    );
}

/// Keeps the paused clock from going on by itself while another thread has something to do.
struct HeldClock {
    _release: std::sync::mpsc::SyncSender<()>,
}

impl HeldClock {
    fn new() -> Self {
        let (release, released) = std::sync::mpsc::sync_channel(0);
        #[expect(clippy::disallowed_methods, reason = "it is what holds the clock")]
        let held = tokio::task::spawn_blocking(move || released.recv().is_err());
        drop(held);
        Self { _release: release }
    }
}

#[tokio::test(start_paused = true)]
async fn a_child_that_blocks_its_thread_is_left_behind_and_the_tether_goes_on() {
    let clock = HeldClock::new();
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let (unblock, blocked) = std::sync::mpsc::sync_channel::<()>(0);
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut first = Some((blocked, tell));
    let tether = Tether::new("tether", options(), {
        let mailbox = mailbox.clone();
        move |_attachment| match first.take() {
            Some((blocked, tell)) => {
                ChildSpec::once_body("blocks", &mailbox, |ctx: Context<()>| async move {
                    ctx.ready();
                    tell.send(()).unwrap();
                    assert!(blocked.recv().is_err());
                    Ok(())
                })
                .acknowledged()
                .shutdown(Shutdown::Brutal)
                .on_thread()
            }
            None => ChildSpec::once_body("waits", &mailbox, |ctx: Context<()>| async move {
                ctx.stopping().await;
                Ok(())
            }),
        }
    });
    let node = Node::start(Supervisor::builder("node").child(tether.spec()))
        .await
        .unwrap();
    told.await.unwrap();
    until("it is taut", || tether.status().state == TetherState::Taut).await;
    drop(clock);
    tether.reattach();
    after(1_001).await;
    // Left behind after the grace; its mailbox is still its own.
    let status = tether.status();
    assert_eq!(
        status.reason.unwrap(),
        "error: mailbox has a process already"
    );
    assert_eq!(status.state, TetherState::Cut);
    let clock = HeldClock::new();
    drop(unblock);
    until("it ended", || mailbox.address().is_closed()).await;
    until("it is gone", || {
        find(&node.tree(), "tether").children.is_empty()
    })
    .await;
    drop(clock);
    after(5_000).await;
    assert_eq!(tether.status().state, TetherState::Taut);
    assert_eq!(
        (node.tree().restarts, find(&node.tree(), "tether").restarts),
        (0, 0)
    );
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_that_storm_at_once_do_not_keep_a_sibling_from_answering() {
    let journal = Journal::default();
    let (spec, sibling) = obedient("sibling", &journal);
    let mut builder = Supervisor::builder("node")
        .intensity(Intensity::new(0, LONG))
        .child(spec);
    let acts = [
        FailStart,
        PanicInMaker,
        Fail(0),
        PanicInStart,
        HangInStart,
        Panic(0),
    ];
    let mut tethers = Vec::new();
    for number in 0..1_000 {
        let (script, mailbox) = (Script::new(&acts), Mailbox::new(Capacity::new(1)));
        let mut options = options();
        options.backoff.jitter = 0.5;
        let tether = Tether::new(format!("tether:{number}"), options, move |attachment| {
            child(&mailbox, &script, attachment)
        });
        builder = builder.child(tether.spec());
        tethers.push(tether);
    }
    let node = Node::start(builder).await.unwrap();
    let mut answers = 0;
    while tethers
        .iter()
        .any(|tether| tether.status().state != TetherState::Taut)
    {
        let answer = sibling
            .call(Duration::from_millis(5), Order::Incarnation)
            .await;
        assert_eq!(answer, Ok(0));
        answers += 1;
        after(10).await;
    }
    assert!(answers > 10, "{answers}");
    let tree = node.tree();
    assert!(tree.restarts == 0 && tree.children.iter().all(|child| child.restarts == 0));
    assert!(
        tethers
            .iter()
            .all(|tether| tether.status().failures == acts.len() as u64)
    );
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn lives_under_any_supervisor() {
    let dynamic = DynamicSupervisor::new("dynamic", DynamicOptions::default());
    let builder = Supervisor::builder("node").child(dynamic.spec());
    let node = Node::start(builder).await.unwrap();
    let (script, mailbox) = (Script::new(&[Fail(1)]), Mailbox::new(Capacity::new(1)));
    let tether = Tether::new("tether", options(), {
        let mailbox = mailbox.clone();
        move |attachment| child(&mailbox, &script, attachment)
    });
    let inner = Tether::new("inner", options(), |_| {
        ChildSpec::supervisor("group", || Supervisor::builder("group"))
    });
    let outer = Tether::new("outer", options(), move |_| inner.spec());
    let process = dynamic.start_child(tether.spec()).await.unwrap();
    dynamic.start_child(outer.spec()).await.unwrap();
    after(10).await;
    assert_eq!(tether.status().failures, 1);
    let group = find(&node.tree(), "outer").children[0].children[0].clone();
    assert_eq!(
        (group.name.as_str(), group.state),
        ("group", State::Running)
    );
    // Its spec runs in one place at a time; the second one fails alone.
    assert!(dynamic.start_child(tether.spec()).await.is_err());
    assert_eq!(tether.status().state, TetherState::Taut);
    dynamic.stop_child(process.pid()).await.unwrap();
    assert!(mailbox.address().is_closed());
    stop(node).await;
}

/// A child that lives a few turns of its worker, and then ends in some way.
fn brief(mailbox: &Mailbox<u32>, number: u64) -> ChildSpec {
    let spec = ChildSpec::body("brief", mailbox, move |ctx| async move {
        for _ in 0..number % 7 {
            tokio::task::yield_now().await;
        }
        match (number + u64::from(ctx.incarnation())) % 5 {
            0 => panic!("told to"),
            1 => Err(Exit::error("told to")),
            2 => Ok(()),
            3 => {
                ctx.process().kill();
                std::future::pending().await
            }
            _ => {
                drop(PanicsInDrop);
                Ok(())
            }
        }
    });
    match number % 4 {
        0 => spec,
        1 => spec.restart(Restart::Transient),
        2 => spec.restart(Restart::Temporary),
        _ => spec.intensity(Intensity::new(1, LONG)).significant(true),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_many_threads_nothing_is_lost_and_nobody_else_notices() {
    let options = TetherOptions {
        backoff: Backoff {
            max: Duration::ZERO,
            ..Backoff::default()
        },
        start_within: LONG,
        ..options()
    };
    let tethers: Vec<Tether> = (0..16)
        .map(|number| {
            let mailbox = Mailbox::new(Capacity::new(1));
            Tether::new(
                format!("tether:{number}"),
                options.clone(),
                move |attachment| brief(&mailbox, number + attachment.number()),
            )
        })
        .collect();
    let specs: Vec<ChildSpec> = tethers.iter().map(Tether::spec).collect();
    let builder = Supervisor::builder("node").intensity(Intensity::new(0, LONG));
    let node = Node::start(builder.children(specs)).await.unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let tethers = &tethers;
            scope.spawn(move || {
                for step in 0..4_000 {
                    let tether = &tethers[(step * 7 + thread) % tethers.len()];
                    match (step / 16 + thread) % 5 {
                        0 => tether.cut(),
                        1 => tether.attach_now(),
                        2 => tether.reattach(),
                        _ => tether.attach(),
                    }
                    if step.is_multiple_of(8) {
                        std::thread::yield_now();
                    }
                }
            });
        }
    });
    let failed = || tethers.iter().map(|tether| tether.status().failures).min();
    until("each has failed often", || {
        tethers.iter().for_each(Tether::attach);
        failed() > Some(50)
    })
    .await;
    tethers.iter().for_each(Tether::cut);
    until("all are slack and empty", || {
        let tree = node.tree();
        let empty = tree.children.iter().all(|child| child.children.is_empty());
        let slack = |tether: &Tether| tether.status().reason.as_deref() == Some("switched off");
        empty && tethers.iter().all(slack)
    })
    .await;
    let tree = node.tree();
    assert!(tree.restarts == 0 && tree.children.iter().all(|child| child.restarts == 0));
    stop(node).await;
}

fn act() -> impl proptest::strategy::Strategy<Value = Act> + Clone {
    let ms = prop_oneof![Just(0_u64), Just(1), Just(100), Just(400), Just(700)];
    prop_oneof![
        Just(PanicInMaker),
        Just(FailStart),
        Just(PanicInStart),
        Just(HangInStart),
        (0u8..7, ms).prop_map(|(what, ms)| match what {
            0 => Fail(ms),
            1 => Panic(ms),
            2 => PanicInDrop(ms),
            3 => ProveAndFail(ms),
            4 => IgnoreStopAndFail(ms),
            5 => Finish(ms),
            _ => KillYourself(ms),
        })
    ]
}

/// When each act begins, and how often the tether was cut since its child was well.
fn model(acts: &[Act]) -> (Vec<u64>, u32) {
    let (mut now, mut attempts, mut delay, mut window) = (0, 0_u32, 0, Vec::new());
    let mut starts = vec![];
    for act in acts {
        starts.push(now);
        let (start_fails, takes) = match *act {
            PanicInMaker | FailStart | PanicInStart => (true, 0),
            HangInStart => (true, 200),
            Fail(ms)
            | Panic(ms)
            | PanicInDrop(ms)
            | ProveAndFail(ms)
            | IgnoreStopAndFail(ms)
            | Finish(ms)
            | KillYourself(ms) => (false, ms),
            Run => unreachable!("it has no end"),
        };
        now += takes;
        let mut cut = start_fails;
        if !start_fails {
            let word = matches!(act, ProveAndFail(_));
            if takes >= delay && (word || takes >= 500) {
                (attempts, delay) = (0, 0);
            }
            window.retain(|at| now - at < 1_000);
            window.push(now);
            cut = window.len() > 2 || attempts > 0;
        }
        if cut {
            window.clear();
            delay = 1_000.min(100 << attempts.min(10));
            now += delay;
            attempts += 1;
        }
    }
    starts.push(now);
    (starts, attempts)
}

fn in_a_runtime<F: Future>(future: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the child does, the tether does as the model says, and nobody else notices.
    #[test]
    fn follows_the_model_and_nobody_else_notices(
        acts in prop::collection::vec(act(), 0..12),
        in_place in any::<bool>(),
    ) {
        let restart = if in_place { Restart::Permanent } else { Restart::Temporary };
        let (starts, attempts) = model(&acts);
        let found = in_a_runtime(async {
            let mut scene = Scene::with(options(), &acts, move |spec| spec.restart(restart)).await;
            let failures = acts.len() as u64;
            let status = scene
                .sees(|seen| seen.failures == failures && seen.state == TetherState::Taut)
                .await;
            let found = (scene.script.starts_ms(), status.attempts);
            scene.end().await;
            found
        });
        prop_assert_eq!(found, (starts, attempts));
    }

    /// With orders at any time as well: nobody notices, and in the end it is as was ordered.
    #[test]
    fn obeys_orders_at_any_time(
        acts in prop::collection::vec(act(), 0..12),
        orders in prop::collection::vec((0u8..4, 0u64..500), 0..12),
    ) {
        in_a_runtime(async {
            let mut scene = Scene::new(options(), &acts).await;
            for (what, wait) in orders {
                after(wait).await;
                match what {
                    0 => scene.tether.cut(),
                    1 => scene.tether.attach(),
                    2 => scene.tether.attach_now(),
                    _ => scene.tether.reattach(),
                }
            }
            scene.tether.cut();
            let status = scene.state(TetherState::Slack).await;
            assert_eq!((status.next_try_ms, status.attempts), (None, 0));
            after(10_000).await;
            let tree = scene.node.tree();
            assert!(find(&tree, "tether").children.is_empty(), "{}", tree.to_text());
            scene.tether.attach();
            while !scene.script.0.lock().unwrap().acts.is_empty() {
                after(100).await;
            }
            scene.state(TetherState::Taut).await;
            scene.end().await;
        });
    }
}
