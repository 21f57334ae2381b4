//! Upstreams on real sockets: an HTTP server that records requests, and a raw one that tests script byte by byte.

use std::future::ready;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use super::Gateway;
use super::client::TIMEOUT;

/// The configuration of the upstream `events`, with these base URLs.
pub(crate) fn upstream_table(urls: &[&str], keys: &str) -> String {
    format!("[upstreams.events]\npath = \"/api/events\"\nurls = {urls:?}\n{keys}\n")
}

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// A connection, with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A request as an upstream got it.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// How a server is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    /// HTTP/2, whose responses have their status in a trailer.
    Grpc,
}

/// A running server. Dropping it closes all its connections.
pub(crate) struct Upstream {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    runtime: Option<Runtime>,
}

impl Received {
    /// The values of a header.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        let values = self.headers.get_all(name).iter();
        values.map(|value| value.to_str().unwrap()).collect()
    }
}

impl Upstream {
    /// Starts a server that answers each request like this.
    pub(crate) fn start(answer: impl Fn(&Received) -> Response<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self::start_on("127.0.0.1:0".parse().unwrap(), answer)
    }

    /// Does the same on this address.
    pub(crate) fn start_on(
        address: SocketAddr,
        answer: impl Fn(&Received) -> Response<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(address, (Protocol::Http1, None), answer)
    }

    /// Starts a server over TLS that answers every request with an empty JSON object.
    pub(crate) fn start_tls(config: Arc<ServerConfig>) -> Self {
        let address = "127.0.0.1:0".parse().unwrap();
        Self::start_with(address, (Protocol::Http1, Some(config)), |_| {
            let response = Response::builder().header("content-type", "application/json");
            response.body("{}".into()).unwrap()
        })
    }

    /// Starts a collector of OTLP, which accepts what it gets, or refuses it with 503, or UNAUTHENTICATED.
    pub(crate) fn collector(protocol: Protocol, accepts: bool, tls: Option<Arc<ServerConfig>>) -> Self {
        let tls = tls.map(|config| {
            let mut config = ServerConfig::clone(&config);
            if protocol == Protocol::Grpc {
                config.alpn_protocols = vec![b"h2".to_vec()];
            }
            Arc::new(config)
        });
        let address = "127.0.0.1:0".parse().unwrap();
        Self::start_with(address, (protocol, tls), move |_| {
            let response = Response::builder();
            match protocol {
                Protocol::Http1 => response
                    .status(if accepts { 200 } else { 503 })
                    .body(Vec::new())
                    .unwrap(),
                // An empty message.
                Protocol::Grpc => response
                    .header("content-type", "application/grpc")
                    .header(GRPC_STATUS, if accepts { 0 } else { 16 })
                    .body(vec![0; 5])
                    .unwrap(),
            }
        })
    }

    fn start_with(
        address: SocketAddr,
        (protocol, tls): (Protocol, Option<Arc<ServerConfig>>),
        answer: impl Fn(&Received) -> Response<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind(address)).unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (answer, requests) = (Arc::new(answer), Arc::clone(&received));
        let tls = tls.map(TlsAcceptor::from);
        runtime.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                let service = service_fn(move |request: http::Request<Incoming>| {
                    let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                    async move {
                        let (head, body) = request.into_parts();
                        let request = Received {
                            method: head.method,
                            target: head.uri.to_string(),
                            headers: head.headers,
                            body: body.collect().await?.to_bytes().to_vec(),
                        };
                        let mut response = answer(&request);
                        requests.lock().push(request);
                        let status = response.headers_mut().remove(GRPC_STATUS);
                        let trailers = status.map(|status| Ok(HeaderMap::from_iter([(GRPC_STATUS, status)])));
                        Ok::<_, hyper::Error>(
                            response.map(|body| Full::new(Bytes::from(body)).with_trailers(ready(trailers))),
                        )
                    }
                });
                let tls = tls.clone();
                tokio::spawn(async move {
                    let stream: Box<dyn Stream> = match tls {
                        None => Box::new(stream),
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => {
                                let agreed = stream.get_ref().1.alpn_protocol();
                                assert!(protocol == Protocol::Http1 || agreed == Some(b"h2"));
                                Box::new(stream)
                            }
                            // The client says why.
                            Err(_) => return Ok(()),
                        },
                    };
                    let stream = TokioIo::new(stream);
                    match protocol {
                        Protocol::Http1 => http1::Builder::new().serve_connection(stream, service).await,
                        Protocol::Grpc => {
                            let http = http2::Builder::new(TokioExecutor::new());
                            http.serve_connection(stream, service).await
                        }
                    }
                });
            }
        });
        Self {
            address,
            received,
            runtime: Some(runtime),
        }
    }

    /// Starts a server that answers every request with this JSON.
    pub(crate) fn json(body: &'static str) -> Self {
        Self::start(move |_| {
            let response = Response::builder().header("content-type", "application/json");
            response.body(body.into()).unwrap()
        })
    }

    /// The base URL.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far, which must be complete.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().clone()
    }

    /// Closes all connections and stops listening. Returns all requests.
    pub(crate) fn stop(mut self) -> Vec<Received> {
        if let Some(runtime) = self.runtime.take() {
            // Waits until the tasks, and thereby the sockets, are dropped.
            runtime.shutdown_timeout(TIMEOUT);
        }
        self.received()
    }

    /// The only request so far.
    pub(crate) fn only_request(&self) -> Received {
        let received = self.received();
        assert_eq!(received.len(), 1, "{received:#?}");
        received[0].clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A listener whose connections the test serves itself.
pub(crate) struct RawUpstream(TcpListener);

impl RawUpstream {
    /// Opens the listener.
    pub(crate) fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// The address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    /// The base URL.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Starts a gateway with this upstream `events`, and these keys of it.
    pub(crate) fn gateway(&self, keys: &str) -> Gateway {
        Gateway::start_with(&upstream_table(&[&self.origin()], keys), &[])
    }

    /// Accepts a connection.
    pub(crate) fn accept(&self) -> TcpStream {
        let (stream, _) = self.0.accept().unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Accepts a connection, reads a request without a body, and returns both.
    pub(crate) fn accept_request(&self) -> (TcpStream, String) {
        let mut stream = self.accept();
        let head = read_head(&mut stream).unwrap();
        (stream, head)
    }

    /// Serves each connection in a thread.
    pub(crate) fn serve_bytes(self, serve: impl Fn(TcpStream) + Send + Sync + 'static) {
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            loop {
                let (stream, serve) = (self.accept(), Arc::clone(&serve));
                std::thread::spawn(move || serve(stream));
            }
        });
    }

    /// Does the same once the head of a request has arrived.
    pub(crate) fn serve(self, serve: impl Fn(TcpStream) + Send + Sync + 'static) {
        self.serve_bytes(move |mut stream| {
            if read_head(&mut stream).is_some() {
                serve(stream);
            }
        });
    }

    /// Sends these bytes in response to every request, and closes the connection.
    pub(crate) fn respond_always(self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.serve(move |mut stream| {
            // The gateway may close the connection first.
            let _ = stream.write_all(&bytes);
        });
    }
}

/// Reads the head of a request or response; `None` if the connection closes.
pub(crate) fn read_head(stream: &mut impl Read) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}
