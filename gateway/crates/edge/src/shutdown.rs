//! The request to shut down.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::sync::watch;

/// Waits until the gateway shuts down. Must be polled by one task: it is registered once, and each
/// request polls again.
pub(crate) async fn shutdown_requested(shutdown: &mut watch::Receiver<bool>) {
    let first = shutdown.clone();
    let mut requested = pin!(shutdown.wait_for(|is_requested| *is_requested));
    let mut is_registered = false;
    poll_fn(|cx| {
        if is_registered && matches!(first.has_changed(), Ok(false)) {
            return Poll::Pending;
        }
        is_registered = true;
        requested.as_mut().poll(cx).map(drop)
    })
    .await;
}
