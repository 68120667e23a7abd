//! `[process]` The figures of a node: their names, and one function for each thing that is counted.
//!
//! Whoever counts calls a function here; a call is one atomic addition on a counter that was
//! registered at the start, without a lock or a look-up. Until [`start`] was called (in tests,
//! and in tools) the calls do nothing. What is a state rather than an event (players, queues,
//! memory) is not counted but sampled when the figures are read: see [`Sample`]. What connections
//! carry they count themselves ([`Traffic`]).

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use thiserror::Error;

pub use super::cluster_figure::ClusterFigure;
use super::cluster_meters::ClusterMeters;
pub use super::label::{FrameKind, Label, LoginOutcome, ProcessKind, Refusal, VerbClass};
pub use super::network_figure::NetworkFigure;
use super::network_meters::NetworkMeters;
use super::peer_figures;
pub use super::sample::{Sample, Traffic};

const COMMANDS: &str = "belay_commands_total";
const COMMAND_SECONDS: &str = "belay_command_seconds";
const BYTES_IN: &str = "belay_received_bytes_total";
const BYTES_OUT: &str = "belay_sent_bytes_total";
const LINES_IN: &str = "belay_received_lines_total";
const FRAMES_OUT: &str = "belay_sent_frames_total";
const FRAME_BYTES_OUT: &str = "belay_sent_frame_bytes_total";
const WRITES: &str = "belay_socket_writes_total";
const AMBIENT_DROPPED: &str = "belay_ambient_dropped_total";
const REFUSALS: &str = "belay_refusals_total";
const LOGINS: &str = "belay_logins_total";
const PLAYERS: &str = "belay_players";
const CONNECTIONS: &str = "belay_connections";
const LOGIN_QUEUE: &str = "belay_login_queue_length";
const MAILBOX_HIGH_WATER: &str = "belay_mailbox_high_water";
const PROCESSES: &str = "belay_processes";
const RESTARTS: &str = "belay_restarts_total";
const CRASHES: &str = "belay_crashes_total";
const SLOW_HANDLERS: &str = "belay_slow_handlers_total";
const BUSY: &str = "belay_busy_threads";
const LOGIN_WORKING: &str = "belay_login_working";
const MEMORY: &str = "belay_memory_resident_bytes";
const UPTIME: &str = "belay_uptime_seconds";

/// Upper bounds of the latency histogram, in seconds.
const COMMAND_SECONDS_BOUNDS: [f64; 14] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

static METERS: OnceLock<Meters> = OnceLock::new();

/// Why the figures cannot be kept. Both are **bugs**.
#[derive(Debug, Error)]
pub enum StartError {
    /// [`start`] was called before.
    #[error("the metrics were started before")]
    StartedBefore,
    /// The bounds of the histogram are empty.
    #[error("the histogram has no bounds")]
    Bounds(#[from] BuildError),
}

/// Registers all figures. From here on the functions of this module count.
///
/// # Errors
/// See [`StartError`].
pub fn start() -> Result<Figures, StartError> {
    let (meters, figures) = Meters::new()?;
    METERS
        .set(meters)
        .map_err(|_meters| StartError::StartedBefore)?;
    Ok(figures)
}

/// A command was answered: counts it and how long its player waited for the answer.
pub fn command_done(verb: VerbClass, took: Duration) {
    if let Some(meters) = METERS.get() {
        meters.commands.add(verb, 1);
        meters.command_seconds.record(took);
    }
}

/// Ambient messages were dropped for lack of room.
pub fn ambient_dropped(messages: usize) {
    if let Some(meters) = METERS.get() {
        meters.ambient_dropped.increment(count(messages));
    }
}

/// Something was refused or cut off.
pub fn refused(why: Refusal) {
    if let Some(meters) = METERS.get() {
        meters.refusals.add(why, 1);
    }
}

/// A login ended.
pub fn login_ended(outcome: LoginOutcome) {
    if let Some(meters) = METERS.get() {
        meters.logins.add(outcome, 1);
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The figures as text, for who has started them.
#[derive(Clone)]
pub struct Figures {
    handle: PrometheusHandle,
    sampled: Sampled,
}

impl std::fmt::Debug for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Figures").finish_non_exhaustive()
    }
}

impl Figures {
    /// All figures in the text format of Prometheus.
    #[must_use]
    pub fn render(&self, sample: &Sample) -> String {
        self.sampled.set(sample);
        let mut text = self.handle.render();
        peer_figures::append(&sample.peers, &mut text);
        text
    }

