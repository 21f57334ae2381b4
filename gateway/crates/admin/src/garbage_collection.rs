//! Garbage collection.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::{Action, Retention};
use colonnade_model::schema::{Number, Reason, ReleaseName, optional};
use colonnade_platform::deployment::Deployments;
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::{AdminError, change};

/// A request for garbage collection.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GarbageCollection {
    /// Only report what garbage collection would delete.
    #[serde(default)]
    #[schema(default = false)]
    dry_run: bool,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// What garbage collection deleted, or would delete.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GarbageCollectionResult {
    /// The deployments, in ascending order.
    #[schema(value_type = std::collections::BTreeSet<Number>)]
    deployments: Vec<u64>,
    /// The releases.
    #[schema(value_type = std::collections::BTreeSet<ReleaseName>)]
    releases: Vec<String>,
    dry_run: bool,
}

/// Delete deployments and releases that are no longer needed
///
/// Retains the last deployments and those that were live recently, as configured, with their
/// releases, recently published releases, the last previous releases of each section, and those
/// that its next rollbacks restore. Needs a token for `*`.
#[utoipa::path(
    post, path = "/api/v1/garbage-collection", tag = "garbage collection", operation_id = "collectGarbage",
    security(("token" = [Action::GarbageCollect.name()])), request_body = Option<GarbageCollection>,
    responses(
        (status = 200, body = GarbageCollectionResult, description = "What was deleted, or would be with `dryRun`."),
        (status = 409),
    ),
)]
pub(super) async fn collect(
    deployments: &Deployments,
    retention: Retention,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let GarbageCollection { dry_run, reason } = change::read_json(body).await?;
    let identity = caller.identity;
    caller.set_target("*");
    let author = change::author(caller, reason);
    let allows = |section: &str| identity.allows(Action::GarbageCollect, section);
    let collected = deployments
        .collect_garbage(retention, dry_run, &author, &allows)
        .await;
    let collected =
        collected.map_err(|error| change::with_caller(error, identity, Action::GarbageCollect))?;
    let result = GarbageCollectionResult {
        deployments: collected.deployments,
        releases: collected.releases.iter().map(ToString::to_string).collect(),
        dry_run,
    };
    Ok(json(StatusCode::OK, &result))
}
