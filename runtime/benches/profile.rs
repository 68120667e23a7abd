//! Goal: what a span of the profiler costs, entered and left. Method: many short samples, so that
//! most are not interrupted, and their median; on one thread. Spans one after the other, which is
//! the most that they can cost, and around work that waits for itself, which is the least: the
//! processor does the one beside the other. It fails when a span was not counted.
//! `cargo bench -p belay-runtime --bench profile`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and reads the clock"
)]

use std::hint::black_box;
use std::time::Instant;

use belay_runtime::{Profiler, ProfilerOptions, Span};

const SAMPLES: usize = 501;
const ROUNDS: u32 = 10_000;

static SPANS: [Span; 8] = [
    Span::new("a"),
    Span::new("b"),
    Span::new("c"),
    Span::new("d"),
    Span::new("e"),
    Span::new("f"),
    Span::new("g"),
    Span::new("h"),
];

static WORK: Span = Span::new("work");

/// Some work of which each step needs the one before.
fn chain(seed: u64) -> u64 {
    (0..50).fold(seed | 1, |value, _| {
        black_box(value.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    })
}

fn main() {
    let profiler = Profiler::new(ProfilerOptions::default());
    let clock = quanta::Clock::new();
    let [a, b, c, d, e, ..] = &SPANS;
    measure("two reads of the clock alone", 1, || {
        black_box(clock.raw());
        black_box(clock.raw());
    });
    measure("two reads of the system's clock", 1, || {
        black_box(Instant::now());
        black_box(Instant::now());
    });
    measure("one span", 1, || drop(black_box(a.enter())));
    measure("nested, 5 deep", 5, || {
        let _a = a.enter();
        let _b = b.enter();
        let _c = c.enter();
        let _d = d.enter();
        let _e = e.enter();
    });
    measure("alternating, 2 children", 2, || {
        drop(black_box(a.enter()));
        drop(black_box(b.enter()));
    });
    measure("alternating, 8 children", 8, || {
        for span in &SPANS {
            drop(black_box(span.enter()));
        }
    });
    let mut value = 1;
    measure("work without a span", 1, || value = chain(value));
    measure("work in a span", 1, || {
        let _work = WORK.enter();
        value = chain(value);
    });
    let report = profiler.report();
    let count = |path: &[&str]| report.find(path).map_or(0, |span| span.count);
    // Samples in which it was entered: alone, nested, among two, among eight.
    let rounds = SAMPLES as u64 * u64::from(ROUNDS);
    assert_eq!(count(&["a"]), 4 * rounds);
    assert_eq!(count(&["a", "b", "c", "d", "e"]), rounds);
    assert_eq!(count(&["b"]), 2 * rounds);
    assert_eq!(count(&["h"]), rounds);
    assert_eq!(count(&["work"]), rounds);
    let mean_ns = report.find(&["work"]).map_or(0, |span| span.mean_ns);
    println!("{:<34}{mean_ns:>8} ns", "work, as the profiler reports it");
    let began = Instant::now();
    for _ in 0..100 {
        black_box(profiler.report());
    }
    let took = began.elapsed() / 100;
    println!("{:<34}{:>8.2} us", "a report", took.as_secs_f64() * 1e6);
}

/// Prints what one of `spans` costs, and what the fastest tenth of the samples said.
fn measure(name: &str, spans: u32, mut work: impl FnMut()) {
    let mut took: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let began = Instant::now();
            for _ in 0..ROUNDS {
                work();
            }
            began.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS * spans)
        })
        .collect();
    took.sort_unstable_by(f64::total_cmp);
    let at = |index| took.get(index).copied().unwrap_or_default();
    let (median, fast) = (at(SAMPLES / 2), at(SAMPLES / 10));
    println!("{name:<34}{median:>8.2} ns, fastest tenth {fast:.2} ns");
}
