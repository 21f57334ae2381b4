//! The `serve` command: starts the parts of the gateway, serves, and shuts down.

mod certificates;
mod listeners;
mod memory;
mod queries;
mod reload;
mod service_manager;
mod settings;
mod signals;
pub(crate) mod store;
mod tickets;
mod upgrade;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use colonnade_admin::console::Console;
use colonnade_admin::{Admin, PurgeResponses};
use colonnade_config::{CertificateError, Config};
use colonnade_diagnostics::Diagnostics;
use colonnade_edge::{HttpService, SharedTls};
use colonnade_platform::deployment::{Deployments, LoadError, Warm};
use colonnade_platform::rollout::RolloutController;
use colonnade_render::Renderer;
use colonnade_site::document::{Documents, SiteFacts};
use colonnade_site::{BackendError, Site, SiteParts};
use colonnade_store::{Store, StoreError};
use colonnade_telemetry::{Log, Recorder, Traces};
use colonnade_upstream::{ClientError, Upstreams};
use colonnade_web::health::ShutdownSignal;

use crate::acme::{self, Challenges};
use crate::cli::fail;
use crate::metrics::Metrics;
use crate::redirect::HttpsRedirect;
use crate::stack;
use listeners::OpenListeners;
use queries::UpstreamQueries;
use reload::Reload;
use settings::CurrentListenerSettings;
use signals::Signals;
use tickets::SharedTicketKeys;
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use upgrade::Upgrader;
use upgrade::served::Serving;

pub(crate) use upgrade::control::request_upgrade;
pub(crate) use upgrade::takeover::Takeover;

