//! The `serve` command: starts the parts of the gateway, serves, and shuts down.

mod app;
mod certificates;
mod edge;
mod error;
mod listeners;
mod memory;
mod platform;
mod queries;
mod reload;
mod service_manager;
mod settings;
mod signals;
pub(crate) mod store;
mod tickets;
mod token_file;
mod upgrade;

use std::mem::take;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use colonnade_config::Config;
use colonnade_edge::HttpService;
use colonnade_platform::deployment::Deployments;
use colonnade_telemetry::{Exporter, Log};
use colonnade_web::health::ShutdownSignal;
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::acme;
use crate::exit::fail;
use crate::metrics::Metrics;
use app::Recorders;
use edge::Edge;
use error::StartError;
use listeners::OpenListeners;
use platform::Platform;
use reload::Reload;
use signals::Signals;
use token_file::TokenFile;
use upgrade::Upgrader;
use upgrade::served::Serving;

pub(crate) use upgrade::control::request_upgrade;
pub(crate) use upgrade::takeover::Takeover;

/// How long blocking work, such as a read from a store that hangs, may continue after serving has
/// ended. Interrupting it is as safe as a crash.
const BLOCKING_WORK_TIMEOUT: Duration = Duration::from_secs(1);

/// What to serve.
pub(crate) struct Options {
    /// The settings.
    pub(crate) config: Config,
    /// The configuration file, which SIGHUP reads again.
    pub(crate) path: PathBuf,
    /// Whether a missing live state is recovered from the history first.
    pub(crate) recover: bool,
}

/// Serves until a signal stops the process. With a `takeover` this process replaces another one.
pub(crate) fn run(options: Options, takeover: Option<&Takeover>) -> ExitCode {
    // Dropped last: this flushes the log.
    let log = match colonnade_telemetry::start() {
        Ok(log) => log,
        Err(error) => return fail(&error, 1),
    };
    // The only possible error is that this provider is installed already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(StartError::from).and_then(|runtime| {
        let (metrics, telemetry) = (Metrics::new(log.log()), &options.config.telemetry);
        // Dropped after the runtime: this exports the rest.
        let exporter = Exporter::start(telemetry, log.log(), &metrics.registry, metrics.otlp.clone())?;
        let outcome = runtime.block_on(serve(options, takeover, log.log(), metrics, &exporter));
        runtime.shutdown_timeout(BLOCKING_WORK_TIMEOUT);
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(takeover) = takeover {
                takeover.fail(&error);
            }
            fail(&error, 1)
        }
    }
}

/// Starts all parts in order, and serves until the graceful shutdown is complete.
async fn serve(
    options: Options,
    takeover: Option<&Takeover>,
    log: &Log,
    metrics: Metrics,
    exporter: &Exporter,
) -> Result<(), StartError> {
    let mut config = options.config;
    // First, because a signal without a handler ends the process.
    let signals = Signals::install()?;
    let program = upgrade::program()?;
    let platform = Platform::open(&mut config, options.recover, &metrics).await?;
    let mut edge = Edge::open(&config, &platform, &metrics, takeover).await?;
    let recorders = Recorders::new(&config, log, &metrics, exporter, platform.diagnostics());
    // The site takes the configuration.
    let (restart_settings, warnings) = (take(&mut config.restart_settings), take(&mut config.warnings));
    let control_socket = take(&mut config.listen.control_socket);
    let retention = config.store.retention();
    let app = app::app(config, &platform, &edge, &metrics, recorders)?;
    let serving = &edge.listeners.serving;
    let control_socket = wait_for_handover(takeover, &platform.deployments, serving, &control_socket).await?;
    let upgrader = Upgrader::new(
        program,
        &edge.listeners,
        Arc::clone(&edge.settings.site),
        &edge.shutdown,
        metrics.upgrade_failures.clone(),
    );
    let upgrader = Arc::new(upgrader);
    let member = Arc::clone(&app.admin);
    let reload = Reload {
        path: options.path,
        restart_settings,
        token_file: TokenFile::new(Arc::clone(&app.admin), metrics.reloads.clone()),
        admin: app.admin,
        site: Arc::clone(&app.site),
        settings: edge.settings.clone(),
        site_tls: edge.listeners.site.certificates.take(),
        admin_tls: edge.listeners.admin.certificates.take(),
        events: platform.deployments.events().clone(),
        metrics: metrics.reloads.clone(),
    };
    let mut background = JoinSet::new();
    platform.spawn_tasks(&mut background, retention);
    background.spawn(memory::guard(edge.settings, app.site, metrics.memory));
    background.spawn(memory::return_after_bursts(
        metrics.connections.for_listener("site"),
    ));
    background.spawn(Arc::clone(&member).report_state());
    background.spawn(acme::run(edge.acme));
    background.spawn(edge.ticket_keys.run());
    background.spawn(reload.run(signals.hangup));
    background.spawn(Arc::clone(&upgrader).run(signals.upgrade));
    background.spawn(upgrade::control::serve(control_socket, upgrader));
    let lifecycle = ShutdownSignal(edge.shutdown.lifecycle.subscribe());
    background.spawn(service_manager::watchdog(lifecycle));
    service_manager::ready().await;
    edge.listeners.log();
    settings::log_warnings(&warnings);
    serve_listeners(edge.listeners, app.services, edge.shutdown.draining).await;
    background.abort_all();
    let _ = timeout(BLOCKING_WORK_TIMEOUT, member.withdraw_state()).await;
    tracing::info!(event = "shutdown_complete");
    Ok(())
}

/// Serves all listeners until their connections are drained. In tasks, because the current thread
/// does not run tasks: each connection would wake it.
async fn serve_listeners(
    listeners: OpenListeners,
    (site, admin, redirect): (impl HttpService, impl HttpService, Option<impl HttpService>),
    draining: watch::Receiver<bool>,
) {
    let mut tasks = JoinSet::new();
    tasks.spawn(listeners.site.listener.serve(site, draining.clone()));
    tasks.spawn(listeners.admin.listener.serve(admin, draining.clone()));
    if let Some((open, service)) = listeners.redirect.zip(redirect) {
        tasks.spawn(open.listener.serve(service, draining));
    }
    tasks.join_all().await;
}

/// Waits until the process that this one replaces hands over, if there is one, and opens the
/// control socket. Fails if this process is not ready, as `/readyz` defines it, or has worse
/// certificates.
async fn wait_for_handover(
    takeover: Option<&Takeover>,
    deployments: &Deployments,
    serving: &Serving,
    control_socket: &Path,
) -> Result<Option<UnixListener>, StartError> {
    if let Some(takeover) = takeover {
        if !deployments.readiness().is_ready() {
            return Err(StartError::NotReady);
        }
        let running = takeover.take_over().await.map_err(StartError::Abandoned)?;
        let served = serving.now();
        let lost = served.compare(&running);
        if !lost.is_empty() {
            return Err(StartError::WorseCertificate(lost.join(", ")));
        }
    }
    let socket = upgrade::control::open(control_socket, takeover.is_some()).await;
    if let Some(takeover) = takeover {
        takeover.serving();
    }
    Ok(socket)
}
