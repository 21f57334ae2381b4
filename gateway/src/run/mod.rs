//! Serving, from the configuration to the end of the process.

mod reload;
mod signals;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::admin::Admin;
use crate::cli::complain;
use crate::config::{Certificate, CertificateError, Config};
use crate::deployment::{Deployments, LoadError};
use crate::document::{Documents, SiteFacts};
use crate::health::Stopping;
use crate::metrics::Metrics;
use crate::net::{CurrentSettings, Inherited, Listener, Settings, raise_descriptors};
use crate::render::Renderer;
use crate::signup::BackendError;
use crate::site::Site;
use crate::store::{FolderStore, StoreError};
use crate::telemetry::{Log, Recorder, Traces};
use crate::{stack, telemetry};
use reload::{Reload, Renewal};

/// How long work on threads of its own, such as reading from a store that hangs, may go on when serving has ended. Nobody
/// waits for what comes of it, and whatever is half done then is as after a crash.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// Why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("the store cannot be used: {0}")]
    Store(#[from] StoreError),
    #[error("what is live cannot be loaded from the store: {0}")]
    Load(#[from] LoadError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error("{address} cannot be listened on: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the admin socket at {0} can be reached from elsewhere: it needs `[listen.admin_tls]`")]
    Exposed(SocketAddr),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[cfg(feature = "otlp")]
    #[error(transparent)]
    Traces(#[from] telemetry::TracesError),
    #[error("the runtime cannot start: {0}")]
    Runtime(#[from] io::Error),
}

/// Serves until told to stop. `path` is where the configuration was read, and is read again.
pub(crate) fn run(config: Config, path: PathBuf) -> ExitCode {
    // Kept to the end, which is written then.
    let log = match telemetry::start() {
        Ok(log) => log,
        Err(error) => return complain(&error, 1),
    };
    // Installed before anything asks for one: with a second provider in the graph rustls would panic at run time. That
    // it is installed already can only mean that it is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(StartError::from).and_then(|runtime| {
        let traces = traces(&config)?;
        let outcome = runtime.block_on(serve(config, path, log.log(), &traces));
        runtime.shutdown_timeout(LEFT_BEHIND);
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error, 1),
    }
}

/// What collects traces. Made outside of the runtime, because it sends from a thread of its own.
#[cfg(feature = "otlp")]
fn traces(config: &Config) -> Result<Traces, StartError> {
    Ok(Traces::new(&config.telemetry)?)
}

/// Nothing collects traces.
#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it may fail")]
fn traces(_: &Config) -> Result<Traces, StartError> {
    Ok(Traces::none())
}

async fn serve(mut config: Config, path: PathBuf, log: &Log, traces: &Traces) -> Result<(), StartError> {
    let store = Arc::new(FolderStore::open(&config.store.folder)?);
    let facts = SiteFacts::new(&config).value().clone();
    let metrics = Arc::new(Metrics::default());
    let renderer = Arc::new(Renderer::start(config.render, facts, &metrics.renders));
    let documents = Arc::new(Documents::new(&config, renderer, metrics.documents.clone()));
    let deployments = Arc::new(Deployments::open(store, Some(Arc::clone(&documents))).await?);
    let (site_settings, admin_settings) = (
        Settings::site(&config).shared(),
        Settings::admin(&config, config.listen.admin_tls.is_some()).shared(),
    );
    let recorder = |listener| Recorder::new(&config.telemetry, log, metrics.requests(listener), traces);
    let (site_recorder, admin_recorder) = (recorder("site"), recorder("admin"));
    let (site_door, admin_door) = open(&config, &metrics, &site_settings, &admin_settings).await?;
    let hangup = signals::hangup()?;
    let delay = Arc::clone(&site_settings);
    let stop = signals::stop(move || delay.load().limits.stop_delay)?;
    let stopping = Stopping(stop.told);
    let tokens = std::mem::take(&mut config.tokens);
    let written = std::mem::take(&mut config.written);
    let admin = Admin::new(
        tokens,
        !admin_door.address.ip().is_loopback(),
        &config,
        Arc::clone(&deployments),
        Arc::clone(&metrics),
        stopping.clone(),
    );
    let admin = Arc::new(admin);
    let site = Site::new(config, Arc::clone(&deployments), documents, stopping, &metrics)?;
    let site = Arc::new(site);
    let reload = Reload {
        path,
        written,
        admin: Arc::clone(&admin),
        site: Arc::clone(&site),
        site_settings: Arc::clone(&site_settings),
        admin_settings: Arc::clone(&admin_settings),
        site_tls: site_door.renewal,
        admin_tls: admin_door.renewal,
    };
    let site = stack::site(site, Arc::clone(&site_settings), metrics.shed(), site_recorder);
    let admin = stack::admin(admin, admin_settings, admin_recorder);
    tracing::info!(event = "listening", site = %site_door.address, admin = %admin_door.address);
    let watching = tokio::spawn(async move { deployments.watch().await });
    let reloading = tokio::spawn(reload.watch(hangup));
    tokio::join!(
        site_door.listener.serve(site, stop.now.clone()),
        admin_door.listener.serve(admin, stop.now),
    );
    watching.abort();
    reloading.abort();
    tracing::info!(event = "stopped");
    Ok(())
}

/// A listener, where it really listens, and how its certificate is renewed.
struct Door {
    listener: Listener,
    address: SocketAddr,
    renewal: Option<Renewal>,
}

/// Opens both listeners.
async fn open(
    config: &Config,
    metrics: &Metrics,
    site_settings: &CurrentSettings,
    admin_settings: &CurrentSettings,
) -> Result<(Door, Door), StartError> {
    let capacity = raise_descriptors();
    // So that neither listener's connections use up what the other's need.
    let (for_admin, for_site) = (capacity / 4, capacity - capacity / 4);
    let mut inherited = Inherited::take();
    let mut door =
        async |name, number, address, files: &Option<Certificate>, settings: &CurrentSettings, capacity| {
            let socket = inherited.or_bind(number, address).await;
            let (socket, address) = socket.map_err(|source| StartError::Listen { address, source })?;
            let renewal = match files.clone() {
                Some(files) => Some(Renewal::load(name, files).await?),
                None => None,
            };
            Ok::<_, StartError>(Door {
                listener: Listener {
                    socket,
                    tls: renewal.as_ref().map(Renewal::tls),
                    settings: Arc::clone(settings),
                    capacity,
                    metrics: metrics.connections(name),
                    addresses: config.telemetry.addresses,
                },
                address,
                renewal,
            })
        };
    let listen = &config.listen;
    let site = door("site", 0, listen.site, &listen.tls, site_settings, for_site).await?;
    let admin = door(
        "admin",
        1,
        listen.admin,
        &listen.admin_tls,
        admin_settings,
        for_admin,
    )
    .await?;
    // An inherited socket is not where the configuration says.
    if admin.listener.tls.is_none() && !admin.address.ip().is_loopback() {
        return Err(StartError::Exposed(admin.address));
    }
    Ok((site, admin))
}
