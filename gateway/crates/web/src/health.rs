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

/// The response of `/readyz`: 200 while a deployment is live and no shutdown has begun, else 503. It lists the unavailable
/// sections: the gateway serves the others, and another gateway on the same store would not do better.
pub fn readiness<'a>(
    has_live: bool,
    unavailable: impl Iterator<Item = &'a str>,
    shutdown: &ShutdownSignal,
) -> Response {
    let unavailable: Vec<&str> = unavailable.collect();
    if *shutdown.0.borrow() {
        text(StatusCode::SERVICE_UNAVAILABLE, "shutting down")
    } else if has_live {
        match unavailable.join(", ").as_str() {
            "" => text(StatusCode::OK, "ready"),
            sections => text(StatusCode::OK, &format!("ready; unavailable: {sections}")),
        }
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, "no live deployment")
    }
}
