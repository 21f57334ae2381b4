//! The state of this gateway process.

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_web::health::Lifecycle;
use colonnade_web::response::{Response, json};

use super::Admin;

/// The state of this gateway process.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GatewayDescription {
    /// The version, with the commit.
    version: &'static str,
    /// When the process started.
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// Whether it serves the site, or why it does not.
    #[schema(pattern = "^(ready|no-live-deployment|replaced|shutting-down)$")]
    status: &'static str,
    /// The releases that visitors should see, but that are missing or damaged.
    unavailable: Vec<String>,
    /// The revision of the live state.
    #[schema(minimum = 0)]
    revision: u64,
    /// The number of open event streams.
    #[schema(minimum = 0)]
    streams: usize,
}

/// `GET /api/v1/gateway`
pub(super) fn describe(admin: &Admin) -> Response {
    let snapshot = admin.deployments.current();
    let status = match *admin.shutdown.0.borrow() {
        Lifecycle::ShuttingDown => "shutting-down",
        Lifecycle::Replaced => "replaced",
        Lifecycle::Running if snapshot.live().is_none() => "no-live-deployment",
        Lifecycle::Running => "ready",
    };
    let unavailable = snapshot.unavailable().map(|each| each.id.to_string());
    let description = GatewayDescription {
        version: admin.version,
        started_at: admin.deployments.diagnostics().since,
        status,
        unavailable: unavailable.collect(),
        revision: snapshot.revision(),
        streams: admin.streams.count(),
    };
    json(StatusCode::OK, &description)
}
