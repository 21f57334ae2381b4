//! What all calls that change what is live have in common: how they begin and what they answer.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{AdminError, parse, receive};
use crate::config::{Action, Token};
use crate::deployment::{Author, ChangeError, Outcome};
use crate::net::RequestBody;
use crate::reply::{Reply, json};

/// The most bytes of a wish.
const MAX_WISH: usize = 64 * 1024;

/// The most characters of a reason.
const MAX_REASON: usize = 1000;

/// Reads the body of a call; one that is empty means the same as `{}`.
pub(super) async fn wish<T: DeserializeOwned>(body: RequestBody) -> Result<T, AdminError> {
    let text = receive::text(body, MAX_WISH).await?;
    parse(if text.is_empty() { b"{}" } else { &text })
}

/// Whoever holds the token, with a reason.
pub(super) fn author(token: &Token, reason: Option<String>) -> Result<Author, AdminError> {
    if let Some(reason) = &reason
        && (reason.chars().count() > MAX_REASON || reason.chars().any(char::is_control))
    {
        return Err(AdminError::Body(format!(
            "`reason` is to be one line of at most {MAX_REASON} characters"
        )));
    }
    Ok(Author {
        by: token.name.clone(),
        reason,
    })
}

/// A share of visitors: everybody is what is asked for without one.
pub(super) fn percent(percent: Option<i64>) -> Result<Option<u8>, AdminError> {
    match percent.map(u8::try_from) {
        None => Ok(None),
        Some(Ok(percent @ 0..=99)) => Ok(Some(percent)),
        Some(_) => Err(AdminError::Body(
            "`percent` is to be a whole number from 0 to 99; without it everybody sees the deployment"
                .to_owned(),
        )),
    }
}

/// Names the token and the action in a refusal.
pub(super) fn allowed<T>(
    outcome: Result<T, ChangeError>,
    token: &Token,
    action: Action,
) -> Result<T, AdminError> {
    outcome.map_err(|error| match error {
        ChangeError::NotAllowed(section) => AdminError::NotAllowed {
            token: token.name.clone(),
            action,
            section,
        },
        error => error.into(),
    })
}

/// The deployment a change led to, as it was at that moment.
pub(super) fn answer(outcome: &Outcome) -> Reply {
    let Outcome {
        snapshot,
        state,
        number,
        changed,
    } = outcome;
    let none = BTreeMap::new();
    let releases = |number| {
        let set = snapshot.set(number);
        set.map_or(&none, |set| &set.deployment.releases)
    };
    let is_live = state.live == *number;
    let mut answer = json!({ "number": number, "releases": releases(*number), "live": is_live });
    if let Some(rollout) = &state.rollout {
        let candidate = rollout.deployment;
        if candidate == *number {
            answer["percent"] = json!(rollout.percent);
        } else if is_live {
            answer["candidate"] = json!({ "number": candidate, "releases": releases(candidate) });
        }
    }
    json(status(*changed), &answer)
}

/// 201 for what was made, 200 for what was so already.
pub(super) fn status(changed: bool) -> StatusCode {
    if changed {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    }
}
