//! `GET /metrics`

use http::{HeaderValue, StatusCode};
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use colonnade_web::response::{Response, response};

const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// All metrics in the `OpenMetrics` text format.
pub(super) fn respond(registry: &Registry) -> Response {
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ = text::encode(&mut body, registry);
    response(StatusCode::OK, OPEN_METRICS, body)
}
