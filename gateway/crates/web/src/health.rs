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
    /// The graceful shutdown has started.
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

/// Whether the gateway can serve the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It serves all pages.
    Ready,
    /// It serves the site, but visitors miss something that another gateway on the same store would
    /// not serve better, or changes of the store do not reach it. The texts say what.
    Degraded(Vec<String>),
    /// No deployment is live.
    NothingLive,
    /// It refuses the requests of visitors. Another gateway may not.
    Overloaded,
}

impl Readiness {
    /// Whether visitors can use the site.
    pub fn is_ready(&self) -> bool {
        !matches!(self, Self::NothingLive | Self::Overloaded)
    }
}

/// The response of `/readyz`: 200 while a deployment is live, requests are accepted and no shutdown
/// has started, else 503. An upgrade does not make the site unavailable, so that a replaced process
/// is still ready.
pub fn readiness(readiness: &Readiness, shutdown: &ShutdownSignal) -> Response {
    if *shutdown.0.borrow() == Lifecycle::ShuttingDown {
        return text(StatusCode::SERVICE_UNAVAILABLE, "shutting down");
    }
    match readiness {
        Readiness::Ready => text(StatusCode::OK, "ready"),
        Readiness::Degraded(problems) => text(StatusCode::OK, &format!("degraded: {}", problems.join("; "))),
        Readiness::NothingLive => text(StatusCode::SERVICE_UNAVAILABLE, "no live deployment"),
        Readiness::Overloaded => text(StatusCode::SERVICE_UNAVAILABLE, "memory is nearly used up"),
    }
}
