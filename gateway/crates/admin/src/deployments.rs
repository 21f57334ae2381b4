//! Deploying, promoting and aborting rollouts, and listing deployments.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::{Action, Token};
use colonnade_model::deployment::Deployment;
use colonnade_model::schema::{Number, Percent, Reason, RequestedReleases};
use colonnade_platform::deployment::{DeployRequest, Deployments};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use super::{Admin, AdminError, auth, change};

/// A request to deploy releases.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deploy {
    #[schema(value_type = RequestedReleases)]
    releases: BTreeMap<String, Option<String>>,
    /// The deployment that must still be live. If it is not, the response is 409 and contains the live one.
    #[schema(value_type = Number, required = false)]
    base: Option<u64>,
    /// Starts a rollout: the share of visitors who get the new deployment, in percent.
    #[schema(value_type = Percent, required = false)]
    percent: Option<i64>,
    #[schema(value_type = Reason, required = false)]
    reason: Option<String>,
}

/// A request to promote the candidate.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Promote {
    /// The new share of visitors in percent. Without it the candidate becomes live for all visitors, which ends the
    /// rollout.
    #[schema(value_type = Percent, required = false)]
    percent: Option<i64>,
    #[schema(value_type = Reason, required = false)]
    reason: Option<String>,
}

/// The promoted candidate.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PromoteResult {
    #[schema(value_type = Number)]
    number: u64,
    /// Whether it is live for all visitors.
    live: bool,
    /// The share of visitors who get it, if it is still the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Percent, required = false)]
    percent: Option<u8>,
}

/// A request to abort the rollout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Abort {
    #[schema(value_type = Reason, required = false)]
    reason: Option<String>,
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

/// The live state and all retained deployments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeploymentList {
    /// The live deployment; null before the first deploy.
    #[schema(value_type = Option<Number>, required)]
    live: Option<u64>,
    /// The rollout in progress.
    #[schema(required)]
    rollout: Option<Rollout>,
    /// All retained deployments, in ascending order by number.
    deployments: Vec<Deployment>,
    /// The site's origin, without a trailing slash.
    #[schema(format = "uri")]
    url: String,
}

/// A rollout in progress.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rollout {
    /// The candidate.
    #[schema(value_type = Number)]
    deployment: u64,
    #[schema(value_type = Percent)]
    percent: u8,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
}

/// `POST /api/v1/deployments`
pub(super) async fn deploy(admin: &Admin, token: &Token, body: RequestBody) -> Result<Response, AdminError> {
    let deploy: Deploy = change::read_json(body).await?;
    // A request without releases names no section that could be checked.
    auth::require_any_section(token, Action::Deploy)?;
    let request = DeployRequest {
        releases: deploy.releases,
        base: deploy.base,
        percent: change::percent(deploy.percent)?,
        author: change::author(token, deploy.reason)?,
    };
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = admin.deployments.deploy(&request, &allows).await;
    let outcome = change::with_token(outcome, token, Action::Deploy)?;
    Ok(change::respond(&outcome, &admin.origin))
}

/// `POST /api/v1/deployments/{number}/promote`
pub(super) async fn promote(
    deployments: &Deployments,
    token: &Token,
    number: u64,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let promote: Promote = change::read_json(body).await?;
    let percent = change::percent(promote.percent)?;
    let author = change::author(token, promote.reason)?;
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments.promote(number, percent, &author, &allows).await;
    let outcome = change::with_token(outcome, token, Action::Deploy)?;
    let result = PromoteResult {
        number,
        live: outcome.state.live == number,
        percent: outcome.state.rollout.map(|rollout| rollout.percent),
    };
    Ok(json(StatusCode::OK, &result))
}

/// `POST /api/v1/deployments/{number}/abort`
pub(super) async fn abort(
    deployments: &Deployments,
    token: &Token,
    number: u64,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let abort: Abort = change::read_json(body).await?;
    let author = change::author(token, abort.reason)?;
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments.abort(number, &author, &allows).await;
    let outcome = change::with_token(outcome, token, Action::Deploy)?;
    let live = outcome.state.live;
    Ok(json(StatusCode::OK, &AbortResult { number, live }))
}

/// `GET /api/v1/deployments`
pub(super) async fn list(admin: &Admin) -> Result<Response, AdminError> {
    let state = admin.deployments.store().live_state().await?;
    let live = state.as_ref().map(|state| state.live);
    let rollout = state.and_then(|state| state.rollout).map(|rollout| Rollout {
        deployment: rollout.deployment,
        percent: rollout.percent,
        started_at: rollout.started_at,
    });
    let list = DeploymentList {
        live,
        rollout,
        deployments: admin.deployments.records().await?.into_values().collect(),
        url: admin.origin.to_string(),
    };
    Ok(json(StatusCode::OK, &list))
}
