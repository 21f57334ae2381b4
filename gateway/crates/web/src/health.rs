//! Health checks: `/healthz` and `/readyz`, the same on both listeners.

use http::StatusCode;
use tokio::sync::watch;

use crate::response::{Response, text};

/// Whether the gateway stops, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// It serves.
    Running,
    /// An upgrade has replaced it: the new process serves on the same sockets, and this one drains.
    Replaced,
    /// The graceful shutdown has begun.
    ShuttingDown,
}

/// Reports the changes of [`Lifecycle`].
#[derive(Debug, Clone)]
pub struct ShutdownSignal(pub watch::Receiver<Lifecycle>);

impl ShutdownSignal {
    /// Waits until the gateway stops, and returns why.
    pub async fn stopping(&mut self) -> Lifecycle {
        let stopping = self.0.wait_for(|state| *state != Lifecycle::Running).await;
        // The sender lives as long as the gateway.
        stopping.map_or(Lifecycle::ShuttingDown, |state| *state)
    }
}

/// Returns whether a path is a health check.
pub fn is_health_path(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

/// The response of `/healthz`: the process is alive.
pub fn liveness() -> Response {
    text(StatusCode::OK, "ok")
}

/// The response of `/readyz`: 200 while a deployment is live and no shutdown has begun, else 503. An upgrade does not make
/// the site unavailable, so that a replaced process is still ready. The response lists the unavailable sections: the gateway
/// serves the others, and another gateway on the same store would not do better.
pub fn readiness<'a>(
    has_live: bool,
    unavailable: impl Iterator<Item = &'a str>,
    shutdown: &ShutdownSignal,
) -> Response {
    let unavailable: Vec<&str> = unavailable.collect();
    if *shutdown.0.borrow() == Lifecycle::ShuttingDown {
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
