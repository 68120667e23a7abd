//! `[process]` A meter for each figure of the cluster.

use metrics::{Counter, Gauge, Key, KeyName, Label, Metadata, Recorder};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::cluster_figure::{About, ClusterFigure};
use super::metrics::as_float;

/// What a second is in the unit of [`ClusterFigure::LeaseAge`].
const SECOND_MS: f64 = 1_000.0;

#[derive(Clone)]
enum Meter {
    Counter(Counter),
    Gauge(Gauge),
}

/// The meters, in the order of the figures.
#[derive(Clone)]
pub(super) struct ClusterMeters(Vec<Meter>);

impl ClusterMeters {
    pub(super) fn new(recorder: &PrometheusRecorder, metadata: &Metadata<'_>) -> Self {
        let meter = |(_, about): (ClusterFigure, About)| {
            let labels = about.lane.map(|lane| Label::new("lane", lane));
            let key = Key::from_parts(about.name, labels.into_iter().collect::<Vec<_>>());
            let text = KeyName::from_const_str(about.name);
            if about.name.ends_with("_total") {
                recorder.describe_counter(text, None, about.what.into());
                Meter::Counter(recorder.register_counter(&key, metadata))
            } else {
                recorder.describe_gauge(text, None, about.what.into());
                Meter::Gauge(recorder.register_gauge(&key, metadata))
            }
        };
        Self(ClusterFigure::all().map(meter).collect())
    }

    pub(super) fn set(&self, figures: &[(ClusterFigure, u64)]) {
        for (figure, value) in figures {
            match self.0.get(figure.index()) {
                Some(Meter::Counter(counter)) => counter.absolute(*value),
                Some(Meter::Gauge(gauge)) if *figure == ClusterFigure::LeaseAge => {
                    gauge.set(as_float(*value) / SECOND_MS);
                }
                Some(Meter::Gauge(gauge)) => gauge.set(as_float(*value)),
                None => {}
            }
        }
    }
}