    /// Moves recorded latencies into the histogram. Must run every few seconds
    /// ([`METRICS_UPKEEP`](super::limits::METRICS_UPKEEP)): until then each takes 16 bytes.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}

/// A counter for each member of a closed set.
#[derive(Clone)]
struct Family(Arc<[Counter]>);

impl Family {
    fn new<L: Label>(
        recorder: &PrometheusRecorder,
        name: &'static str,
        label: &'static str,
    ) -> Self {
        let counter = |member: &L| {
            let key = Key::from_parts(name, vec![metrics::Label::new(label, member.label())]);
            recorder.register_counter(&key, &METADATA)
        };
        Self(L::ALL.iter().map(counter).collect())
    }

    fn absolute<L: Label>(&self, member: L, value: u64) {
        if let Some(counter) = self.0.get(member.index()) {
            counter.absolute(value);
        }
    }

    fn add<L: Label>(&self, member: L, value: u64) {
        if let Some(counter) = self.0.get(member.index()) {
            counter.increment(value);
        }
    }
}

const METADATA: Metadata<'static> = Metadata::new("belay_world", Level::INFO, None);

/// What is counted as it happens.
struct Meters {
    commands: Family,
    command_seconds: Histogram,
    ambient_dropped: Counter,
    refusals: Family,
    logins: Family,
}

impl Meters {
    fn new() -> Result<(Self, Figures), BuildError> {
        let matcher = Matcher::Full(COMMAND_SECONDS.to_owned());
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(matcher, &COMMAND_SECONDS_BOUNDS)?
            .build_recorder();
        describe(&recorder);
        let counter = |name| recorder.register_counter(&Key::from_static_name(name), &METADATA);
        let meters = Self {
            commands: Family::new::<VerbClass>(&recorder, COMMANDS, "verb"),
            command_seconds: recorder
                .register_histogram(&Key::from_static_name(COMMAND_SECONDS), &METADATA),
            ambient_dropped: counter(AMBIENT_DROPPED),
            refusals: Family::new::<Refusal>(&recorder, REFUSALS, "cause"),
            logins: Family::new::<LoginOutcome>(&recorder, LOGINS, "outcome"),
        };
        let figures = Figures {
            handle: recorder.handle(),
            sampled: Sampled::new(&recorder),
        };
        Ok((meters, figures))
    }
}

/// What is set from a [`Sample`].
#[derive(Clone)]
struct Sampled {
    players: Gauge,
    connections: Gauge,
    login_queue: Gauge,
    login_working: Gauge,
    processes: Gauge,
    restarts: Counter,
    crashes: Counter,
    slow_handlers: Counter,
    busy: Vec<Gauge>,
    mailbox_high_water: Vec<Gauge>,
    memory: Gauge,
    uptime: Gauge,
    lines_in: Counter,
    bytes_in: Counter,
    bytes_out: Counter,
    writes: Counter,
    frames_out: Family,
    frame_bytes_out: Family,
    refusals: Family,
    network: NetworkMeters,
    cluster: ClusterMeters,
}

impl Sampled {
    fn new(recorder: &PrometheusRecorder) -> Self {
        let counter = |name| recorder.register_counter(&Key::from_static_name(name), &METADATA);
        let gauge = |name| recorder.register_gauge(&Key::from_static_name(name), &METADATA);
        let by_kind = |name: &'static str| {
            let of_kind = |kind: &ProcessKind| {
                let labels = vec![metrics::Label::new("process", kind.label())];
                recorder.register_gauge(&Key::from_parts(name, labels), &METADATA)
            };
            ProcessKind::ALL.iter().map(of_kind).collect()
        };
        Self {
            players: gauge(PLAYERS),
            connections: gauge(CONNECTIONS),
            login_queue: gauge(LOGIN_QUEUE),
            login_working: gauge(LOGIN_WORKING),
            processes: gauge(PROCESSES),
            restarts: counter(RESTARTS),
            crashes: counter(CRASHES),
            slow_handlers: counter(SLOW_HANDLERS),
            busy: by_kind(BUSY),
            mailbox_high_water: by_kind(MAILBOX_HIGH_WATER),
            memory: gauge(MEMORY),
            uptime: gauge(UPTIME),
            lines_in: counter(LINES_IN),
            bytes_in: counter(BYTES_IN),
            bytes_out: counter(BYTES_OUT),
            writes: counter(WRITES),
            frames_out: Family::new::<FrameKind>(recorder, FRAMES_OUT, "kind"),
            frame_bytes_out: Family::new::<FrameKind>(recorder, FRAME_BYTES_OUT, "kind"),
            refusals: Family::new::<Refusal>(recorder, REFUSALS, "cause"),
            network: NetworkMeters::new(recorder, &METADATA),
            cluster: ClusterMeters::new(recorder, &METADATA),
        }
    }