/// How long blocking work, such as a read from a store that hangs, may continue after serving has ended. Interrupting it is
/// as safe as a crash.
const BLOCKING_WORK_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("cannot open the store: {0}")]
    Store(#[from] StoreError),
    #[error("cannot load the live deployment from the store: {0}")]
    Load(#[from] LoadError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Upstream(#[from] ClientError),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the admin listener is on {0}, which is not a loopback address: it needs `[listen.admin_tls]`")]
    AdminWithoutTls(SocketAddr),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Traces(#[from] colonnade_telemetry::TracesError),
    #[error("cannot start the runtime: {0}")]
    Runtime(#[from] io::Error),
    #[error("no deployment is live, so that the new process is not ready")]
    NotReady,
    #[error(
        "clients would reject the certificate for {0}, but accept that of the running process: see `gateway check`"
    )]
    WorseCertificate(String),
    #[error("the process to replace has ended: {0}")]
    Abandoned(io::Error),
}

/// Serves until a signal stops the process. `path` is the configuration file, which SIGHUP reads again. With `recover`, a
/// missing live state is recovered from the history first. With a `takeover` this process replaces another one.
pub(crate) fn run(config: Config, path: PathBuf, recover: bool, takeover: Option<&Takeover>) -> ExitCode {
    // Dropped last: this flushes the log.
    let log = match colonnade_telemetry::start() {
        Ok(log) => log,
        Err(error) => return fail(&error, 1),
    };
    // The only possible error is that this provider is installed already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(StartError::from).and_then(|runtime| {
        // Outside of the runtime, because the exporter sends from its own thread.
        let traces = Traces::new(&config.telemetry)?;
        let outcome = runtime.block_on(serve(config, path, recover, takeover, log.log(), &traces));
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
    mut config: Config,
    path: PathBuf,
    recover: bool,
    takeover: Option<&Takeover>,
    log: &Log,
    traces: &Traces,
) -> Result<(), StartError> {
    // First, because a signal without a handler ends the process.
    let signals = Signals::install()?;
    let program = upgrade::program()?;
    let metrics = Metrics::new(log);

    let store = store::open(&config, recover, &metrics.store).await?;
    let upstreams = open_upstreams(&mut config, &metrics)?;
    let (deployments, documents) = open_deployments(&config, &store, &upstreams, &metrics).await?;

    // Listeners
    let settings = CurrentListenerSettings::new(&config);
    let ticket_keys = SharedTicketKeys::open(&config.listen, &store).await;
    let challenges = Arc::new(Challenges::default());
    let shared_tls = shared_tls(&ticket_keys, &challenges);
    let mut listeners = listeners::open(&config, &metrics, &settings, &shared_tls, takeover).await?;
    deployments.report_degradation(listeners.serving.degradation());
    deployments.report_hidden_pages(config.files.contents.keys().cloned().collect());

    // Shutdown
    let shutdown = signals::shutdown(Arc::clone(&settings.site))?;
    let shutdown_started = ShutdownSignal(shutdown.lifecycle.subscribe());

    // Routes
    let recorder = |listener, routes: Vec<_>| {
        let metrics = metrics.requests.for_listener(listener, routes);
        let diagnostics = Arc::clone(deployments.diagnostics());
        Recorder::new(&config.telemetry, log, metrics, traces, diagnostics)
    };
    let site_recorder = recorder("site", Site::route_names());
    let admin_recorder = recorder("admin", Admin::route_names());
    let redirect_service = listeners.redirect.is_some().then(|| {
        let redirect = HttpsRedirect::new(config.site.origin.clone(), Arc::clone(&challenges));
        let recorder = recorder("redirect", HttpsRedirect::route_names());
        stack::redirect(redirect, Arc::clone(&settings.redirect), recorder)
    });
    let acme = acme::Client::new(&config, store.acme_files(), challenges, metrics.acme.clone());
    let restart_settings = std::mem::take(&mut config.restart_settings);
    let warnings = std::mem::take(&mut config.warnings);
    let control_socket = std::mem::take(&mut config.listen.control_socket);
    let retention = config.store.retention();
    let rollouts = RolloutController::new(&deployments, config.rollout.clone());
    let admin = Arc::new(Admin::new(
        std::mem::take(&mut config.admin.tokens),
        !listeners.admin.address.ip().is_loopback(),
        Console::new(crate::console::FILES),
        env!("COLONNADE_VERSION"),
        Arc::clone(&settings.admin),
        &config,
        &rollouts,
        purge(&upstreams),
        Arc::clone(&metrics.registry),
        metrics.auth.clone(),
        shutdown_started.clone(),
    ));
    let parts = SiteParts {
        deployments: Arc::clone(&rollouts.deployments),
        canary: Arc::clone(&rollouts.analysis),
        documents,
        upstreams: Arc::clone(&upstreams),
        shutdown: shutdown_started,
    };
    let site = Arc::new(Site::new(config, parts, &metrics.site)?);
    let admin_service = stack::admin(Arc::clone(&admin), Arc::clone(&settings.admin), admin_recorder);
    let shed = metrics.shed.clone();
    let site_service = stack::site(Arc::clone(&site), Arc::clone(&settings.site), shed, site_recorder);

    // Upgrade
    let control_socket =
        wait_for_handover(takeover, &deployments, &listeners.serving, &control_socket).await?;
    let upgrader = Arc::new(Upgrader::new(
        program,
        &listeners,
        Arc::clone(&settings.site),
        &shutdown,
        metrics.upgrade_failures.clone(),
    ));

    let mut background = JoinSet::new();
    background.spawn(memory::guard(settings.clone(), Arc::clone(&site), metrics.memory));

    // Reload
    let reload = Reload {
        path,
        restart_settings,
        admin,
        site,
        settings,
        site_tls: listeners.site.certificates.take(),
        admin_tls: listeners.admin.certificates.take(),
        metrics: metrics.reloads.clone(),
    };
    background.spawn(async move { rollouts.run().await });
    background.spawn(upstreams.maintain());
    background.spawn(acme::run(acme));
    background.spawn(ticket_keys.run());
    let visitors = metrics.connections.for_listener("site");
    background.spawn(memory::return_after_crowds(visitors));
    background.spawn(async move { deployments.follow_store(retention).await });
    background.spawn(reload.run(signals.hangup));
    background.spawn(Arc::clone(&upgrader).run(signals.upgrade));
    background.spawn(upgrade::control::serve(control_socket, upgrader));
    let lifecycle = ShutdownSignal(shutdown.lifecycle.subscribe());
    background.spawn(service_manager::watchdog(lifecycle));
    service_manager::ready().await;
    listeners.log();
    reload::log_warnings(&warnings);
    let services = (site_service, admin_service, redirect_service);
    serve_listeners(listeners, services, shutdown.draining).await;
    background.abort_all();
    tracing::info!(event = "shutdown_complete");
    Ok(())
}

/// What all TLS listeners share.
fn shared_tls(ticket_keys: &SharedTicketKeys, challenges: &Challenges) -> SharedTls {
    SharedTls {
        ticket_keys: Arc::clone(ticket_keys.keys()),
        challenges: Arc::clone(challenges.certificates()),
    }
}

/// Serves all listeners until their connections are drained. In tasks, because the current thread does not run tasks: each
/// connection would wake it.
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

/// Opens the upstreams.
fn open_upstreams(config: &mut Config, metrics: &Metrics) -> Result<Arc<Upstreams>, StartError> {
    let upstreams = std::mem::take(&mut config.upstreams);
    let cache = config.upstream_cache;
    let upstreams = Upstreams::new(upstreams, cache, &config.site.origin, &metrics.upstreams)?;
    Ok(Arc::new(upstreams))
}

/// Removes the cached responses of upstreams below a path.
fn purge(upstreams: &Arc<Upstreams>) -> PurgeResponses {
    let upstreams = Arc::clone(upstreams);
    Arc::new(move |prefix| upstreams.purge(prefix))
}

/// Opens the deployments, and starts what renders them.
async fn open_deployments(
    config: &Config,
    store: &Arc<Store>,
    upstreams: &Arc<Upstreams>,
    metrics: &Metrics,
) -> Result<(Arc<Deployments>, Arc<Documents>), StartError> {
    let diagnostics = Arc::new(Diagnostics::default());
    let (renderer, documents) = start_rendering(config, store, upstreams, metrics, &diagnostics);
    let deployments = Deployments::open(
        Arc::clone(store),
        Some(renderer),
        Some(Arc::clone(&documents) as Arc<dyn Warm>),
        diagnostics,
        metrics.deployments.clone(),
    );
    Ok((Arc::new(deployments.await?), documents))
}

/// Starts the render workers, and the document cache that uses them.
fn start_rendering(
    config: &Config,
    store: &Arc<Store>,
    upstreams: &Arc<Upstreams>,
    metrics: &Metrics,
    diagnostics: &Arc<Diagnostics>,
) -> (Arc<Renderer>, Arc<Documents>) {
    let facts = SiteFacts::new(config).value().clone();
    let renderer = Arc::new(Renderer::start(
        config.render,
        facts,
        Arc::new(UpstreamQueries(Arc::clone(upstreams))),
        &metrics.renders,
        Arc::clone(diagnostics),
    ));
    let documents = Documents::new(
        config,
        Arc::clone(store),
        Arc::clone(&renderer),
        metrics.site.documents.clone(),
    );
    (renderer, Arc::new(documents))
}

/// Waits until the process that this one replaces hands over, if there is one, and opens the control socket. Fails if this
/// process is not ready, as `/readyz` defines it, or has worse certificates.
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
