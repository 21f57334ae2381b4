//! The metrics of upstreams.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use parking_lot::Mutex;
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use strum::VariantArray;
use tokio::time::Instant;

use crate::cache::{Budget, CacheOutcome};
use crate::circuit_breaker::BreakerState;
use crate::endpoint::{Availability, Endpoint, Endpoints};
use crate::outcome::{Outcome, QueryOutcome};
use crate::stream::{StreamEnd, StreamKind};

/// Bucket bounds in seconds, from an upstream on the same machine to one that is about to time out.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// The metrics of all upstreams.
#[derive(Clone)]
pub struct UpstreamMetrics {
    requests: Family<OutcomeLabels, Counter>,
    seconds: Family<Labels<1, String>, Histogram, fn() -> Histogram>,
    retries: Family<Labels<1, String>, Counter>,
    cache: Family<OutcomeLabels, Counter>,
    cache_size: CacheGauge,
    queries: Family<OutcomeLabels, Counter>,
    streams_open: Family<KindLabels, Gauge>,
    streams_closed: Family<EndLabels, Counter>,
    breakers: Family<StateLabels, Gauge>,
    endpoints: EndpointGauge,
}

/// A counter for each outcome. Each is exposed from the start.
#[derive(Clone)]
pub(crate) struct Counters<O>(Box<[(O, Counter)]>);

impl<O: VariantArray + Copy + PartialEq + Into<&'static str>> Counters<O> {
    fn new(counters: &Family<OutcomeLabels, Counter>, upstream: &str) -> Self {
        let counters = O::VARIANTS.iter().map(|outcome| {
            let labels = OutcomeLabels {
                upstream: upstream.to_owned(),
                outcome: (*outcome).into(),
            };
            (*outcome, counters.get_or_create_owned(&labels))
        });
        Self(counters.collect())
    }

    /// Counts an outcome.
    pub(crate) fn count(&self, outcome: O) {
        if let Some((_, counter)) = self.0.iter().find(|(one, _)| *one == outcome) {
            counter.inc();
        }
    }
}

/// The metrics of one upstream.
#[derive(Clone)]
pub(crate) struct MetricsOfUpstream {
    /// Also counts requests that were not sent to the upstream.
    pub(crate) requests: Counters<Outcome>,
    seconds: Histogram,
    pub(crate) retries: Counter,
    /// How the cache answered requests.
    pub(crate) cache: Counters<CacheOutcome>,
    pub(crate) queries: Counters<QueryOutcome>,
    /// By kind.
    streams: Vec<StreamMetrics>,
    breaker: [(BreakerState, Gauge); 3],
}

/// The metrics of one kind of streams of an upstream.
#[derive(Clone)]
pub(crate) struct StreamMetrics {
    open: Gauge,
    closed: Vec<(StreamEnd, Counter)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    upstream: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    upstream: String,
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndLabels {
    upstream: String,
    kind: &'static str,
    cause: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    upstream: String,
    state: &'static str,
}

/// Counts endpoints when it is read, because ejections end by themselves.
#[derive(Debug, Clone, Default)]
struct EndpointGauge(Arc<Mutex<Vec<Arc<Endpoints>>>>);

/// Reads the size of the cache when it is read.
#[derive(Debug, Clone, Default)]
struct CacheGauge(Arc<Mutex<Option<Arc<Budget>>>>);

impl EncodeMetric for CacheGauge {
    fn encode(&self, encoder: MetricEncoder<'_>) -> fmt::Result {
        let bytes = self.0.lock().as_ref().map_or(0, |budget| budget.used());
        ConstGauge::new(i64::try_from(bytes).unwrap_or(i64::MAX)).encode(encoder)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl EncodeMetric for EndpointGauge {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let now = Instant::now();
        for endpoints in &*self.0.lock() {
            for (availability, state) in [
                (Availability::Available, "available"),
                (Availability::Ejected, "ejected"),
                (Availability::Unhealthy, "unhealthy"),
            ] {
                let is_counted = |endpoint: &&Arc<Endpoint>| endpoint.availability(|| now) == availability;
                let count = endpoints.iter().filter(is_counted).count();
                let labels = StateLabels {
                    upstream: endpoints.upstream().to_owned(),
                    state,
                };
                let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
                gauge.encode(encoder.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl Default for UpstreamMetrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            retries: Family::default(),
            cache: Family::default(),
            cache_size: CacheGauge::default(),
            queries: Family::default(),
            streams_open: Family::default(),
            streams_closed: Family::default(),
            breakers: Family::default(),
            endpoints: EndpointGauge::default(),
        }
    }
}

impl UpstreamMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "upstream_requests": self.requests, "Requests for an upstream, by outcome";
            "upstream_request_duration" in Seconds: self.seconds,
                "Duration of calls to an upstream with their retries, to the end of the response";
            "upstream_retries": self.retries, "Requests that were sent to an upstream again";
            "upstream_cache_responses": self.cache,
                "Responses to GET and HEAD, by how the cache of an upstream's responses answered";
            "upstream_cache_size" in Bytes: self.cache_size,
                "The memory that cached responses of all upstreams take";
            "upstream_queries": self.queries, "Queries of pages that were sent to an upstream, by outcome";
            "upstream_streams_open": self.streams_open,
                "Open WebSockets and responses with server-sent events";
            "upstream_streams_closed": self.streams_closed,
                "WebSockets and responses with server-sent events that have ended, by cause";
            "upstream_circuit_breaker_state": self.breakers,
                "1 for the current state of an upstream's circuit breaker, 0 for the others";
            "upstream_endpoints": self.endpoints,
                "The endpoints of an upstream, by whether they get requests";
        }
    }

