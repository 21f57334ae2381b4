//! Metrics of server rendering.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::{
    EncodeLabel as _, EncodeLabelSet, EncodeMetric, LabelSetEncoder, MetricEncoder,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;

use crate::circuit_breaker::Circuits;
use crate::job::Subject;
use crate::part::Part;
use crate::why::Why;

/// The outcome of a successful render.
const RENDERED: &str = "rendered";

/// The outcome of a worker's job that evaluated the queries of a page or an extension.
const QUERIES: &str = "queries";

/// The outcomes of attempts to start a worker.
const STARTED: &str = "started";
const FAILED: &str = "failed";

/// The metrics of renders.
#[derive(Clone)]
pub struct RenderMetrics {
    outcomes: Family<Outcome, Counter>,
    cpu_seconds: Family<Part, Counter<f64, AtomicU64>>,
    pub(super) circuits: Circuits,
    worker_starts: Family<Labels<1>, Counter>,
    worker_restarts: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Outcome {
    part: Part,
    outcome: &'static str,
}

impl EncodeLabelSet for Outcome {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        self.part.encode(encoder)?;
        ("outcome", self.outcome).encode(encoder.encode_label())
    }
}

/// A gauge per section and extension. Its values are computed at scrape time, because no call ends the open time
/// of a circuit.
#[derive(Debug, Clone)]
struct CircuitOpen(Circuits);

impl EncodeMetric for CircuitOpen {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        for (part, is_open) in self.0.parts() {
            let gauge = ConstGauge::new(i64::from(is_open));
            gauge.encode(encoder.encode_family(&part)?)?;
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl Default for RenderMetrics {
    fn default() -> Self {
        let worker_starts = Family::default();
        for outcome in [STARTED, FAILED] {
            drop(worker_starts.get_or_create(&[("outcome", outcome)]));
        }
        Self {
            outcomes: Family::default(),
            cpu_seconds: Family::default(),
            circuits: Circuits::default(),
            worker_starts,
            worker_restarts: Counter::default(),
        }
    }
}

impl RenderMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "renders": self.outcomes,
                "Renders by outcome; `section` is `shell` for the shell's own pages, extensions have `extension_point`";
            "render_cpu" in Seconds: self.cpu_seconds, "CPU time of successful renders";
            "render_circuit_open": CircuitOpen(self.circuits.clone()),
                "1 while a render circuit breaker of a section or its extension is open, otherwise 0";
            "render_worker_starts": self.worker_starts, "Attempts to start a render worker by outcome";
            "render_worker_restarts": self.worker_restarts, "Render workers that were killed or crashed";
        }
    }

    /// Counts a successful render and its CPU time.
    pub(super) fn record_success(&self, subject: &Subject, cpu: Duration) {
        self.count(subject, RENDERED);
        let part = Part::of(&subject.circuit);
        self.cpu_seconds.get_or_create(&part).inc_by(cpu.as_secs_f64());
    }

    /// Counts an evaluation of the queries of a page or an extension.
    pub(super) fn record_queries(&self, subject: &Subject) {
        self.count(subject, QUERIES);
    }

    /// Counts what was not rendered. Returns how many there are for this reason so far.
    pub(super) fn record_failure(&self, subject: &Subject, why: Why) -> u64 {
        self.count(subject, why.label())
    }

    /// Counts an attempt to start a worker.
    pub(crate) fn record_start(&self, succeeded: bool) {
        let outcome = if succeeded { STARTED } else { FAILED };
        self.worker_starts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a worker that was replaced.
    pub(crate) fn record_restart(&self) {
        self.worker_restarts.inc();
    }

    fn count(&self, subject: &Subject, outcome: &'static str) -> u64 {
        let part = Part::of(&subject.circuit);
        let counter = self.outcomes.get_or_create(&Outcome { part, outcome });
        counter.inc() + 1
    }
}
