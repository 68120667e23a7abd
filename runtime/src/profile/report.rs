//! `[pure]` Reports: the difference of two readings as data, and as text for people.

use std::cmp::Reverse;
use std::fmt;

use serde::Serialize;

use super::tree::{Branch, Reading, Tree};
use crate::limits::PROFILE_TOP_SPANS;

/// Where the time of all threads went in an interval.
///
/// * `total` is the time in a span, with the spans within it; `self` is what is left of that
///   without them. So the `self` times of all spans add up to the `total` of the outermost ones.
/// * `count` is how often the span was *left*. Time is counted while it passes: a span that is
///   open at the end of the interval has the time of it so far, and is in [`open`].
/// * Time between the spans of a thread, when it polls no process, is in no span: a thread whose
///   spans have half of the interval waits the other half, or does what is not ours.
/// * Spans beside each other stand in the order of their `self` time, longest first.
///
/// [`open`]: SpanReport::open
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfileReport {
    /// Counts the intervals of the profiler, from 1.
    pub number: u64,
    /// Nanoseconds of the interval.
    pub interval_ns: u64,
    /// The spans of all threads together, the outermost ones.
    pub spans: Vec<SpanReport>,
    /// Threads in whose spans time was spent, in the order in which they began.
    pub threads: Vec<ThreadReport>,
    /// Threads that were never recorded, because there were
    /// [`PROFILE_THREADS_MAX`](crate::limits::PROFILE_THREADS_MAX) already.
    pub threads_refused: u64,
}

/// Where the time of one thread went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadReport {
    /// Its name; many threads can have the same.
    pub name: String,
    /// Its number, which no other thread has. `None` stands for all threads that have ended in
    /// the interval, together.
    pub number: Option<u64>,
    /// Its outermost spans.
    pub spans: Vec<SpanReport>,
}

/// What was counted of a span on one path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpanReport {
    /// The name of the span, or of a class of processes that were polled.
    pub name: &'static str,
    /// How often it was left.
    pub count: u64,
    /// Nanoseconds in it.
    pub total_ns: u64,
    /// Nanoseconds in it and in no span within it.
    pub self_ns: u64,
    /// `total_ns` for each time it was left; 0 when it was not.
    pub mean_ns: u64,
    /// `total_ns` by the length of the interval: 1 is one thread all the time.
    pub share: f64,
    /// On how many threads it was open at the end.
    pub open: u32,
    /// The spans within it.
    pub children: Vec<Self>,
}

impl ProfileReport {
    /// From the difference of two readings.
    pub(super) fn new(number: u64, taken: &Reading, nanos: impl Fn(u64) -> u64) -> Self {
        let interval_ns = nanos(taken.ticks);
        let spans = |tree: &Tree| spans(tree, interval_ns, &nanos);
        let threads = taken.threads.iter().map(|(number, thread)| ThreadReport {
            name: thread.name.clone(),
            number: Some(*number),
            spans: spans(&thread.spans),
        });
        let ended = ThreadReport {
            name: "ended threads".to_owned(),
            number: None,
            spans: spans(&taken.ended),
        };
        let ended = (!ended.spans.is_empty()).then_some(ended);
        Self {
            number,
            interval_ns,
            spans: spans(&taken.merged()),
            threads: threads.chain(ended).collect(),
            threads_refused: taken.refused_total,
        }
    }

    /// The span on this path, of all threads together: the name of the outermost one first.
    pub fn find(&self, path: &[&str]) -> Option<&SpanReport> {
        let (first, rest) = path.split_first()?;
        let named = |spans: &'_ [SpanReport], name: &str| {
            let index = spans.iter().position(|span| span.name == name)?;
            Some(index)
        };
        let mut found = self.spans.get(named(&self.spans, first)?)?;
        for name in rest {
            found = found.children.get(named(&found.children, name)?)?;
        }
        Some(found)
    }

    /// All spans of all threads together with their paths, those with the most time of their own
    /// first.
    pub fn by_self(&self) -> Vec<(String, &SpanReport)> {
        let mut all = Vec::new();
        for span in &self.spans {
            span.gather("", &mut all);
        }
        all.sort_by_key(|(_, span)| Reverse(span.self_ns));
        all
    }

    /// The report as text: a span a line, two spaces of indent a level, plain ASCII. First those
    /// with the most time of their own, then all threads together, then each.
    pub fn to_text(&self) -> String {
        self.to_string()
    }

    /// As [`to_text`](Self::to_text), but no more lines than this; a last one says how many were
    /// left out.
    pub fn to_text_within(&self, lines: usize) -> String {
        let text = self.to_text();
        let total = text.lines().count();
        if total <= lines {
            return text;
        }
        let mut cut: String = text.split_inclusive('\n').take(lines).collect();
        cut.push_str(&format!("... and {} lines more\n", total - lines));
        cut
    }
}

