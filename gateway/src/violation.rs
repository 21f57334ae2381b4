//! Violations of the content security policy, as browsers report them: `POST /_csp`.
//!
//! What a browser tells of one may name addresses and quote the page. Nothing of it is kept or logged but which
//! directive was violated, and that only as a number.

use std::collections::HashMap;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::metrics::PolicyMetrics;
use crate::net::RequestBody;

/// The most bytes of a report.
const MAX_BODY: usize = 8 * 1024;

/// How long one may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time that the limits below are counted over.
const WINDOW: Duration = Duration::from_mins(1);

/// The most reports of one client in that time.
const MAX_OF_CLIENT: u32 = 20;

/// The most reports of all clients in that time, which also bounds what is remembered of them.
const MAX_OF_ALL: u32 = 1000;

/// The directives that are told apart (CSP 3, and Trusted Types). Whatever else a report names is `other`, so that no
/// stranger makes up a label.
const DIRECTIVES: [&str; 22] = [
    "base-uri",
    "child-src",
    "connect-src",
    "default-src",
    "font-src",
    "form-action",
    "frame-ancestors",
    "frame-src",
    "img-src",
    "manifest-src",
    "media-src",
    "object-src",
    "prefetch-src",
    "require-trusted-types-for",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
    "trusted-types",
    "worker-src",
];

/// Why a report is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ViolationError {
    #[error("Reports are application/csp-report or application/reports+json.")]
    MediaType,
    #[error("There are too many reports.")]
    TooMany,
    #[error("The report is too long.")]
    TooLarge,
    #[error("The report did not arrive in time.")]
    Stalled,
    #[error("The report is not what one should be.")]
    Malformed,
}

impl ViolationError {
    /// The status it answers with.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Stalled => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }
}

/// Counts violations, within limits.
pub(crate) struct Violations {
    metrics: PolicyMetrics,
    limits: Limits,
}

impl Violations {
    /// Counts into these metrics.
    pub(crate) fn new(metrics: PolicyMetrics) -> Self {
        Self {
            metrics,
            limits: Limits::default(),
        }
    }

    /// Receives a report of a client, which stands for its address. Browsers do not say from which site a report is
    /// (they send no Sec-Fetch-Site with it), but no other site can have one sent: neither of the media types goes
    /// across origins without being asked about first, and the answer to that is no.
    pub(crate) async fn receive(
        &self,
        headers: &HeaderMap,
        body: RequestBody,
        client: u64,
    ) -> Result<(), ViolationError> {
        let format = Format::of(headers).ok_or(ViolationError::MediaType)?;
        if !self.limits.allow(client) {
            return Err(ViolationError::TooMany);
        }
        let body = read(body).await?;
        let directives = format.directives(&body).ok_or(ViolationError::Malformed)?;
        for directive in directives {
            self.metrics.violated(directive);
        }
        Ok(())
    }
}

async fn read(body: RequestBody) -> Result<Vec<u8>, ViolationError> {
    let body = Limited::new(body, MAX_BODY).collect();
    let body = tokio::time::timeout(PATIENCE, body)
        .await
        .map_err(|_| ViolationError::Stalled)?;
    let body = body.map_err(|_| ViolationError::TooLarge)?;
    Ok(body.to_bytes().into())
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// One violation, for `report-uri` (CSP 3, 5.3).
    Single,
    /// A list of reports of any kind, for `report-to` (Reporting API).
    List,
}

/// A report of the first format.
#[derive(Deserialize)]
struct Single {
    #[serde(rename = "csp-report")]
    report: SingleReport,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct SingleReport {
    effective_directive: Option<String>,
    /// What older browsers say instead, with the sources behind it.
    violated_directive: Option<String>,
}

/// A report of the second format.
#[derive(Deserialize)]
struct Listed {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    body: Value,
}

impl Format {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        let is = |media_type| essence.eq_ignore_ascii_case(media_type);
        if is("application/csp-report") {
            Some(Self::Single)
        } else if is("application/reports+json") {
            Some(Self::List)
        } else {
            None
        }
    }

