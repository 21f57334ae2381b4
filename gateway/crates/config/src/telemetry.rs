//! `[telemetry]`: optional request data in the log, traces, and reports of browsers.

use serde::{Deserialize, Deserializer};
use url::Url;

use super::url::{ORIGIN, Origin, parse_url};
use super::value::{as_string, convert, integer};

/// Settings of the log, of traces, and of reports of browsers.
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
    /// Where browsers report violations of the Content Security Policy.
    #[serde(deserialize_with = "csp_report_url")]
    pub csp_report_url: Option<Url>,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            log_client_ip: false,
            log_health_checks: true,
            otlp_endpoint: None,
            trace_sample_percent: 100,
            csp_report_url: None,
        }
    }
}

fn otlp_endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Origin>, D::Error> {
    convert(deserializer, ORIGIN, |value| {
        Origin::parse(as_string(value)?).map(Some)
    })
}

/// The URL is a part of headers in which these characters have a meaning (CSP Level 3, section
/// 2.2.1; RFC 8941, section 3.3.3).
fn csp_report_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let expected =
        "a full URL with https, or with http if the host is this machine, without `;`, `,` and `\\`";
    convert(deserializer, expected, |value| {
        let url = parse_url(as_string(value)?)?;
        if url.as_str().contains([';', ',', '\\']) {
            return Err(format!("`{url}` contains one of them"));
        }
        Ok(Some(url))
    })
}
