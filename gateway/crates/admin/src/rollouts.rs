//! Promoting, aborting, pausing and describing rollouts.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::{Action, RolloutSettings};
use colonnade_model::deployment::{
    Deployment, QueryFigures, ReleaseChange, Rollout as StoredRollout, RolloutFigures, TrackFigures,
    VisibleDeployments, release_changes,
};
use colonnade_model::schema::{Name, Number, Percent, Reason, optional};
use colonnade_platform::deployment::{Author, ChangeError, ChangeOutcome, RolloutTarget};
use colonnade_platform::rollout::{self, AnalysisReport, QueryResult};
use colonnade_web::response::{Response, json};

use crate::access::Identity;
use crate::audit::Caller;
use crate::routes::{Call, Parameters};
use crate::{Admin, AdminError, change};

/// How the operations on one rollout select it: by its candidate or by a section.
const ONE_ROLLOUT: &str =
    "Other rollouts continue. The token must permit `deploy` on every section that the rollout changes.";

/// What promoting and resuming need in addition.
const ROLLOUT_CLAIMS: &str =
    "It must also permit it on every section whose paths the patterns of the candidate take.";

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
    analysis: Option<Analysis>,
}

/// The canary analysis of a rollout: what this gateway and the others of its store have seen of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutAnalysis)]
struct Analysis {
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

/// The verdict of each criterion. One that fails makes the rollout fail.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutCriteria)]
struct Criteria {
    /// The requests with a 5xx status.
    server_errors: Verdict,
    /// The requests that the gateway could not render.
    render_failures: Verdict,
    /// The latency of requests.
    latency_p99: Verdict,
    /// The clients that reported a failure. With too few samples of it alone a rollout passes.
    failed_clients: Verdict,
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

/// Whether a rollout may continue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = RolloutVerdict)]
enum Verdict {
    Passing,
    Failing,
    TooFewSamples,
    NoData,
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

/// A request to pause or to resume a rollout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pause {
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// A rollout that was paused or resumed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PauseResult {
    /// The candidate.
    #[schema(value_type = Number)]
    number: u64,
    #[schema(value_type = Percent)]
    percent: u8,
    paused: bool,
}

/// A request to promote a rollout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Promote {
    /// The new share of visitors in percent. Without it the candidate becomes live for all
    /// visitors, which ends the rollout.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Percent, required = false)]
    percent: Option<Percent>,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// The promoted candidate.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PromoteResult {
    #[schema(value_type = Number)]
    number: u64,
    /// Whether the candidate is live for all visitors.
    live: bool,
    /// The candidate's share of visitors. Absent if the candidate is live for all visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Percent, required = false)]
    percent: Option<u8>,
}

/// A request to abort a rollout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Abort {
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// The result of an abort.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AbortResult {
    /// The aborted candidate.
    #[schema(value_type = Number)]
    number: u64,
    /// The deployment that stays live.
    #[schema(value_type = Number)]
    live: u64,
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

/// List the running rollouts with their canary analysis
///
/// Each gateway analyzes the requests that it serves itself, from its start.
#[utoipa::path(
    get, path = "/api/v1/rollouts", tag = "deployments", operation_id = "listRollouts",
    responses((status = 200, body = Vec<Rollout>,
        description = "The running rollouts, in the order in which they started.")),
)]
pub(super) async fn list(admin: &Admin) -> Result<Response, AdminError> {
    let Some(state) = admin.deployments.store().live_state().await? else {
        return Ok(json(StatusCode::OK, &Vec::<Rollout>::new()));
    };
    let (records, _) = admin.deployments.records(state.visible.numbers()).await?;
    let mut rollouts = describe(&state.visible, |number| records.get(&number));
    for (rollout, stored) in rollouts.iter_mut().zip(state.visible.rollouts()) {
        rollout.analysis = Some(Analysis::new(
            admin.analysis.report(stored),
            admin.analysis.settings(),
        ));
    }
    Ok(json(StatusCode::OK, &rollouts))
}

impl Analysis {
    fn new(report: AnalysisReport, settings: &RolloutSettings) -> Self {
        let RolloutFigures { candidate, live, .. } = report.figures();
        Self {
            summary: report.to_string(),
            verdict: report.verdict.into(),
            criteria: report.criteria.into(),
            queries: report.queries.into_iter().map(Query::from).collect(),
            limits: settings.into(),
            gateways: report.gateways,
            candidate,
            live,
        }
    }
}

impl From<rollout::Verdict> for Verdict {
    fn from(verdict: rollout::Verdict) -> Self {
        match verdict {
            rollout::Verdict::Passing => Self::Passing,
            rollout::Verdict::Failing => Self::Failing,
            rollout::Verdict::TooFewSamples => Self::TooFewSamples,
            rollout::Verdict::NoData => Self::NoData,
        }
    }
}

