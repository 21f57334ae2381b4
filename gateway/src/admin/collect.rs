//! Removing what nothing needs any more.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{AdminError, changes};
use crate::config::{Action, Keep, Token};
use crate::deployment::Deployments;
use crate::net::RequestBody;
use crate::reply::{Reply, json};

/// What a collection asks for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Collect {
    #[serde(default)]
    dry_run: bool,
    reason: Option<String>,
}

/// `POST /api/v1/collect`
pub(super) async fn collect(
    deployments: &Deployments,
    keep: Keep,
    token: &Token,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let Collect { dry_run, reason } = changes::wish(body).await?;
    let author = changes::author(token, reason)?;
    let allows = |section: &str| token.allows(Action::Collect, section);
    let collected = deployments.collect(keep, dry_run, &author, &allows).await;
    let collected = changes::allowed(collected, token, Action::Collect)?;
    let releases: Vec<String> = collected.releases.iter().map(ToString::to_string).collect();
    Ok(json(
        StatusCode::OK,
        &json!({ "deployments": collected.deployments, "releases": releases, "dryRun": dry_run }),
    ))
}
