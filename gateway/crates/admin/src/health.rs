//! The health checks. They need no token.

use serde::Serialize;
use utoipa::ToSchema;

use colonnade_web::health;
use colonnade_web::response::Response;

use crate::Admin;

/// The media type of the bodies.
const TEXT: &str = "text/plain; charset=utf-8";

#[derive(Serialize, ToSchema)]
#[schema(pattern = "^ok\n$")]
struct Alive(String);

#[derive(Serialize, ToSchema)]
#[schema(pattern = "^(ready|degraded: [a-z0-9,:; -]+)\n$")]
struct Ready(String);

#[derive(Serialize, ToSchema)]
#[schema(pattern = "^(no live deployment|memory is nearly used up|shutting down)\n$")]
struct NotReady(String);

/// Check that the process is alive
#[utoipa::path(
    get, path = "/healthz", tag = "health", operation_id = "alive", security(),
    responses((status = 200, body = inline(Alive), content_type = TEXT, description = "The process is alive.")),
)]
pub(super) fn liveness() -> Response {
    health::liveness()
}

/// Check that the gateway is ready to serve
#[utoipa::path(
    get, path = "/readyz", tag = "health", operation_id = "ready", security(),
    responses(
        (status = 200, body = inline(Ready), content_type = TEXT,
            description = "A deployment is live. `degraded` names what visitors miss: the server rendering of pages that are \
                not cached, if no render worker is available, and sections whose releases are missing or damaged; or why the \
                store cannot be read, so that changes are rejected."),
        (status = 503, body = inline(NotReady), content_type = TEXT,
            description = "No deployment is live, memory is nearly used up, or the gateway shuts down."),
    ),
)]
pub(super) fn readiness(admin: &Admin) -> Response {
    health::readiness(&admin.deployments.readiness(), &admin.shutdown)
}
