//! `[telemetry]`: optional request data in the log, and traces.

use serde::{Deserialize, Deserializer};

use super::url::{ORIGIN, Origin};
use super::value::{as_string, convert, integer};

/// Settings of the log and of traces.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct TelemetrySettings {
    /// Whether log events contain the client's IP address.
    pub log_client_ip: bool,
    /// Whether requests for `/healthz` and `/readyz` are logged.
    pub log_health_checks: bool,
    /// Where traces are sent.
    #[serde(deserialize_with = "otlp_endpoint")]
    pub otlp_endpoint: Option<Origin>,
    /// The percentage of requests that are traced, unless a trusted proxy decides.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub trace_sample_percent: u8,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            log_client_ip: false,
            log_health_checks: true,
            otlp_endpoint: None,
            trace_sample_percent: 100,
        }
    }
}

fn otlp_endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Origin>, D::Error> {
    convert(deserializer, ORIGIN, |value| {
        Origin::parse(as_string(value)?).map(Some)
    })
}
