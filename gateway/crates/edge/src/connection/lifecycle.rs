//! The phases of a connection that speaks HTTP, from its first request to its close.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use colonnade_admission::Permit;
use hyper::server::conn::http1::UpgradeableConnection;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::sleep;

use crate::connection::close_log::client_fault;
use crate::connection::service::ConnectionService;
use crate::http1::{self, Http1Inspector, WithTunnel};
use crate::http2::{self, Http2Inspector, WithStreams};
use crate::io::InspectedStream;
use crate::metrics::CloseReason;
use crate::new_streams::NewStreams;
use crate::protocol::{Protocol, ServedConnection};
use crate::service::HttpService;
use crate::shutdown::shutdown_requested;
use crate::state::{Close, ConnectionState, Stage};

/// How long a connection stays open after its end was announced: on shutdown for a client to send
/// its first byte, or over HTTP/1 its first or next request, and over HTTP/2 after the idle
/// timeout. A request that was sent just before must be served.
pub(super) const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// What decides when a connection closes.
///
/// The deadlines are polled without tokio's cooperative budget: a client that never pauses makes
/// the connection use up the budget, after which a timer would always look pending.
pub(super) struct Lifecycle<'a> {
    pub(super) state: ConnectionState,
    pub(super) permit: &'a Permit<ConnectionState>,
    pub(super) shutdown: watch::Receiver<bool>,
}

/// The outcome of a phase: the connection is closed for a reason, or the next phase follows.
type Phase<T = ()> = ControlFlow<CloseReason, T>;

/// The end of a connection that stays open until its requests in flight have responses.
#[derive(Clone, Copy)]
struct GracefulEnd {
    reason: CloseReason,
    drain_timeout: Duration,
}

impl Lifecycle<'_> {
    /// Serves the requests of a connection. Returns why it was closed.
    pub(super) async fn serve<S, I>(
        self,
        protocol: Protocol,
        io: I,
        service: ConnectionService<S>,
        streams: NewStreams,
    ) -> CloseReason
    where
        S: HttpService,
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (state, limits) = (self.state.clone(), self.state.limits());
        match protocol {
            Protocol::Http1 => {
                let io = InspectedStream::new(io, Http1Inspector::new(state));
                let connection = http1::builder(&limits).serve_connection(TokioIo::new(io), service);
                let connection = connection.with_upgrades();
                let connection =
                    WithTunnel::new(connection, UpgradeableConnection::graceful_shutdown, streams);
                self.run(protocol, Box::pin(connection)).await
            }
            Protocol::Http2 => {
                let mut builder = http2::builder(&limits, streams.executor());
                if service.settings.load().websocket {
                    builder.enable_connect_protocol();
                }
                let io = InspectedStream::new(io, Http2Inspector::new(state.clone()));
                let connection = builder.serve_connection(TokioIo::new(io), service);
                let connection = WithStreams::new(connection, streams, state);
                self.run(protocol, Box::pin(connection)).await
            }
        }
    }

    /// Runs a connection until it is closed. On shutdown or at its maximum age, closes it after its
    /// requests in flight, unless the client stalls. Boxed, because an async function keeps the
    /// memory of an argument, and the caller that of the larger protocol.
    async fn run<C: ServedConnection>(
        mut self,
        protocol: Protocol,
        mut connection: Pin<Box<C>>,
    ) -> CloseReason {
        match self.phases(protocol, connection.as_mut()).await {
            Phase::Break(reason) | Phase::Continue(reason) => reason,
        }
    }

    async fn phases<C: ServedConnection>(
        &mut self,
        protocol: Protocol,
        mut connection: Pin<&mut C>,
    ) -> Phase<CloseReason> {
        let end = self.serve_requests(connection.as_mut()).await?;
        // HTTP/1 announces the close only in a response. A request that the client is sending right
        // now must get one, so wait for it.
        if protocol == Protocol::Http1 && end.reason != CloseReason::KeepaliveTimeout {
            self.state.begin_stage(Stage::LastResponse);
            let grace = SHUTDOWN_GRACE.min(end.drain_timeout);
            tokio::select! {
                biased;
                outcome = &mut connection => return self.closed(outcome, end.reason),
                () = unconstrained(sleep(grace)) => {}
            }
        }
        self.drain(connection.as_mut(), end).await?;
        self.refuse_requests(connection, end.reason).await
    }

    /// Serves requests until the connection is closed or its graceful end begins.
    async fn serve_requests<C: ServedConnection>(
        &mut self,
        mut connection: Pin<&mut C>,
    ) -> Phase<GracefulEnd> {
        let drain_timeout = self.state.limits().drain_timeout;
        let (reason, drain_timeout) = tokio::select! {
            // The connection first: received bytes extend the deadlines, and a request that has
            // arrived is served.
            biased;
            outcome = &mut connection => return self.closed(outcome, CloseReason::Normal),
            close = unconstrained(self.state.close_required(self.permit)) => match close {
                // No request is in flight. A request that is on its way is still served.
                Close::Graceful(reason @ CloseReason::KeepaliveTimeout) => {
                    (reason, SHUTDOWN_GRACE.min(drain_timeout))
                }
                Close::Graceful(reason) => (reason, drain_timeout),
                Close::Abort(reason @ CloseReason::Evicted) => {
                    close_without_waiting(connection).await;
                    return self.closed(Ok(()), reason);
                }
                Close::Abort(reason) => return Phase::Break(reason),
            },
            // The listener enforces `drain_timeout` for all its connections.
            () = unconstrained(shutdown_requested(&mut self.shutdown)) => (CloseReason::Shutdown, Duration::MAX),
        };
        Phase::Continue(GracefulEnd {
            reason,
            drain_timeout,
        })
    }

    /// Announces the close, and waits for the responses in flight.
    async fn drain<C: ServedConnection>(&self, mut connection: Pin<&mut C>, end: GracefulEnd) -> Phase {
        connection.as_mut().shut_down_gracefully();
        self.state.begin_stage(Stage::Draining);
        tokio::select! {
            biased;
            outcome = connection => self.closed(outcome, end.reason),
            () = unconstrained(self.state.abort_required(self.permit)) => self.closed(Ok(()), end.reason),
            () = unconstrained(sleep(end.drain_timeout)) => Phase::Continue(()),
        }
    }

    /// Refuses further requests until the connection is idle: an HTTP/2 client may open streams
    /// until it has processed GOAWAY, and it never confirms that.
    async fn refuse_requests<C: ServedConnection>(
        &self,
        connection: Pin<&mut C>,
        reason: CloseReason,
    ) -> Phase<CloseReason> {
        self.state.begin_stage(Stage::RefusesRequests);
        tokio::select! {
            biased;
            outcome = connection => self.closed(outcome, reason),
            () = unconstrained(self.state.abort_required(self.permit)) => self.closed(Ok(()), reason),
            () = unconstrained(self.state.became_idle()) => Phase::Break(reason),
        }
    }

    /// Closed because of the client's fault, if there is one, else because of `otherwise`.
    fn closed<T>(&self, outcome: hyper::Result<()>, otherwise: CloseReason) -> Phase<T> {
        let fault = outcome.err().and_then(|error| client_fault(&error));
        Phase::Break(self.state.fault().or(fault).unwrap_or(otherwise))
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
