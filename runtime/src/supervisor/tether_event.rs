//! `[pure]` What a tether's machine is told, and what it has done.

use std::time::Duration;

use super::tether_orders::Orders;
use crate::backoff::Backoff;
use crate::exit::Exit;
use crate::window::Intensity;

/// The rules of one tether.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) intensity: Intensity,
    pub(super) backoff: Backoff,
    pub(super) proven_after: Option<Duration>,
    pub(super) start_within: Duration,
}

/// How a child failed, or finished.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) exit: Exit,
    /// The owner's word on when to try again.
    pub(super) not_before: Option<Duration>,
    /// It has ended for good; else it waits to be run again, or to be stopped.
    pub(super) gone: bool,
    /// It had nothing more to do, and that is no failure.
    pub(super) finished: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Orders(Orders),
    /// The child says that it is well.
    Proven,
    /// The start was acknowledged.
    Started,
    /// The child could not be made, or failed before its start was acknowledged.
    StartFailed(End),
    Exited(End),
    /// The child that was to stop is out of the way.
    Gone,
    /// Time has passed.
    Time,
}

/// What is to be done. A step has no more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Make a child and start it.
    Make,
    /// Run the child that waits.
    Again,
    /// Stop the child for good, within its shutdown.
    Stop,
    /// Stop it without asking.
    Kill,
}
