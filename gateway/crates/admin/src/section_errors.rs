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

/// `GET /api/v1/sections/{name}/errors`
pub(super) fn list(diagnostics: &Diagnostics, section: &str) -> Response {
    let errors = SectionErrors {
        since: diagnostics.since,
        errors: diagnostics.errors.of_section(section),
    };
    json(StatusCode::OK, &errors)
}
