//! One connection, from its first byte to its close: PROXY header, TLS handshake, protocol
//! detection, HTTP, and graceful shutdown.

mod body_timeout;
mod close_log;
mod lifecycle;
mod response_body;
mod service;
mod sniff;
mod stream;

pub(crate) use close_log::CloseLog;

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use colonnade_admission::Permit;
use colonnade_web::client::ClientKey;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;

use crate::io::{MonitoredSocket, Rewind};
use crate::lingering_close::LingeringCloses;
use crate::metrics::{ListenerConnectionMetrics, RejectReason};
use crate::new_streams::NewStreams;
use crate::protocol::Protocol;
use crate::proxy;
use crate::service::HttpService;
use crate::settings::{CurrentSettings, Settings};
use crate::shutdown::shutdown_requested;
use crate::sockets;
use crate::state::ConnectionState;
use crate::tls::Tls;
use lifecycle::{Lifecycle, SHUTDOWN_GRACE};
use service::ConnectionService;
use sniff::sniff;

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
            () = state.yielded_early() => Err(RejectReason::Limit.into()),
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
            certificate,
            protocol,
            stream,
        } = handshake;
        let streams = NewStreams::default();
        let service = ConnectionService {
            service: self.service,
            peer,
            certificate,
            settings: self.current_settings,
            state: state.clone(),
            metrics: self.metrics.clone(),
            streams: streams.executor(),
        };
        if proxy::is_trusted(&self.settings.trusted_proxies, peer) {
            state.mark_shared();
        }
        state.start();
        let lifecycle = Lifecycle {
            state,
            permit: &self.permit,
            shutdown: self.shutdown,
        };
        let reason = match stream {
            Stream::Plain(io) => lifecycle.serve(protocol, io, service, streams).await,
            Stream::Tls(io) => lifecycle.serve(protocol, io, service, streams).await,
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
        let mut certificate = None;
        let (stream, protocol) = if let Some(tls) = &self.tls {
            let accepted = timeout(limits.tls_handshake_timeout, tls.accept(stream)).await;
            let accepted = accepted.ok().and_then(Result::ok);
            let (stream, protocol) = accepted.ok_or(RejectReason::Handshake)?;
            let session = stream.get_ref().1;
            self.metrics.handshake(session);
            let shown = session.peer_certificates().and_then(<[_]>::first);
            certificate = shown.map(|shown| Arc::from(&**shown));
            state.write_hold().allow();
            (Stream::Tls(Box::new(stream)), protocol)
        } else {
            let sniffed = sniff(&mut stream, limits.first_byte_timeout).await;
            let (protocol, start) = sniffed.ok_or(RejectReason::Handshake)?;
            (Stream::Plain(Rewind::new(start, stream)), protocol)
        };
        Ok(Handshake {
            peer,
            certificate,
            protocol,
            stream,
        })
    }
}

/// A connection that is ready for HTTP.
struct Handshake {
    /// The source address of the PROXY header, or the peer of the socket.
    peer: IpAddr,
    /// The certificate of the peer, if it showed one.
    certificate: Option<Arc<[u8]>>,
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
