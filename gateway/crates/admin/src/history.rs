//! The history of changes.

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_model::deployment::Change;
use colonnade_model::schema::Number;
use colonnade_platform::deployment::Deployments;
use colonnade_web::response::{Response, json};

use super::{AdminError, query};

/// The default number of entries in a response.
const DEFAULT_LIMIT: u64 = 50;

/// A part of the history.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryPage {
    /// The entries, newest first.
    #[schema(max_items = 500)]
    entries: Vec<Change>,
    /// The revisions of entries that are damaged, newest first.
    #[schema(value_type = Vec<Number>, max_items = 500)]
    damaged: Vec<u64>,
    /// The value of `before` for the next page; null on the last page.
    #[schema(minimum = 2, required)]
    next: Option<u64>,
}

/// List all changes, newest first
#[utoipa::path(
    get, path = "/api/v1/history", tag = "history", operation_id = "history",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 500,
            description = "The maximum number of changes to return; 50 without it."),
        ("before" = Option<u64>, Query, minimum = 1, maximum = 9_007_199_254_740_991_u64,
            description = "Return changes older than this revision only."),
    ),
    responses((status = 200, body = HistoryPage, description = "The changes.")),
)]
pub(super) async fn list(deployments: &Deployments, query: Option<&str>) -> Result<Response, AdminError> {
    let (limit, before) = query::page(query, DEFAULT_LIMIT)?;
    let page = deployments.history(before, limit).await?;
    let page = HistoryPage {
        entries: page.changes,
        damaged: page.damaged,
        next: page.next,
    };
    Ok(json(StatusCode::OK, &page))
}
