//! `GET /metrics`, and the metrics of the admin API.

use http::{HeaderValue, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use colonnade_config::Action;
use colonnade_web::response::{Response, response};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The causes of `admin_auth_failures`, as in the audit log.
const CAUSES: [&str; 6] = [
    "token_missing",
    "token_unknown",
    "token_expired",
    "session_unknown",
    "forbidden",
    "rate_limited",
];

/// Read the metrics, for Prometheus
///
/// Needs no token if the admin listener is on a loopback address.
#[utoipa::path(
    get, path = "/metrics", tag = "health", operation_id = "metrics",
    security((), ("token" = [Action::Metrics.name()])),
    responses((status = 200, body = String, content_type = OPEN_METRICS,
        description = "The metrics in the OpenMetrics text format.")),
)]
pub(super) fn respond(registry: &Registry) -> Response {
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ = text::encode(&mut body, registry);
    response(StatusCode::OK, HeaderValue::from_static(OPEN_METRICS), body)
}

/// Requests to the admin API that were refused for their token, by cause.
#[derive(Clone, Default)]
pub struct AuthMetrics(Family<CauseLabel, Counter>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CauseLabel {
    cause: &'static str,
}

impl AuthMetrics {
    /// Adds the metric to the registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "admin_auth_failures",
            "Requests to the admin API that were refused for their token, by cause",
            self.0.clone(),
        );
        for cause in CAUSES {
            drop(self.0.get_or_create(&CauseLabel { cause }));
        }
    }

    /// Counts a refused request. Other causes do not count.
    pub(super) fn record(&self, cause: &'static str) {
        if CAUSES.contains(&cause) {
            self.0.get_or_create(&CauseLabel { cause }).inc();
        }
    }
}
