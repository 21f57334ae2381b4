//! The state of this gateway process.

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_platform::deployment::LeftOutExtensions;
use colonnade_web::health::{Lifecycle, Readiness};
use colonnade_web::response::{Response, json};

use crate::Admin;

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
    #[schema(pattern = "^(ready|degraded|no-live-deployment|overloaded|replaced|shutting-down)$")]
    status: &'static str,
    /// Why it is degraded, as `/readyz` says it.
    problems: Vec<String>,
    /// The releases that visitors should see, but that are missing or damaged.
    unavailable: Vec<String>,
    /// The settings that these releases read and that are missing or have another type, and what the
    /// operator changes.
    setting_problems: Vec<String>,
    /// The extensions that no page shows, and why: the live deployment has no such point in this
    /// version, others fill it, `site.toml` does not allow it, or it is switched off.
    left_out_extensions: Vec<String>,
    /// The revision of the live state.
    #[schema(minimum = 0)]
    revision: u64,
    /// The number of open event streams.
    #[schema(minimum = 0)]
    streams: usize,
}

/// Read the state of this gateway
#[utoipa::path(
    get, path = "/api/v1/gateway", tag = "health", operation_id = "describeGateway",
    responses((status = 200, body = GatewayDescription, description = "The state.")),
)]
pub(super) fn describe(admin: &Admin) -> Response {
    let snapshot = admin.deployments.current();
    let (status, problems) = status(admin);
    let settings = admin.deployments.visible_setting_problems(&snapshot);
    let left_out = snapshot.live().map(|live| LeftOutExtensions::of(live));
    let left_out = left_out.unwrap_or_default();
    let unavailable = snapshot.unavailable().map(|each| each.id.to_string());
    let description = GatewayDescription {
        version: admin.version,
        started_at: admin.deployments.diagnostics().since,
        status,
        problems,
        unavailable: unavailable.collect(),
        setting_problems: settings.iter().map(ToString::to_string).collect(),
        left_out_extensions: left_out.iter().map(ToString::to_string).collect(),
        revision: snapshot.revision(),
        streams: admin.streams.count(),
    };
    json(StatusCode::OK, &description)
}

/// Whether this gateway serves the site, or why it does not, and why it is degraded.
pub(super) fn status(admin: &Admin) -> (&'static str, Vec<String>) {
    match (*admin.shutdown.0.borrow(), admin.deployments.readiness()) {
        (Lifecycle::ShuttingDown, _) => ("shutting-down", Vec::new()),
        (Lifecycle::Replaced, _) => ("replaced", Vec::new()),
        (Lifecycle::Running, Readiness::NothingLive) => ("no-live-deployment", Vec::new()),
        (Lifecycle::Running, Readiness::Overloaded) => ("overloaded", Vec::new()),
        (Lifecycle::Running, Readiness::Degraded(problems)) => ("degraded", problems),
        (Lifecycle::Running, Readiness::Ready) => ("ready", Vec::new()),
    }
}
