//! Trial renders for a release that is not published.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::release::{ExtensionPoint, ReleaseId, extension_point_problems};
use colonnade_model::schema::Version;
use colonnade_platform::publish::PublishError;
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use super::audit::Caller;
use super::{Admin, AdminError, auth, change};

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
    /// Why a deploy of the release would be rejected now.
    problems: Vec<String>,
}

/// Render the live extensions of other sections with new examples
///
/// The examples are those of the extension points that a release of the section would open. Changes
/// nothing. A deploy renders the same, and is rejected for the same problems. Queries are sent to the
/// upstreams.
#[utoipa::path(
    post, path = "/api/v1/sections/{name}/trial", tag = "releases", operation_id = "tryExtensionPoints",
    security(("token" = [Action::Publish.name()])), request_body = Trial,
    responses(
        (status = 200, body = TrialResult, description = "What fails that did not before."),
        (status = 422, description = "An extension point is invalid, and `problems` lists all problems."),
    ),
)]
pub(super) async fn run(
    admin: &Admin,
    caller: Caller<'_>,
    name: String,
    body: RequestBody,
) -> Result<Response, AdminError> {
    auth::require(caller.token, Action::Publish, &name)?;
    let Trial {
        version: Version(version),
        extension_points,
    } = change::read_json(body).await?;
    let points = extension_points.into_iter();
    let points = points.map(|point| serde_json::from_value(point.into()));
    let points: Result<Vec<ExtensionPoint>, _> = points.collect();
    let points = points.map_err(|error| PublishError::Rejected(vec![error.to_string()]))?;
    let problems = extension_point_problems(&name, &points);
    if !problems.is_empty() {
        return Err(PublishError::Rejected(problems).into());
    }
    let place = admin.publishes.try_acquire(caller.token.hash);
    let _place = place.ok_or(AdminError::TooManyPublishes)?;
    let owner = ReleaseId { name, version };
    let problems = admin.deployments.point_problems(&owner, &points).await;
    Ok(json(StatusCode::OK, &TrialResult { problems }))
}
