//! Goal: spans of many threads are counted exactly, and can be read at any time. Method: threads
//! that enter spans as fast as they can while another reads, and end at different times.

use std::sync::atomic::{AtomicBool, Ordering};

use belay_runtime::*;

static OUTER: Span = Span::new("outer");
static EVEN: Span = Span::new("even");
static ODD: Span = Span::new("odd");

const THREADS: u64 = 4;
const ROUNDS: u64 = 20_000;

fn work(rounds: u64) {
    for number in 0..rounds {
        let _outer = OUTER.enter();
        let inner = if number % 2 == 0 { &EVEN } else { &ODD };
        drop(inner.enter());
    }
}

fn count(report: &ProfileReport, path: &[&str]) -> u64 {
    report.find(path).map_or(0, |span| span.count)
}

/// Within each span, the times of its parts are its own.
fn check(spans: &[SpanReport]) {
    for span in spans {
        let within: u64 = span.children.iter().map(|child| child.total_ns).sum();
        assert_eq!(span.self_ns + within, span.total_ns, "{}", span.name);
        check(&span.children);
    }
}

#[test]
fn all_threads_are_counted_while_they_are_read() {
    let profiler = Profiler::new(ProfilerOptions::default());
    let done = AtomicBool::new(false);
    let mut seen = 0;
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0;
            let mut intervals = 0;
            // Once more when all is done.
            let mut last = false;
            while !last {
                last = done.load(Ordering::Acquire);
                let report = profiler.close();
                check(&report.spans);
                seen += count(&report, &["outer"]);
                intervals += 1;
            }
            (seen, intervals)
        });
        let workers: Vec<_> = (1..=THREADS)
            .map(|share| scope.spawn(move || work(share * ROUNDS)))
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
        done.store(true, Ordering::Release);
        let (counted, intervals) = reader.join().unwrap();
        assert!(intervals > 1);
        seen += counted;
    });
    assert_eq!(seen, ROUNDS * THREADS * (THREADS + 1) / 2);
}

#[test]
fn an_open_span_is_seen_while_it_is_open() {
    static SLOW: Span = Span::new("slow");
    let profiler = Profiler::new(ProfilerOptions::default());
    let (entered, wait_entered) = std::sync::mpsc::sync_channel(1);
    let (release, wait_release) = std::sync::mpsc::sync_channel::<()>(1);
    std::thread::scope(|scope| {
        let slow = std::thread::Builder::new().name("slow one".to_owned());
        let run = move || {
            let _slow = SLOW.enter();
            entered.send(()).unwrap();
            wait_release.recv().unwrap();
        };
        slow.spawn_scoped(scope, run).unwrap();
        wait_entered.recv().unwrap();
        let first = profiler.report();
        let second = profiler.report();
        let of = |report: &ProfileReport| report.find(&["slow"]).cloned().unwrap();
        assert_eq!((of(&first).count, of(&first).open), (0, 1));
        assert!(
            of(&second).total_ns > of(&first).total_ns,
            "its time goes on"
        );
        let named = |thread: &&ThreadReport| thread.name == "slow one";
        let thread = first.threads.iter().find(named).unwrap();
        assert_eq!(thread.spans[0].name, "slow");
        release.send(()).unwrap();
    });
    let after = profiler.report();
    let slow = after.find(&["slow"]).unwrap();
    assert_eq!((slow.count, slow.open), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_polls_of_a_process_are_counted_under_its_class_and_spans_below_it() {
    static STEP: Span = Span::new("tracked.step");
    let profiler = Profiler::new(ProfilerOptions::default());
    let mailbox = Mailbox::new(Capacity::new(8));
    let body = |mut ctx: Context<()>| async move {
        loop {
            match ctx.next().await {
                Incoming::Message(()) => {
                    drop(STEP.enter());
                    tokio::task::yield_now().await;
                }
                Incoming::Timer(()) | Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
        }
    };
    let spec = ChildSpec::body("tracked:12", &mailbox, body);
    let node = Node::start(Supervisor::builder("node").child(spec));
    let node = node.await.unwrap();
    for _ in 0..5 {
        mailbox.address().send(()).await.unwrap();
    }
    while count(&profiler.report(), &["tracked", "tracked.step"]) < 5 {
        tokio::task::yield_now().await;
    }
    node.stop(std::time::Duration::from_secs(1)).await;
    let report = profiler.report();
    assert!(count(&report, &["tracked"]) > 5, "{report}");
    assert_eq!(count(&report, &["tracked", "tracked.step"]), 5, "{report}");
    assert_eq!(count(&report, &["tracked.step"]), 0, "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_leaves_its_spans() {
    static DANGER: Span = Span::new("danger");
    let profiler = Profiler::new(ProfilerOptions::default());
    let task = ChildSpec::task("panicky", |_| async {
        let _danger = DANGER.enter();
        panic!("as told")
    });
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()));
    let node = node.await.unwrap();
    let process = children.spawn_child(task).unwrap();
    process.ended().await;
    let report = profiler.report();
    let danger = report.find(&["panicky", "danger"]).unwrap();
    assert_eq!((danger.count, danger.open), (1, 0), "{report}");
    assert_eq!(report.find(&["panicky"]).unwrap().open, 0, "{report}");
    node.stop(std::time::Duration::from_secs(1)).await;
}

#[test]
fn a_report_serializes() {
    static HERE: Span = Span::new("here");
    let profiler = Profiler::new(ProfilerOptions::default());
    drop(HERE.enter());
    let report = profiler.report();
    let json = serde_json::to_value(&report).unwrap();
    let spans = json["spans"].as_array().unwrap();
    let here = spans.iter().find(|span| span["name"] == "here").unwrap();
    assert_eq!(here["count"], 1);
    assert!(here["self_ns"].is_u64() && here["share"].is_f64());
}
