//! Unix signals: SIGTERM, SIGINT and SIGQUIT shut down, SIGHUP reloads, and SIGUSR2 upgrades.

use std::io;
use std::sync::Arc;

use colonnade_edge::CurrentSettings;
use colonnade_web::health::Lifecycle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, watch};

use super::service_manager;

/// The end of this process: a graceful shutdown, or an upgrade that has replaced it.
pub(super) struct Shutdown {
    /// Why the process ends. On a graceful shutdown `/readyz` reports 503 from then on, but connections are still accepted.
    pub(super) lifecycle: watch::Receiver<Lifecycle>,
    /// Becomes true when the listeners close and requests in flight are drained.
    pub(super) draining: watch::Receiver<bool>,
    /// Notify it once a new process serves on the same sockets: this one drains.
    pub(super) replaced: Arc<Notify>,
}

/// Starts the graceful shutdown on SIGTERM, SIGINT or SIGQUIT. Between its two steps, for `shutdown_delay`, load balancers
/// notice that the gateway is not ready.
pub(super) fn shutdown(settings: CurrentSettings) -> io::Result<Shutdown> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let (change, lifecycle) = watch::channel(Lifecycle::Running);
    let (drain, draining) = watch::channel(false);
    let replaced = Arc::new(Notify::new());
    let is_replaced = Arc::clone(&replaced);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
            // Load balancers need no time: the new process is ready.
            () = is_replaced.notified() => {
                change.send_replace(Lifecycle::Replaced);
                drain.send_replace(true);
            }
        }
        if !*drain.borrow() {
            // Before the event, so that a reader of the log finds `/readyz` at 503.
            change.send_replace(Lifecycle::ShuttingDown);
            tracing::info!(event = "shutdown_started");
            service_manager::stopping().await;
            tokio::time::sleep(settings.load().limits.shutdown_delay).await;
            drain.send_replace(true);
        }
        // Keep the senders while there are receivers: a closed channel would look like a signal.
        tokio::join!(change.closed(), drain.closed());
    });
    Ok(Shutdown {
        lifecycle,
        draining,
        replaced,
    })
}

/// The streams of the signals that do not stop the process.
pub(super) struct Signals {
    /// SIGHUP.
    pub(super) hangup: Signal,
    /// SIGUSR2.
    pub(super) upgrade: Signal,
    /// SIGUSR1, which has no effect. Without a handler it would end the process.
    _ignored: Signal,
}

impl Signals {
    /// Installs the handlers.
    pub(super) fn install() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            upgrade: signal(SignalKind::user_defined2())?,
            _ignored: signal(SignalKind::user_defined1())?,
        })
    }
}
