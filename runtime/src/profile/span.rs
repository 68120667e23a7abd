//! `[process]` Spans: named parts of the code whose time is counted.

use std::fmt;
use std::marker::PhantomData;

use super::class::ClassId;
use super::lane;
use super::node::Node;
use crate::ticks;

/// A named part of the code, whose time and calls the profiler counts on each thread.
///
/// Spans within each other make a path: what is entered while another span is open on the same
/// thread is counted below it, and the same span is counted apart below each other span. At the
/// top of a path is the class of the process that is being polled (its name up to the first `:`),
/// which the runtime enters by itself; so that a process is seen even if it has no span. On a
/// thread that polls no process, or one whose code may block, the first span is at the top.
///
/// Recording never waits for another thread, and a reading never stops a recording. A span costs
/// its two reads of the clock (25 ns together on the machine on which this was measured, by
/// `cargo bench -p belay-runtime --bench profile`) and less where the processor does other work
/// meanwhile, so that it can stay in for ever in what takes a microsecond or more. Of what takes
/// less than a tenth of that, the count is exact but not the time: some 10 ns of reading the clock
/// are in it. Only the first time that a path is entered on a thread costs more.
///
/// Beyond [`PROFILE_PATHS_MAX`], [`PROFILE_DEPTH_MAX`] and [`PROFILE_THREADS_MAX`] it counts less
/// exactly, as is said there. Spans of the same name are reported as one.
///
/// ```
/// use std::time::Duration;
/// use belay_runtime::*;
///
/// static STEP: Span = Span::new("room.step");
/// static RENDER: Span = Span::new("room.render");
///
/// fn step(number: u64) -> u64 {
///     let _step = STEP.enter();
///     let doubled = number * 2;
///     let _render = RENDER.enter();
///     doubled + 1
/// }
///
/// let profiler = Profiler::new(ProfilerOptions::default());
/// assert_eq!(step(20), 41);
/// let report = profiler.report();
/// let found = report.find(&["room.step", "room.render"]).unwrap();
/// assert_eq!(found.count, 1);
/// ```
///
/// [`PROFILE_PATHS_MAX`]: crate::limits::PROFILE_PATHS_MAX
/// [`PROFILE_DEPTH_MAX`]: crate::limits::PROFILE_DEPTH_MAX
/// [`PROFILE_THREADS_MAX`]: crate::limits::PROFILE_THREADS_MAX
pub struct Span {
    name: &'static str,
}

/// An open span; it is left when this is dropped, in a panic too.
///
/// It must not live across an await: another task would run on the thread meanwhile. That is why
/// it cannot be sent to another thread, so that a process which holds it too long does not
/// compile:
///
/// ```compile_fail,E0277
/// use belay_runtime::*;
///
/// static STEP: Span = Span::new("step");
///
/// ChildSpec::task("wrong", |ctx| async move {
///     let _step = STEP.enter();
///     ctx.stopping().await;
///     Ok(())
/// });
/// ```
///
/// Guards are best dropped in the reverse order of their making, as scopes do. When an outer one
/// is dropped first, what is open within it is left at the same moment. One that is forgotten
/// stays open until something around it is left: at the latest the poll of the process.
#[must_use = "the span is left when the guard is dropped"]
pub struct SpanGuard {
    node: Option<&'static Node>,
    stays: PhantomData<*const ()>,
}

impl Span {
    /// A span of this name, to be kept in a `static`. By custom the name is the module and what is
    /// done, like `room.step`.
    pub const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Enters the span on this thread, until the guard is dropped.
    #[inline]
    pub fn enter(&'static self) -> SpanGuard {
        let node = lane::enter(self);
        if let Some(node) = node {
            // The clock is read last here and first on leaving: the work between is not counted.
            node.open(ticks::now());
        }
        SpanGuard {
            node,
            stays: PhantomData,
        }
    }
}

impl Drop for SpanGuard {
    #[inline]
    fn drop(&mut self) {
        if let Some(node) = self.node {
            lane::leave(node, ticks::now());
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Span").field(&self.name).finish()
    }
}

impl fmt::Debug for SpanGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpanGuard")
            .field(&self.node.map(|node| node.span.name))
            .finish()
    }
}

/// A process is being polled on this thread.
#[must_use = "the poll ends with leave_at"]
pub(crate) struct Turn(SpanGuard);

/// Enters the span of a class of processes at a time that was read already.
#[inline]
pub(crate) fn enter_at(class: ClassId, ticks: u64) -> Turn {
    let node = lane::enter_class(class);
    if let Some(node) = node {
        node.open(ticks);
    }
    Turn(SpanGuard {
        node,
        stays: PhantomData,
    })
}

impl Turn {
    /// Leaves it, and whatever is still open within it. Without this it is left when dropped.
    #[inline]
    pub(crate) fn leave_at(mut self, ticks: u64) {
        if let Some(node) = self.0.node.take() {
            lane::leave(node, ticks);
        }
    }
}
