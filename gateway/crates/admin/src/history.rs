//! The history of changes.

use http::StatusCode;
use serde::Serialize;
use url::form_urlencoded;
use utoipa::ToSchema;

use colonnade_model::deployment::Change;
use colonnade_platform::deployment::Deployments;
use colonnade_web::response::{Response, json};

use super::AdminError;

/// The default and the maximum number of entries in a response.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

/// A part of the history.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryPage {
    /// The entries, newest first.
    #[schema(max_items = 500)]
    entries: Vec<Change>,
    /// The value of `before` for the next page; null on the last page.
    #[schema(minimum = 2, required)]
    next: Option<u64>,
}

/// `GET /api/v1/history`
pub(super) async fn list(deployments: &Deployments, query: Option<&str>) -> Result<Response, AdminError> {
    let mut limit = None;
    let mut before = None;
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match &*name {
            "limit" => {
                let number = value.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
                let number = number
                    .ok_or_else(|| invalid(&format!("`limit` must be an integer from 1 to {MAX_LIMIT}")))?;
                set_once(&mut limit, "limit", number)?;
            }
            "before" => {
                let revision = value.parse().ok().filter(|revision| *revision > 0);
                let revision = revision
                    .ok_or_else(|| invalid("`before` must be a revision, an integer of at least 1"))?;
                set_once(&mut before, "before", revision)?;
            }
            _ => {
                let name = name.escape_debug();
                return Err(invalid(&format!(
                    "unknown parameter `{name}`; expected `limit` or `before`"
                )));
            }
        }
    }
    let (entries, next) = deployments
        .history(before, limit.unwrap_or(DEFAULT_LIMIT))
        .await?;
    Ok(json(StatusCode::OK, &HistoryPage { entries, next }))
}

/// Sets the value of a parameter that must not be repeated.
fn set_once<T>(parameter: &mut Option<T>, name: &str, value: T) -> Result<(), AdminError> {
    if parameter.replace(value).is_some() {
        return Err(invalid(&format!("`{name}` must not be repeated")));
    }
    Ok(())
}

fn invalid(problem: &str) -> AdminError {
    AdminError::Query(problem.to_owned())
}