    fn set(&self, sample: &Sample) {
        self.players.set(as_float(sample.players));
        self.connections.set(as_float(sample.connections));
        self.login_queue.set(as_float(sample.login_queue));
        self.login_working.set(as_float(sample.login_working));
        self.processes.set(as_float(sample.processes));
        self.restarts.absolute(sample.restarts);
        self.crashes.absolute(sample.crashes);
        self.slow_handlers.absolute(sample.slow_handlers);
        for (kind, threads) in &sample.busy {
            if let Some(gauge) = self.busy.get(kind.index()) {
                gauge.set(*threads);
            }
        }
        self.memory.set(as_float(sample.memory_bytes));
        self.uptime.set(sample.uptime.as_secs_f64());
        for (kind, depth) in &sample.mailbox_high_water {
            if let Some(gauge) = self.mailbox_high_water.get(kind.index()) {
                gauge.set(as_float(*depth));
            }
        }
        self.carry(&sample.traffic);
        self.network.set(&sample.network);
        self.cluster.set(&sample.cluster);
    }
}

impl Sampled {
    fn carry(&self, traffic: &Traffic) {
        self.lines_in.absolute(traffic.lines_in);
        self.bytes_in.absolute(traffic.bytes_in);
        self.bytes_out.absolute(traffic.bytes_out);
        self.writes.absolute(traffic.writes);
        for (kind, frames, bytes) in &traffic.frames_out {
            self.frames_out.absolute(*kind, *frames);
            self.frame_bytes_out.absolute(*kind, *bytes);
        }
        for (why, count) in &traffic.refusals {
            self.refusals.absolute(*why, *count);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures stay far below 2^53")]
pub(super) fn as_float(value: u64) -> f64 {
    value as f64
}

fn describe(recorder: &PrometheusRecorder) {
    let counters = [
        (COMMANDS, "commands answered, by what they are about"),
        (LINES_IN, "lines received from players"),
        (BYTES_IN, "bytes received from players"),
        (FRAMES_OUT, "texts sent to players, by kind"),
        (
            FRAME_BYTES_OUT,
            "bytes of the texts sent to players, by kind",
        ),
        (
            BYTES_OUT,
            "bytes sent to players, prompts and protocol included",
        ),
        (WRITES, "writes to players' sockets"),
        (
            AMBIENT_DROPPED,
            "messages about others that were dropped for lack of room",
        ),
        (REFUSALS, "what was refused or cut off, by cause"),
        (LOGINS, "logins by outcome"),
        (RESTARTS, "restarts of processes"),
        (CRASHES, "crashes of processes"),
        (SLOW_HANDLERS, "times a thread was kept for too long"),
    ];
    let gauges = [
        (PLAYERS, "players in the world"),
        (CONNECTIONS, "open sockets of players"),
        (LOGIN_QUEUE, "logins that wait for their password check"),
        (LOGIN_WORKING, "logins whose password is being checked"),
        (PROCESSES, "live processes"),
        (BUSY, "threads kept busy in the last minute, by kind"),
        (
            MAILBOX_HIGH_WATER,
            "deepest mailbox since the start, by kind of process",
        ),
        (MEMORY, "resident memory"),
        (UPTIME, "time since the start"),
    ];
    for (name, text) in counters {
        recorder.describe_counter(KeyName::from_const_str(name), None, text.into());
    }
    for (name, text) in gauges {
        recorder.describe_gauge(KeyName::from_const_str(name), None, text.into());
    }
    let name = KeyName::from_const_str(COMMAND_SECONDS);
    recorder.describe_histogram(name, None, "time from a command to its answer".into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_line(text: &str, line: &str) {
        assert!(
            text.lines().any(|found| found == line),
            "{line}\nnot in\n{text}"
        );
    }

    #[test]
    fn counts_by_label_and_fills_the_histogram() {
        let (meters, figures) = Meters::new().expect("builds");
        meters.commands.add(VerbClass::Move, 2);
        meters.refusals.add(Refusal::SlowReader, 1);
        meters.command_seconds.record(Duration::from_micros(300));
        meters.command_seconds.record(Duration::from_millis(30));
        figures.upkeep();
        let traffic = Traffic {
            frames_out: vec![(FrameKind::Notice, 3, 99)],
            ..Traffic::default()
        };
        let text = figures.render(&Sample {
            traffic,
            ..Sample::default()
        });
        check_line(&text, "belay_commands_total{verb=\"move\"} 2");
        check_line(&text, "belay_commands_total{verb=\"look\"} 0");
        check_line(&text, "belay_sent_frame_bytes_total{kind=\"notice\"} 99");
        check_line(&text, "belay_refusals_total{cause=\"slow_reader\"} 1");
        check_line(&text, "belay_command_seconds_bucket{le=\"0.00025\"} 0");
        check_line(&text, "belay_command_seconds_bucket{le=\"0.0005\"} 1");
        check_line(&text, "belay_command_seconds_bucket{le=\"0.05\"} 2");
        check_line(&text, "belay_command_seconds_count 2");
        check_line(&text, "# TYPE belay_command_seconds histogram");
    }

    #[test]
    fn a_sample_sets_the_state() {
        let (_meters, figures) = Meters::new().expect("builds");
        let sample = Sample {
            players: 15_000,
            restarts: 7,
            slow_handlers: 2,
            busy: vec![(ProcessKind::Session, 0.25)],
            mailbox_high_water: vec![(ProcessKind::Room, 41)],
            memory_bytes: 1_000_000,
            cluster: vec![
                (ClusterFigure::LeaseAge, 250),
                (ClusterFigure::Expired, 2),
                (ClusterFigure::PlaySent, 9),
            ],
            ..Sample::default()
        };
        let text = figures.render(&sample);
        check_line(&text, "belay_players 15000");
        check_line(&text, "belay_restarts_total 7");
        check_line(&text, "belay_slow_handlers_total 2");
        check_line(&text, "belay_busy_threads{process=\"session\"} 0.25");
        check_line(&text, "belay_mailbox_high_water{process=\"room\"} 41");
        check_line(&text, "belay_memory_resident_bytes 1000000");
        check_line(&text, "belay_cluster_lease_age_seconds 0.25");
        check_line(&text, "belay_cluster_expired_nodes_total 2");
        check_line(&text, "belay_cluster_sent_frames_total{lane=\"play\"} 9");
        check_line(&text, "belay_cluster_sent_frames_total{lane=\"control\"} 0");
        let text = figures.render(&Sample {
            players: 3,
            ..sample
        });
        check_line(&text, "belay_players 3");
    }
}
