//! The recent entries of the section log. A reader follows the log with long polling: the response
//! waits for the next entry.
//!
//! Each response is complete, so that connection deadlines, concurrency limits and the graceful
//! shutdown apply as to any other request.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use colonnade_diagnostics::LogEntry;
use colonnade_model::schema::MAX_INTEGER;
use colonnade_web::health::Lifecycle;
use colonnade_web::response::{Response, json};

use crate::operation::Call;
use crate::{Admin, AdminError, auth, query};

/// The maximum time to wait for an entry, in seconds. Shorter than common idle timeouts of proxies.
const MAX_WAIT_SECONDS: u64 = 30;

/// Entries of a section at this gateway.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SectionLogPage {
    /// The entries, oldest first.
    #[schema(value_type = Vec<LogEntry>)]
    entries: Vec<Arc<LogEntry>>,
}

/// Read the log of a section
///
/// Publishes, trial renders and changes. A release has a trial render when it is published, and
/// again when it is deployed or previewed. To follow the log, repeat the request with the ID of the
/// last entry and a time to wait. Each gateway keeps its last 1000 entries from its start.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/logs", tag = "diagnostics", operation_id = "readSectionLogPage",
    params(
        ("after" = Option<u64>, Query, minimum = 0, maximum = 9_007_199_254_740_991_u64,
            description = "Return entries with a greater ID only."),
        ("wait" = Option<u64>, Query, minimum = 0, maximum = 30,
            description = "If there is no entry, how many seconds to wait for one; 0 without it."),
    ),
    responses(
        (status = 200, body = SectionLogPage, description = "The entries. Empty if the wait ended without an entry."),
        (status = 503, description = "The gateway shuts down."),
    ),
)]
pub(super) async fn read(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let diagnostics = admin.deployments.diagnostics();
    let mut shutdown = admin.shutdown.clone();
    let section = call.parameters.name;
    let limits = [("after", 0..=MAX_INTEGER), ("wait", 0..=MAX_WAIT_SECONDS)];
    let [after, wait] = query::integers(call.head.uri.query(), &limits)?;
    let (after, wait) = (after.unwrap_or(0), Duration::from_secs(wait.unwrap_or(0)));
    let next = diagnostics.log.next_of_section(&section, after);
    let mut entries = tokio::select! {
        biased;
        next = timeout(wait, next) => next.unwrap_or_default(),
        state = shutdown.stopping() => match state {
            // The client asks again, and the new process answers.
            Lifecycle::Replaced => Vec::new(),
            Lifecycle::Running | Lifecycle::ShuttingDown => return Err(AdminError::ShuttingDown),
        },
    };
    // Other readers get no problems, as in the responses to publishes and deploys.
    if auth::require_team(call.caller.identity, &section).is_err() {
        for entry in &mut entries {
            Arc::make_mut(entry).problems.clear();
        }
    }
    Ok(json(StatusCode::OK, &SectionLogPage { entries }))
}