    /// The memory of the cache, which is exposed from now on.
    pub(crate) fn set_cache(&self, budget: Option<&Arc<Budget>>) {
        *self.cache_size.0.lock() = budget.map(Arc::clone);
    }

    /// The metrics of one upstream, which are exposed from now on.
    pub(crate) fn for_upstream(&self, endpoints: &Arc<Endpoints>) -> MetricsOfUpstream {
        let upstream = endpoints.upstream();
        self.endpoints.0.lock().push(Arc::clone(endpoints));
        let label = [("upstream", upstream.to_owned())];
        MetricsOfUpstream {
            requests: Counters::new(&self.requests, upstream),
            seconds: self.seconds.get_or_create_owned(&label),
            retries: self.retries.get_or_create_owned(&label),
            cache: Counters::new(&self.cache, upstream),
            queries: Counters::new(&self.queries, upstream),
            streams: self.streams_of(upstream),
            breaker: BreakerState::ALL.map(|state| {
                let gauge = self.breakers.get_or_create_owned(&StateLabels {
                    upstream: upstream.to_owned(),
                    state: state.name(),
                });
                (state, gauge)
            }),
        }
    }
}

impl UpstreamMetrics {
    /// The metrics of an upstream's streams. Each is exposed from the start.
    fn streams_of(&self, upstream: &str) -> Vec<StreamMetrics> {
        let metrics = StreamKind::VARIANTS.iter().map(|&kind| {
            let (upstream, name) = (upstream.to_owned(), kind.into());
            let closed = StreamEnd::VARIANTS.iter().map(|&end| {
                let labels = EndLabels {
                    upstream: upstream.clone(),
                    kind: name,
                    cause: end.into(),
                };
                (end, self.streams_closed.get_or_create_owned(&labels))
            });
            let closed = closed.collect();
            let labels = KindLabels { upstream, kind: name };
            let open = self.streams_open.get_or_create_owned(&labels);
            StreamMetrics { open, closed }
        });
        metrics.collect()
    }
}

impl StreamMetrics {
    /// Counts a stream that has ended.
    pub(crate) fn closed(&self, end: StreamEnd) {
        self.open.dec();
        if let Some((_, counter)) = self.closed.iter().find(|(one, _)| *one == end) {
            counter.inc();
        }
    }
}

impl MetricsOfUpstream {
    /// Counts an open stream, until [`StreamMetrics::closed`] is called.
    pub(crate) fn open_stream(&self, kind: StreamKind) -> StreamMetrics {
        let metrics = &self.streams[kind as usize];
        metrics.open.inc();
        metrics.clone()
    }

    /// Counts a call.
    pub(crate) fn record(&self, outcome: Outcome, duration: Duration) {
        self.requests.count(outcome);
        self.seconds.observe(duration.as_secs_f64());
    }

    /// Sets the state of the circuit breaker.
    pub(crate) fn set_breaker_state(&self, current: BreakerState) {
        for (state, gauge) in &self.breaker {
            gauge.set(i64::from(*state == current));
        }
    }
}
