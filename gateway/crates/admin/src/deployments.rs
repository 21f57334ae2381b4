//! Deploying, and listing deployments.

use std::collections::{BTreeMap, BTreeSet};

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::{Deployment, ReleaseChange};
use colonnade_model::release::ReleaseSource;
use colonnade_model::schema::{Name, Number, Percent, Reason, ReleaseName, RequestedReleases, optional};
use colonnade_platform::deployment::{Author, Command, DeployRequest, RolloutStart};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::change::ChangeResult;
use crate::rollout::{self, Rollout};
use crate::{Admin, AdminError, auth, change, query};

/// The default number of deployments in a response.
const DEFAULT_LIMIT: u64 = 100;

/// The most characters of steps.
const MAX_STEPS_TEXT: usize = 1000;

/// A request to deploy releases.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deploy {
    releases: RequestedReleases,
    /// The deployment that must still be live. If it is not, the response is 409 and contains the
    /// live one.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Number, required = false)]
    base: Option<Number>,
    /// Starts a rollout: the share of visitors who get the new deployment, in percent.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Percent, required = false)]
    percent: Option<Percent>,
    /// Starts a rollout in steps, such as `5% for 10m, 25% for 1h, 100%`. `default` stands for the
    /// steps of the configuration.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = String, max_length = 1000, required = false)]
    steps: Option<StepsText>,
    /// Whether paths that visitors request may become redirects, or not found. If not, the deploy is
    /// rejected.
    #[serde(default, rename = "acceptStatusChanges")]
    accepts_status_changes: bool,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// The text of steps.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct StepsText(String);

impl TryFrom<String> for StepsText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().count() > MAX_STEPS_TEXT {
            return Err(format!("`steps` must have at most {MAX_STEPS_TEXT} characters"));
        }
        Ok(Self(text))
    }
}

/// What a deploy would change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeployPreview {
    /// The live deployment; null before the first deploy. Send it as `base` to deploy only if it is
    /// still live.
    #[schema(value_type = Option<Number>, required)]
    live: Option<u64>,
    /// What the shell and each section would become, by name. Empty if there is nothing to change.
    #[schema(value_type = BTreeMap<Name, ReleaseChange>)]
    sections: BTreeMap<String, ReleaseChange>,
}

/// The live state and a part of the retained deployments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeploymentList {
    /// The live deployment; null before the first deploy.
    #[schema(value_type = Option<Number>, required)]
    live: Option<u64>,
    /// The running rollouts, in the order in which they started.
    rollouts: Vec<Rollout>,
    /// Retained deployments, in ascending order by number. Without `before`, the newest ones, the
    /// live deployment and the candidates.
    deployments: Vec<Deployment>,
    /// Where their releases come from, by `name@version`: of those that have a source.
    #[schema(value_type = BTreeMap<ReleaseName, ReleaseSource>)]
    sources: BTreeMap<String, ReleaseSource>,
    /// The numbers of those whose records are damaged, in ascending order.
    #[schema(value_type = Vec<Number>)]
    damaged: Vec<u64>,
    /// The value of `before` for older deployments; null if there are none.
    #[schema(minimum = 2, required)]
    next: Option<u64>,
    /// The site's origin, without a trailing slash.
    #[schema(format = "uri")]
    url: String,
}

/// Deploy releases, for all visitors or as a rollout
///
/// Creates a deployment: the live releases with the requested ones in their place. Rollouts of
/// other sections continue. A section that is being rolled out is rejected until its rollout is
/// promoted or aborted. A new pattern
/// that takes paths of another live section needs a token for both sections.
#[utoipa::path(
    post, path = "/api/v1/deployments", tag = "deployments", request_body = Deploy,
    security(("token" = [Action::Deploy.name()])),
    responses(
        (status = 200, body = ChangeResult, description = "There is nothing to change."),
        (status = 201, body = ChangeResult, description = "The deployment is live, or its rollout has started."),
        (status = 409), (status = 422),
    ),
)]
pub(super) async fn deploy(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let (request, author) = read(admin, caller, body).await?;
    let changed: BTreeSet<String> = request.releases.keys().cloned().collect();
    let (by, command) = ((caller, Action::Deploy), Command::Deploy(request));
    let outcome = change::make(&admin.deployments, by, &command, &author).await?;
    Ok(change::respond(admin, &outcome, |section| {
        changed.contains(section)
    }))
}

