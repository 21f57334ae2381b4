//! What the gateway counts, for Prometheus: in the `OpenMetrics` text format, by section and outcome, never by path and
//! never by visitor.

mod connections;
mod requests;
mod signups;

use std::fmt;
use std::time::Duration;

use http::{HeaderValue, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::reply::{Reply, reply};
use connections::Connections;
pub(crate) use connections::{ConnectionMetrics, Ended, Refusal};
use requests::Requests;
pub(crate) use requests::{RequestMetrics, ShedMetrics};
pub(crate) use signups::{BreakerState, SignupMetrics};

const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Upper bounds in seconds: pages take 1 to 40 ms where all is well, and what is cut off shows at the end.
const CPU_SECONDS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/// Everything that is counted.
pub(crate) struct Metrics {
    registry: Registry,
    /// What became of renders.
    pub(crate) renders: RenderMetrics,
    /// Documents that were made.
    pub(crate) documents: DocumentMetrics,
    /// What browsers held against documents.
    pub(crate) policy: PolicyMetrics,
    /// What became of sign-ups.
    pub(crate) signups: SignupMetrics,
    connections: Connections,
    requests: Requests,
}

/// Documents that were made.
#[derive(Clone, Default)]
pub(crate) struct DocumentMetrics {
    composed: Counter,
}

/// Violations of the content security policy that browsers reported.
#[derive(Clone, Default)]
pub(crate) struct PolicyMetrics {
    violations: Family<Directive, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Directive {
    directive: &'static str,
}

/// A family that is described also while it has nothing to tell, so that who reads the metrics sees all that there are.
#[derive(Debug)]
struct Described<M>(M);

/// What became of renders.
#[derive(Clone)]
pub(crate) struct RenderMetrics {
    outcomes: Family<Outcome, Counter>,
    cpu: Family<Section, Histogram, fn() -> Histogram>,
    resting: Family<Section, Gauge>,
    replaced: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    section: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Section {
    section: String,
}

impl Default for Metrics {
    fn default() -> Self {
        let renders = RenderMetrics {
            outcomes: Family::default(),
            cpu: Family::new_with_constructor(|| Histogram::new(CPU_SECONDS)),
            resting: Family::default(),
            replaced: Counter::default(),
        };
        let mut registry = Registry::with_prefix("colonnade");
        registry.register(
            "renders",
            "Pages the gateway set out to render, by what came of it; `section` is `shell` for its own page",
            Described(renders.outcomes.clone()),
        );
        registry.register_with_unit(
            "render_cpu",
            "CPU time of renders that succeeded",
            Unit::Seconds,
            Described(renders.cpu.clone()),
        );
        registry.register(
            "render_resting",
            "1 for a section that is left to the browser because it failed so often, 0 once a render of it succeeded again",
            Described(renders.resting.clone()),
        );
        registry.register(
            "render_workers_replaced",
            "Render workers that were killed, or died",
            renders.replaced.clone(),
        );
        let documents = DocumentMetrics::default();
        registry.register(
            "documents_composed",
            "Documents that were composed and compressed; whatever else was answered with one came from memory",
            documents.composed.clone(),
        );
        let policy = PolicyMetrics::default();
        registry.register(
            "policy_violations",
            "Violations of the content security policy that browsers reported, by directive",
            Described(policy.violations.clone()),
        );
        let (signups, connections) = (SignupMetrics::default(), Connections::default());
        let requests = Requests::default();
        signups.register(&mut registry);
        connections.register(&mut registry);
        requests.register(&mut registry);
        Self {
            registry,
            renders,
            documents,
            policy,
            signups,
            connections,
            requests,
        }
    }
}

impl<M: EncodeMetric> EncodeMetric for Described<M> {
    fn encode(&self, encoder: MetricEncoder<'_>) -> fmt::Result {
        self.0.encode(encoder)
    }

    fn metric_type(&self) -> MetricType {
        self.0.metric_type()
    }
}

impl Metrics {
    /// The connections of a listener of this name.
    pub(crate) fn connections(&self, listener: &'static str) -> ConnectionMetrics {
        self.connections.of(listener)
    }

    /// The requests of a listener of this name.
    pub(crate) fn requests(&self, listener: &'static str) -> RequestMetrics {
        self.requests.of(listener)
    }

    /// Requests that were turned away.
    pub(crate) fn shed(&self) -> ShedMetrics {
        self.requests.shed()
    }

    /// Everything that is counted, as text.
    pub(crate) fn answer(&self) -> Reply {
        let mut body = String::new();
        // Writing into memory does not fail.
        let _ = text::encode(&mut body, &self.registry);
        reply(StatusCode::OK, OPEN_METRICS, body)
    }
}

impl DocumentMetrics {
    /// One was.
    pub(crate) fn composed(&self) {
        self.composed.inc();
    }
}

impl PolicyMetrics {
    /// A browser reported that this directive was violated.
    pub(crate) fn violated(&self, directive: &'static str) {
        self.violations.get_or_create(&Directive { directive }).inc();
    }
}

impl RenderMetrics {
    /// A page of a section was rendered, in so much CPU time.
    pub(crate) fn rendered(&self, section: &str, cpu: Duration) {
        self.count(section, "rendered");
        let section = section.to_owned();
        self.cpu
            .get_or_create(&Section { section })
            .observe(cpu.as_secs_f64());
    }

    /// It was not, for this cause; how often that was so by now.
    pub(crate) fn failed(&self, section: &str, cause: &'static str) -> u64 {
        self.count(section, cause)
    }

    /// A section is left to the browser from now on, or no more.
    pub(crate) fn rests(&self, section: &str, rests: bool) {
        let section = section.to_owned();
        self.resting
            .get_or_create(&Section { section })
            .set(i64::from(rests));
    }

    /// A worker was replaced.
    pub(crate) fn replaced(&self) {
        self.replaced.inc();
    }

    fn count(&self, section: &str, outcome: &'static str) -> u64 {
        let section = section.to_owned();
        let counter = self.outcomes.get_or_create(&Outcome { section, outcome });
        counter.inc() + 1
    }
}
