//! The recent errors of a section.

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_diagnostics::{Diagnostics, ErrorEntry};
use colonnade_web::response::{Response, json};

/// The recent errors of a section at this gateway.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SectionErrors {
    /// When this gateway started to count.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// The errors, the most recently seen first.
    errors: Vec<ErrorEntry>,
}

/// List the recent errors of a section
///
/// Errors of server-side rendering for visitors, and errors that browsers report. An error has a
/// class, but no message. Each gateway counts from its start, and keeps at most 500 errors of each
/// source.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/errors", tag = "diagnostics", operation_id = "listSectionErrors",
    responses((status = 200, body = SectionErrors, description = "The errors.")),
)]
pub(super) fn list(diagnostics: &Diagnostics, section: &str) -> Response {
    let errors = SectionErrors {
        since: diagnostics.since,
        errors: diagnostics.errors.of_section(section),
    };
    json(StatusCode::OK, &errors)
}
