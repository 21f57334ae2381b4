//! One upstream: its settings, its endpoints, and what limits its calls.

use std::sync::Arc;
use std::time::Duration;

use colonnade_admission::{Limits, Permit, Pool};
use colonnade_config::{self as config, Origin};
use colonnade_model::pattern::RequestPath;
use colonnade_web::client::ClientKey;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimited, RateLimits};
use http::HeaderValue;
use tower::retry::budget::TpsBudget;

use crate::base_path::{has_prefix, prefix_segments};
use crate::cache::ResponseCache;
use crate::call_state::{CallState, WaitingCall};
use crate::circuit_breaker::{Breaker, BreakerLimits, BreakerState, CircuitBreaker, Health};
use crate::client::{self, Client, ClientError};
use crate::endpoint::{EjectionLimits, Endpoints};
use crate::error::UpstreamError;
use crate::metrics::{MetricsOfUpstream, UpstreamMetrics};
use crate::request_headers::OriginHeaders;

/// The rate limit of all clients together, per minute. It only bounds the memory of the rate
/// limiter: the concurrency limits protect the upstream.
const MAX_TOTAL_PER_MINUTE: u32 = 6_000_000;

/// The time over which the retry budget looks back.
const BUDGET_WINDOW: Duration = Duration::from_secs(10);

/// The retries per second that are always allowed, for an upstream with few requests.
const MIN_RETRIES_PER_SECOND: u32 = 10;

/// How long a call waits for the permit of one that yields.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// An upstream.
pub(crate) struct Upstream {
    pub(crate) name: Arc<str>,
    /// The decoded segments of its path prefix.
    pub(crate) prefix: Vec<String>,
    pub(crate) settings: config::Upstream,
    pub(crate) site: Origin,
    pub(crate) origin_headers: OriginHeaders,
    /// The cache of all upstreams, unless it is off.
    pub(crate) cache: Option<Arc<ResponseCache<UpstreamError>>>,
    /// The value of `Allow`.
    pub(crate) allow: HeaderValue,
    pub(crate) endpoints: Arc<Endpoints>,
    /// The permits of calls in progress.
    calls: Pool<WaitingCall>,
    /// The permits of open streams.
    pub(crate) streams: Pool<WaitingCall>,
    pub(crate) breaker: Arc<CircuitBreaker<UpstreamBreaker>>,
    rate_limiter: ClientRateLimiter,
    pub(crate) retry_budget: TpsBudget,
    pub(crate) metrics: MetricsOfUpstream,
}

/// The permit of one call.
pub(crate) type CallPermit = Permit<WaitingCall>;

/// The limits and the metrics of a circuit breaker.
pub(crate) struct UpstreamBreaker {
    upstream: Arc<str>,
    limits: BreakerLimits,
    /// The endpoints, if they have health checks.
    checked: Option<Arc<Endpoints>>,
    metrics: MetricsOfUpstream,
}

impl Upstream {
    pub(crate) fn new(
        name: &str,
        settings: config::Upstream,
        site: Origin,
        cache: Option<Arc<ResponseCache<UpstreamError>>>,
        metrics: &UpstreamMetrics,
    ) -> Result<Arc<Self>, ClientError> {
        let name: Arc<str> = name.into();
        let ejection = EjectionLimits {
            failure_threshold: settings.ejection_failure_threshold,
            duration: settings.ejection,
        };
        let tls = client::tls_config(&name, &settings)?;
        let client = |endpoint| Client::new(&settings, tls.clone(), endpoint);
        let endpoints = Endpoints::new(Arc::clone(&name), &settings.urls, ejection, client);
        let endpoints = Arc::new(endpoints);
        let metrics = metrics.for_upstream(&endpoints);
        let breaker = CircuitBreaker::new(UpstreamBreaker {
            upstream: Arc::clone(&name),
            limits: BreakerLimits {
                failure_threshold: settings.breaker_failure_threshold,
                failure_percent: settings.breaker_failure_percent,
                window: settings.breaker_window,
                open: settings.breaker_open,
            },
            checked: settings.health_path.is_some().then(|| Arc::clone(&endpoints)),
            metrics: metrics.clone(),
        });
        let methods = settings.methods.iter().map(http::Method::as_str);
        let allow = methods.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ");
        let share = f32::from(settings.retry_budget_percent) / 100.0;
        Ok(Arc::new(Self {
            prefix: prefix_segments(&settings.path),
            allow: HeaderValue::try_from(allow).unwrap_or(HeaderValue::from_static("OPTIONS")),
            calls: Pool::default(),
            streams: Pool::default(),
            rate_limiter: ClientRateLimiter::default(),
            retry_budget: TpsBudget::new(BUDGET_WINDOW, MIN_RETRIES_PER_SECOND, share),
            origin_headers: OriginHeaders::new(&site, &settings.path),
            name,
            settings,
            site,
            cache,
            endpoints,
            breaker,
            metrics,
        }))
    }

    /// Whether a path is below its prefix.
    pub(crate) fn has(&self, path: &RequestPath) -> bool {
        has_prefix(path, &self.prefix)
    }

    /// Takes a permit of the rate limit of a client, if it is known.
    pub(crate) fn limit_rate(&self, client: Option<ClientKey>) -> Result<(), UpstreamError> {
        let limits = RateLimits {
            total: MAX_TOTAL_PER_MINUTE,
            per_client: self.settings.rate_limit_per_client_per_minute,
        };
        self.rate_limiter.try_acquire(client, limits).map_err(
            |(RateLimited::Client(wait) | RateLimited::Total(wait))| UpstreamError::RateLimited(wait),
        )
    }

    /// Takes a permit for a call that this client causes, if it is known. It is held until the end
    /// of the response, or until the call waits for its client and another call needs the permit.
    pub(crate) async fn begin_call(
        &self,
        client: Option<ClientKey>,
        state: &Arc<CallState>,
    ) -> Result<CallPermit, UpstreamError> {
        let total = self.settings.max_concurrent;
        let limits = Limits {
            total,
            per_client: self.settings.max_concurrent_per_client(),
            // Calls that wait for the upstream do not yield.
            per_network: total / 2,
            max_wait: MAX_WAIT,
            max_waiting: 0,
        };
        let call = WaitingCall(Arc::clone(state));
        let permit = self.calls.acquire(client, Some(call), limits);
        permit.await.map_err(UpstreamError::from)
    }
}

impl Breaker for UpstreamBreaker {
    fn limits(&self) -> BreakerLimits {
        self.limits
    }

    fn health(&self) -> Health {
        let endpoints = self.checked.as_ref();
        endpoints.map_or(Health::Unknown, |endpoints| endpoints.health())
    }

    fn entered(&self, state: BreakerState) {
        self.metrics.set_breaker_state(state);
    }

    fn opened(&self, open: Duration) {
        let (upstream, open_seconds) = (&*self.upstream, open.as_secs());
        tracing::warn!(event = "upstream_circuit_opened", upstream, open_seconds);
    }

    fn closed(&self) {
        tracing::info!(event = "upstream_circuit_closed", upstream = &*self.upstream);
    }
}
