//! `[pure]` Every bound of the runtime, with its unit and what happens when it is reached.

use std::time::Duration;

/// Messages and signals a process takes in one turn before it lets others run.
/// When reached: the process yields to tokio and goes on in its next turn.
pub const MESSAGES_PER_TURN: u32 = 128;

/// Message slots an emptied queue may keep allocated.
/// When reached: the buffer is freed, so that a burst does not cost memory for ever.
pub const QUEUE_SLOTS_RETAINED: usize = 32;

/// Names of the kinds of a type of messages.
/// When reached: a mailbox [`with_kinds`](crate::Mailbox::with_kinds) of more does not compile.
pub const KINDS_MAX: usize = 253;

/// Timers of one process that may be pending at once. When reached:
/// [`Context::send_after`](crate::Context::send_after) panics and the supervisor acts.
pub const TIMERS_MAX: usize = 65_536;

/// Links, and separately monitors, that one process may hold, and entries in registries and groups
/// that it may own. When reached: the call that would add one panics and the supervisor acts, or
/// returns an error where it has one.
pub const RELATIONS_MAX: usize = 262_144;

/// Exit signals from outside the links that may wait in the lane of one trapping process.
/// When reached: further ones are dropped; the process knows already that it should exit.
pub const EXIT_SIGNALS_MAX: usize = 1_024;

/// Restart times a sliding window remembers.
/// When reached: [`Intensity::new`](crate::Intensity::new) lowers what was asked for.
pub const WINDOW_RESTARTS_MAX: u32 = 100_000;

/// How long a supervisor waits for a child that was killed and does not end, because its code
/// does not come back to an await point. When reached: it is left behind and reported.
pub const KILL_GRACE: Duration = Duration::from_secs(1);

/// The longest delay between two incarnations that is kept to: a year.
/// When reached: what is longer is lowered to it.
pub const DELAY_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Children of one static supervisor, when they are started while it runs.
/// When reached: [`StartError::TooManyChildren`](crate::StartError::TooManyChildren).
pub const STATIC_CHILDREN_MAX: usize = 65_536;

/// How long a child gets to start unless its spec says otherwise: long enough for anything but a
/// hang. When reached: it is killed, and that is a failed start.
pub const START_DEFAULT: Duration = Duration::from_secs(60);

/// How long a child gets to stop unless its spec says otherwise.
/// When reached: it is killed.
pub const SHUTDOWN_DEFAULT: Duration = Duration::from_secs(5);

/// Crash reports logged per [`CRASH_REPORT_PERIOD`], over all processes.
/// When reached: crashes are counted and the next report says how many were left out.
pub const CRASH_REPORTS_MAX: u32 = 20;

/// The period of [`CRASH_REPORTS_MAX`].
pub const CRASH_REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Bytes of the text of a crash that are kept. When reached: the text is cut.
pub const CRASH_TEXT_BYTES_MAX: usize = 1_024;

/// Entries under one key of a registry with duplicate keys.
/// When reached: registering another is refused.
pub const ENTRIES_OF_KEY_MAX: usize = 262_144;

/// Members of one group. When reached: joining is refused.
pub const GROUP_MEMBERS_MAX: usize = 262_144;

/// Processes that may watch one group; each join and leave is sent to all of them.
/// When reached: watching is refused.
pub const GROUP_WATCHERS_MAX: usize = 1_024;

/// Partitions of a registry or of groups; a power of two.
pub const REGISTRY_PARTITIONS: usize = 32;

/// Partitions a dynamic supervisor may spread its children over.
/// When reached: what was asked for is lowered to it.
pub const SUPERVISOR_PARTITIONS_MAX: usize = 256;

/// Children of one tether that have not ended: the attached one, and those left behind. When
/// reached: no child is attached, which counts as a failed start and is tried again.
pub const TETHER_CHILDREN_MAX: usize = 8;

/// How long the child of a tether may take to start unless the options say otherwise.
/// When reached: it is killed, and the tether cut.
pub const TETHER_START_DEFAULT: Duration = Duration::from_secs(10);

/// How long the child of a tether runs until it has proven itself, unless the options say
/// otherwise. When reached: back-off and quick restarts begin anew.
pub const TETHER_PROVEN_DEFAULT: Duration = Duration::from_secs(60);

/// Threads of one worker pool. When reached: what was asked for is lowered to it.
pub const POOL_THREADS_MAX: usize = 256;

/// Entries of one trace. When reached: what was asked for is lowered to it.
pub const TRACE_MESSAGES_MAX: usize = 10_000;

/// Threads that poll processes and are watched for handlers that block them.
/// When reached: further threads are not watched.
pub const WATCHED_THREADS_MAX: usize = 4_096;

/// For how long a process may keep a thread unless a [`Watchdog`](crate::Watchdog) says otherwise.
/// When reached: it is named in the log.
pub const WATCHDOG_THRESHOLD_DEFAULT: Duration = Duration::from_millis(100);

