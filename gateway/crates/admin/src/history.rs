//! The history of changes.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_model::deployment::Change;
use colonnade_model::release::ReleaseSource;
use colonnade_model::schema::{Number, ReleaseName};
use colonnade_platform::deployment::Deployments;
use colonnade_web::response::{Response, json};

use crate::{AdminError, query};

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
    /// Where the releases of the entries come from, by `name@version`: of those that are retained and
    /// have a source.
    #[schema(value_type = BTreeMap<ReleaseName, ReleaseSource>)]
    sources: BTreeMap<String, ReleaseSource>,
    /// The value of `before` for the next page; null on the last page.
    #[schema(minimum = 2, required)]
    next: Option<u64>,
}

/// List changes, newest first
///
/// A page of one section's changes can have fewer entries than `limit` although there are more:
/// `next` is null on the last page only.
#[utoipa::path(
    get, path = "/api/v1/history", tag = "history", operation_id = "history",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 500,
            description = "The maximum number of changes to return; 50 without it."),
        ("before" = Option<u64>, Query, minimum = 1, maximum = 9_007_199_254_740_991_u64,
            description = "Return changes older than this revision only."),
        ("section" = Option<String>, Query, pattern = "^[a-z][a-z0-9-]{0,31}$",
            description = "Return the changes that concern this section only: its release, its extensions, and extensions of its \
                pages."),
    ),
    responses((status = 200, body = HistoryPage, description = "The changes.")),
)]
pub(super) async fn list(deployments: &Deployments, query: Option<&str>) -> Result<Response, AdminError> {
    let (limit, before, section) = query::history(query, DEFAULT_LIMIT)?;
    let page = deployments.history(section.as_deref(), before, limit).await?;
    let releases = page.changes.iter().flat_map(Change::releases);
    let page = HistoryPage {
        sources: deployments.current().sources(releases),
        entries: page.changes,
        damaged: page.damaged,
        next: page.next,
    };
    Ok(json(StatusCode::OK, &page))
}
