//! Making links to previews, and ending them all.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::json;

use super::{AdminError, auth, changes};
use crate::clock;
use crate::config::{Action, Origin, Token};
use crate::deployment::{Deployments, Shown, Wish};
use crate::net::RequestBody;
use crate::preview;
use crate::reply::{Reply, empty, json};

/// How long a preview lasts unless told otherwise, in minutes.
const USUAL: i64 = 60;

/// What a preview asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Preview {
    deployment: Option<u64>,
    releases: Option<BTreeMap<String, Option<String>>>,
    path: Option<String>,
    minutes: Option<i64>,
    reason: Option<String>,
}

/// `POST /api/v1/previews`
pub(super) async fn make(
    deployments: &Deployments,
    origin: &Origin,
    token: &Token,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let asked: Preview = changes::wish(body).await?;
    auth::require_some(token, Action::Preview)?;
    let author = changes::author(token, asked.reason)?;
    let path = asked.path.unwrap_or_else(|| "/".to_owned());
    if !preview::is_path(&path) {
        return Err(wrong(
            "path",
            "the path of a page, such as /terms, of at most 512 characters",
        ));
    }
    let most = preview::MAX_LIFE.as_mins();
    let minutes = asked.minutes.unwrap_or(USUAL);
    if !(1..=most).contains(&minutes) {
        return Err(wrong("minutes", &format!("a whole number from 1 to {most}")));
    }
    let shown = match (asked.deployment, asked.releases) {
        (Some(number), None) => Shown::Deployment(number),
        (None, Some(releases)) => Shown::Wish(Wish {
            releases,
            base: None,
            percent: None,
            author: author.clone(),
        }),
        _ => return Err(wrong("deployment", "either `deployment` or `releases`")),
    };
    let allows = |section: &str| token.allows(Action::Preview, section);
    let outcome = deployments.preview(&shown, &author, &allows).await;
    let outcome = changes::allowed(outcome, token, Action::Preview)?;
    let expires = clock::now()
        .checked_add(SignedDuration::from_mins(minutes))
        .map_err(|_| wrong("minutes", "fewer"))?;
    let pass = preview::sign(outcome.snapshot.preview_keys(), outcome.number, path, expires);
    let pass = pass.ok_or(AdminError::NoKey)?;
    let answer = json!({
        "deployment": outcome.number,
        "url": format!("{origin}{}{pass}", preview::PATH),
        "expiresAt": expires,
    });
    Ok(json(StatusCode::CREATED, &answer))
}

/// `DELETE /api/v1/previews`
pub(super) async fn end(deployments: &Deployments, token: &Token) -> Result<Reply, AdminError> {
    let author = changes::author(token, None)?;
    let allows = |section: &str| token.allows(Action::Preview, section);
    let outcome = deployments.end_previews(&author, &allows).await;
    changes::allowed(outcome, token, Action::Preview)?;
    Ok(empty(StatusCode::NO_CONTENT))
}

fn wrong(name: &str, expected: &str) -> AdminError {
    AdminError::Body(format!("`{name}` is not what it should be; expected {expected}"))
}
