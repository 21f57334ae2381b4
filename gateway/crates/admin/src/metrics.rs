//! `GET /metrics`, and the metrics of the admin API.

use std::fmt::Write as _;
use std::sync::Arc;

use http::header::{CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use colonnade_config::{Action, Token};
use colonnade_web::content_negotiation::{Coding, preferred_coding, prefers};
use colonnade_web::encode::{Effort, encode};
use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, response};

const OPEN_METRICS_TYPE: &str = "application/openmetrics-text";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT_TYPE: &str = "text/plain";
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The causes of `admin_auth_failures`, as in the audit log.
const CAUSES: [&str; 14] = [
    "token_missing",
    "token_unknown",
    "token_expired",
    "id_token_issuer",
    "id_token_audience",
    "id_token_algorithm",
    "id_token_signature",
    "id_token_invalid",
    "no_grant",
    "provider_unreachable",
    "sign_in_failed",
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
    responses((status = 200, content((String = TEXT), (String = OPEN_METRICS)),
        description = "The metrics in the text format of Prometheus, or in that of OpenMetrics if `Accept` prefers it.")),
)]
pub(super) async fn respond(registry: &Arc<Registry>, request: &HeaderMap) -> Response {
    let is_open_metrics = prefers(request, OPEN_METRICS_TYPE, TEXT_TYPE);
    let coding = preferred_coding(request, &[Coding::Gzip]);
    let registry = Arc::clone(registry);
    let body = request_scope::run_blocking(move || {
        let mut body = String::new();
        // Writing to memory cannot fail.
        let _ = text::encode(&mut body, &registry);
        if !is_open_metrics {
            body = to_text(&body);
        }
        encode(body.as_bytes(), coding, Effort::Quick).unwrap_or_default()
    });
    let content_type = if is_open_metrics { OPEN_METRICS } else { TEXT };
    let content_type = HeaderValue::from_static(content_type);
    let mut response = response(StatusCode::OK, content_type, body.await);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
    if coding != Coding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    response
}

/// Converts what the registry writes to the text format 0.0.4 of Prometheus: a family has the name of
/// its samples, and neither a unit, nor the type `info`, nor an end.
fn to_text(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|of| of.split_once(' ')) {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                _ => ("", kind),
            };
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}\n"
            );
        } else if !line.starts_with('#') {
            text += line;
            text.push('\n');
        }
    }
    text
}

/// Requests to the admin API that were refused for their token, by cause.
#[derive(Clone, Default)]
pub struct AuthMetrics {
    failures: Family<Labels<1>, Counter>,
    token_expiry: Family<Labels<1, String>, Gauge>,
}

impl AuthMetrics {
    /// Adds the metric to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "admin_auth_failures": self.failures,
                "Requests to the admin API that were refused for their token, by cause";
            "token_expiry_timestamp" in Seconds: self.token_expiry,
                "When a token of the admin API expires, since the Unix epoch; without a sample for a token that never \
                 expires";
        }
        for cause in CAUSES {
            drop(self.failures.get_or_create(&[("cause", cause)]));
        }
    }

    /// Replaces the tokens of which the metrics say when they expire.
    pub(super) fn set_tokens<'t>(&self, tokens: impl Iterator<Item = &'t Token>) {
        self.token_expiry.clear();
        for token in tokens {
            if let Some(expires) = token.expires {
                let token = token.name.clone();
                let gauge = self.token_expiry.get_or_create(&[("token", token)]);
                gauge.set(expires.as_second());
            }
        }
    }

    /// Counts a refused request. Other causes do not count.
    pub(super) fn record(&self, cause: &'static str) {
        if CAUSES.contains(&cause) {
            self.failures.get_or_create(&[("cause", cause)]).inc();
        }
    }
}