impl From<rollout::Criteria> for Criteria {
    fn from(criteria: rollout::Criteria) -> Self {
        Self {
            server_errors: criteria.server_errors.into(),
            render_failures: criteria.render_failures.into(),
            latency_p99: criteria.latency.into(),
            failed_clients: criteria.failed_clients.into(),
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
            verdict: result.verdict.into(),
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

/// Show the candidate of a rollout to more visitors, or to all
#[utoipa::path(
    post, path = "/api/v1/deployments/{number}/promote", tag = "deployments", description = format!("{ONE_ROLLOUT} {ROLLOUT_CLAIMS}"),
    security(("token" = [Action::Deploy.name()])), request_body = Option<Promote>,
    responses(
        (status = 200, body = PromoteResult, description = "The candidate is live, or has the new share of visitors."),
        (status = 409),
    ),
)]
pub(super) async fn promote(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let identity = call.caller.identity;
    let promote: Promote = change::read_json(call.body).await?;
    let percent = promote.percent.map(|Percent(percent)| percent);
    let target = target(call.parameters);
    let author = author(admin, call.caller, &target, promote.reason);
    let allows = |section: &str| identity.allows(Action::Deploy, section);
    let outcome = admin
        .deployments
        .promote(&target, percent, &author, &allows)
        .await;
    let outcome = change::with_caller(outcome, identity, Action::Deploy)?;
    let number = outcome.number;
    let mut rollouts = outcome.state.visible.rollouts().iter();
    let running = rollouts.find(|rollout| rollout.candidate == number);
    let result = PromoteResult {
        number,
        live: outcome.state.live() == number,
        percent: running.map(|rollout| rollout.percent),
    };
    Ok(json(StatusCode::OK, &result))
}

/// Abort a rollout
#[utoipa::path(
    post, path = "/api/v1/deployments/{number}/abort", tag = "deployments", description = ONE_ROLLOUT,
    security(("token" = [Action::Deploy.name()])), request_body = Option<Abort>,
    responses(
        (status = 200, body = AbortResult, description = "No visitor gets the candidate."),
        (status = 409),
    ),
)]
pub(super) async fn abort(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let identity = call.caller.identity;
    let abort: Abort = change::read_json(call.body).await?;
    let target = target(call.parameters);
    let author = author(admin, call.caller, &target, abort.reason);
    let allows = |section: &str| identity.allows(Action::Deploy, section);
    let outcome = admin.deployments.abort(&target, &author, &allows).await;
    let outcome = change::with_caller(outcome, identity, Action::Deploy)?;
    let result = AbortResult {
        number: outcome.number,
        live: outcome.state.live(),
    };
    Ok(json(StatusCode::OK, &result))
}

/// Pause the steps of a rollout
#[utoipa::path(
    post, path = "/api/v1/deployments/{number}/pause", tag = "deployments", description = ONE_ROLLOUT,
    security(("token" = [Action::Deploy.name()])), request_body = Option<Pause>,
    responses(
        (status = 200, body = PauseResult, description = "The share of visitors stays until the rollout is resumed."),
        (status = 409),
    ),
)]
pub(super) async fn pause(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let (author, target, identity) = pause_request(admin, call).await?;
    let allows = |section: &str| identity.allows(Action::Deploy, section);
    let outcome = admin.deployments.pause(&target, &author, &allows).await;
    respond_to_pause(outcome, identity)
}

/// Resume the steps of a paused rollout
#[utoipa::path(
    post, path = "/api/v1/deployments/{number}/resume", tag = "deployments", description = format!("{ONE_ROLLOUT} {ROLLOUT_CLAIMS}"),
    security(("token" = [Action::Deploy.name()])), request_body = Option<Pause>,
    responses(
        (status = 200, body = PauseResult, description = "The step begins again."),
        (status = 409),
    ),
)]
pub(super) async fn resume(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let (author, target, identity) = pause_request(admin, call).await?;
    let allows = |section: &str| identity.allows(Action::Deploy, section);
    let outcome = admin.deployments.resume(&target, &author, &allows).await;
    respond_to_pause(outcome, identity)
}

async fn pause_request<'a>(
    admin: &Admin,
    call: Call<'a>,
) -> Result<(Author, RolloutTarget, &'a Identity), AdminError> {
    let pause: Pause = change::read_json(call.body).await?;
    let target = target(call.parameters);
    let author = author(admin, call.caller, &target, pause.reason);
    Ok((author, target, call.caller.identity))
}

fn respond_to_pause(
    outcome: Result<ChangeOutcome, ChangeError>,
    identity: &Identity,
) -> Result<Response, AdminError> {
    let outcome = change::with_caller(outcome, identity, Action::Deploy)?;
    let mut rollouts = outcome.state.visible.rollouts().iter();
    let rollout = rollouts.find(|rollout| rollout.candidate == outcome.number);
    let result = PauseResult {
        number: outcome.number,
        percent: rollout.map_or(0, |rollout| rollout.percent),
        paused: rollout.is_some_and(|rollout| rollout.active_progress().is_none()),
    };
    Ok(json(StatusCode::OK, &result))
}

/// The author of a change of a rollout, with the figures of its analysis.
fn author(admin: &Admin, caller: Caller<'_>, target: &RolloutTarget, reason: Option<Reason>) -> Author {
    let snapshot = admin.deployments.current();
    let running = snapshot.rollouts().find(|running| target.selects(running));
    Author {
        figures: running.map(|running| admin.analysis.report(running.record).figures_of(running.record)),
        ..change::author(caller, reason)
    }
}

/// The rollout that the path names.
fn target(Parameters { name, number, .. }: Parameters) -> RolloutTarget {
    if name.is_empty() {
        RolloutTarget::Candidate(number)
    } else {
        RolloutTarget::Section(name)
    }
}
