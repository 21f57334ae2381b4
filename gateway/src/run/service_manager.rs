//! Messages to the service manager, such as systemd: `sd_notify(3)`. Without one they have no
//! effect.

use std::error::Error;
use std::time::Duration;

use colonnade_web::health::ShutdownSignal;
use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long sending a message may take.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);

/// This process serves, and is the main process of its service.
pub(super) async fn ready() {
    notify(vec![NotifyState::Ready, NotifyState::MainPid(std::process::id())]).await;
}

/// The configuration is being reloaded, until [`ready`].
pub(super) async fn reloading() {
    // `Type=notify-reload` needs the time, to tell this reload from an earlier one.
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(vec![NotifyState::Reloading, now]).await,
        Err(error) => failed(&error),
    }
}

/// The graceful shutdown has started.
pub(super) async fn stopping() {
    notify(vec![NotifyState::Stopping]).await;
}

/// Another process is the main process of the service from now on. The service manager ignores
/// messages of others.
pub(super) async fn main_process(pid: u32) {
    notify(vec![NotifyState::MainPid(pid)]).await;
}

/// Reports at twice the required rate that the runtime executes tasks, until the gateway stops. A
/// gateway that hangs is restarted.
pub(super) async fn watchdog(mut shutdown: ShutdownSignal) {
    let Some(period) = sd_notify::watchdog_enabled().filter(|period| !period.is_zero()) else {
        return;
    };
    let mut interval = interval(period / 2);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            _ = shutdown.stopping() => return,
        }
        // A task of its own, which any thread of the runtime executes.
        if tokio::spawn(async {}).await.is_ok() {
            notify(vec![NotifyState::Watchdog]).await;
        }
    }
}

/// Sends a message from a thread of its own: it blocks while the service manager does not read its
/// socket.
async fn notify(states: Vec<NotifyState<'static>>) {
    let sent = tokio::task::spawn_blocking(move || sd_notify::notify(&states));
    match timeout(SEND_TIMEOUT, sent).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => failed(&error),
        Ok(Err(error)) => failed(&error),
        Err(elapsed) => failed(&elapsed),
    }
}

fn failed(error: &dyn Error) {
    tracing::warn!(event = "service_manager_unreachable", error = %error);
}
