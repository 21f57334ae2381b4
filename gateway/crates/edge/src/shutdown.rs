//! The request to shut down.

use tokio::sync::watch;

/// Waits until the gateway shuts down.
pub(crate) async fn shutdown_requested(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|is_requested| *is_requested).await;
}
