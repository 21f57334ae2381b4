//! Health checks: `/healthz` and `/readyz`, the same on both listeners.

use http::StatusCode;
use tokio::sync::watch;

use crate::response::{Response, text};

/// Becomes true when the graceful shutdown begins.
#[derive(Debug, Clone)]
pub struct ShutdownSignal(pub watch::Receiver<bool>);

/// Returns whether a path is a health check.
pub fn is_health_path(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

/// The response of `/healthz`: the process is alive.
pub fn liveness() -> Response {
    text(StatusCode::OK, "ok")
}

/// The response of `/readyz`: 200 while a deployment is live and no shutdown has begun, else 503.
pub fn readiness(has_live: bool, shutdown: &ShutdownSignal) -> Response {
    if *shutdown.0.borrow() {
        text(StatusCode::SERVICE_UNAVAILABLE, "shutting down")
    } else if has_live {
        text(StatusCode::OK, "ready")
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, "no live deployment")
    }
}
