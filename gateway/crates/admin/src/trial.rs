//! Trial renders for a release that is not published.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_memory::Pressure;
use colonnade_model::release::{ExtensionPoint, ReleaseId, extension_point_problems};
use colonnade_model::schema::Version;
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::{Admin, AdminError, auth, change};

/// The most bytes of a body: the examples of a valid release have up to 64 KiB.
const MAX_BODY: usize = 2 * change::MAX_BODY;

/// What a release would open.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Trial {
    /// The version of the release, for the problems.
    version: Version,
    /// As in `release.json`.
    #[schema(value_type = Vec<Object>)]
    extension_points: Vec<Map<String, Value>>,
}

/// What a trial has found.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialResult {
    /// Why a deploy of the release with the live ones would be rejected now.
    problems: Vec<String>,
}

/// Render the live extensions of other sections with new examples
///
/// The examples are those of the extension points that a release of the section would open. Changes
/// nothing. A deploy renders the same, and is rejected for the same problems; it also renders the
/// extensions of rollouts. Queries are sent to the upstreams. One trial runs at a time, for 20 seconds
/// at most.
#[utoipa::path(
    post, path = "/api/v1/sections/{name}/trial", tag = "releases", operation_id = "tryExtensionPoints",
    security(("token" = [Action::Publish.name()])), request_body = Trial,
    responses(
        (status = 200, body = TrialResult, description = "What fails that did not before."),
        (status = 422, description = "An extension point is invalid: `problems` lists why."),
    ),
)]
pub(super) async fn run(
    admin: &Admin,
    caller: Caller<'_>,
    name: String,
    body: RequestBody,
) -> Result<Response, AdminError> {
    auth::require(caller.identity, Action::Publish, &name)?;
    let Trial {
        version: Version(version),
        extension_points,
    } = change::read_json_up_to(MAX_BODY, body).await?;
    let (mut points, mut problems) = (Vec::new(), Vec::new());
    for (index, point) in extension_points.into_iter().enumerate() {
        match serde_json::from_value::<ExtensionPoint>(point.into()) {
            Ok(point) => points.push(point),
            Err(error) => problems.push(format!("extensionPoints[{index}]: {error}")),
        }
    }
    problems.extend(extension_point_problems(&name, &points));
    if !problems.is_empty() {
        return Err(AdminError::InvalidPoints(problems));
    }
    if Pressure::is_high() {
        return Err(AdminError::TrialsBusy);
    }
    let permit = admin.trials.try_acquire(caller.identity.key);
    let _permit = permit.ok_or(AdminError::TrialsBusy)?;
    let owner = ReleaseId { name, version };
    let problems = admin.deployments.point_problems(&owner, &points).await;
    let problems = problems.ok_or(AdminError::TrialsBusy)?;
    Ok(json(StatusCode::OK, &TrialResult { problems }))
}
