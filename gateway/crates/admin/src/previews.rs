//! Creating preview links, and ending all previews.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::{Action, Origin};
use colonnade_model::schema::{Integer, Number, Reason, RequestedReleases, optional};
use colonnade_platform::deployment::{ChangeError, Command, Deployments, PreviewTarget};
use colonnade_platform::preview;
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, empty, json};

use crate::audit::Caller;
use crate::{AdminError, auth, change};

/// The default lifetime of a preview in minutes.
const DEFAULT_MINUTES: i64 = 60;

/// A request for a preview link, with either `deployment` or `releases`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreatePreview {
    /// The deployment to preview.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Number, required = false)]
    deployment: Option<Number>,
    /// The releases to preview in place of the live ones. They are stored as a deployment that
    /// never becomes live.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = RequestedReleases, required = false)]
    releases: Option<RequestedReleases>,
    /// The path of the page to which the link leads, such as `/terms`. Anything else is 422.
    #[serde(default, deserialize_with = "optional")]
    #[schema(default = "/", nullable = false)]
    path: Option<String>,
    /// The lifetime of the preview in minutes.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 10080, default = 60, nullable = false)]
    minutes: Option<Integer>,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// A preview link.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PreviewLink {
    /// The deployment that the link shows.
    #[schema(value_type = Number)]
    deployment: u64,
    /// The link. Anyone who has it can see the deployment.
    #[schema(format = "uri")]
    url: String,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Create a link to a deployment that is not live
///
/// The token must permit `preview` on every section that differs from the live deployment.
#[utoipa::path(
    post, path = "/api/v1/previews", tag = "previews", operation_id = "preview", request_body = CreatePreview,
    security(("token" = [Action::Preview.name()])),
    responses(
        (status = 201, body = PreviewLink, description = "The link."),
        (status = 404), (status = 409), (status = 422),
    ),
)]
pub(super) async fn create(
    deployments: &Deployments,
    origin: &Origin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let request: CreatePreview = change::read_json(body).await?;
    match (request.deployment, &request.releases) {
        (Some(Number(number)), _) => caller.set_target(number),
        (None, Some(releases)) => caller.set_releases(releases),
        (None, None) => {}
    }
    let author = change::author(caller, request.reason);
    auth::require_any_section(caller.identity, Action::Preview)?;
    let path = request.path.unwrap_or_else(|| "/".to_owned());
    if !preview::is_valid_path(&path) {
        return Err(AdminError::PreviewPath);
    }
    let max_minutes = preview::MAX_PREVIEW_LIFETIME.as_mins();
    let minutes = request
        .minutes
        .map_or(DEFAULT_MINUTES, |Integer(minutes)| minutes);
    let problem = || invalid(&format!("`minutes` must be an integer from 1 to {max_minutes}"));
    if !(1..=max_minutes).contains(&minutes) {
        return Err(problem());
    }
    let target = match (request.deployment, request.releases) {
        (Some(Number(number)), None) => PreviewTarget::Deployment(number),
        (None, Some(releases)) => PreviewTarget::Releases(releases.into_versions()),
        _ => return Err(invalid("expected either `deployment` or `releases`")),
    };
    let (by, command) = ((caller, Action::Preview), Command::Preview(target));
    let outcome = change::make(deployments, by, &command, &author).await?;
    let expires_at = colonnade_clock::now()
        .checked_add(SignedDuration::from_mins(minutes))
        .map_err(|_| problem())?;
    let keys = outcome.snapshot.preview_keys();
    let signed = preview::sign_token(keys, outcome.number, path, expires_at);
    let signed = signed.ok_or(AdminError::NoPreviewKey)?;
    let link = PreviewLink {
        deployment: outcome.number,
        url: format!("{origin}{}{signed}", preview::PATH),
        expires_at,
    };
    Ok(json(StatusCode::CREATED, &link))
}

/// End all previews
///
/// Needs a token for `*`.
#[utoipa::path(
    delete, path = "/api/v1/previews", tag = "previews", operation_id = "endPreviews",
    security(("token" = [Action::Preview.name()])),
    responses((status = 204, description = "All preview links and cookies are invalid."), (status = 409)),
)]
pub(super) async fn end(deployments: &Deployments, caller: Caller<'_>) -> Result<Response, AdminError> {
    caller.set_target("*");
    let (by, author) = ((caller, Action::Preview), change::author(caller, None));
    match change::make(deployments, by, &Command::EndPreviews, &author).await {
        // Before the first deploy there are no previews.
        Ok(_) | Err(AdminError::Change(ChangeError::NoLiveDeployment)) => {}
        Err(error) => return Err(error),
    }
    Ok(empty(StatusCode::NO_CONTENT))
}

fn invalid(problem: &str) -> AdminError {
    AdminError::Body(problem.to_owned())
}
