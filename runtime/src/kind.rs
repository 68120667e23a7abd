//! `[pure]` Names for the kinds of messages, so that reports say what a process was handling.

use crate::limits::KINDS_MAX;

/// Nothing was handed out to this incarnation yet.
pub(crate) const NONE: u8 = u8::MAX;
/// What was handed out last was a signal.
pub(crate) const SIGNAL: u8 = u8::MAX - 1;
/// What was handed out last was the request to stop.
pub(crate) const STOP: u8 = u8::MAX - 2;
/// The greatest index of a name.
const INDEX_MAX: u8 = u8::MAX - 3;

const _: () = assert!(KINDS_MAX == INDEX_MAX as usize + 1);

/// Messages that come in kinds, each with a name.
///
/// A mailbox made [`with_kinds`](crate::Mailbox::with_kinds) notes the kind of each message when
/// it is handed to the process. Crash reports, the [`Watchdog`](crate::Watchdog), the
/// [tree](crate::TreeNode::last_message) and [traces](crate::ProcessRef::trace) name it; of other
/// mailboxes they name the type of the messages. (In Elixir one would see the message itself in
/// `:sys.get_status`; here it is gone by then, and may hold what must not be logged.)
///
/// ```
/// use belay_runtime::{Capacity, Kind, Mailbox};
///
/// enum Order {
///     Enter(u64),
///     Say(String),
/// }
///
/// impl Kind for Order {
///     const KINDS: &'static [&'static str] = &["enter", "say"];
///
///     fn kind(&self) -> u8 {
///         match self {
///             Self::Enter(_) => 0,
///             Self::Say(_) => 1,
///         }
///     }
/// }
///
/// let mailbox = Mailbox::<Order>::with_kinds(Capacity::new(64));
/// # mailbox.address().try_send(Order::Enter(7)).unwrap();
/// # mailbox.address().try_send(Order::Say("hello".into())).unwrap();
/// ```
pub trait Kind {
    /// The names, in the order of [`kind`](Kind::kind): short words in lower case.
    ///
    /// At most [`KINDS_MAX`]; more do not compile where a mailbox is made for them.
    const KINDS: &'static [&'static str];

    /// The place of this message's name in [`KINDS`](Kind::KINDS).
    ///
    /// Called once for each message, on the way to the process: a `match` is right. A place that
    /// is not in the list is shown as `?`. When it panics, the process has panicked.
    fn kind(&self) -> u8;
}

/// What a mailbox knows of the kinds of its messages: one pointer.
pub(crate) struct Kinds<M>(fn(Question<'_, M>) -> u8);

enum Question<'a, M> {
    Index(&'a M),
    Names(&'a mut &'static [&'static str]),
}

impl<M: Kind> Kinds<M> {
    pub(crate) fn of_type() -> Self {
        const {
            assert!(M::KINDS.len() <= KINDS_MAX, "too many kinds of messages");
        }
        Self(|question| match question {
            Question::Index(message) => message.kind(),
            Question::Names(names) => {
                *names = M::KINDS;
                NONE
            }
        })
    }
}

impl<M> Kinds<M> {
    #[inline]
    pub(crate) fn index(&self, message: &M) -> u8 {
        (self.0)(Question::Index(message)).min(INDEX_MAX)
    }

    /// The name of an index, or of one of the special values.
    pub(crate) fn name(&self, index: u8) -> Option<&'static str> {
        match index {
            NONE => None,
            SIGNAL => Some("signal"),
            STOP => Some("stop"),
            index => {
                let mut names: &[&str] = &[];
                (self.0)(Question::Names(&mut names));
                Some(names.get(usize::from(index)).copied().unwrap_or("?"))
            }
        }
    }
}

/// The name of a type of messages that has no kinds; without its path when it is a plain one.
pub(crate) fn of_type<M>() -> &'static str {
    let name = std::any::type_name::<M>();
    match name.rsplit_once("::") {
        Some((path, last)) if !path.contains(['<', '(', '[', '&', ' ']) => last,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letter(u8);

    impl Kind for Letter {
        const KINDS: &'static [&'static str] = &["a", "b"];

        fn kind(&self) -> u8 {
            self.0
        }
    }

    #[test]
    fn names_each_kind_and_no_other() {
        let kinds = Kinds::<Letter>::of_type();
        let named = |kind| kinds.name(kinds.index(&Letter(kind)));
        assert_eq!(named(0), Some("a"));
        assert_eq!(named(1), Some("b"));
        // Also those that stand for something else inside.
        for kind in 2..=u8::MAX {
            assert_eq!(named(kind), Some("?"), "{kind}");
        }
        assert_eq!(kinds.name(NONE), None);
        assert_eq!(kinds.name(SIGNAL), Some("signal"));
        assert_eq!(kinds.name(STOP), Some("stop"));
    }

    #[test]
    fn shortens_the_path_of_a_plain_type_only() {
        assert_eq!(of_type::<Letter>(), "Letter");
        assert_eq!(of_type::<u64>(), "u64");
        assert!(of_type::<(u64, Letter)>().starts_with("(u64, "));
        assert!(of_type::<Option<Letter>>().ends_with("Letter>"));
        assert!(of_type::<Option<Letter>>().contains("Option<"));
    }
}
