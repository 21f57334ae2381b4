//! `POST /_report`: client error reports.
//!
//! A report names a release, its page or extension, the phase that failed (load or render), the
//! class of the error, from a fixed list, and the position in a file of the release. It contains
//! nothing about the visitor. It is logged, and counts in the error log and in the canary analysis
//! of the running rollouts. Anyone can send a report, so it has no other effect.

use std::net::IpAddr;
use std::sync::Arc;

use serde::Deserialize;
use tokio::time::Instant;

use colonnade_diagnostics::{ErrorClass, ErrorSource, ObservedError};
use colonnade_model::deployment::SetName;
use colonnade_model::release::{PointReference, ReleaseId};
use colonnade_platform::deployment::{Deployments, Snapshot};
use colonnade_platform::preview::is_visible;
use colonnade_platform::rollout::CanaryAnalysis;
use colonnade_store::loaded::LoadedRelease;
use colonnade_web::body::RequestBody;
use colonnade_web::client::ClientKey;
use colonnade_web::cookie::Cookies;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimits};
use colonnade_web::response::Track;

use crate::deployment_selection::{has_selected, track};
use crate::reports::error::{ReportError, read};

/// The most bytes of a report.
const MAX_BODY_BYTES: usize = 1024;

/// How many reports count in the error log per minute. A page sends one report per section and
/// phase.
const ERROR_RATE_LIMITS: RateLimits = RateLimits {
    total: 1000,
    per_client: 20,
};

/// How many reports are logged per minute. A page that fails repeatedly is logged once per client.
const LOG_RATE_LIMITS: RateLimits = RateLimits {
    total: 100,
    per_client: 1,
};

/// A report, as the shell sends it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Report {
    /// The name of the set to which the tab is pinned.
    deployment: SetName,
    /// The release that failed: `name@version`.
    release: String,
    phase: Phase,
    /// The class of the error; see [`ErrorClass::reported`].
    error: String,
    /// The pattern of the release's page. `None` if the shell does not send it.
    page: Option<String>,
    /// The point of the release's extension that failed; `None` if it was none.
    extension_point: Option<PointReference>,
    /// Where the error was thrown in a file of the release: its path below `client/`, the line and the
    /// column, such as `state.js:2:345`. `None` if it was thrown elsewhere.
    position: Option<String>,
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

/// Receives, logs and counts reports, within rate limits.
pub(crate) struct ClientErrorReports {
    deployments: Arc<Deployments>,
    canary: Arc<CanaryAnalysis>,
    log_limiter: ClientRateLimiter,
    error_limiter: ClientRateLimiter,
}

impl ClientErrorReports {
    /// A receiver that counts in this canary analysis, and in the error log of these deployments.
    pub(crate) fn new(deployments: Arc<Deployments>, canary: Arc<CanaryAnalysis>) -> Self {
        Self {
            deployments,
            canary,
            log_limiter: ClientRateLimiter::default(),
            error_limiter: ClientRateLimiter::default(),
        }
    }

    /// Receives a report from an address.
    pub(crate) async fn receive(
        &self,
        snapshot: &Snapshot,
        cookies: Cookies<'_>,
        body: RequestBody,
        address: IpAddr,
    ) -> Result<(), ReportError> {
        let body = read(body, MAX_BODY_BYTES).await?;
        let report: Report = serde_json::from_slice(&body).map_err(|_| ReportError::Malformed)?;
        // Another gateway may have deployed it since. A report is sent once, so the next poll is
        // too late.
        let newer;
        let snapshot = if snapshot.may_offer_elsewhere(&report.deployment) {
            newer = self.deployments.current_since(Instant::now()).await;
            newer.as_deref().unwrap_or(snapshot)
        } else {
            snapshot
        };
        let release = report.find_release(snapshot, cookies);
        let release = release.ok_or(ReportError::Malformed)?;
        let position = report.position.as_deref();
        let position = position.map(|text| position_in(&release, text).ok_or(ReportError::Malformed));
        let position = position.transpose()?;
        let client = ClientKey::new(address);
        if self.error_limiter.try_acquire(client, ERROR_RATE_LIMITS).is_ok() {
            self.count(
                &report,
                &release.id,
                position,
                track(snapshot, &report.deployment),
            );
        }
        if self.log_limiter.try_acquire(client, LOG_RATE_LIMITS).is_ok() {
            report.log();
        }
        // Anyone can name a deployment.
        if let Some(state) = snapshot.state()
            && has_selected(snapshot, cookies, &report.deployment)
        {
            let client = self.canary.client_hash(address);
            let concerns = |candidate| {
                report.extension_point.is_none()
                    || snapshot
                        .candidates_of(&release.id.name)
                        .any(|other| other == candidate)
            };
            self.canary
                .record_failure(&state.visible, &report.deployment, client, concerns);
        }
        Ok(())
    }

    /// Counts a report in the metrics, the traffic and the error log of its section.
    fn count(&self, report: &Report, release: &ReleaseId, position: Option<String>, track: Track) {
        let (deployments, cause) = (&self.deployments, report.phase.name());
        deployments.metrics().record_client_error(&release.name, cause);
        let diagnostics = deployments.diagnostics();
        diagnostics.traffic.record_failure(&release.name, track);
        diagnostics.errors.record(ObservedError {
            release: release.clone(),
            page: report.page.clone(),
            extension_point: report.extension_point.clone(),
            source: ErrorSource::Browser,
            cause,
            class: Some(ErrorClass::reported(&report.error)),
            position,
        });
    }
}

/// A reported position with the path of its file in the release, such as `client/state.js:2:345`;
/// `None` unless the release has the file, and the file is large enough for the line and the column.
fn position_in(release: &LoadedRelease, text: &str) -> Option<String> {
    let mut parts = text.rsplitn(3, ':');
    let column: u32 = parts.next()?.parse().ok()?;
    let line: u32 = parts.next()?.parse().ok()?;
    let file = release.files.get(parts.next()?)?.listed();
    // Both start at 1, and each line or column before them takes at least a byte.
    let before = u64::from(line.checked_sub(1)?) + u64::from(column.checked_sub(1)?);
    (before <= file.size).then(|| format!("{}:{line}:{column}", file.path))
}

impl Report {
    /// The release that it names, with the reported page or extension. Only releases of visible deployments are
    /// accepted: nothing that an attacker makes up gets into the log, and the response does not
    /// reveal the releases of a preview.
    fn find_release(&self, snapshot: &Snapshot, cookies: Cookies<'_>) -> Option<Arc<LoadedRelease>> {
        let (name, version) = self.release.split_once('@')?;
        if !is_visible(snapshot, cookies, &self.deployment) {
            return None;
        }
        let deployment = snapshot.set(&self.deployment)?;
        let release = Arc::clone(deployment.release(name)?);
        let has_page = self.page.as_deref().is_none_or(|page| release.has_page(page));
        let fills = self
            .extension_point
            .as_ref()
            .is_none_or(|point| release.fills(point));
        (release.id.version == version && has_page && fills).then_some(release)
    }

    fn log(&self) {
        let Self {
            deployment,
            release,
            phase,
            error,
            ..
        } = self;
        let class = ErrorClass::reported(error);
        tracing::warn!(event = "client_error_reported", %deployment, release, phase = ?phase, error_class = class.as_str());
    }
}
