//! Listing, promoting, aborting and pausing rollouts.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::ChangeKind;
use colonnade_model::schema::{Number, Percent, Reason, optional};
use colonnade_platform::deployment::{Author, ChangeOutcome, Command, RolloutTarget, Step};
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::operation::Call;
use crate::parameters::Parameters;
use crate::rollout::{Analysis, Rollout, describe};
use crate::{Admin, AdminError, change};

/// How the operations on one rollout select it: by its candidate or by a section.
const ONE_ROLLOUT: &str =
    "Other rollouts continue. The token must permit `deploy` on every section that the rollout changes.";

/// What promoting and resuming need in addition.
const ROLLOUT_CLAIMS: &str =
    "It must also permit it on every section whose paths the patterns of the candidate take.";

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
    let Promote { percent, reason } = change::read_json(call.body).await?;
    let step = percent.map_or(Step::Promote, |Percent(percent)| Step::SetPercent(percent));
    let outcome = make_step(admin, (call.caller, call.parameters), step, reason).await?;
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
    let Abort { reason } = change::read_json(call.body).await?;
    let step = Step::Abort(ChangeKind::Abort);
    let outcome = make_step(admin, (call.caller, call.parameters), step, reason).await?;
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
    pause_or_resume(admin, call, Step::Pause(None)).await
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
    pause_or_resume(admin, call, Step::Resume).await
}

async fn pause_or_resume(admin: &Admin, call: Call<'_>, step: Step) -> Result<Response, AdminError> {
    let Pause { reason } = change::read_json(call.body).await?;
    let outcome = make_step(admin, (call.caller, call.parameters), step, reason).await?;
    let mut rollouts = outcome.state.visible.rollouts().iter();
    let rollout = rollouts.find(|rollout| rollout.candidate == outcome.number);
    let result = PauseResult {
        number: outcome.number,
        percent: rollout.map_or(0, |rollout| rollout.percent),
        paused: rollout.is_some_and(|rollout| rollout.active_progress().is_none()),
    };
    Ok(json(StatusCode::OK, &result))
}

/// Makes a step of the rollout that the path names. Its author has the figures of the analysis.
async fn make_step(
    admin: &Admin,
    (caller, Parameters { name, number, .. }): (Caller<'_>, Parameters),
    step: Step,
    reason: Option<Reason>,
) -> Result<ChangeOutcome, AdminError> {
    let rollout = if name.is_empty() {
        RolloutTarget::Candidate(number)
    } else {
        RolloutTarget::Section(name)
    };
    let snapshot = admin.deployments.current();
    let running = snapshot.rollouts().find(|running| rollout.selects(running));
    let author = Author {
        figures: running.map(|running| admin.analysis.report(running.record).figures_of(running.record)),
        ..change::author(caller, reason)
    };
    let command = Command::Step { rollout, step };
    change::make(&admin.deployments, (caller, Action::Deploy), &command, &author).await
}
