//! `[process]` A process whose loop is the test.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Debug};
use std::future::poll_fn;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::clock::settled;
use super::fail::fail;
use super::watch::Watched;
use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::grace::Grace;
use crate::limits::{PROBE_HELD_MAX, PROBE_MESSAGES};
use crate::mailbox::{Address, Capacity, Mailbox, Reply};
use crate::pid::Pid;
use crate::policy::MailboxPolicy;
use crate::process_ref::ProcessRef;
use crate::signal::{self, Signal};
use crate::slot::{FORCED, Phase, Slot};

/// A process whose loop is the test: hand out its address in place of a real process, and say
/// what must come.
///
/// It has a pid, can be monitored, linked and registered, and watches others (ExUnit's
/// `assert_receive` and `Process.monitor` in one). It is no child of any supervisor: it ends,
/// with [`Exit::Normal`], when it is dropped. It traps exits.
///
/// Each wait has an end, which by the paused clock costs no time. When it is not met the test
/// fails with what was waited for, for how long, what came instead, and where that was asked. A
/// message that is sent at the very end of the time has come. Messages that were not asked for
/// stay, in order, for the next wait, as in the mailbox of an Erlang process.
///
/// # Cancel safety
/// All of its waits are cancel safe: nothing that came is lost.
///
/// ```
/// use std::time::Duration;
/// use belay_runtime::test_kit::{self, Probe};
/// use belay_runtime::*;
///
/// #[derive(Debug)]
/// enum Store {
///     Save(u32),
///     Load(Reply<u32>),
/// }
///
/// # test_kit::run(async {
/// let second = Duration::from_secs(1);
/// let mut store = Probe::<Store>::new("store");
/// let address = store.address(); // for the process that is to be tested
///
/// address.try_send(Store::Save(7)).unwrap();
/// assert!(matches!(store.expect(second).await, Store::Save(7)));
///
/// let take = |message| match message {
///     Store::Load(reply) => Ok(reply),
///     other => Err(other),
/// };
/// let (loaded, ()) = tokio::join!(
///     address.call(second, Store::Load),
///     store.answer(second, take, 7),
/// );
/// assert_eq!(loaded, Ok(7));
/// store.expect_nothing(second).await;
/// # });
/// ```
pub struct Probe<M: Send + 'static> {
    ctx: Context<M>,
    mailbox: Mailbox<M>,
    held: VecDeque<M>,
    pub(super) downs: VecDeque<(Pid, Exit)>,
    pub(super) exits: VecDeque<(Option<Pid>, Exit)>,
    pub(super) watched: BTreeMap<Pid, Watched>,
}

impl<M: Send + 'static> Probe<M> {
    /// A probe with room for [`PROBE_MESSAGES`].
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self::with_capacity(name, Capacity::new(PROBE_MESSAGES))
    }

    /// A probe with room for that many, to test what a sender does when there is none. Messages
    /// leave the mailbox only while the probe waits or is [drained](Probe::drain).
    pub fn with_capacity(name: impl Into<Arc<str>>, capacity: Capacity) -> Self {
        let (name, pid, mailbox) = (name.into(), Pid::next(), Mailbox::new(capacity));
        let core = mailbox.cell().core();
        core.occupy(pid, &name, Grace::BRUTAL, None);
        core.acknowledge();
        core.lock().rare().trapping = true;
        Self {
            ctx: Context::new(Arc::clone(mailbox.cell()), MailboxPolicy::Keep),
            mailbox,
            held: VecDeque::new(),
            downs: VecDeque::new(),
            exits: VecDeque::new(),
            watched: BTreeMap::new(),
        }
    }

    /// Where to send messages to it.
    pub fn address(&self) -> Address<M> {
        self.mailbox.address()
    }

    /// The mailbox, to close it: then senders are told that the process has ended.
    pub fn mailbox(&self) -> &Mailbox<M> {
        &self.mailbox
    }

    /// This probe as a process, for links, monitors and registries.
    pub fn process(&self) -> ProcessRef {
        self.ctx.process()
    }

    /// The next message.
    ///
    /// # Panics
    /// When none comes within that time.
    #[track_caller]
    pub fn expect(&mut self, within: Duration) -> impl Future<Output = M> {
        let asked = Location::caller();
        async move {
            let end = Instant::now() + within;
            loop {
                if let Some(message) = self.held.pop_front() {
                    return message;
                }
                if !self.more(end, asked).await {
                    let text = format!("{self} waited {within:?} for a message; none came");
                    fail(asked, &text);
                }
            }
        }
    }

    /// Takes what has come and lets nothing run: [settle](super::settle()) first.
    ///
    /// # Panics
    /// When more came than [`PROBE_HELD_MAX`].
    #[track_caller]
    pub fn drain(&mut self) -> Vec<M> {
        self.take_ready(Location::caller());
        self.held.drain(..).collect()
    }

    /// Takes one thing that comes until `end`, or all that is there then; false when nothing is.
    pub(super) async fn more(&mut self, end: Instant, asked: &Location<'_>) -> bool {
        let next = timeout_at(end, poll_fn(|cx| self.poll_next(cx))).await;
        match next {
            Ok(incoming) => {
                self.sort(incoming, asked);
                true
            }
            Err(_elapsed) => {
                // What is due at this very time may be ready and not have run yet.
                settled().await;
                self.take_ready(asked)
            }
        }
    }

    /// The next thing; `None` stands for a kill.
    fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Incoming<M>>> {
        if self.take_kill() {
            return Poll::Ready(None);
        }
        pin!(self.ctx.next()).poll(cx).map(Some)
    }

    fn take_ready(&mut self, asked: &Location<'_>) -> bool {
        let mut some = false;
        if self.take_kill() {
            self.sort(None, asked);
            some = true;
        }
        while let Some(incoming) = self.ctx.try_next() {
            self.sort(Some(incoming), asked);
            some = true;
        }
        some
    }

    fn take_kill(&self) -> bool {
        let core = self.mailbox.cell().core();
        let killed = core.urgent() & FORCED != 0;
        if killed {
            let mut control = core.lock();
            control.rare().forced = None;
            core.lower(FORCED);
        }
        killed
    }

    fn sort(&mut self, incoming: Option<Incoming<M>>, asked: &Location<'_>) {
        match incoming {
            Some(Incoming::Message(message) | Incoming::Timer(message)) => {
                if self.held.len() >= PROBE_HELD_MAX {
                    let text = format!("{self} holds {PROBE_HELD_MAX} messages unasked for");
                    fail(asked, &text);
                }
                self.held.push_back(message);
            }
            Some(Incoming::Signal(Signal::Down { pid, exit, .. })) => {
                self.downs.push_back((pid, exit));
            }
            Some(Incoming::Signal(Signal::Exit { from, exit })) => {
                self.exits.push_back((from, exit));
            }
            Some(Incoming::Shutdown) => self.exits.push_back((None, Exit::Shutdown)),
            None => self.exits.push_back((None, Exit::Killed)),
        }
    }
}

