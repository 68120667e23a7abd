//! `[process]` A meter for each figure of the network of games.

use metrics::{Counter, Gauge, Key, KeyName, Metadata, Recorder};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::metrics::as_float;
use super::network_figure::NetworkFigure;

#[derive(Clone)]
enum Meter {
    Counter(Counter),
    Gauge(Gauge),
}

/// The meters, in the order of the figures.
#[derive(Clone)]
pub(super) struct NetworkMeters(Vec<Meter>);

impl NetworkMeters {
    pub(super) fn new(recorder: &PrometheusRecorder, metadata: &Metadata<'_>) -> Self {
        let meter = |figure: NetworkFigure| {
            let (name, what) = figure.about();
            let (key, text) = (Key::from_static_name(name), KeyName::from_const_str(name));
            if figure.is_counter() {
                recorder.describe_counter(text, None, what.into());
                Meter::Counter(recorder.register_counter(&key, metadata))
            } else {
                recorder.describe_gauge(text, None, what.into());
                Meter::Gauge(recorder.register_gauge(&key, metadata))
            }
        };
        Self(NetworkFigure::all().map(meter).collect())
    }

    pub(super) fn set(&self, figures: &[(NetworkFigure, u64)]) {
        for (figure, value) in figures {
            match self.0.get(figure.index()) {
                Some(Meter::Counter(counter)) => counter.absolute(*value),
                Some(Meter::Gauge(gauge)) => gauge.set(as_float(*value)),
                None => {}
            }
        }
    }
}
