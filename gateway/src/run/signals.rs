//! The signals of an operator or a supervisor.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// The two steps of stopping; each becomes true.
pub(super) struct Stop {
    /// The gateway was told to stop, and says that it is not ready.
    pub(super) told: watch::Receiver<bool>,
    /// It takes no new connection.
    pub(super) now: watch::Receiver<bool>,
}

/// Waits for SIGTERM or SIGINT; between the two steps lies this delay, so that whoever asks for readiness sends nobody
/// any more when the sockets close.
pub(super) fn stop(delay: impl FnOnce() -> Duration + Send + 'static) -> io::Result<Stop> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (tell, told) = watch::channel(false);
    let (stop, now) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // First, so that who reads that the gateway stops finds it so.
        tell.send_replace(true);
        tracing::info!(event = "stopping");
        tokio::time::sleep(delay()).await;
        stop.send_replace(true);
        // Held for as long as anyone listens: a channel without a sender would look like a signal.
        tokio::join!(tell.closed(), stop.closed());
    });
    Ok(Stop { told, now })
}

/// SIGHUP.
pub(super) fn hangup() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}
