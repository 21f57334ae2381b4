//! `POST /_report`: client error reports.
//!
//! A report names a release, its page, the phase that failed (load or render), and the class of the error, from a fixed list. It
//! contains nothing about the visitor. It is logged, and counts in the error log and in the canary analysis of the running
//! rollouts. Anyone can send a report, so it has no other effect.

use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use tokio::time::Instant;

use colonnade_diagnostics::{ErrorClass, ErrorSource, ObservedError};
use colonnade_platform::deployment::{Deployments, Snapshot};
use colonnade_platform::preview::is_visible;
use colonnade_platform::rollout::CanaryAnalysis;
use colonnade_store::loaded::LoadedRelease;
use colonnade_web::body::{ReadBodyError, RequestBody, read_to_end};
use colonnade_web::client::ClientKey;
use colonnade_web::cookie::Cookies;
use colonnade_web::problem::Problem;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimits};

use crate::deployment_selection::{has_selected, track};

/// The most bytes of a report.
const MAX_BODY_BYTES: usize = 1024;

/// The timeout for reading a report.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many reports count in the error log per minute. A page sends one report per section and phase.
const ERROR_RATE_LIMITS: RateLimits = RateLimits {
    total: 1000,
    per_client: 20,
};

/// How many reports are logged per minute. A page that fails repeatedly is logged once per client.
const LOG_RATE_LIMITS: RateLimits = RateLimits {
    total: 100,
    per_client: 1,
};

/// Why a report is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ClientErrorReportError {
    /// The report is larger than the limit.
    #[error("The report is too large: at most {MAX_BODY_BYTES} bytes are allowed.")]
    TooLarge,
    /// The report did not arrive in time.
    #[error("The report did not arrive in time.")]
    TimedOut,
    /// The report is not valid JSON, has unknown fields, or names no release of a visible deployment.
    #[error("The report is invalid.")]
    Malformed,
}

impl Problem for ClientErrorReportError {
    fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }
}

impl From<ReadBodyError> for ClientErrorReportError {
    fn from(error: ReadBodyError) -> Self {
        match error {
            ReadBodyError::TooLarge => Self::TooLarge,
            ReadBodyError::TimedOut => Self::TimedOut,
            ReadBodyError::Broken(_) => Self::Malformed,
        }
    }
}

/// A report, as the shell sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    /// The deployment of the document.
    deployment: u64,
    /// The release that failed: `name@version`.
    release: String,
    phase: Phase,
    /// The class of the error; see [`ErrorClass::reported`].
    error: String,
    /// The pattern of the release's page. `None` for a slot, and from shells that do not send it.
    page: Option<String>,
}

/// What the browser was doing with the release.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Load,
    Render,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Render => "render",
        }
    }
}

/// The rate limiters of reports, by client.
#[derive(Default)]
pub(crate) struct ReportRateLimiters {
    log: ClientRateLimiter,
    errors: ClientRateLimiter,
}

/// Receives, logs and counts a report.
pub(crate) async fn receive(
    cookies: Cookies<'_>,
    body: RequestBody,
    snapshot: &Snapshot,
    canary: &CanaryAnalysis,
    deployments: &Deployments,
    rate_limiters: &ReportRateLimiters,
    address: IpAddr,
) -> Result<(), ClientErrorReportError> {
    let body = read_to_end(body, MAX_BODY_BYTES, BODY_TIMEOUT).await?;
    let report: Report = serde_json::from_slice(&body).map_err(|_| ClientErrorReportError::Malformed)?;
    let (name, version) = report
        .release
        .split_once('@')
        .ok_or(ClientErrorReportError::Malformed)?;
    // Another gateway may have deployed it since. A report is sent once, so the next poll is too late.
    let newer;
    let snapshot = if report.deployment > snapshot.newest() {
        newer = deployments.current_since(Instant::now()).await;
        newer.as_deref().unwrap_or(snapshot)
    } else {
        snapshot
    };
    // Only releases of visible deployments are accepted. So nothing that an attacker makes up gets into the log, and
    // the response does not reveal the releases of a preview.
    let deployment = snapshot
        .deployment(report.deployment)
        .filter(|deployment| is_visible(snapshot, cookies, deployment))
        .ok_or(ClientErrorReportError::Malformed)?;
    let release = deployment
        .release(name)
        .filter(|release| release.id.version == version && has_reported_page(release, report.page.as_deref()))
        .ok_or(ClientErrorReportError::Malformed)?;
    let client = ClientKey::new(address);
    let class = ErrorClass::reported(&report.error);
    if rate_limiters
        .errors
        .try_acquire(client, ERROR_RATE_LIMITS)
        .is_ok()
    {
        deployments
            .metrics()
            .record_client_error(name, report.phase.name());
        let track = track(snapshot, report.deployment);
        deployments.diagnostics().traffic.record_failure(name, track);
        deployments.diagnostics().errors.record(ObservedError {
            release: release.id.clone(),
            page: report.page.clone(),
            source: ErrorSource::Browser,
            cause: report.phase.name(),
            class: Some(class.clone()),
        });
    }
    if rate_limiters.log.try_acquire(client, LOG_RATE_LIMITS).is_ok() {
        let Report {
            deployment,
            release,
            phase,
            ..
        } = &report;
        tracing::warn!(event = "client_error_reported", deployment, release, phase = ?phase, error_class = class.as_str());
    }
    // Anyone can name a deployment.
    if let Some(state) = snapshot.state()
        && has_selected(snapshot, cookies, report.deployment)
    {
        canary.record_failure(&state.visible, report.deployment, canary.client_hash(address));
    }
    Ok(())
}

/// Returns whether a release has the reported page, or no page is reported.
fn has_reported_page(release: &LoadedRelease, page: Option<&str>) -> bool {
    page.is_none_or(|pattern| release.has_page(pattern))
}
