//! `[process]` Panics become exits.
//!
//! Code of a process is polled and called through here. The panic hook that
//! [`Node::start`](crate::Node::start) installs notes where a guarded panic was raised instead of
//! printing it; all other panics go to the hook that was there before.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context as TaskContext, Poll};

use crate::exit::{Crash, CrashKind, Location};
use crate::report;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static NOTE: RefCell<Option<Note>> = const { RefCell::new(None) };
}

/// What the hook saw of a panic.
struct Note {
    location: Option<Location>,
    backtrace: Option<String>,
    permitted: bool,
}

/// A caught panic, and whether the limit of crash reports lets it be logged.
#[derive(Debug)]
pub(crate) struct Caught {
    pub(crate) crash: Crash,
    pub(crate) permitted: bool,
}

/// Installs the hook, once for the whole program.
pub(crate) fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if GUARDED.get() {
                note(info)
            } else {
                before(info)
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let permitted = report::permitted();
    // Reads RUST_BACKTRACE and takes nothing when that is not set.
    let backtrace = permitted.then(Backtrace::capture);
    let note = Note {
        location: info.location().map(|location| Location {
            file: location.file().into(),
            line: location.line(),
        }),
        backtrace: backtrace
            .filter(|taken| taken.status() == BacktraceStatus::Captured)
            .map(|taken| taken.to_string()),
        permitted,
    };
    NOTE.set(Some(note));
}

/// Runs `f`, turning a panic into a value.
///
/// What `f` borrows may be half-changed after a panic; callers only drop it, or hold it in a form
/// that stays whole (see [`Heir`](crate::Heir)).
pub(crate) fn call<R>(f: impl FnOnce() -> R) -> Result<R, Box<Caught>> {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(f));
    GUARDED.set(before);
    outcome.map_err(caught)
}

/// Polls `future`, turning a panic into a value; it must not be polled again after that.
pub(crate) fn poll<F: Future>(
    future: Pin<&mut F>,
    cx: &mut TaskContext<'_>,
) -> Poll<Result<F::Output, Box<Caught>>> {
    match call(|| future.poll(cx)) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(caught) => Poll::Ready(Err(caught)),
    }
}

fn caught(payload: Box<dyn Any + Send>) -> Box<Caught> {
    let text = match payload.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(other) => {
                // The drop of a foreign payload may itself panic; leaking it cannot.
                std::mem::forget(other);
                "panic with a value that is not text".to_owned()
            }
        },
    };
    let note = NOTE.take();
    let (location, backtrace, permitted) = match note {
        Some(note) => (note.location, note.backtrace, note.permitted),
        None => (None, None, report::permitted()),
    };
    let crash = Crash {
        kind: CrashKind::Panic,
        code: None,
        text: crate::exit::cut(text),
        location,
        backtrace,
    };
    Box::new(Caught { crash, permitted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value_with_its_place() {
        install_hook();
        let caught = call(|| -> () { panic!("no {}", "floor") }).unwrap_err();
        assert_eq!(caught.crash.text, "no floor");
        let location = caught.crash.location.expect("the hook is installed");
        assert!(location.file.ends_with("guard.rs"), "{location}");
    }

    #[test]
    fn a_payload_that_is_not_text_is_named_so() {
        let caught = call(|| -> () { std::panic::panic_any(7_u8) }).unwrap_err();
        assert_eq!(caught.crash.text, "panic with a value that is not text");
    }
}
