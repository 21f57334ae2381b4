//! Health, for whoever runs the gateway: the same on both listeners.

use http::StatusCode;

use crate::deployment::Snapshot;
use crate::reply::{Reply, text};

/// The process answers.
pub(crate) fn alive() -> Reply {
    text(StatusCode::OK, "ok")
}

/// There is something to serve.
pub(crate) fn ready(snapshot: &Snapshot) -> Reply {
    if snapshot.live().is_some() {
        text(StatusCode::OK, "ready")
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, "no live deployment")
    }
}
