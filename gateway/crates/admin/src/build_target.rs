//! What the build of a section must fit into.

use http::StatusCode;

use colonnade_config::BuildTarget;
use colonnade_web::response::{Response, json};

use crate::Admin;

/// Read the build target of a section
///
/// The section need not be published. The site has the same at `/_build-target/{name}`, for everyone.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/build-target", tag = "releases", operation_id = "readBuildTarget",
    responses((status = 200, body = BuildTarget, description = "The build target.")),
)]
pub(super) fn read(admin: &Admin, section: &str) -> Response {
    let snapshot = admin.deployments.current();
    let shared = snapshot.live().map(|live| live.shared());
    let target = admin.publisher.build_target(section, shared.unwrap_or_default());
    json(StatusCode::OK, &target)
}
