//! What the build of a section must fit into.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::BuildTarget;
use colonnade_model::policy::Policy;
use colonnade_model::release::SharedPackages;
use colonnade_web::response::{Response, json};

use crate::Admin;

/// What a site allows a section, and shares with it. Sizes are those of a first view, in KiB after Brotli compression.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BuildTarget)]
pub(super) struct SectionTarget {
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
    /// What documents of the section may do, as `policy` in `release.json`.
    #[schema(value_type = Object)]
    policy: Policy,
}

/// Read the build target of a section
///
/// The section need not be published. The site has the same at `/_build-target/{name}`, for everyone.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/build-target", tag = "releases", operation_id = "readBuildTarget",
    responses((status = 200, body = SectionTarget, description = "The build target.")),
)]
pub(super) fn read(admin: &Admin, section: &str) -> Response {
    let snapshot = admin.deployments.current();
    let shared = snapshot.live().map(|live| live.shared());
    let BuildTarget {
        script_kib,
        style_kib,
        extension_points,
        packages: SharedPackages {
            shared,
            omitted_exports,
        },
        policy,
    } = admin.publisher.build_target(section, shared.unwrap_or_default());
    let target = SectionTarget {
        script_kib,
        style_kib,
        extension_points,
        shared,
        omitted_exports,
        policy,
    };
    json(StatusCode::OK, &target)
}
