//! The HTTP client of an endpoint: a pool of HTTP/1.1 connections.

use std::error::Error;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use colonnade_clock::poll;
use colonnade_config::Upstream;
use http::{Request, Response, Uri, Version};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use parking_lot::Mutex;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, interval, timeout};
use tower::ServiceExt as _;

use crate::connection::{Connection, ConnectionBody};
use crate::request_body::OutgoingBody;
use crate::resolver::Resolver;

/// How often the system probes whether a silent peer is still there.
const TCP_KEEPALIVE: Duration = Duration::from_mins(1);

/// How often idle connections are checked: as often as they may time out, within these limits.
const CLOSE_INTERVAL: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(1);

/// How long a connection is used, so that changed addresses of a name are used.
const MAX_CONNECTION_AGE: Duration = Duration::from_mins(10);

/// The client of an endpoint.
#[derive(Debug)]
pub(crate) struct Client {
    connector: HttpsConnector<HttpConnector<Resolver>>,
    /// A URI without a path.
    endpoint: Uri,
    /// The timeout of name resolution, connecting and the TLS handshake together.
    connect_timeout: Duration,
    /// How long a connection may be idle.
    keepalive_timeout: Duration,
    /// The last one is the one used last.
    idle: Mutex<Vec<IdleConnection>>,
}

#[derive(Debug)]
struct IdleConnection {
    connection: Box<Connection>,
    since: Instant,
}

/// Why a request fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// The endpoint cannot be connected to.
    #[error("cannot connect")]
    Connect(#[source] Box<dyn Error + Send + Sync>),
    /// The connection fails, or what arrives is no HTTP response.
    #[error("the connection failed")]
    Exchange {
        source: hyper::Error,
        /// Whether the connection was idle before.
        was_idle: bool,
        /// Whether a part of a response was received.
        has_received: bool,
    },
}

/// The client cannot be created, because the system's root certificates cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the upstream `{upstream}` cannot be called over TLS: {source}")]
pub struct ClientError {
    upstream: String,
    source: rustls::Error,
}

/// Creates the TLS configuration of an upstream's clients.
pub(crate) fn tls_config(name: &str, settings: &Upstream) -> Result<ClientConfig, ClientError> {
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
    Ok(trust.with_no_client_auth())
}

impl Client {
    /// Creates the client of an endpoint: a URI without a path.
    pub(crate) fn new(settings: &Upstream, tls: ClientConfig, endpoint: Uri) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(Resolver {
            allow_link_local: settings.allow_link_local,
        });
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        // Each address of a name gets a part of it.
        tcp.set_connect_timeout(Some(settings.connect_timeout));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Self {
            connector,
            endpoint,
            connect_timeout: settings.connect_timeout,
            keepalive_timeout: settings.keepalive_timeout,
            idle: Mutex::default(),
        }
    }

    /// Sends a request, whose URI is a path and query, over an idle connection or a new one. A request is sent again only if no
    /// byte of it was sent, because the endpoint had closed the idle connection.
    pub(crate) async fn send(
        self: &Arc<Self>,
        mut request: Request<OutgoingBody>,
        may_use_idle: bool,
    ) -> Result<Response<ConnectionBody>, SendError> {
        loop {
            let idle = may_use_idle.then(|| self.take_idle()).flatten();
            let was_idle = idle.is_some();
            let mut connection = match idle {
                Some(connection) => connection,
                // Its future is large, and rarely needed.
                None => Box::pin(self.connect()).await?,
            };
            match connection.send(request).await {
                Ok(response) => {
                    // hyper would send the next request in the version of this response, without the framing of its body.
                    let is_reusable = response.version() >= Version::HTTP_11;
                    let client = is_reusable.then(|| Arc::clone(self));
                    return Ok(response.map(|incoming| ConnectionBody::new(incoming, connection, client)));
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if was_idle => request = unsent,
                    _ => {
                        return Err(SendError::Exchange {
                            source: error.into_error(),
                            was_idle,
                            has_received: connection.has_received(),
                        });
                    }
                },
            }
        }
    }

    /// Keeps an idle connection for the next request.
    pub(crate) fn keep_idle(&self, connection: Box<Connection>) {
        if !self.keepalive_timeout.is_zero() {
            let since = poll::now();
            self.idle.lock().push(IdleConnection { connection, since });
        }
    }

    /// Closes connections that are idle for too long, and those that the endpoint has closed, again and again.
    pub(crate) async fn close_idle(&self) {
        let mut ticks = interval(
            self.keepalive_timeout
                .clamp(*CLOSE_INTERVAL.start(), *CLOSE_INTERVAL.end()),
        );
        loop {
            ticks.tick().await;
            let now = Instant::now();
            let mut idle = self.idle.lock();
            idle.retain_mut(|idle| self.is_usable(idle, now) && idle.connection.is_idle());
        }
    }

    /// Takes the idle connection that was used last. The endpoint may have closed it: [`Connection::send`] then returns the request.
    fn take_idle(&self) -> Option<Box<Connection>> {
        let now = poll::now();
        loop {
            let last = self.idle.lock().pop()?;
            if self.is_usable(&last, now) {
                return Some(last.connection);
            }
        }
    }

    fn is_usable(&self, idle: &IdleConnection, now: Instant) -> bool {
        let is_young = now.duration_since(idle.connection.opened_at()) < MAX_CONNECTION_AGE;
        is_young && now.duration_since(idle.since) < self.keepalive_timeout
    }

    async fn connect(&self) -> Result<Box<Connection>, SendError> {
        let connecting = self.connector.clone().oneshot(self.endpoint.clone());
        let stream = match timeout(self.connect_timeout, connecting).await {
            Ok(stream) => stream.map_err(SendError::Connect)?,
            Err(elapsed) => return Err(SendError::Connect(elapsed.into())),
        };
        let connection = Connection::new(stream).await;
        connection
            .map(Box::new)
            .map_err(|error| SendError::Connect(error.into()))
    }
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
