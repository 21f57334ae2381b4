//! Unix signals: SIGTERM and SIGINT shut down, SIGHUP reloads.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// The two steps of a graceful shutdown. Each becomes true.
pub(super) struct Shutdown {
    /// The shutdown has started: `/readyz` reports 503, but connections are still accepted.
    pub(super) started: watch::Receiver<bool>,
    /// The listeners are closed, and requests in flight are drained.
    pub(super) draining: watch::Receiver<bool>,
}

/// Starts the graceful shutdown on SIGTERM or SIGINT. `delay` is the time between its two steps, in which load balancers
/// notice that the gateway is not ready.
pub(super) fn shutdown(delay: impl FnOnce() -> Duration + Send + 'static) -> io::Result<Shutdown> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (start, started) = watch::channel(false);
    let (drain, draining) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // Before the event, so that a reader of the log finds `/readyz` at 503.
        start.send_replace(true);
        tracing::info!(event = "shutdown_started");
        tokio::time::sleep(delay()).await;
        drain.send_replace(true);
        // Keep the senders while there are receivers: a closed channel would look like a signal.
        tokio::join!(start.closed(), drain.closed());
    });
    Ok(Shutdown { started, draining })
}

/// The stream of SIGHUP.
pub(super) fn hangup() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}
