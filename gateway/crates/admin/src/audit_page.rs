//! The audit log: every change, and every other call with a known token that was more than a read.

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::event::Event;
use colonnade_web::response::{Response, json};

use crate::operation::Call;
use crate::{Admin, AdminError, auth, query};

/// A part of the audit log.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditPage {
    /// The events, oldest first.
    #[schema(max_items = 500)]
    events: Vec<Event>,
    /// The value of `after` for the next page. The last page has fewer events than `limit`; repeat
    /// the call later for those that follow.
    #[schema(pattern = "^[0-9]{1,15}-[0-9]{1,15}$")]
    next: String,
}

/// Read the audit log, oldest first
///
/// The changes of the history, the published releases, and calls that were refused or failed, that
/// start or end sessions, or that purge a cache. Reads and calls without a known token are only in
/// the log of the gateway. Needs a token for `*`.
#[utoipa::path(
    get, path = "/api/v1/audit", tag = "history", operation_id = "readAuditLog",
    security(("token" = [Action::Audit.name()])),
    params(
        ("after" = Option<String>, Query, pattern = "^[0-9]{1,15}-[0-9]{1,15}$",
            description = "`next` of another page: return the events after it only."),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 500,
            description = "The maximum number of events to return; 100 without it."),
    ),
    responses((status = 200, body = AuditPage, description = "The events.")),
)]
pub(super) async fn read(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    auth::require(call.caller.identity, Action::Audit, "*")?;
    let (after, limit) = query::after(call.head.uri.query())?;
    let events = admin.events.read(after, limit).await?;
    let last = events.last().and_then(|event| event.position);
    let page = AuditPage {
        next: last.unwrap_or(after).to_string(),
        events,
    };
    Ok(json(StatusCode::OK, &page))
}
