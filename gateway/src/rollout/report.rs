//! Failures that browsers report: `POST /_report`.
//!
//! A report names a release, what was being done with it, and the class of the error; nothing about the visitor. It is
//! logged, and counts against the candidate of a rollout. It is never believed further than that.

use std::collections::HashSet;
use std::net::IpAddr;
use std::time::Duration;

use http::HeaderMap;
use http_body_util::{BodyExt as _, Limited};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::Instant;

use super::Verdict;
use super::judge::{Judge, Side};
use crate::deployment::Snapshot;
use crate::net::RequestBody;
use crate::preview::may_see;

/// The most bytes of a report.
const MAX_REPORT: usize = 1024;

/// How long one may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a client that has reported is not listened to again, so that a page that fails and fails is one line.
const SILENCE: Duration = Duration::from_mins(1);

/// The most reports that are logged in that time.
const MAX_LOGGED: usize = 100;

/// The longest name of an error's class.
const MAX_CLASS: usize = 64;

/// Why a report is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    #[error("The report is too long.")]
    TooLarge,
    #[error("The report did not arrive in time.")]
    Stalled,
    #[error("The report is not what one should be.")]
    Malformed,
}

/// A report, as the shell sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    /// The deployment of the document it comes from.
    deployment: u64,
    /// The release that failed: `name@version`.
    release: String,
    phase: Phase,
    /// The class of the error.
    error: String,
}

/// What was being done with the release.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Load,
    Render,
}

/// Which clients were heard lately.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Option<(Instant, HashSet<u64>)>>);

/// Receives a report and counts it; a verdict comes back where it was one too many.
pub(crate) async fn receive(
    headers: &HeaderMap,
    body: RequestBody,
    snapshot: &Snapshot,
    judge: &Judge,
    heard: &Heard,
    address: IpAddr,
) -> Result<Option<Verdict>, ReportError> {
    let report = read(body).await?;
    let (name, version) = report.release.split_once('@').ok_or(ReportError::Malformed)?;
    // What no deployment has is no report about this site: nothing a stranger makes up gets into the log. Nor is a
    // stranger told what is only previewed.
    let set = snapshot
        .set(report.deployment)
        .filter(|set| may_see(snapshot, headers, set))
        .ok_or(ReportError::Malformed)?;
    if set.deployment.releases.get(name).map(String::as_str) != Some(version) || !is_class(&report.error) {
        return Err(ReportError::Malformed);
    }
    let client = judge.client(address);
    if heard.is_new(client) {
        let Report {
            deployment,
            release,
            phase,
            error,
        } = &report;
        tracing::warn!(event = "section_failed", deployment, release, phase = ?phase, class = error);
    }
    let side = Side::of(snapshot, report.deployment);
    let counted = snapshot.rollout().zip(side);
    Ok(counted.and_then(|(rollout, side)| judge.failed(&rollout.record, side, client)))
}

async fn read(body: RequestBody) -> Result<Report, ReportError> {
    let body = Limited::new(body, MAX_REPORT).collect();
    let body = tokio::time::timeout(PATIENCE, body)
        .await
        .map_err(|_| ReportError::Stalled)?;
    let body = body.map_err(|_| ReportError::TooLarge)?.to_bytes();
    serde_json::from_slice(&body).map_err(|_| ReportError::Malformed)
}

/// Whether it is a name, and not something that somebody wants in the log.
fn is_class(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && text.len() <= MAX_CLASS && text.chars().all(is_part)
}

impl Heard {
    fn is_new(&self, client: u64) -> bool {
        let mut heard = self.0.lock();
        let (since, clients) = heard.get_or_insert_with(|| (Instant::now(), HashSet::new()));
        if since.elapsed() > SILENCE {
            *since = Instant::now();
            clients.clear();
        }
        clients.len() < MAX_LOGGED && clients.insert(client)
    }
}
