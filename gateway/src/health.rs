//! Health, for whoever runs the gateway: the same on both listeners.

use http::StatusCode;
use tokio::sync::watch;

use crate::deployment::Snapshot;
use crate::reply::{Reply, text};

/// Whether the gateway was told to stop.
#[derive(Debug, Clone)]
pub(crate) struct Stopping(pub(crate) watch::Receiver<bool>);

/// Whether a path asks for health.
pub(crate) fn is_asked(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

/// The process answers.
pub(crate) fn alive() -> Reply {
    text(StatusCode::OK, "ok")
}

/// There is something to serve, and time to serve it.
pub(crate) fn ready(snapshot: &Snapshot, stopping: &Stopping) -> Reply {
    if *stopping.0.borrow() {
        text(StatusCode::SERVICE_UNAVAILABLE, "stopping")
    } else if snapshot.live().is_some() {
        text(StatusCode::OK, "ready")
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, "no live deployment")
    }
}
