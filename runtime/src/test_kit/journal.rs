//! `[process]` What happened, in order.

use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::poll_until;
use super::fail::fail;
use crate::limits::JOURNAL_ENTRIES_MAX;

/// A list of what happened, in order, that all processes of a test write to.
///
/// For tests of the *order* of starts, stops and restarts. Clones are the same journal, so that a
/// child spec can hand it to each incarnation.
///
/// ```
/// use std::time::Duration;
/// use belay_runtime::test_kit::{self, Journal};
/// use belay_runtime::*;
///
/// struct Lamp(Journal);
///
/// impl Process for Lamp {
///     type Message = ();
///
///     async fn init(&mut self, ctx: &mut Context<()>) -> Result<(), Exit> {
///         self.0.write(format!("{} lit", ctx.name()));
///         Ok(())
///     }
///
///     async fn handle(&mut self, _: &mut Context<()>, (): ()) -> Result<Flow, Exit> {
///         Err(Exit::error("blown out"))
///     }
///
///     async fn stop(&mut self, ctx: &mut Context<()>, exit: &Exit) {
///         self.0.write(format!("{} out: {exit}", ctx.name()));
///     }
/// }
///
/// test_kit::run(async {
///     let journal = Journal::new();
///     let (mailbox, writer) = (Mailbox::new(Capacity::new(8)), journal.clone());
///     let lamp = ChildSpec::process("lamp", &mailbox, move || Lamp(writer.clone()));
///     let bed = test_kit::start([lamp]).await;
///     mailbox.address().try_send(()).unwrap();
///     let expected = ["lamp lit", "lamp out: error: blown out", "lamp lit"];
///     journal.expect(Duration::from_secs(1), expected).await;
///     bed.finish().await;
///     assert_eq!(journal.take(), ["lamp out: shutdown"]);
/// });
/// ```
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Arc<Mutex<Vec<String>>>,
}

impl Journal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry at the end.
    ///
    /// # Panics
    /// When it has [`JOURNAL_ENTRIES_MAX`] entries.
    #[track_caller]
    pub fn write(&self, entry: impl Into<String>) {
        let full = {
            let mut entries = self.lock();
            let full = entries.len() >= JOURNAL_ENTRIES_MAX;
            if !full {
                entries.push(entry.into());
            }
            full
        };
        if full {
            fail(Location::caller(), "the journal is full");
        }
    }

    /// A copy of the entries.
    pub fn entries(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// Takes the entries out.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock())
    }

    /// Waits until there are as many entries as are expected, takes those out, and checks that
    /// they are the expected ones, in order. Later ones stay for the next call.
    ///
    /// # Panics
    /// At the first entry that is another one, and when they are too few within that time; says
    /// what is in the journal.
    ///
    /// # Cancel safety
    /// Cancel safe: entries are taken out only when all are there.
    #[track_caller]
    pub fn expect<S: Into<String>>(
        &self,
        within: Duration,
        expected: impl IntoIterator<Item = S>,
    ) -> impl Future<Output = ()> {
        let asked = Location::caller();
        let expected: Vec<String> = expected.into_iter().map(Into::into).collect();
        async move {
            let differs = poll_until(within, || self.compare(&expected)).await;
            if differs != Some(false) {
                let entries = self.entries();
                let waited = format!("journal: waited up to {within:?}");
                let text = format!("{waited}\n  expected: {expected:#?}\n  is: {entries:#?}");
                fail(asked, &text);
            }
        }
    }

    /// Whether the entries differ from the expected ones; `None` when there are too few to know.
    fn compare(&self, expected: &[String]) -> Option<bool> {
        let mut entries = self.lock();
        if entries
            .iter()
            .zip(expected)
            .any(|(is, expected)| is != expected)
        {
            return Some(true);
        }
        if entries.len() < expected.len() {
            return None;
        }
        entries.drain(..expected.len());
        Some(false)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
