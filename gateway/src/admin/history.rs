//! The history of changes.

use http::StatusCode;
use serde_json::json;
use url::form_urlencoded;

use super::AdminError;
use crate::deployment::Deployments;
use crate::reply::{Reply, json};

/// How many changes an answer has unless told otherwise, and at most.
const USUAL: usize = 50;
const MOST: usize = 500;

/// `GET /api/v1/history`
pub(super) async fn list(deployments: &Deployments, query: Option<&str>) -> Result<Reply, AdminError> {
    let mut limit = None;
    let mut before = None;
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match &*name {
            "limit" => {
                let number = value.parse().ok().filter(|limit| (1..=MOST).contains(limit));
                let number =
                    number.ok_or_else(|| wrong("limit", &format!("a whole number from 1 to {MOST}")))?;
                once(&mut limit, "limit", number)?;
            }
            "before" => {
                let revision = value.parse().ok().filter(|revision| *revision > 0);
                let revision = revision.ok_or_else(|| wrong("before", "the revision of a change"))?;
                once(&mut before, "before", revision)?;
            }
            _ => {
                return Err(AdminError::Query(format!(
                    "`{}` is no parameter; expected `limit` or `before`",
                    name.escape_debug()
                )));
            }
        }
    }
    let (entries, next) = deployments.history(before, limit.unwrap_or(USUAL)).await?;
    Ok(json(StatusCode::OK, &json!({ "entries": entries, "next": next })))
}

/// Takes the value of a parameter that had none before.
fn once<T>(parameter: &mut Option<T>, name: &str, value: T) -> Result<(), AdminError> {
    if parameter.replace(value).is_some() {
        return Err(wrong(name, "it once"));
    }
    Ok(())
}

fn wrong(name: &str, expected: &str) -> AdminError {
    AdminError::Query(format!("`{name}` is not what it should be; expected {expected}"))
}