impl<M: Debug + Send + 'static> Probe<M> {
    /// The next message that fits; the others stay, in order.
    ///
    /// # Panics
    /// When none that fits comes within that time; shows those that came.
    #[track_caller]
    pub fn expect_match(
        &mut self,
        within: Duration,
        mut fits: impl FnMut(&M) -> bool,
    ) -> impl Future<Output = M> {
        let asked = Location::caller();
        async move {
            let (end, mut looked) = (Instant::now() + within, 0);
            loop {
                let found = self.held.iter().skip(looked).position(&mut fits);
                if let Some(message) = found.and_then(|at| self.held.remove(looked + at)) {
                    return message;
                }
                looked = self.held.len();
                if !self.more(end, asked).await {
                    let text = format!(
                        "{self} waited {within:?} for a message that fits; came instead: {:?}",
                        self.held
                    );
                    fail(asked, &text);
                }
            }
        }
    }

    /// Waits that long and sees no message, and none is left from before.
    ///
    /// # Panics
    /// As soon as a message is there; shows it.
    #[track_caller]
    pub fn expect_nothing(&mut self, during: Duration) -> impl Future<Output = ()> {
        let asked = Location::caller();
        async move {
            let begun = Instant::now();
            while self.held.is_empty() && self.more(begun + during, asked).await {}
            if !self.held.is_empty() {
                let text = format!(
                    "{self} was to get nothing for {during:?}; after {:?} came: {:?}",
                    begun.elapsed(),
                    self.held
                );
                fail(asked, &text);
            }
        }
    }

    /// Answers the next message, which must be a call: `take` gets the [`Reply`] out of it, or
    /// gives a message back that is none.
    ///
    /// Who calls must run meanwhile: another process, or the other branch of a `tokio::join!`.
    ///
    /// # Panics
    /// When no message comes within that time, when it is another one, and when the caller does
    /// not wait any more.
    #[track_caller]
    pub fn answer<R>(
        &mut self,
        within: Duration,
        take: impl FnOnce(M) -> Result<Reply<R>, M>,
        answer: R,
    ) -> impl Future<Output = ()> {
        let asked = Location::caller();
        async move {
            let end = Instant::now() + within;
            while self.held.is_empty() && self.more(end, asked).await {}
            let Some(message) = self.held.pop_front() else {
                let text = format!("{self} waited {within:?} for a call; none came");
                fail(asked, &text);
            };
            match take(message) {
                Ok(reply) => {
                    if reply.send(answer).is_err() {
                        fail(asked, &format!("{self}: the caller does not wait any more"));
                    }
                }
                Err(other) => {
                    let text = format!("{self} was to get a call; came instead: {other:?}");
                    fail(asked, &text);
                }
            }
        }
    }
}

/// Its name and pid, for messages.
impl<M: Send + 'static> fmt::Display for Probe<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe {}{}", self.ctx.name(), self.ctx.pid())
    }
}

impl<M: Send + 'static> Debug for Probe<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe")
            .field("process", &self.process())
            .finish_non_exhaustive()
    }
}

/// It ends like any process: who is linked to it or watches it is told.
impl<M: Send + 'static> Drop for Probe<M> {
    fn drop(&mut self) {
        let process = self.process();
        process.slot.close();
        let extras = {
            let mut control = process.slot.core().lock();
            control.phase = Phase::Ended;
            control.last_exit = Some(Exit::Normal);
            control.extras.take()
        };
        if let Some(mut extras) = extras {
            signal::ended(&process, &mut extras, &Exit::Normal);
            std::mem::take(&mut extras.claims).release(&Exit::Normal);
            if let Some(ending) = extras.ended.take() {
                ending.tell(Exit::Normal);
            }
        }
    }
}
