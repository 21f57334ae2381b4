//! `[telemetry]`: optional request data in the log, what is sent by OTLP, and reports of browsers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use http::HeaderName;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::certificate::CertificateFiles;
use crate::client_tls::ClientTls;
use crate::config_file::ConfigFile;
use crate::secret::SecretSource;
use crate::secret_headers::{header_secrets, read_headers};
use crate::url::{Origin, check_encrypted, parse_url};
use crate::value::{
    as_nonempty_strings, as_string, convert, integer, optional_path, optional_table, seconds,
};

/// Settings of the log, of OTLP, and of reports of browsers.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[expect(clippy::struct_excessive_bools, reason = "each one is a key of the file")]
pub struct TelemetrySettings {
    /// Whether log events of the site contain the client's IP address.
    pub log_client_ip: bool,
    /// Whether log events of the admin listener contain the client's IP address.
    log_admin_client_ip: bool,
    /// Whether requests for `/healthz` and `/readyz` are logged.
    pub log_health_checks: bool,
    /// Which requests are logged.
    #[serde(deserialize_with = "logged_requests")]
    pub log_requests: LoggedRequests,
    /// The percentage of requests that are logged, of those without a server error.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub log_requests_percent: u8,
    /// Whether the events of requests without a page have a template of their path.
    pub log_path_templates: bool,
    /// Whether request metrics have the label `route`.
    pub metrics_by_route: bool,
    /// The collector of OTLP.
    #[serde(deserialize_with = "otlp_endpoint")]
    pub otlp_endpoint: Option<Origin>,
    /// How the collector is called.
    #[serde(deserialize_with = "otlp_protocol")]
    pub otlp_protocol: OtlpProtocol,
    /// What is sent to it.
    #[serde(deserialize_with = "otlp_signals")]
    pub otlp_signals: Vec<OtlpSignal>,
    /// The time between two exports.
    #[serde(rename = "otlp_interval_seconds", deserialize_with = "seconds::<86_400, _>")]
    pub otlp_interval: Duration,
    #[serde(rename = "otlp_headers", deserialize_with = "header_secrets")]
    otlp_header_sources: Vec<(HeaderName, SecretSource)>,
    /// The headers of each export, such as the key of a collector.
    #[serde(skip)]
    pub otlp_headers: Vec<(HeaderName, SecretString)>,
    otlp_allow_plain_http: bool,
    #[serde(deserialize_with = "optional_path")]
    otlp_root_certificate: Option<PathBuf>,
    #[serde(deserialize_with = "optional_table")]
    otlp_client_certificate: Option<CertificateFiles>,
    /// How the gateway verifies the collector, and identifies itself to it.
    #[serde(skip)]
    pub otlp_tls: ClientTls,
    /// The percentage of requests that are traced, unless a trusted proxy decides.
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub trace_sample_percent: u8,
    /// Where browsers report violations of the Content Security Policy.
    #[serde(deserialize_with = "csp_report_url")]
    pub csp_report_url: Option<Url>,
}

/// How a collector of OTLP is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtlpProtocol {
    /// A POST of Protocol Buffers for each export.
    Http,
    /// A unary call for each export.
    Grpc,
}

/// What OTLP can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtlpSignal {
    /// The spans of requests.
    Traces,
    /// The metrics of the gateway.
    Metrics,
    /// The lines of the log.
    Logs,
}

impl OtlpSignal {
    /// The name in the configuration, in metrics and in URLs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }
}

/// Which requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggedRequests {
    /// All.
    All,
    /// Those with a server error.
    Errors,
    /// None.
    None,
}

impl TelemetrySettings {
    /// Whether log events of a listener contain the client's IP address.
    pub fn logs_client_ip(&self, listener: &str) -> bool {
        match listener {
            "admin" => self.log_admin_client_ip,
            _ => self.log_client_ip,
        }
    }
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            log_client_ip: false,
            log_admin_client_ip: false,
            log_health_checks: true,
            log_requests: LoggedRequests::All,
            log_requests_percent: 100,
            log_path_templates: false,
            metrics_by_route: false,
            otlp_endpoint: None,
            otlp_protocol: OtlpProtocol::Http,
            otlp_signals: vec![OtlpSignal::Traces],
            otlp_interval: Duration::from_secs(10),
            otlp_header_sources: Vec::new(),
            otlp_headers: Vec::new(),
            otlp_allow_plain_http: false,
            otlp_root_certificate: None,
            otlp_client_certificate: None,
            otlp_tls: ClientTls::default(),
            trace_sample_percent: 100,
            csp_report_url: None,
        }
    }
}

impl TelemetrySettings {
    /// Checks whether the collector may be reached without TLS, and reads the secrets and the
    /// certificates. Relative paths start at `folder`.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        let key = ["telemetry", "otlp_headers"];
        self.otlp_headers = read_headers(&self.otlp_header_sources, &key, folder, file);
        let endpoint = self
            .otlp_endpoint
            .as_ref()
            .filter(|_| !self.otlp_allow_plain_http);
        if let Some(Err(wrong)) = endpoint.map(|endpoint| check_encrypted(endpoint.url())) {
            let expected = "https, or `otlp_allow_plain_http`";
            file.problem(&["telemetry", "otlp_endpoint"], &wrong, expected);
        }
        let keys = ["otlp_root_certificate", "otlp_client_certificate"].map(|key| ["telemetry", key]);
        let root = self.otlp_root_certificate.as_ref();
        let certificate = self.otlp_client_certificate.as_ref();
        self.otlp_tls = ClientTls::load([&keys[0], &keys[1]], root, certificate, folder, file);
    }
}

fn logged_requests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LoggedRequests, D::Error> {
    convert(
        deserializer,
        "`all`, `errors` or `none`",
        |value| match as_string(value)? {
            "all" => Ok(LoggedRequests::All),
            "errors" => Ok(LoggedRequests::Errors),
            "none" => Ok(LoggedRequests::None),
            other => Err(format!("is `{other}`")),
        },
    )
}

fn otlp_endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Origin>, D::Error> {
    convert(deserializer, "scheme://host or scheme://host:port", |value| {
        Origin::parse_any(as_string(value)?).map(Some)
    })
}

fn otlp_protocol<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OtlpProtocol, D::Error> {
    convert(deserializer, "`http` or `grpc`", |value| {
        match as_string(value)? {
            "http" => Ok(OtlpProtocol::Http),
            "grpc" => Ok(OtlpProtocol::Grpc),
            other => Err(format!("is `{other}`")),
        }
    })
}

fn otlp_signals<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<OtlpSignal>, D::Error> {
    convert(
        deserializer,
        "a list of `traces`, `metrics` and `logs`",
        |value| {
            as_nonempty_strings(value, |signal| match signal {
                "traces" => Ok(OtlpSignal::Traces),
                "metrics" => Ok(OtlpSignal::Metrics),
                "logs" => Ok(OtlpSignal::Logs),
                other => Err(format!("has `{other}`")),
            })
        },
    )
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
