//! The description of a running rollout.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::RolloutSettings;
use colonnade_model::deployment::{
    Deployment, QueryFigures, ReleaseChange, Rollout as StoredRollout, TrackFigures, VisibleDeployments,
    release_changes,
};
use colonnade_model::schema::{Name, Number, Percent};
use colonnade_platform::rollout::{AnalysisReport, Criteria, QueryResult, Verdict};

/// A running rollout.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Rollout {
    /// The candidate.
    #[schema(value_type = Number)]
    pub(super) deployment: u64,
    #[schema(value_type = Percent)]
    pub(super) percent: u8,
    /// The release changes of the shell and the sections in the rollout, by name.
    #[schema(value_type = BTreeMap<Name, ReleaseChange>)]
    sections: BTreeMap<String, ReleaseChange>,
    /// The name of the token that started the rollout.
    by: String,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// The steps and the current one. Absent if the share changes only by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    progress: Option<Progress>,
    /// The canary analysis. Only `GET /api/v1/rollouts` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(super) analysis: Option<Analysis>,
}

/// The canary analysis of a rollout: what this gateway and the others of its store have seen of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutAnalysis)]
pub(super) struct Analysis {
    verdict: Verdict,
    /// The verdict with its numbers, in words.
    summary: String,
    criteria: Criteria,
    /// The criteria of the configuration, for each section of the rollout.
    queries: Vec<Query>,
    limits: Limits,
    /// The gateways whose counts are added up. The counts of others are a few seconds old.
    #[schema(minimum = 1)]
    gateways: usize,
    /// The visitors with the rollout's releases.
    candidate: TrackFigures,
    /// The visitors without them.
    live: TrackFigures,
}

/// A query to Prometheus about a section.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutQuery)]
struct Query {
    /// The name of the criterion.
    name: String,
    #[schema(value_type = Name)]
    section: String,
    /// With no data, a step that is over pauses.
    verdict: Verdict,
    /// The result for the candidate; null if it is no number.
    #[schema(required)]
    candidate: Option<f64>,
    /// The result for the live release; null if it is no number, or was not asked for.
    #[schema(required)]
    live: Option<f64>,
    /// The highest result of the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 0)]
    max: Option<f64>,
    /// The same as a multiple of the live result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 0)]
    max_ratio: Option<f64>,
    /// Why there is no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    problem: Option<String>,
}

/// The margins and minimums of the analysis. They have the names of the configuration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutLimits)]
struct Limits {
    /// Whether the gateway aborts a rollout that fails. Otherwise it pauses the steps.
    automatic_abort: bool,
    /// For the clients that reported a failure, in percentage points.
    #[schema(minimum = 1, maximum = 100)]
    abort_margin_percent: u8,
    #[schema(minimum = 1)]
    min_views: u64,
    /// At least the square root of the number of the candidate's clients is required, too.
    #[schema(minimum = 1)]
    min_clients: u64,
    /// The minimum in each step and on each side.
    #[schema(minimum = 0)]
    min_requests: u64,
    #[schema(minimum = 1, maximum = 100)]
    server_error_margin_percent: u8,
    #[schema(minimum = 1, maximum = 100)]
    render_failure_margin_percent: u8,
    #[schema(minimum = 1)]
    latency_margin_ms: u64,
    /// How many more times its duration a step lasts at most while there are too few requests.
    #[schema(minimum = 0, maximum = 100)]
    max_extensions: u8,
}

/// The progress of a rollout through its steps.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutProgress)]
struct Progress {
    /// The steps, such as `5% for 10m, 25% for 1h, 100%`.
    steps: String,
    /// The number of the current step, from 1.
    #[schema(minimum = 1)]
    step: usize,
    #[schema(value_type = String, format = DateTime)]
    step_started_at: Timestamp,
    /// The earliest end of the step. Only the time in which a gateway counts requests counts.
    /// Absent if the rollout is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime, required = false)]
    step_ends_at: Option<Timestamp>,
    /// Whether the rollout stays in its step until it is resumed.
    paused: bool,
}

/// The running rollouts. `record` returns a deployment.
pub(super) fn describe<'a>(
    visible: &VisibleDeployments,
    record: impl Fn(u64) -> Option<&'a Deployment>,
) -> Vec<Rollout> {
    let none = BTreeMap::new();
    let live = record(visible.live()).map_or(&none, |live| &live.releases);
    let rollouts = visible.rollouts().iter().map(|rollout| Rollout {
        deployment: rollout.candidate,
        percent: rollout.percent,
        sections: record(rollout.candidate).map_or_else(BTreeMap::new, |candidate| {
            release_changes(live, &candidate.applied_to(live))
        }),
        by: rollout.by.clone(),
        started_at: rollout.started_at,
        progress: Progress::of(rollout),
        analysis: None,
    });
    rollouts.collect()
}

impl Progress {
    fn of(rollout: &StoredRollout) -> Option<Self> {
        let progress = rollout.progress.as_ref()?;
        let is_active = rollout.active_progress().is_some();
        let ends_at = progress.step_started_at.checked_add(progress.current().duration);
        Some(Self {
            steps: progress.steps.to_string(),
            step: progress.step + 1,
            step_started_at: progress.step_started_at,
            step_ends_at: ends_at.ok().filter(|_| is_active),
            paused: !is_active,
        })
    }
}

impl Analysis {
    pub(super) fn new(report: AnalysisReport, settings: &RolloutSettings) -> Self {
        Self {
            summary: report.to_string(),
            verdict: report.verdict,
            criteria: report.criteria,
            queries: report.queries.into_iter().map(Query::from).collect(),
            limits: settings.into(),
            gateways: report.gateways,
            candidate: report.candidate,
            live: report.live,
        }
    }
}

impl From<QueryResult> for Query {
    fn from(result: QueryResult) -> Self {
        let QueryFigures {
            name,
            section,
            candidate,
            live,
        } = result.figures();
        Self {
            name,
            section,
            verdict: result.verdict,
            candidate,
            live,
            max: result.criterion.max,
            max_ratio: result.criterion.max_ratio,
            problem: result.problem,
        }
    }
}

impl From<&RolloutSettings> for Limits {
    fn from(settings: &RolloutSettings) -> Self {
        let analysis = &settings.analysis;
        Self {
            automatic_abort: settings.automatic_abort,
            abort_margin_percent: settings.abort_margin_percent,
            min_views: settings.min_views,
            min_clients: settings.min_clients,
            min_requests: analysis.min_requests,
            server_error_margin_percent: analysis.server_error_margin_percent,
            render_failure_margin_percent: analysis.render_failure_margin_percent,
            latency_margin_ms: milliseconds(analysis.latency_margin),
            max_extensions: analysis.max_extensions,
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
