//! Rolling back.

use serde::Deserialize;

use super::{AdminError, changes};
use crate::config::{Action, Token};
use crate::deployment::{Deployments, Target};
use crate::net::RequestBody;
use crate::reply::Reply;

/// What a rollback asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rollback {
    section: Option<String>,
    deployment: Option<u64>,
    reason: Option<String>,
}

/// `POST /api/v1/rollback`
pub(super) async fn roll_back(
    deployments: &Deployments,
    token: &Token,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    let rollback: Rollback = changes::wish(body).await?;
    let target = match (rollback.section, rollback.deployment) {
        (Some(section), None) => Target::Section(section),
        (None, Some(number)) => Target::Deployment(number),
        (None, None) => Target::Before,
        (Some(_), Some(_)) => {
            let words = "it names `section` and `deployment`; expected one of them, or neither";
            return Err(AdminError::Body(words.to_owned()));
        }
    };
    let author = changes::author(token, rollback.reason)?;
    let allows = |section: &str| token.allows(Action::Rollback, section);
    let outcome = deployments.roll_back(&target, &author, &allows).await;
    Ok(changes::answer(&changes::allowed(
        outcome,
        token,
        Action::Rollback,
    )?))
}
