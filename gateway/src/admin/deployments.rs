//! Deploying, the ways on from a rollout, and listing deployments.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{AdminError, auth, changes};
use crate::config::{Action, Token};
use crate::deployment::{Deployments, Wish};
use crate::net::RequestBody;
use crate::reply::{Reply, json};

/// What a deploy asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deploy {
    releases: BTreeMap<String, Option<String>>,
    base: Option<u64>,
    percent: Option<i64>,
    reason: Option<String>,
}

/// What a promotion asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promote {
    percent: Option<i64>,
    reason: Option<String>,
}

/// What an abort asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Abort {
    reason: Option<String>,
}

/// `POST /api/v1/deployments`
pub(super) async fn deploy(
    deployments: &Deployments,
    token: &Token,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let deploy: Deploy = changes::wish(body).await?;
    // A wish for nothing names no section that could be refused.
    auth::require_some(token, Action::Deploy)?;
    let wish = Wish {
        releases: deploy.releases,
        base: deploy.base,
        percent: changes::percent(deploy.percent)?,
        author: changes::author(token, deploy.reason)?,
    };
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments.deploy(&wish, &allows).await;
    Ok(changes::answer(&changes::allowed(
        outcome,
        token,
        Action::Deploy,
    )?))
}

/// `POST /api/v1/deployments/{n}/promote`
pub(super) async fn promote(
    deployments: &Deployments,
    token: &Token,
    number: u64,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let promote: Promote = changes::wish(body).await?;
    let percent = changes::percent(promote.percent)?;
    let author = changes::author(token, promote.reason)?;
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments.promote(number, percent, &author, &allows).await;
    let outcome = changes::allowed(outcome, token, Action::Deploy)?;
    let mut answer = json!({ "number": number, "live": outcome.state.live == number });
    if let Some(rollout) = &outcome.state.rollout {
        answer["percent"] = json!(rollout.percent);
    }
    Ok(json(StatusCode::OK, &answer))
}

/// `POST /api/v1/deployments/{n}/abort`
pub(super) async fn abort(
    deployments: &Deployments,
    token: &Token,
    number: u64,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let abort: Abort = changes::wish(body).await?;
    let author = changes::author(token, abort.reason)?;
    let allows = |section: &str| token.allows(Action::Deploy, section);
    let outcome = deployments.abort(number, &author, &allows).await;
    let outcome = changes::allowed(outcome, token, Action::Deploy)?;
    let live = outcome.state.live;
    Ok(json(StatusCode::OK, &json!({ "number": number, "live": live })))
}

/// `GET /api/v1/deployments`
pub(super) async fn list(deployments: &Deployments) -> Result<Reply, AdminError> {
    let state = deployments.store().state().await?;
    let rollout = state.as_ref().and_then(|state| state.rollout.as_ref());
    let rollout = rollout.map(|rollout| {
        json!({
            "deployment": rollout.deployment,
            "percent": rollout.percent,
            "startedAt": rollout.started_at,
        })
    });
    let list: Vec<_> = deployments.records().await?.into_values().collect();
    Ok(json(
        StatusCode::OK,
        &json!({ "live": state.map(|state| state.live), "rollout": rollout, "deployments": list }),
    ))
}