impl fmt::Display for ProfileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "profile {} of {}", self.number, Time(self.interval_ns))?;
        if self.threads_refused > 0 {
            writeln!(f, "{} threads not recorded", self.threads_refused)?;
        }
        if self.spans.is_empty() {
            return f.write_str("no spans\n");
        }
        f.write_str("most time of their own\n")?;
        for (path, span) in self.by_self().into_iter().take(PROFILE_TOP_SPANS) {
            writeln!(f, "  {path}: {}", Figures(span))?;
        }
        f.write_str("all threads\n")?;
        write_spans(f, &self.spans, 1)?;
        for thread in &self.threads {
            let name = thread.name.as_str();
            match thread.number {
                Some(number) => writeln!(f, "thread {number} {}", plain(name))?,
                None => writeln!(f, "{name}")?,
            }
            write_spans(f, &thread.spans, 1)?;
        }
        Ok(())
    }
}

impl SpanReport {
    fn new(
        name: &'static str,
        branch: &Branch,
        interval_ns: u64,
        nanos: &dyn Fn(u64) -> u64,
    ) -> Self {
        let counted = branch.counted;
        let children = spans(&branch.below, interval_ns, nanos);
        let within = children.iter().map(|child| child.total_ns);
        let within = within.fold(0, u64::saturating_add);
        // Rounding down each of them cannot make them more than their sum.
        let total_ns = nanos(counted.ticks).max(within);
        Self {
            name,
            count: counted.count,
            total_ns,
            self_ns: total_ns - within,
            mean_ns: total_ns.checked_div(counted.count).unwrap_or(0),
            share: total_ns as f64 / interval_ns.max(1) as f64,
            open: counted.open,
            children,
        }
    }

    fn gather<'a>(&'a self, above: &str, all: &mut Vec<(String, &'a Self)>) {
        let name = plain(self.name);
        let path = if above.is_empty() {
            name
        } else {
            format!("{above} / {name}")
        };
        for child in &self.children {
            child.gather(&path, all);
        }
        all.push((path, self));
    }
}

fn spans(tree: &Tree, interval_ns: u64, nanos: &dyn Fn(u64) -> u64) -> Vec<SpanReport> {
    let spans = tree.spans.iter();
    let mut spans: Vec<_> = spans
        .map(|(name, branch)| SpanReport::new(name, branch, interval_ns, nanos))
        .collect();
    spans.sort_by_key(|span| Reverse((span.self_ns, span.total_ns)));
    spans
}

fn write_spans(f: &mut fmt::Formatter<'_>, spans: &[SpanReport], depth: usize) -> fmt::Result {
    for span in spans {
        let indent = depth * 2;
        writeln!(f, "{:indent$}{}: {}", "", plain(span.name), Figures(span))?;
        write_spans(f, &span.children, depth + 1)?;
    }
    Ok(())
}

/// A name as plain ASCII on one line, whatever somebody called a span or a process.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        ' '..='~' => letter,
        _ => '?',
    };
    name.chars().map(letter).collect()
}

/// The figures of a span in words.
struct Figures<'a>(&'a SpanReport);

impl fmt::Display for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = self.0;
        let (own, total, mean) = (Time(span.self_ns), Time(span.total_ns), Time(span.mean_ns));
        let (count, share) = (span.count, span.share * 100.0);
        write!(
            f,
            "self {own}, total {total}, count {count}, mean {mean}, share {share:.2}%"
        )?;
        match span.open {
            0 => Ok(()),
            open => write!(f, ", open {open}"),
        }
    }
}

