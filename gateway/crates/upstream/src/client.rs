//! The HTTP/1.1 client of an endpoint.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use colonnade_config::Upstream;
use http::{Request, Response, Uri, Version};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::connection::Connection;
use crate::connection_body::ConnectionBody;
use crate::connection_pool::ConnectionPool;
use crate::request_body::OutgoingBody;
use crate::resolver::Resolver;

/// How often the system probes whether a silent peer is still there.
const TCP_KEEPALIVE: Duration = Duration::from_mins(1);

/// The client of an endpoint.
#[derive(Debug)]
pub(crate) struct Client {
    connector: HttpsConnector<HttpConnector<Resolver>>,
    /// A URI without a path.
    endpoint: Uri,
    /// The timeout of name resolution, connecting and the TLS handshake together.
    connect_timeout: Duration,
    pool: Arc<ConnectionPool>,
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
    if settings.urls.iter().any(|url| url.scheme() == "https") {
        return settings.tls.config().map_err(|source| ClientError {
            upstream: name.to_owned(),
            source,
        });
    }
    // Without TLS, the client also works on machines that have no root certificates.
    let trust = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
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
            pool: Arc::new(ConnectionPool::new(settings.keepalive_timeout)),
        }
    }

    /// Sends a request, whose URI is a path and query, over an idle connection or a new one. A
    /// request is sent again only if no byte of it was sent, because the endpoint had closed the
    /// idle connection.
    pub(crate) async fn send(
        &self,
        mut request: Request<OutgoingBody>,
        may_use_idle: bool,
    ) -> Result<Response<ConnectionBody>, SendError> {
        loop {
            let idle = may_use_idle.then(|| self.pool.take()).flatten();
            let was_idle = idle.is_some();
            let mut connection = match idle {
                Some(connection) => connection,
                // Its future is large, and rarely needed.
                None => Box::pin(self.connect()).await?,
            };
            match connection.send(request).await {
                Ok(response) => {
                    // hyper would send the next request in the version of this response, without
                    // the framing of its body.
                    let is_reusable = response.version() >= Version::HTTP_11;
                    let pool = is_reusable.then(|| Arc::clone(&self.pool));
                    return Ok(response.map(|incoming| ConnectionBody::new(incoming, connection, pool)));
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

    /// The idle connections.
    pub(crate) fn pool(&self) -> &ConnectionPool {
        &self.pool
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::time::Duration;

    use http::{Request, StatusCode};
    use hyper_rustls::MaybeHttpsStream;
    use hyper_util::rt::TokioIo;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::coop::consume_budget;
    use tokio::task::yield_now;
    use tokio::time::timeout;
    use tokio::{join, spawn};

    use super::{Client, tls_config};
    use crate::connection::Connection;
    use crate::request_body::OutgoingBody;

    /// An endpoint, and the client of it.
    struct Endpoint {
        listener: TcpListener,
        client: Arc<Client>,
    }

    impl Endpoint {
        async fn new() -> Self {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            let listener = listener.expect("a port");
            let url = format!("http://{}/", listener.local_addr().expect("an address"));
            let settings = json!({ "path": "/api/test", "urls": [url] });
            let settings = serde_json::from_value(settings).expect("settings");
            let tls = tls_config("test", &settings).expect("no certificates");
            let client = Client::new(&settings, tls, url.parse().expect("a URI"));
            Self {
                listener,
                client: Arc::new(client),
            }
        }

        /// An idle connection, and the endpoint's side of it.
        async fn connect(&self) -> (Connection, TcpStream) {
            let address = self.listener.local_addr().expect("an address");
            let stream = TcpStream::connect(address).await.expect("a connection");
            let stream = MaybeHttpsStream::Http(TokioIo::new(stream));
            let mut connection = Connection::new(stream).await.expect("a connection");
            assert!(connection.is_idle());
            let (accepted, _) = self.listener.accept().await.expect("the connection");
            (connection, accepted)
        }

        /// Responds to a request on a new connection.
        fn respond(self) {
            spawn(async move {
                let (mut stream, _) = self.listener.accept().await.expect("a new connection");
                stream.read_exact(&mut [0; 18]).await.expect("the request");
                let response = b"HTTP/1.1 204 No Content\r\n\r\n";
                stream.write_all(response).await.expect("room");
            });
        }
    }

    #[tokio::test]
    async fn unsent_request_is_sent_again_on_a_new_connection() {
        let endpoint = Endpoint::new().await;
        let client = Arc::clone(&endpoint.client);
        let (mut idle, _idle) = endpoint.connect().await;
        let (mut other, _other) = endpoint.connect().await;
        // The idle connection does not see its end, as if the endpoint closed it just before the
        // first byte.
        std::mem::swap(&mut idle.driver, &mut other.driver);
        client.pool().keep(Box::new(idle));
        endpoint.respond();
        let (response, ()) = join!(client.send(Request::new(OutgoingBody::Empty), true), async {
            other.driver = None;
            yield_now().await;
        });
        assert_eq!(response.expect("a response").status(), StatusCode::NO_CONTENT);
    }

    #[tokio::test]
    async fn request_is_sent_after_many_closed_connections() {
        // More than the cooperative budget of a task, which ends at one of two operations.
        for operations in 0..2 {
            let endpoint = Endpoint::new().await;
            let client = Arc::clone(&endpoint.client);
            for _ in 0..100 {
                let (idle, closed) = endpoint.connect().await;
                client.pool().keep(Box::new(idle));
                drop(closed);
            }
            endpoint.respond();
            let request = spawn(async move {
                // Until the runtime has seen the ends of the connections.
                yield_now().await;
                for _ in 0..operations {
                    consume_budget().await;
                }
                client.send(Request::new(OutgoingBody::Empty), true).await
            });
            let response = timeout(Duration::from_secs(30), request).await;
            let response = response.expect("a response in time").expect("no panic");
            assert_eq!(response.expect("a response").status(), StatusCode::NO_CONTENT);
        }
    }
}
