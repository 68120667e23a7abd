//! `[process]` How a wait that is not met fails the test.

use std::panic::Location;

use super::seed;

/// Ends the test with what went wrong and where it was asked for.
#[cold]
#[expect(
    clippy::panic,
    reason = "a panic is how a test fails; the kit is not in a program that runs for good"
)]
pub(super) fn fail(asked: &Location<'_>, what: &str) -> ! {
    let seed = seed::current().map_or_else(String::new, |seed| format!(" (seed {seed})"));
    panic!("{what}\n  asked for at {asked}{seed}")
}