/// Show what a deploy would change
///
/// Changes nothing. Needs the same token as the deploy. Rejects what the deploy would reject, except
/// for settings that releases lack and for trial renders that fail.
#[utoipa::path(
    post, path = "/api/v1/deployments/plan", tag = "deployments", operation_id = "planDeploy",
    security(("token" = [Action::Deploy.name()])), request_body = Deploy,
    responses(
        (status = 200, body = DeployPreview, description = "What each section would become."),
        (status = 409), (status = 422),
    ),
)]
pub(super) async fn plan(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let (request, author) = read(admin, caller, body).await?;
    let (by, command) = ((caller, Action::Deploy), Command::Deploy(request));
    let plan = change::plan(&admin.deployments, by, &command, &author).await?;
    let preview = DeployPreview {
        live: plan.live,
        sections: plan.change.map(|change| change.sections).unwrap_or_default(),
    };
    Ok(json(StatusCode::OK, &preview))
}

/// Reads a request to deploy, or to plan it.
async fn read(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<(DeployRequest, Author), AdminError> {
    let deploy: Deploy = change::read_json(body).await?;
    caller.set_releases(&deploy.releases);
    let author = change::author(caller, deploy.reason);
    // A request without releases names no section that could be checked.
    auth::require_any_section(caller.identity, Action::Deploy)?;
    let request = DeployRequest {
        rollout: rollout_start(admin, deploy.percent, deploy.steps)?,
        releases: deploy.releases.into_versions(),
        base: deploy.base.map(|Number(number)| number),
        accepts_status_changes: deploy.accepts_status_changes,
    };
    Ok((request, author))
}

/// How the rollout of a request starts, if there is one.
fn rollout_start(
    admin: &Admin,
    percent: Option<Percent>,
    steps: Option<StepsText>,
) -> Result<Option<RolloutStart>, AdminError> {
    match (percent, steps) {
        (None, None) => Ok(None),
        (Some(Percent(percent)), None) => Ok(Some(RolloutStart::Percent(percent))),
        (None, Some(StepsText(text))) => {
            let steps = match &*text {
                "default" => admin
                    .analysis
                    .settings()
                    .steps
                    .clone()
                    .ok_or("is `default`, but the configuration has none".to_owned()),
                text => text.parse(),
            };
            Ok(Some(RolloutStart::Steps(steps.map_err(AdminError::Steps)?)))
        }
        (Some(_), Some(_)) => Err(AdminError::Body(
            "expected `percent` or `steps`, not both".to_owned(),
        )),
    }
}

/// Read the live deployment, the running rollouts and the retained deployments
#[utoipa::path(
    get, path = "/api/v1/deployments", tag = "deployments", operation_id = "listDeployments",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 500,
            description = "The maximum number of deployments to return, in addition to the live one and the candidates; 100 without it."),
        ("before" = Option<u64>, Query, minimum = 1, maximum = 9_007_199_254_740_991_u64,
            description = "Return deployments with lower numbers only."),
    ),
    responses((status = 200, body = DeploymentList, description = "The deployments.")),
)]
pub(super) async fn list(admin: &Admin, query: Option<&str>) -> Result<Response, AdminError> {
    let (limit, before) = query::page(query, DEFAULT_LIMIT)?;
    let state = admin.deployments.store().live_state().await?;
    let visible: BTreeSet<u64> = state.iter().flat_map(|state| state.visible.numbers()).collect();
    let stored = admin.deployments.store().deployments().await?;
    let older = stored
        .into_iter()
        .filter(|number| before.is_none_or(|before| *number < before));
    let older: Vec<u64> = older.collect();
    let (_, page) = older.split_at(older.len().saturating_sub(limit));
    let wanted: BTreeSet<u64> = page.iter().chain(&visible).copied().collect();
    let (mut records, damaged) = admin.deployments.records(wanted).await?;
    let rollouts = state.as_ref().map_or_else(Vec::new, |state| {
        rollout::describe(&state.visible, |number| records.get(&number))
    });
    if before.is_some() {
        records.retain(|number, _| page.contains(number));
    }
    let releases = records.values().flat_map(|record| &record.releases);
    let list = DeploymentList {
        sources: admin.deployments.current().sources(releases),
        live: state.map(|state| state.live()),
        rollouts,
        deployments: records.into_values().collect(),
        damaged,
        next: page.first().copied().filter(|_| page.len() < older.len()),
        url: admin.origin.to_string(),
    };
    Ok(json(StatusCode::OK, &list))
}