/// Nanoseconds in a unit that suits them.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0 as f64;
        match self.0 {
            0..10_000 => write!(f, "{} ns", self.0),
            10_000..10_000_000 => write!(f, "{:.1} us", nanos / 1e3),
            10_000_000..10_000_000_000 => write!(f, "{:.1} ms", nanos / 1e6),
            10_000_000_000.. => write!(f, "{:.1} s", nanos / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::profile::tree::{Counted, Thread};

    fn report() -> ProfileReport {
        let mut spans = Tree::new();
        for (path, ticks, count, open) in [
            (&["room"][..], 6_000_000, 3_000, 0),
            (&["room", "room.step"], 4_000_000, 2_000, 0),
            (&["room", "room.step", "render"], 1_000_000, 4_000, 0),
            (&["zone"], 15_000_000, 0, 1),
        ] {
            tree_add(&mut spans, path, ticks, count, open);
        }
        let mut ended = Tree::new();
        tree_add(&mut ended, &["zone"], 500, 2, 0);
        let name = "worker\u{fc}".to_owned();
        let taken = Reading {
            threads: BTreeMap::from([(7, Thread { name, spans })]),
            ended,
            refused_total: 0,
            ticks: 50_000_000,
        };
        ProfileReport::new(3, &taken, |ticks| ticks * 2)
    }

    fn tree_add(tree: &mut Tree, path: &[&'static str], ticks: u64, count: u64, open: u32) {
        let counted = Counted { ticks, count, open };
        tree.add(path, counted);
    }

    #[test]
    fn the_text_is_plain_and_has_a_span_a_line() {
        let expected = "\
profile 3 of 100.0 ms
most time of their own
  zone: self 30.0 ms, total 30.0 ms, count 2, mean 15.0 ms, share 30.00%, open 1
  room / room.step: self 6000.0 us, total 8000.0 us, count 2000, mean 4000 ns, share 8.00%
  room: self 4000.0 us, total 12.0 ms, count 3000, mean 4000 ns, share 12.00%
  room / room.step / render: self 2000.0 us, total 2000.0 us, count 4000, mean 500 ns, share 2.00%
all threads
  zone: self 30.0 ms, total 30.0 ms, count 2, mean 15.0 ms, share 30.00%, open 1
  room: self 4000.0 us, total 12.0 ms, count 3000, mean 4000 ns, share 12.00%
    room.step: self 6000.0 us, total 8000.0 us, count 2000, mean 4000 ns, share 8.00%
      render: self 2000.0 us, total 2000.0 us, count 4000, mean 500 ns, share 2.00%
thread 7 worker?
  zone: self 30.0 ms, total 30.0 ms, count 0, mean 0 ns, share 30.00%, open 1
  room: self 4000.0 us, total 12.0 ms, count 3000, mean 4000 ns, share 12.00%
    room.step: self 6000.0 us, total 8000.0 us, count 2000, mean 4000 ns, share 8.00%
      render: self 2000.0 us, total 2000.0 us, count 4000, mean 500 ns, share 2.00%
ended threads
  zone: self 1000 ns, total 1000 ns, count 2, mean 500 ns, share 0.00%
";
        assert_eq!(report().to_text(), expected);
    }

    #[test]
    fn a_text_that_is_too_long_says_how_much_is_left_out() {
        let (report, lines) = (report(), report().to_text().lines().count());
        assert_eq!(report.to_text_within(lines), report.to_text());
        let cut = report.to_text_within(2);
        let expected = format!(
            "\
profile 3 of 100.0 ms
most time of their own
... and {} lines more
",
            lines - 2
        );
        assert_eq!(cut, expected);
    }

    #[test]
    fn a_span_is_found_by_its_path() {
        let report = report();
        let found = report.find(&["room", "room.step", "render"]);
        assert_eq!(found.map(|span| span.count), Some(4_000));
        for path in [&[][..], &["render"], &["room", "render"]] {
            assert_eq!(report.find(path), None, "{path:?}");
        }
    }

    #[test]
    fn nothing_recorded_is_said_so() {
        let report = ProfileReport::new(1, &Reading::default(), |ticks| ticks);
        assert_eq!(report.to_text(), "profile 1 of 0 ns\nno spans\n");
    }
}
