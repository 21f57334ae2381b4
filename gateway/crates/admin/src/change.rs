//! What all calls that change the live state share: reading the request and the response to a
//! change.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::SetName;
use colonnade_model::pattern::Pattern;
use colonnade_model::schema::{Number, Percent, Reason, Releases};
use colonnade_platform::deployment::{
    Author, ChangeError, ChangeOutcome, ChangePlan, ChangeRequest, Command, Deployments, LeftOutExtensions,
};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease, Role};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::access::Identity;
use crate::audit::Caller;
use crate::rollout::{self, Rollout};
use crate::{Admin, AdminError, request_body};

/// The maximum size of a JSON body in bytes.
pub(super) const MAX_BODY: usize = 64 * 1024;

/// The deployment that a change created or restored.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeResult {
    #[schema(value_type = Number)]
    number: u64,
    #[schema(value_type = Releases)]
    releases: BTreeMap<String, String>,
    /// Whether it is live; otherwise it is the candidate of a rollout.
    live: bool,
    /// The share of visitors who get it, if it is the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Percent, required = false)]
    percent: Option<u8>,
    /// The running rollouts after the change.
    rollouts: Vec<Rollout>,
    /// The site's origin, without a trailing slash.
    #[schema(format = "uri")]
    url: String,
    /// The path of a page of each section, by section name. A section without a known path has
    /// none.
    paths: BTreeMap<String, String>,
    /// Pages of the changed sections that visitors cannot see, and extensions that no page shows, if
    /// these sections may be the reason.
    warnings: Vec<String>,
    /// The paths that visitors request most and that the change concerns, as far as they were rendered
    /// before it. Absent if none was.
    #[serde(rename = "requestedPaths", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = RequestedPaths, required = false)]
    requested_paths: Option<RequestedPaths>,
}

/// Requested paths that were rendered with the releases before and after a change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RequestedPaths {
    /// How many.
    rendered: usize,
    /// How many of them have other HTML after the change.
    changed: usize,
}

/// Reads a JSON object. An empty body equals `{}`.
pub(super) async fn read_json<T: DeserializeOwned>(body: RequestBody) -> Result<T, AdminError> {
    read_json_up_to(MAX_BODY, body).await
}

/// Reads a JSON object of at most this many bytes.
pub(super) async fn read_json_up_to<T: DeserializeOwned>(
    max_bytes: usize,
    body: RequestBody,
) -> Result<T, AdminError> {
    let bytes = request_body::read(body, max_bytes).await?;
    let json = if bytes.is_empty() { b"{}" } else { &*bytes };
    // serde also reads structs from arrays.
    if json.trim_ascii_start().starts_with(b"[") {
        return Err(AdminError::Body("expected an object, not an array".to_owned()));
    }
    serde_json::from_slice(json).map_err(|error| AdminError::Body(error.to_string()))
}

/// The author of a change: the caller's name and the reason.
pub(super) fn author(caller: Caller<'_>, reason: Option<Reason>) -> Author {
    let reason = reason.map(|Reason(reason)| reason);
    caller.set_reason(reason.as_deref());
    Author {
        by: caller.identity.name.clone(),
        reason,
        figures: None,
    }
}

/// Makes a change, if the caller's token permits the action on the sections that it concerns.
pub(super) async fn make(
    deployments: &Deployments,
    (caller, action): (Caller<'_>, Action),
    command: &Command,
    author: &Author,
) -> Result<ChangeOutcome, AdminError> {
    let request = ChangeRequest {
        command,
        author,
        may_change: &|section| caller.identity.allows(action, section),
    };
    let outcome = deployments.change(&request).await;
    outcome.map_err(|error| with_caller(error, caller.identity, action))
}

/// What [`make`] would do.
pub(super) async fn plan(
    deployments: &Deployments,
    (caller, action): (Caller<'_>, Action),
    command: &Command,
    author: &Author,
) -> Result<ChangePlan, AdminError> {
    let request = ChangeRequest {
        command,
        author,
        may_change: &|section| caller.identity.allows(action, section),
    };
    let plan = deployments.plan(&request).await;
    plan.map_err(|error| with_caller(error, caller.identity, action))
}

/// Adds the caller and the action to a missing permission.
pub(super) fn with_caller(error: ChangeError, identity: &Identity, action: Action) -> AdminError {
    match error {
        ChangeError::NotAllowed(section) => AdminError::Forbidden {
            token: identity.name.clone(),
            action,
            section,
        },
        error => error.into(),
    }
}

/// The response to a change of sections: 201, or 200 if there was nothing to change.
pub(super) fn respond(admin: &Admin, outcome: &ChangeOutcome, is_changed: impl Fn(&str) -> bool) -> Response {
    let ChangeOutcome {
        snapshot,
        state,
        number,
        changed,
        requested,
        ..
    } = outcome;
    let record = |number| snapshot.record(number).map(|record| &**record);
    let set = if state
        .visible
        .rollouts()
        .iter()
        .any(|rollout| rollout.candidate == *number)
    {
        SetName::with(state.live(), [*number])
    } else {
        SetName::of_live(*number)
    };
    let loaded = snapshot.set(&set);
    let paths = loaded.as_ref().map(|deployment| first_paths(deployment));
    let warnings = loaded.map(|deployment| warnings(admin, &deployment, is_changed));
    let rollouts = rollout::describe(&state.visible, record);
    let own = rollouts.iter().find(|rollout| rollout.deployment == *number);
    let result = ChangeResult {
        number: *number,
        releases: record(*number)
            .map(|record| record.releases.clone())
            .unwrap_or_default(),
        live: state.live() == *number,
        percent: own.map(|rollout| rollout.percent),
        rollouts,
        url: admin.origin.to_string(),
        paths: paths.unwrap_or_default(),
        warnings: warnings.unwrap_or_default(),
        requested_paths: (requested.rendered > 0).then_some(RequestedPaths {
            rendered: requested.rendered,
            changed: requested.changed,
        }),
    };
    let status = if *changed {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    json(status, &result)
}

/// What does not reject a change of these sections: pages that visitors cannot see, and extensions
/// that no page shows.
fn warnings(admin: &Admin, deployment: &LoadedDeployment, is_changed: impl Fn(&str) -> bool) -> Vec<String> {
    let hidden = admin.deployments.hidden_pages(deployment).into_iter();
    let hidden = hidden.filter(|page| is_changed(&page.section));
    let left_out = LeftOutExtensions::of(deployment).into_iter();
    let left_out = left_out.filter(|left_out| left_out.concerns(&is_changed));
    let hidden = hidden.map(|page| page.to_string());
    hidden
        .chain(left_out.map(|left_out| left_out.to_string()))
        .collect()
}

/// The path of a page of each section: of the first page without params, or else the first named
/// path.
fn first_paths(deployment: &LoadedDeployment) -> BTreeMap<String, String> {
    let of_section = |release: &Arc<LoadedRelease>| {
        let Role::Section(parts) = &release.role else {
            return None;
        };
        let patterns = parts.pages.iter().map(|(_, page)| &*page.pattern);
        let mut without_params = patterns.filter(|pattern| Pattern::is_static(pattern));
        let named = || {
            parts
                .paths
                .iter()
                .find_map(|(_, paths)| paths.first().map(|path| &**path))
        };
        let path = without_params.next().or_else(named)?;
        Some((release.id.name.clone(), path.to_owned()))
    };
    deployment.releases.iter().filter_map(of_section).collect()
}
