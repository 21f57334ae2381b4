//! One connection, from its first byte to its close: PROXY header, TLS handshake, protocol detection, HTTP,
//! and graceful shutdown.

mod body_timeout;
mod close_log;
mod lingering_close;
mod response_body;
mod service;
mod stall_timer;
mod state;

pub(crate) use close_log::CloseLog;
pub(crate) use lingering_close::{Discarded, LingerTimer, LingeringCloses, discard};
pub use service::ConnectionHandle;
pub(crate) use state::{ConnectionState, Expected};

use std::future::{pending, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use colonnade_admission::Permit;
use colonnade_web::client::ClientKey;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;

use crate::HttpService;
use crate::http1::{self, Http1Inspector};
use crate::http2::{self, Http2Inspector, NewStreams, WithStreams};
use crate::io::{InspectedStream, MonitoredSocket, Rewind, sniff};
use crate::listener::shutdown_requested;
use crate::metrics::{CloseReason, ListenerConnectionMetrics, RejectReason};
use crate::proxy;
use crate::settings::{CurrentSettings, Settings};
use crate::sockets;
use crate::tls::Tls;
use close_log::client_fault;
use service::ConnectionService;
use state::{Close, Stage};

/// How long a connection stays open after its end was announced: on shutdown for a client to send its first byte, or over
/// HTTP/1 its first or next request, and over HTTP/2 after the idle timeout. A request that was sent just before must be
/// served.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.0 or HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// An accepted connection.
pub(crate) struct Connection<S> {
    pub(crate) service: Arc<S>,
    /// The settings as of the start of the connection.
    pub(crate) settings: Arc<Settings>,
    pub(crate) current_settings: CurrentSettings,
    pub(crate) tls: Option<Tls>,
    pub(crate) permit: Permit<ConnectionState>,
    pub(crate) state: ConnectionState,
    pub(crate) shutdown: watch::Receiver<bool>,
    pub(crate) metrics: ListenerConnectionMetrics,
    pub(crate) close_log: Arc<CloseLog>,
    pub(crate) lingering_closes: LingeringCloses,
}

impl<S: HttpService> Connection<S> {
    /// Serves the connection until it is closed.
    pub(crate) async fn serve(mut self, stream: TcpStream, peer: IpAddr) {
        let state = self.state.clone();
        // Responses are written whole, so Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        sockets::limit_unsent_bytes(&stream);
        let open = self.metrics.opened();
        let mut shutdown = self.shutdown.clone();
        let shutdown_without_data = async {
            shutdown_requested(&mut shutdown).await;
            sleep(SHUTDOWN_GRACE).await;
            // A handshake in progress is drained; it has its own timeouts.
            if state.has_received() {
                pending::<()>().await;
            }
        };
        let handshake = tokio::select! {
            // First, because bytes that have already arrived count.
            biased;
            handshake = self.handshake(stream, peer, &state) => handshake,
            () = state.gave_way_early() => Err(RejectReason::Limit.into()),
            () = shutdown_without_data => return,
        };
        let handshake = match handshake {
            Ok(handshake) => handshake,
            Err(rejection) => {
                self.metrics.rejected(rejection.reason);
                // A lingering close holds no connection permit.
                drop((self.permit, open));
                return rejection.respond(&self.lingering_closes).await;
            }
        };
        let Handshake {
            peer,
            protocol,
            stream,
        } = handshake;
        let service = ConnectionService {
            service: self.service,
            peer,
            settings: self.current_settings,
            state: state.clone(),
            metrics: self.metrics.clone(),
        };
        if proxy::is_trusted(&self.settings.trusted_proxies, peer) {
            state.mark_shared();
        }
        state.start();
        let reason = match stream {
            Stream::Plain(io) => serve_http(protocol, io, service, state, &self.permit, self.shutdown).await,
            Stream::Tls(io) => serve_http(protocol, io, service, state, &self.permit, self.shutdown).await,
        };
        if reason.is_client_fault() {
            self.close_log.log(reason, peer);
        }
        self.metrics.closed(reason);
        drop(self.permit);
    }

    /// Reads the PROXY header, performs the TLS handshake and detects the protocol.
    async fn handshake(
        &mut self,
        stream: TcpStream,
        peer: IpAddr,
        state: &ConnectionState,
    ) -> Result<Handshake, Rejection> {
        let limits = self.settings.limits;
        let trusted_proxies = &self.settings.trusted_proxies;
        let mut peer = peer.to_canonical();
        let mut stream = MonitoredSocket::new(stream, state.clone());
        let mut start = Bytes::new();
        if self.settings.proxy_protocol && proxy::is_trusted(trusted_proxies, peer) {
            let header = timeout(limits.first_byte_timeout, proxy::read_header(&mut stream)).await;
            let header = header.ok().and_then(Result::ok);
            let (source, rest) = header.ok_or(RejectReason::Handshake)?;
            peer = source.unwrap_or(peer).to_canonical();
            start = rest;
            let max_per_client = self.settings.max_connections_of(peer);
            if !self.permit.assign(ClientKey::new(peer), max_per_client) {
                return Err(Rejection {
                    reason: RejectReason::ClientLimit,
                    stream: self.tls.is_none().then_some(stream),
                });
            }
        }
        stream.begin_client_data(!start.is_empty());
        let mut stream = Rewind::new(start, stream);
        let (stream, protocol) = if let Some(tls) = &self.tls {
            let accepted = timeout(limits.tls_handshake_timeout, tls.accept(stream)).await;
            let accepted = accepted.ok().and_then(Result::ok);
            let (stream, protocol) = accepted.ok_or(RejectReason::Handshake)?;
            self.metrics.handshake(stream.get_ref().1);
            state.write_hold().allow();
            (Stream::Tls(Box::new(stream)), protocol)
        } else {
            let sniffed = sniff(&mut stream, limits.first_byte_timeout).await;
            let (protocol, start) = sniffed.ok_or(RejectReason::Handshake)?;
            (Stream::Plain(Rewind::new(start, stream)), protocol)
        };
        Ok(Handshake {
            peer,
            protocol,
            stream,
        })
    }
}

/// A connection that is ready for HTTP.
struct Handshake {
    /// The source address of the PROXY header, or the peer of the socket.
    peer: IpAddr,
    protocol: Protocol,
    stream: Stream,
}

/// A rejected connection.
struct Rejection {
    reason: RejectReason,
    /// The stream for the 503 response, if one is sent.
    stream: Option<MonitoredSocket>,
}

impl From<RejectReason> for Rejection {
    fn from(reason: RejectReason) -> Self {
        Self { reason, stream: None }
    }
}

impl Rejection {
    /// Responds with 503, if a response is sent at all.
    async fn respond(self, lingering_closes: &LingeringCloses) {
        if let Some(mut stream) = self.stream
            && let Some(close) = lingering_closes.reject(stream.get_mut())
        {
            close.finish(stream.get_mut()).await;
        }
    }
}

type Socket = Rewind<MonitoredSocket>;

enum Stream {
    Plain(Rewind<Socket>),
    Tls(Box<TlsStream<Socket>>),
}

/// A connection that serves requests until it is closed.
pub(crate) trait ServedConnection: Future<Output = hyper::Result<()>> {
    /// Announces that it will be closed after its requests in flight.
    fn shut_down_gracefully(self: Pin<&mut Self>);
}

impl<C: GracefulConnection<Error = hyper::Error>> ServedConnection for C {
    fn shut_down_gracefully(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Serves the requests of a connection. Returns why it was closed.
async fn serve_http<S, I>(
    protocol: Protocol,
    io: I,
    service: ConnectionService<S>,
    state: ConnectionState,
    permit: &Permit<ConnectionState>,
    shutdown: watch::Receiver<bool>,
) -> CloseReason
where
    S: HttpService,
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = state.limits();
    match protocol {
        Protocol::Http1 => {
            let builder = http1::builder(&limits);
            let io = TokioIo::new(InspectedStream::new(io, Http1Inspector::new(state.clone())));
            drive(
                builder.serve_connection(io, service),
                protocol,
                state,
                permit,
                shutdown,
            )
            .await
        }
        Protocol::Http2 => {
            let streams = NewStreams::default();
            let builder = http2::builder(&limits, streams.executor());
            let io = TokioIo::new(InspectedStream::new(io, Http2Inspector::new(state.clone())));
            let connection = builder.serve_connection(io, service);
            drive(
                WithStreams::new(connection, streams, state.clone()),
                protocol,
                state,
                permit,
                shutdown,
            )
            .await
        }
    }
}

/// Runs a connection until it is closed. On shutdown or at its maximum age, closes it after its requests in
/// flight, unless the client stalls.
///
/// The deadlines are polled without tokio's cooperative budget: a client that never pauses makes the
/// connection use up the budget, after which a timer would always look pending.
async fn drive<C>(
    connection: C,
    protocol: Protocol,
    state: ConnectionState,
    permit: &Permit<ConnectionState>,
    mut shutdown: watch::Receiver<bool>,
) -> CloseReason
where
    C: ServedConnection,
{
    let mut connection = pin!(connection);
    let (reason, drain_timeout) = tokio::select! {
        // The connection first: received bytes extend the deadlines, and a request that has arrived is served.
        biased;
        outcome = &mut connection => return close_reason(&state, outcome, CloseReason::Normal),
        close = unconstrained(state.close_required(permit)) => match close {
            // No request is in flight. One that is on its way is still served.
            Close::Graceful(CloseReason::KeepaliveTimeout) => {
                let grace = SHUTDOWN_GRACE.min(state.limits().drain_timeout);
                (CloseReason::KeepaliveTimeout, grace)
            }
            Close::Graceful(reason) => (reason, state.limits().drain_timeout),
            Close::Abort(CloseReason::Evicted) => {
                close_without_waiting(connection).await;
                return close_reason(&state, Ok(()), CloseReason::Evicted);
            }
            Close::Abort(reason) => return reason,
        },
        // The listener enforces `drain_timeout` for all its connections.
        () = unconstrained(shutdown_requested(&mut shutdown)) => (CloseReason::Shutdown, Duration::MAX),
    };
    // HTTP/1 announces the close only in a response. A request that the client is sending right now must get
    // one, so wait for it.
    if protocol == Protocol::Http1 && reason != CloseReason::KeepaliveTimeout {
        state.begin_stage(Stage::LastResponse);
        tokio::select! {
            biased;
            outcome = &mut connection => return close_reason(&state, outcome, reason),
            () = unconstrained(sleep(SHUTDOWN_GRACE.min(drain_timeout))) => {}
        }
    }
    connection.as_mut().shut_down_gracefully();
    state.begin_stage(Stage::Draining);
    tokio::select! {
        biased;
        outcome = &mut connection => return close_reason(&state, outcome, reason),
        () = unconstrained(state.abort_required(permit)) => return close_reason(&state, Ok(()), reason),
        () = unconstrained(sleep(drain_timeout)) => {}
    }
    // An HTTP/2 client may open streams until it has processed GOAWAY, and it never confirms that.
    state.begin_stage(Stage::RefusesRequests);
    tokio::select! {
        biased;
        outcome = connection => close_reason(&state, outcome, reason),
        () = unconstrained(state.abort_required(permit)) => close_reason(&state, Ok(()), reason),
        () = unconstrained(state.became_idle()) => reason,
    }
}

/// Announces the close of an idle connection, as far as that is possible with a single poll.
async fn close_without_waiting<C: ServedConnection>(mut connection: Pin<&mut C>) {
    connection.as_mut().shut_down_gracefully();
    poll_fn(|cx| {
        let _ = connection.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

/// Returns the client's fault, if there is one, else `otherwise`.
fn close_reason(state: &ConnectionState, outcome: hyper::Result<()>, otherwise: CloseReason) -> CloseReason {
    let fault = outcome.err().and_then(|error| client_fault(&error));
    state.fault().or(fault).unwrap_or(otherwise)
}
