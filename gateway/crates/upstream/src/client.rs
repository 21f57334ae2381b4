//! The HTTP client of an upstream: a pool of HTTP/1.1 connections.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use colonnade_config::Upstream;
use http::Uri;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;
use tower::Service;

use crate::request_body::OutgoingBody;
use crate::resolver::Resolver;

/// The maximum size of a response's head in bytes. It also bounds what is buffered of a body.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// How often the system probes whether a silent peer is still there.
const TCP_KEEPALIVE: Duration = Duration::from_mins(1);

/// The client of an upstream.
pub(crate) type Client = legacy::Client<Connector, OutgoingBody>;

type Tls = HttpsConnector<HttpConnector<Resolver>>;

/// Connects within a timeout, which also covers name resolution and the TLS handshake.
#[derive(Clone)]
pub(crate) struct Connector {
    tls: Tls,
    timeout: Duration,
}

impl Service<Uri> for Connector {
    type Response = <Tls as Service<Uri>>::Response;
    type Error = <Tls as Service<Uri>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.tls.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(self.timeout, self.tls.call(uri));
        Box::pin(async move { connecting.await? })
    }
}

/// The client cannot be created, because the system's root certificates cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the upstream `{upstream}` cannot be called over TLS: {source}")]
pub struct ClientError {
    upstream: String,
    source: rustls::Error,
}

/// Creates the client of an upstream.
pub(crate) fn new(name: &str, settings: &Upstream) -> Result<Client, ClientError> {
    let mut tcp = HttpConnector::new_with_resolver(Resolver {
        allow_link_local: settings.allow_link_local,
    });
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(TCP_KEEPALIVE));
    // Each address of a name gets a part of it.
    tcp.set_connect_timeout(Some(settings.connect_timeout));
    let trust = ClientConfig::builder();
    let trust = if settings.urls.iter().any(|url| url.scheme() == "https") {
        trust.try_with_platform_verifier().map_err(|source| ClientError {
            upstream: name.to_owned(),
            source,
        })?
    } else {
        // Without TLS, the client also works on machines that have no root certificates.
        trust.with_root_certificates(RootCertStore::empty())
    };
    let tls = HttpsConnectorBuilder::new()
        .with_tls_config(trust.with_no_client_auth())
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    let connector = Connector {
        tls,
        timeout: settings.connect_timeout,
    };
    let mut client = legacy::Client::builder(TokioExecutor::new());
    client
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(settings.keepalive_timeout)
        .pool_max_idle_per_host(if settings.keepalive_timeout.is_zero() {
            0
        } else {
            usize::MAX
        })
        // A request is sent again only if no byte of it was sent: the upstream had closed the idle connection.
        .retry_canceled_requests(true)
        // hyper itself limits the number of header fields to 100. If told so, it parses heads more slowly.
        .http1_max_buf_size(MAX_HEAD_BYTES);
    Ok(client.build(connector))
}

/// Returns the text of an error with its causes. It contains neither the request nor the response.
pub(crate) fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
