//! Serving, from the configuration to the end of the process.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::admin::Admin;
use crate::cli::complain;
use crate::config::Config;
use crate::deployment::{Deployments, LoadError};
use crate::document::SiteFacts;
use crate::metrics::Metrics;
use crate::render::Renderer;
use crate::signup::BackendError;
use crate::site::Site;
use crate::store::{FolderStore, StoreError};
use crate::{net, stack, telemetry};

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
    #[error("the runtime cannot start: {0}")]
    Runtime(#[from] io::Error),
}

/// Serves until told to stop.
pub(crate) fn run(config: Config) -> ExitCode {
    telemetry::start();
    // Installed before anything asks for one: with a second provider in the graph rustls would panic at run time. That
    // it is installed already can only mean that it is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime
        .map_err(StartError::from)
        .and_then(|runtime| runtime.block_on(serve(config)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error, 1),
    }
}

async fn serve(mut config: Config) -> Result<(), StartError> {
    let store = Arc::new(FolderStore::open(&config.store.folder)?);
    let facts = SiteFacts::new(&config).value().clone();
    let metrics = Arc::new(Metrics::default());
    let renderer = Arc::new(Renderer::start(config.render, facts, metrics.renders.clone()));
    let deployments = Arc::new(Deployments::open(store, Some(Arc::clone(&renderer))).await?);
    let (site_listener, site_address) = listen(config.listen.site).await?;
    let (admin_listener, admin_address) = listen(config.listen.admin).await?;
    let tokens = std::mem::take(&mut config.tokens);
    let admin = Arc::new(Admin::new(
        tokens,
        &config,
        Arc::clone(&deployments),
        Arc::clone(&metrics),
    ));
    let site = Arc::new(Site::new(
        config,
        Arc::clone(&deployments),
        renderer,
        metrics.policy.clone(),
    )?);
    let stop = stop_signal()?;
    tracing::info!(event = "listening", site = %site_address, admin = %admin_address);
    let watching = tokio::spawn(async move { deployments.watch().await });
    tokio::join!(
        net::serve(site_listener, stack::site(site), stop.clone()),
        net::serve(admin_listener, stack::admin(admin), stop),
    );
    watching.abort();
    tracing::info!(event = "stopped");
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Becomes true when the process is asked to stop.
fn stop_signal() -> Result<watch::Receiver<bool>, StartError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!(event = "stopping");
        sender.send_replace(true);
        // Held for as long as anyone listens: a channel without a sender would look like a signal.
        sender.closed().await;
    });
    Ok(receiver)
}
