//! The hyper service of a connection: adds what the connection knows to each request, and tracks
//! the responses.

use std::future::{Future, ready};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;

use colonnade_web::body::RequestBody;
use colonnade_web::client::Client;
use colonnade_web::request::Head;
use http::header::CONNECTION;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::service::Service;
use tokio::task::yield_now;

use crate::connection::body_timeout::BodyTimeout;
use crate::connection::response_body::TrackedBody;
use crate::connection::stream::add_connection;
use crate::metrics::ListenerConnectionMetrics;
use crate::new_streams::StreamExecutor;
use crate::proxy;
use crate::service::{ConnectionHandle, HttpService};
use crate::settings::CurrentSettings;
use crate::state::ConnectionState;

/// The value of `Connection` in the last response of an HTTP/1 connection (RFC 9112, section 9.6).
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Waits until the timeout of a body expires. Boxed, because it is large, and most requests have no
/// body.
type Expired = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the service of the listener for the requests of one connection.
pub(super) struct ConnectionService<S> {
    /// The service of the listener.
    pub(super) service: Arc<S>,
    /// The IP address of the peer: the client, or a proxy.
    pub(super) peer: IpAddr,
    /// The certificate of the peer, if it showed one.
    pub(super) certificate: Option<Arc<[u8]>>,
    /// The current settings: a proxy that a reload removed is no longer trusted.
    pub(super) settings: CurrentSettings,
    /// The state of the connection.
    pub(super) state: ConnectionState,
    /// The metrics of the listener.
    pub(super) metrics: ListenerConnectionMetrics,
    /// Runs what follows a switch of the protocol.
    pub(super) streams: StreamExecutor,
}

impl<S: HttpService> Service<http::Request<Incoming>> for ConnectionService<S> {
    type Response = Response<TrackedBody<S::Body>>;
    /// The code of the `RST_STREAM` frame, over HTTP/2.
    type Error = h2::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, h2::Error>> + Send>>;

    fn call(&self, request: http::Request<Incoming>) -> Self::Future {
        // Over HTTP/1 hyper reads no new request by then.
        if request.version() == Version::HTTP_2 && self.state.refuses_requests() {
            return Box::pin(ready(Err(h2::Reason::REFUSED_STREAM.into())));
        }
        let (mut parts, body) = request.into_parts();
        add_connection(&mut parts, &self.state, &self.streams);
        let client = self.client(&parts.headers);
        // A proxy's connection carries requests of many clients and must not be closed because of
        // one.
        let connection = (!client.is_proxied).then(|| ConnectionHandle(self.state.clone()));
        let head = Head { parts, client };
        let (body, timeout) = self.with_timeout(head.version, body);
        let version = head.version;
        let (guard, is_pipelined) = self.state.begin_response(version);
        let service = Arc::clone(&self.service);
        Box::pin(async move {
            if is_pipelined && version < Version::HTTP_2 {
                // hyper would serve a whole buffer of requests before any other connection.
                yield_now().await;
            }
            let mut response = pin!(service.respond(&head, body, connection));
            let mut response = match timeout {
                None => response.await,
                Some(expired) => tokio::select! {
                    biased;
                    response = &mut response => response,
                    () = expired => return Err(h2::Reason::CANCEL.into()),
                },
            };
            // HTTP/2 sends GOAWAY instead, and another protocol follows no HTTP response.
            let is_http1 = version < Version::HTTP_2 && response.status() != StatusCode::SWITCHING_PROTOCOLS;
            if is_http1 && guard.is_last() {
                response.headers_mut().insert(CONNECTION, CLOSE);
            }
            Ok(response.map(|body| TrackedBody::new(body, guard)))
        })
    }
}

impl<S> ConnectionService<S> {
    /// The client of a request.
    fn client(&self, headers: &HeaderMap) -> Client {
        let settings = self.settings.load();
        let proxies = &settings.trusted_proxies;
        Client {
            address: proxy::client_address(proxies, self.peer, headers),
            is_proxied: proxy::is_trusted(proxies, self.peer),
            certificate: self.certificate.clone(),
        }
    }

    /// Gives the body of an HTTP/2 request a timeout of its own.
    fn with_timeout(&self, version: Version, body: Incoming) -> (RequestBody, Option<Expired>) {
        if version < Version::HTTP_2 || body.is_end_stream() {
            return (RequestBody::new(body), None);
        }
        let timeout = BodyTimeout::new(self.state.clone());
        let body = RequestBody::with_deadline(body, timeout.clone());
        let metrics = self.metrics.clone();
        let expired = async move {
            timeout.expired().await;
            metrics.body_timed_out();
        };
        (body, Some(Box::pin(expired)))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    use bytes::Bytes;
    use colonnade_web::body::RequestBody;
    use colonnade_web::request::Head;
    use http::{HeaderValue, Response};
    use http_body_util::Empty;
    use hyper_util::rt::TokioIo;
    use parking_lot::Mutex;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::sync::Notify;

    use super::{ConnectionHandle, ConnectionService};
    use crate::http1::{Http1Inspector, builder};
    use crate::io::InspectedStream;
    use crate::metrics::ConnectionMetrics;
    use crate::new_streams::NewStreams;
    use crate::settings::{AllowedHosts, Settings};
    use crate::state::ConnectionState;
    use crate::{HttpService, Limits};

    /// Records the paths of requests, and reports each.
    #[derive(Default)]
    struct PathRecorder {
        order: Arc<Mutex<Vec<String>>>,
        received: Arc<Notify>,
    }

    impl HttpService for PathRecorder {
        type Body = Empty<Bytes>;

        async fn respond(
            &self,
            head: &Head,
            _: RequestBody,
            _: Option<ConnectionHandle>,
        ) -> Response<Empty<Bytes>> {
            self.order.lock().push(head.uri.path().to_owned());
            self.received.notify_one();
            Response::new(Empty::new())
        }
    }

    #[tokio::test]
    async fn pipelined_requests_let_other_tasks_run_between_them() {
        let limits = Limits::default();
        let settings = Settings {
            limits,
            is_tls: false,
            allowed_hosts: AllowedHosts::Any,
            trusted_proxies: Vec::new(),
            proxy_protocol: false,
            hsts: HeaderValue::from_static("max-age=1"),
            websocket: false,
        };
        let recorder = PathRecorder::default();
        let (order, received) = (Arc::clone(&recorder.order), Arc::clone(&recorder.received));
        let state = ConnectionState::new(limits);
        let service = ConnectionService {
            service: Arc::new(recorder),
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            certificate: None,
            settings: settings.into_current(),
            state: state.clone(),
            metrics: ConnectionMetrics::default().for_listener("site"),
            streams: NewStreams::default().executor(),
        };
        let (mut client, server) = duplex(1024);
        let io = TokioIo::new(InspectedStream::new(server, Http1Inspector::new(state)));
        let requests = ["/1 HTTP/1.1", "/2 HTTP/1.1", "/3 HTTP/1.0"];
        let requests = requests.map(|line| format!("GET {line}\r\nhost: a\r\n\r\n"));
        client
            .write_all(requests.concat().as_bytes())
            .await
            .expect("room");
        let other = tokio::spawn({
            let order = Arc::clone(&order);
            async move {
                received.notified().await;
                order.lock().push("other task".to_owned());
            }
        });
        let connection = tokio::spawn(builder(&limits).serve_connection(io, service));
        client.read_to_end(&mut Vec::new()).await.expect("responses");
        connection.await.expect("no panic").expect("valid requests");
        other.await.expect("no panic");
        assert_eq!(*order.lock(), ["/1", "other task", "/2", "/3"]);
    }
}
