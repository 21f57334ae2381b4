//! The size budget of a section.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::TeamBudget;
use colonnade_model::release::SharedPackages;
use colonnade_web::response::{Response, json};

use super::Admin;

/// The maximum sizes of a first view of a section, in KiB after Brotli compression.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SectionBudget {
    /// Scripts of a page or extension. Absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    script_kib: Option<u64>,
    /// Stylesheets of a page or extension. Absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    style_kib: Option<u64>,
    /// Scripts of the extensions of single points, by the ID of the point.
    extension_points: BTreeMap<String, u64>,
    /// The versions of the packages that the live shell shares, by name. They are in no view's size.
    shared: BTreeMap<String, String>,
    /// The exports that it omits, by package. The names of a path are joined by dots. Absent if it omits none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    omitted_exports: BTreeMap<String, Vec<String>>,
}

/// Read the size budget of a section
///
/// The section need not be published. The site has the same at `/_budget/{name}`, for everyone.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/budget", tag = "releases", operation_id = "readBudget",
    responses((status = 200, body = SectionBudget, description = "The budget.")),
)]
pub(super) fn read(admin: &Admin, section: &str) -> Response {
    let snapshot = admin.deployments.current();
    let shared = snapshot.live().map(|live| live.shared());
    let TeamBudget {
        script_kib,
        style_kib,
        extension_points,
        packages: SharedPackages {
            shared,
            omitted_exports,
        },
    } = admin.publisher.budget(section, shared.unwrap_or_default());
    let budget = SectionBudget {
        script_kib,
        style_kib,
        extension_points,
        shared,
        omitted_exports,
    };
    json(StatusCode::OK, &budget)
}
