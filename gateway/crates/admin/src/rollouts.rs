//! Promoting, aborting and describing rollouts.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::{ReleaseChange, VisibleDeployments, release_changes};
use colonnade_model::schema::{Name, Number, Percent, Reason, optional};
use colonnade_platform::deployment::{Deployments, RolloutTarget};
use colonnade_web::response::{Response, json};

use super::routes::{Call, Parameters};
use super::{AdminError, change};

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
}

/// A request to promote a rollout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Promote {
    /// The new share of visitors in percent. Without it the candidate becomes live for all visitors, which ends the
    /// rollout.
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

/// The running rollouts. `releases` returns the releases of a deployment.
pub(super) fn describe<'a>(
    visible: &VisibleDeployments,
    releases: impl Fn(u64) -> Option<&'a BTreeMap<String, String>>,
) -> Vec<Rollout> {
    let none = BTreeMap::new();
    let releases = |number| releases(number).unwrap_or(&none);
    let candidates = visible.candidates().map(|(rollout, deployment)| Rollout {
        deployment,
        percent: rollout.percent,
        sections: release_changes(releases(visible.live()), releases(deployment)),
        by: rollout.by.clone(),
        started_at: rollout.started_at,
    });
    candidates.collect()
}

/// `POST /api/v1/deployments/{number}/promote` and `POST /api/v1/rollouts/{name}/promote`
pub(super) async fn promote(deployments: &Deployments, call: Call<'_>) -> Result<Response, AdminError> {
    let token = call.caller.token;
    let promote: Promote = change::read_json(call.body).await?;
    let percent = promote.percent.map(|Percent(percent)| percent);
    let author = change::author(call.caller, promote.reason);
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments
        .promote(&target(call.parameters), percent, &author, &allows)
        .await;
    let outcome = change::with_token(outcome, token, Action::Deploy)?;
    let number = outcome.number;
    let mut candidates = outcome.state.visible.candidates();
    let running = candidates.find(|(_, candidate)| *candidate == number);
    let result = PromoteResult {
        number,
        live: outcome.state.live() == number,
        percent: running.map(|(rollout, _)| rollout.percent),
    };
    Ok(json(StatusCode::OK, &result))
}

/// `POST /api/v1/deployments/{number}/abort` and `POST /api/v1/rollouts/{name}/abort`
pub(super) async fn abort(deployments: &Deployments, call: Call<'_>) -> Result<Response, AdminError> {
    let token = call.caller.token;
    let abort: Abort = change::read_json(call.body).await?;
    let author = change::author(call.caller, abort.reason);
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments
        .abort(&target(call.parameters), &author, &allows)
        .await;
    let outcome = change::with_token(outcome, token, Action::Deploy)?;
    let result = AbortResult {
        number: outcome.number,
        live: outcome.state.live(),
    };
    Ok(json(StatusCode::OK, &result))
}

/// The rollout that the path names.
fn target(Parameters { name, number, .. }: Parameters) -> RolloutTarget {
    if name.is_empty() {
        RolloutTarget::Candidate(number)
    } else {
        RolloutTarget::Section(name)
    }
}
