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
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use colonnade_model::release::PointReference;
use colonnade_web::metrics::Described;

use crate::circuit_breaker::Circuits;
use crate::job::Subject;
use crate::request::CircuitKey;
use crate::why::Why;

/// Bucket bounds in seconds. Pages usually take 1 to 40 ms; the last buckets show renders close to
/// the CPU limit.
const CPU_SECONDS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

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
    cpu: Family<Part, Histogram, fn() -> Histogram>,
    /// The sums of `cpu`, which cannot be read.
    cpu_seconds: Family<Part, Counter<f64, AtomicU64>>,
    pub(super) circuits: Circuits,
    worker_starts: Family<Start, Counter>,
    worker_restarts: Counter,
}

/// What was counted of an extension since the gateway started.
#[derive(Debug, Clone, Copy, Default)]
pub struct RenderStatistics {
    /// The successful renders.
    pub renders: u64,
    /// The CPU time of the successful renders, in seconds.
    pub cpu_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Start {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Outcome {
    part: Part,
    outcome: &'static str,
}

/// The pages of a section, or one of its extensions, which has the label `extension_point`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Part {
    section: String,
    point: Option<PointReference>,
}

impl Part {
    /// What a circuit is for.
    pub(super) fn of(circuit: &CircuitKey) -> Self {
        Self {
            section: circuit.releases.section.name.clone(),
            point: circuit.point.clone(),
        }
    }
}

impl EncodeLabelSet for Part {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("section", &*self.section).encode(encoder.encode_label())?;
        match &self.point {
            Some(point) => ("extension_point", point.as_str()).encode(encoder.encode_label()),
            None => Ok(()),
        }
    }
}

impl EncodeLabelSet for Outcome {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        self.part.encode(encoder)?;
        ("outcome", self.outcome).encode(encoder.encode_label())
    }
}

/// A gauge per section and extension. Its values are computed at scrape time, because no call ends the open time
/// of a circuit.
#[derive(Debug)]
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
            drop(worker_starts.get_or_create(&Start { outcome }));
        }
        Self {
            outcomes: Family::default(),
            cpu: Family::new_with_constructor(|| Histogram::new(CPU_SECONDS)),
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
        registry.register(
            "renders",
            "Renders by outcome; `section` is `shell` for the shell's own pages, extensions have `extension_point`",
            Described(self.outcomes.clone()),
        );
        registry.register_with_unit(
            "render_cpu",
            "CPU time of successful renders",
            Unit::Seconds,
            Described(self.cpu.clone()),
        );
        registry.register(
            "render_circuit_open",
            "1 while a render circuit breaker of a section or its extension is open, otherwise 0",
            CircuitOpen(self.circuits.clone()),
        );
        registry.register(
            "render_worker_starts",
            "Attempts to start a render worker by outcome",
            Described(self.worker_starts.clone()),
        );
        registry.register(
            "render_worker_restarts",
            "Render workers that were killed or crashed",
            self.worker_restarts.clone(),
        );
    }

    /// Counts a successful render and its CPU time.
    pub(super) fn record_success(&self, subject: &Subject, cpu: Duration) {
        self.count(subject, RENDERED);
        let part = Part::of(&subject.circuit);
        self.cpu.get_or_create(&part).observe(cpu.as_secs_f64());
        self.cpu_seconds.get_or_create(&part).inc_by(cpu.as_secs_f64());
    }

    /// What was counted of an extension so far.
    pub(super) fn statistics(&self, section: &str, point: &PointReference) -> RenderStatistics {
        let (section, point) = (section.to_owned(), Some(point.clone()));
        let part = Part { section, point };
        let outcome = Outcome {
            part: part.clone(),
            outcome: RENDERED,
        };
        RenderStatistics {
            renders: self.outcomes.get(&outcome).map_or(0, |renders| renders.get()),
            cpu_seconds: self.cpu_seconds.get(&part).map_or(0.0, |seconds| seconds.get()),
        }
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
    pub fn record_start(&self, succeeded: bool) {
        let outcome = if succeeded { STARTED } else { FAILED };
        self.worker_starts.get_or_create(&Start { outcome }).inc();
    }

    /// Exposes the counters of a section and its extensions of these points at 0.
    pub(super) fn expose<'a>(&self, section: &str, points: impl Iterator<Item = &'a PointReference>) {
        for point in std::iter::once(None).chain(points.map(Some)) {
            let failures = Why::OUTCOMES.map(Why::label);
            for outcome in failures.into_iter().chain([RENDERED, QUERIES]) {
                let (section, point) = (section.to_owned(), point.cloned());
                let part = Part { section, point };
                drop(self.outcomes.get_or_create(&Outcome { part, outcome }));
            }
        }
    }

    /// Counts a worker that was replaced.
    pub fn record_restart(&self) {
        self.worker_restarts.inc();
    }

    fn count(&self, subject: &Subject, outcome: &'static str) -> u64 {
        let part = Part::of(&subject.circuit);
        let counter = self.outcomes.get_or_create(&Outcome { part, outcome });
        counter.inc() + 1
    }
}
