//! Deploying, and listing deployments.

use std::collections::BTreeMap;

use http::StatusCode;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::json;

use super::{AdminError, auth, parse, receive};
use crate::config::{Action, Token};
use crate::deployment::{Change, Deployed, Deployments};
use crate::reply::{Reply, json};

/// The most bytes of a wish to deploy.
const MAX_WISH: usize = 64 * 1024;

/// What a deploy asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    releases: BTreeMap<String, String>,
    reason: Option<String>,
}

/// `POST /api/v1/deployments`
pub(super) async fn deploy(
    deployments: &Deployments,
    token: &Token,
    body: Incoming,
) -> Result<Reply, AdminError> {
    let wish: Wish = parse(&receive::text(body, MAX_WISH).await?)?;
    for name in wish.releases.keys() {
        auth::require(token, Action::Deploy, name)?;
    }
    let change = Change {
        releases: wish.releases,
        by: token.name.clone(),
        reason: wish.reason,
    };
    let (status, set) = match deployments.deploy(change).await? {
        Deployed::New(set) => (StatusCode::CREATED, set),
        Deployed::Unchanged(set) => (StatusCode::OK, set),
    };
    let deployment = &set.deployment;
    let answer = json!({ "number": deployment.number, "releases": deployment.releases, "live": true });
    Ok(json(status, &answer))
}

/// `GET /api/v1/deployments`
pub(super) async fn list(deployments: &Deployments) -> Result<Reply, AdminError> {
    let store = deployments.store();
    let mut list = Vec::new();
    for number in store.deployments().await? {
        list.extend(store.deployment(number).await?);
    }
    let live = store.live().await?;
    Ok(json(
        StatusCode::OK,
        &json!({ "live": live, "deployments": list }),
    ))
}