    /// The directives that a report says were violated.
    fn directives(self, body: &[u8]) -> Option<Vec<&'static str>> {
        match self {
            Self::Single => {
                let Single { report } = serde_json::from_slice(body).ok()?;
                let name = report.effective_directive.or(report.violated_directive)?;
                Some(vec![known(&name)])
            }
            Self::List => {
                let reports: Vec<Listed> = serde_json::from_slice(body).ok()?;
                let violations = reports.iter().filter(|report| report.kind == "csp-violation");
                let names = violations.map(|report| report.body["effectiveDirective"].as_str());
                Some(names.map(|name| known(name.unwrap_or_default())).collect())
            }
        }
    }
}

fn known(name: &str) -> &'static str {
    let first = name.split(' ').next().unwrap_or_default();
    let known = DIRECTIVES.iter().find(|directive| **directive == first);
    known.copied().unwrap_or("other")
}

/// How much was heard lately.
#[derive(Default)]
struct Limits(Mutex<Option<Window>>);

struct Window {
    since: Instant,
    of_all: u32,
    of_client: HashMap<u64, u32>,
}

impl Limits {
    /// Whether a report of this client is still listened to; it counts then.
    fn allow(&self, client: u64) -> bool {
        let mut window = self.0.lock();
        if window
            .as_ref()
            .is_some_and(|window| window.since.elapsed() >= WINDOW)
        {
            *window = None;
        }
        let Window {
            of_all, of_client, ..
        } = window.get_or_insert_with(|| Window {
            since: Instant::now(),
            of_all: 0,
            of_client: HashMap::new(),
        });
        if *of_all == MAX_OF_ALL {
            return false;
        }
        let count = of_client.entry(client).or_default();
        if *count == MAX_OF_CLIENT {
            return false;
        }
        *count += 1;
        *of_all += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::prelude::proptest;

    use super::{Format, Limits, MAX_OF_ALL, MAX_OF_CLIENT, WINDOW};

    #[tokio::test(start_paused = true)]
    async fn a_client_is_heard_so_often_and_all_are_together() {
        let limits = Limits::default();
        for _ in 0..MAX_OF_CLIENT {
            assert!(limits.allow(0));
        }
        assert!(!limits.allow(0));
        let rest = u64::from(MAX_OF_ALL - MAX_OF_CLIENT);
        assert!((1..=rest).all(|client| limits.allow(client)));
        assert!(!limits.allow(rest + 1));
        tokio::time::advance(WINDOW).await;
        assert!(limits.allow(0));
    }

    #[test]
    fn a_report_comes_down_to_its_directives() {
        let single = |text: &str| Format::Single.directives(text.as_bytes());
        let list = |text: &str| Format::List.directives(text.as_bytes());
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
            assert_eq!(single(text), Some(vec![directive]), "{text}");
        }
        let text = r#"[{"type": "csp-violation", "age": 1, "url": "u", "body": {"effectiveDirective": "style-src-elem"}},
                       {"type": "deprecation", "body": {"id": "x"}}, {"type": "csp-violation", "body": null},
                       {"type": "csp-violation"}]"#;
        assert_eq!(list(text), Some(vec!["style-src-elem", "other", "other"]));
        assert_eq!(list("[]"), Some(Vec::new()));
        for text in [
            "",
            "[]",
            "{}",
            r#"{"csp-report": {}}"#,
            r#"{"csp-report": 7}"#,
            "x",
        ] {
            assert_eq!(single(text), None, "{text}");
        }
        for text in ["", "{}", "[7]", r#"[{"body": {}}]"#] {
            assert_eq!(list(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_body_is_too_odd(body in collection::vec(0_u8.., 0..200)) {
            let _ = Format::Single.directives(&body);
            let _ = Format::List.directives(&body);
        }
    }
}