/// The shortest threshold of a watchdog, which looks four times in it.
/// When reached: what was asked for is raised to it.
pub const WATCHDOG_THRESHOLD_MIN: Duration = Duration::from_millis(4);

/// Slow handlers logged per [`SLOW_REPORT_PERIOD`].
/// When reached: they are counted and the next record says how many were left out.
pub const SLOW_REPORTS_MAX: u32 = 10;

/// The period of [`SLOW_REPORTS_MAX`].
pub const SLOW_REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Threads of [blocking processes](crate::ChildSpec::blocking) in the whole program.
/// When reached: the start of one more fails with
/// [`StartError::TooManyThreads`](crate::StartError::TooManyThreads).
pub const BLOCKING_THREADS_MAX: usize = 256;

/// Depth to which a tree is read; deeper branches show no children.
pub const TREE_DEPTH_MAX: usize = 64;

/// Rounds in which `test_kit::settle` lets others run, about a million turns of processes.
/// When reached: the test fails, because something keeps running without ever waiting.
#[cfg(feature = "test-kit")]
pub const SETTLE_ROUNDS_MAX: u32 = 16_384;

/// Messages that a `test_kit::Probe` has room for, unless it was told otherwise.
/// When reached: its senders are refused or wait, as those of any process.
#[cfg(feature = "test-kit")]
pub const PROBE_MESSAGES: u32 = 1_024;

/// Messages that a `test_kit::Probe` has taken while it waited for something else.
/// When reached: the test fails.
#[cfg(feature = "test-kit")]
pub const PROBE_HELD_MAX: usize = 1_048_576;

/// Entries of one `test_kit::Journal`. When reached: who writes one more panics.
#[cfg(feature = "test-kit")]
pub const JOURNAL_ENTRIES_MAX: usize = 1_048_576;

/// How long the tree of a `test_kit::Bed` may take to stop, by the clock of the test.
/// When reached: the test fails and says who is left.
#[cfg(feature = "test-kit")]
pub const BED_STOP_DEADLINE: Duration = Duration::from_secs(3_600);

/// Threads that the profiler records at once.
/// When reached: spans of a further thread are not recorded, and reports say how many threads.
pub const PROFILE_THREADS_MAX: usize = 256;

/// Paths of spans that the profiler records for each thread.
/// When reached: a new path is counted as a span `other` where it was entered.
pub const PROFILE_PATHS_MAX: usize = 1_024;

/// Spans within each other that the profiler tells apart.
/// When reached: what is entered deeper is counted as one span `other`.
pub const PROFILE_DEPTH_MAX: u16 = 32;

/// Classes of processes: what their names say before the first `:`.
/// When reached: processes of a further class are counted under the class `other`.
pub const PROFILE_CLASSES_MAX: usize = 256;

/// Bytes of the name of a class of processes. When reached: the name is cut.
pub const PROFILE_CLASS_BYTES_MAX: usize = 64;

/// Paths of spans that are remembered of all threads that have ended, together.
/// When reached: a new path is counted as a span `other` where it was entered.
pub const PROFILE_ENDED_PATHS_MAX: usize = 4_096;

/// Spans that the text of a profile lists by their own time, before the trees.
/// When reached: the rest is found in the trees only.
pub const PROFILE_TOP_SPANS: usize = 10;

/// The shortest interval of a profiler. When reached: what was asked for is raised to it.
pub const PROFILE_INTERVAL_MIN: Duration = Duration::from_millis(100);

/// Reports that a profiler keeps. When reached: what was asked for is lowered to it.
pub const PROFILE_REPORTS_MAX: usize = 60;

/// Lines of a profile in the log.
/// When reached: the rest is left out, and a last line says how many lines that were.
pub const PROFILE_DUMP_LINES_MAX: usize = 200;

/// Profiles logged per [`PROFILE_DUMP_PERIOD`] because code asks for it, and as many because the
/// operator does. When reached: none is logged, and the next record says how many were not.
pub const PROFILE_DUMPS_MAX: u32 = 6;

/// The period of [`PROFILE_DUMPS_MAX`].
pub const PROFILE_DUMP_PERIOD: Duration = Duration::from_secs(60);

/// Dumps that may wait for the profiler.
/// When reached: [`DumpError::Busy`](crate::DumpError::Busy).
pub const PROFILE_DUMPS_WAITING: u32 = 16;

/// Bytes of the reason of a dump. When reached: it is cut.
pub const PROFILE_REASON_BYTES_MAX: usize = 1_024;

const _: () = assert!(PROFILE_PATHS_MAX <= PROFILE_ENDED_PATHS_MAX);
const _: () = assert!(PROFILE_CLASSES_MAX <= u16::MAX as usize);
const _: () = assert!(REGISTRY_PARTITIONS.is_power_of_two());
const _: () = assert!(QUEUE_SLOTS_RETAINED > 0 && MESSAGES_PER_TURN > 0);
