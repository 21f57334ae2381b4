//! Why the gateway cannot start.

use std::io;
use std::net::SocketAddr;

use colonnade_config::CertificateError;
use colonnade_platform::deployment::LoadError;
use colonnade_platform::events::WebhooksError;
use colonnade_platform::rollout::PrometheusError;
use colonnade_site::BackendError;
use colonnade_store::StoreError;
use colonnade_telemetry::OtlpError;
use colonnade_upstream::ClientError;

/// Why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("cannot open the store: {0}")]
    Store(#[from] StoreError),
    #[error("cannot load the live deployment from the store: {0}")]
    Load(#[from] LoadError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Prometheus(#[from] PrometheusError),
    #[error(transparent)]
    Webhooks(#[from] WebhooksError),
    #[error(transparent)]
    Upstream(#[from] ClientError),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the admin listener is on {0}, which is not a loopback address: it needs `[listen.admin_tls]`")]
    AdminWithoutTls(SocketAddr),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Otlp(#[from] OtlpError),
    #[error("cannot start the runtime: {0}")]
    Runtime(#[from] io::Error),
    #[error("no deployment is live, so the new process is not ready")]
    NotReady,
    #[error(
        "clients would reject the certificate for {0}, but accept that of the running process: see `gateway check`"
    )]
    WorseCertificate(String),
    #[error("the process to replace has ended: {0}")]
    Abandoned(io::Error),
}
