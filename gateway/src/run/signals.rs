//! Unix signals: SIGTERM, SIGINT and SIGQUIT shut down, SIGHUP reloads, and SIGUSR2 upgrades.

use std::io;
use std::sync::Arc;

use colonnade_edge::CurrentSettings;
use colonnade_web::health::Lifecycle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, watch};

use crate::run::service_manager;

/// The end of this process: a graceful shutdown, or an upgrade that has replaced it.
pub(super) struct Shutdown {
    /// Why the process ends. On a graceful shutdown `/readyz` reports 503 from then on, but
    /// connections are still accepted.
    ///
    /// The first change from [`Lifecycle::Running`] decides between the two: see [`end`].
    pub(super) lifecycle: watch::Sender<Lifecycle>,
    /// Becomes true when the listeners close and requests in flight are drained.
    pub(super) draining: watch::Receiver<bool>,
    /// Notify it once a new process serves on the same sockets: this one drains.
    pub(super) replaced: Arc<Notify>,
}

/// Starts the graceful shutdown on SIGTERM, SIGINT or SIGQUIT. Between its two steps, for
/// `shutdown_delay`, load balancers notice that the gateway is not ready.
pub(super) fn shutdown(settings: CurrentSettings) -> io::Result<Shutdown> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let lifecycle = watch::Sender::new(Lifecycle::Running);
    let (drain, draining) = watch::channel(false);
    let replaced = Arc::new(Notify::new());
    let (change, is_replaced) = (lifecycle.clone(), Arc::clone(&replaced));
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
            () = is_replaced.notified() => {}
        }
        // After an upgrade load balancers need no time: the new process is ready. Before the event,
        // so that a reader of the log finds `/readyz` at 503.
        if end(&change, Lifecycle::ShuttingDown) {
            tracing::info!(event = "shutdown_started");
            service_manager::stopping().await;
            tokio::time::sleep(settings.load().limits.shutdown_delay).await;
        }
        drain.send_replace(true);
        // Keep the sender while there are receivers: a closed channel would look like a signal.
        drain.closed().await;
    });
    Ok(Shutdown {
        lifecycle,
        draining,
        replaced,
    })
}

/// Ends this process for this reason. Returns false if it already ends for another reason.
pub(super) fn end(lifecycle: &watch::Sender<Lifecycle>, reason: Lifecycle) -> bool {
    lifecycle.send_if_modified(|state| {
        let is_running = *state == Lifecycle::Running;
        if is_running {
            *state = reason;
        }
        is_running
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
