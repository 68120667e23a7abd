//! `[edge]` The figures of a hub, in the text format of Prometheus.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use belay_runtime::stats;

use crate::hub::core::Figures;
use crate::hub::desk::Notices;
use crate::hub::net::{Door, NetFigures};
use crate::hub::store::StoreFigures;

/// Where the figures come from.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    pub(super) notices: Arc<Notices>,
    pub(super) door: Arc<Door>,
    pub(super) store: Arc<StoreFigures>,
}

impl Sources {
    /// All figures.
    pub(super) fn render(&self) -> String {
        let mut text = Text::default();
        core(&mut text, &self.notices.figures());
        net(&mut text, &self.door.figures());
        text.gauge(
            "connections",
            "Open connections, also those of the page",
            self.door.open(),
        );
        let (waiting, high_water) = self.door.waiting();
        text.gauge(
            "core_queue_messages",
            "Messages that wait for the core",
            waiting,
        );
        text.gauge(
            "core_queue_messages_max",
            "The most that ever waited for the core",
            high_water,
        );
        text.counter(
            "sockets_cut_total",
            "Sockets that did not read",
            self.notices.cut(),
        );
        text.counter(
            "store_written_total",
            "Orders in the database",
            self.store.written(),
        );
        text.counter(
            "store_dropped_total",
            "Orders lost for lack of room",
            self.store.dropped(),
        );
        text.counter(
            "store_failed_total",
            "Failed tries of the database",
            self.store.failed(),
        );
        let failing = u8::from(self.store.is_failing());
        text.gauge("store_failing", "1 while the database fails", failing);
        let stats = stats();
        text.gauge("processes", "Live processes", stats.processes);
        text.counter(
            "restarts_total",
            "Restarts of processes",
            stats.restarts_total,
        );
        text.counter("crashes_total", "Crashes of processes", stats.crashes_total);
        text.0
    }

    /// What is wrong, if something is.
    pub(super) fn trouble(&self) -> Option<String> {
        let failing = self.store.is_failing();
        failing.then(|| "the database fails; the chat goes on".to_owned())
    }
}

fn core(text: &mut Text, figures: &Figures) {
    text.gauge("sockets", "Open WebSockets", figures.sockets);
    text.gauge(
        "sockets_active",
        "Authenticated WebSockets",
        figures.sockets_active,
    );
    text.gauge("games_online", "Games with a socket", figures.games_online);
    text.gauge("channels", "Channels in use", figures.channels);
    let received = figures.received.iter();
    text.family(
        "received_total",
        "Frames from games",
        received.map(|(e, n)| (e.as_str(), n)),
    );
    let sent = figures.sent.iter();
    text.family(
        "sent_total",
        "Frames to games",
        sent.map(|(e, n)| (e.as_str(), n)),
    );
    counters(text, figures);
}

fn counters(text: &mut Text, figures: &Figures) {
    let dropped = &figures.dropped;
    let dropped = [
        ("not_subscribed", dropped.not_subscribed),
        ("paused", dropped.paused),
        ("muted", dropped.muted),
        ("empty", dropped.empty),
    ];
    text.family(
        "dropped_total",
        "Messages acknowledged and dropped",
        dropped.into_iter(),
    );
    for (name, help, value) in [
        (
            "received_odd_total",
            "Frames that are no request",
            figures.received_odd,
        ),
        (
            "sent_eventless_total",
            "Frames to games without an event",
            figures.sent_eventless,
        ),
        (
            "messages_total",
            "Messages on channels passed on",
            figures.messages,
        ),
        (
            "rate_limited_total",
            "Frames over a limit",
            figures.rate_limited,
        ),
        ("abused_total", "Sockets closed for abuse", figures.abused),
        (
            "auth_failed_total",
            "Failed authentications",
            figures.auth_failed,
        ),
        (
            "auth_delayed_total",
            "Failed ones whose answer was delayed",
            figures.auth_delayed,
        ),
        (
            "silent_total",
            "Sockets closed for unanswered beats",
            figures.silent,
        ),
        (
            "turned_away_total",
            "Sockets refused or put out",
            figures.turned_away,
        ),
        ("tells_total", "Tells handed to a game", figures.tells),
        (
            "tells_refused_total",
            "Tells refused",
            figures.tells_refused,
        ),
    ] {
        text.counter(name, help, value);
    }
}

fn net(text: &mut Text, figures: &NetFigures) {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    for (name, help, counter) in [
        ("accepted_total", "Connections accepted", &figures.accepted),
        (
            "banned_total",
            "Connections from banned addresses",
            &figures.banned,
        ),
        (
            "refused_total",
            "Connections over a limit",
            &figures.refused,
        ),
        (
            "accept_failed_total",
            "Failed accepts",
            &figures.accept_failed,
        ),
        (
            "tls_failed_total",
            "Failed TLS handshakes",
            &figures.tls_failed,
        ),
        ("opened_total", "WebSockets opened", &figures.opened),
        (
            "pages_total",
            "Times the public page was made",
            &figures.pages,
        ),
        (
            "too_large_total",
            "Sockets closed for a frame too large",
            &figures.too_large,
        ),
        ("stalled_total", "Sockets cut in a write", &figures.stalled),
        ("idle_total", "Sockets closed for silence", &figures.idle),
        ("writes_total", "Flushes to sockets", &figures.writes),
        (
            "frames_written_total",
            "Frames given to sockets",
            &figures.frames,
        ),
    ] {
        text.counter(name, help, read(counter));
    }
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.line(&format!("belay_hub_{name} {value}"));
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "counter");
        self.line(&format!("belay_hub_{name} {value}"));
    }

    fn family(
        &mut self,
        name: &str,
        help: &str,
        values: impl Iterator<Item = (&'static str, u64)>,
    ) {
        self.head(name, help, "counter");
        for (label, value) in values {
            self.line(&format!("belay_hub_{name}{{kind=\"{label}\"}} {value}"));
        }
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        self.line(&format!("# HELP belay_hub_{name} {help}."));
        self.line(&format!("# TYPE belay_hub_{name} {kind}"));
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }
}
