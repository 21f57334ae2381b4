//! `POST /_csp`: CSP violation reports.
//!
//! A report can contain URLs and quote the page. Only the violated directive is counted; nothing is
//! logged or stored.

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::Value;

use colonnade_web::body::RequestBody;
use colonnade_web::client::ClientKey;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimits};

use super::error::{ReportError, read};
use crate::metrics::{CspMetrics, directive_label};

/// The most bytes of a report.
const MAX_BODY_BYTES: usize = 8 * 1024;

/// The most reports per minute, of all clients and of each.
const RATE_LIMITS: RateLimits = RateLimits {
    total: 1000,
    per_client: 20,
};

/// Receives and counts reports, within rate limits.
pub(crate) struct CspReports {
    metrics: CspMetrics,
    rate_limiter: ClientRateLimiter,
}

impl CspReports {
    /// A receiver that counts in these metrics.
    pub(crate) fn new(metrics: CspMetrics) -> Self {
        Self {
            metrics,
            rate_limiter: ClientRateLimiter::default(),
        }
    }

    /// Receives a report of a client.
    ///
    /// Browsers send no Sec-Fetch-Site with a report, so its origin is not checked. But another
    /// site cannot make a browser send one: both media types need a CORS preflight request, which
    /// fails.
    pub(crate) async fn receive(
        &self,
        headers: &HeaderMap,
        body: RequestBody,
        client: ClientKey,
    ) -> Result<(), ReportError> {
        let format = Format::from_headers(headers).ok_or(ReportError::MediaType)?;
        if self.rate_limiter.try_acquire(client, RATE_LIMITS).is_err() {
            return Err(ReportError::RateLimited);
        }
        let body = read(body, MAX_BODY_BYTES).await?;
        for directive in format.directives(&body).ok_or(ReportError::Malformed)? {
            self.metrics.record_violation(directive);
        }
        Ok(())
    }
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// One violation, for `report-uri` (CSP 3, section 5.3).
    ReportUri,
    /// A list of reports of any type, for `report-to` (Reporting API).
    ReportTo,
}

/// The body of a report for `report-uri`.
#[derive(Deserialize)]
struct ReportUriBody {
    #[serde(rename = "csp-report")]
    report: ReportUriReport,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ReportUriReport {
    effective_directive: Option<String>,
    /// What older browsers send instead: the directive with its sources.
    violated_directive: Option<String>,
}

/// A report for `report-to`.
#[derive(Deserialize)]
struct ReportToReport {
    #[serde(rename = "type")]
    report_type: String,
    #[serde(default)]
    body: Value,
}

impl Format {
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        let is = |media_type| essence.eq_ignore_ascii_case(media_type);
        if is("application/csp-report") {
            Some(Self::ReportUri)
        } else if is("application/reports+json") {
            Some(Self::ReportTo)
        } else {
            None
        }
    }

    /// The labels of the violated directives; `None` if the body is invalid.
    fn directives(self, body: &[u8]) -> Option<Vec<&'static str>> {
        match self {
            Self::ReportUri => {
                let ReportUriBody { report } = serde_json::from_slice(body).ok()?;
                let name = report.effective_directive.or(report.violated_directive)?;
                Some(vec![directive_label(&name)])
            }
            Self::ReportTo => {
                let reports: Vec<ReportToReport> = serde_json::from_slice(body).ok()?;
                let violations = reports
                    .iter()
                    .filter(|report| report.report_type == "csp-violation");
                let names = violations.map(|report| report.body["effectiveDirective"].as_str());
                Some(
                    names
                        .map(|name| directive_label(name.unwrap_or_default()))
                        .collect(),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::prelude::proptest;

    use super::Format;

    #[test]
    fn report_is_reduced_to_directive_labels() {
        let report_uri = |text: &str| Format::ReportUri.directives(text.as_bytes());
        let report_to = |text: &str| Format::ReportTo.directives(text.as_bytes());
        for (text, directive) in [
            (
                r#"{"csp-report": {"effective-directive": "script-src-elem", "violated-directive": "x"}}"#,
                "script-src-elem",
            ),
            (
                r#"{"csp-report": {"violated-directive": "img-src 'self'", "blocked-uri": "data"}}"#,
                "img-src",
            ),
            (r#"{"csp-report": {"effective-directive": "my secret"}}"#, "other"),
        ] {
            assert_eq!(report_uri(text), Some(vec![directive]), "{text}");
        }
        let text = r#"[{"type": "csp-violation", "age": 1, "url": "u", "body": {"effectiveDirective": "style-src-elem"}},
                       {"type": "deprecation", "body": {"id": "x"}}, {"type": "csp-violation", "body": null},
                       {"type": "csp-violation"}]"#;
        assert_eq!(report_to(text), Some(vec!["style-src-elem", "other", "other"]));
        assert_eq!(report_to("[]"), Some(Vec::new()));
        for text in [
            "",
            "[]",
            "{}",
            r#"{"csp-report": {}}"#,
            r#"{"csp-report": 7}"#,
            "x",
        ] {
            assert_eq!(report_uri(text), None, "{text}");
        }
        for text in ["", "{}", "[7]", r#"[{"body": {}}]"#] {
            assert_eq!(report_to(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_body_is_parsed_without_panic(body in collection::vec(0_u8.., 0..200)) {
            let _ = Format::ReportUri.directives(&body);
            let _ = Format::ReportTo.directives(&body);
        }
    }
}
