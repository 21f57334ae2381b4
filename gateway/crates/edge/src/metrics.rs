//! Metrics of connections and of shed requests.

use std::sync::atomic::Ordering;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use strum::{IntoStaticStr, VariantArray};

use colonnade_admission::Full;
use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use rustls::crypto::SupportedKxGroup;
use rustls::{HandshakeKind, NamedGroup, ServerConnection};

/// The connection metrics of all listeners.
#[derive(Default)]
pub struct ConnectionMetrics {
    open: Family<Labels<1>, Gauge>,
    /// Not exposed.
    peaks: Family<Labels<1>, Gauge>,
    rejected: Family<Labels<2>, Counter>,
    closed: Family<Labels<2>, Counter>,
    body_timeouts: Family<Labels<1>, Counter>,
    handshakes: Family<Labels<3>, Counter>,
}

/// The connection metrics of one listener.
#[derive(Clone)]
pub struct ListenerConnectionMetrics {
    listener: &'static str,
    open: Gauge,
    /// The most connections that were open since [`ListenerConnectionMetrics::take_peak`].
    peak: Gauge,
    rejected: Family<Labels<2>, Counter>,
    closed: Family<Labels<2>, Counter>,
    body_timeouts: Counter,
    handshakes: Family<Labels<3>, Counter>,
}

/// Why a connection is rejected before its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RejectReason {
    /// `max_connections` was reached. Either no connection yielded, so the new one is rejected, or
    /// an accepted connection yielded to a newer one before its handshake was complete and its
    /// protocol known.
    Limit,
    /// The client, or its network, has reached `max_connections_per_client`.
    ClientLimit,
    /// The TLS handshake, the PROXY header or the detection of the protocol failed or timed out.
    /// This includes a plaintext client that sent no first byte, or only a part of the HTTP/2
    /// preface, within `first_byte_timeout_ms`.
    Handshake,
    /// The system call `accept` failed.
    AcceptError,
}

/// Why a connection was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CloseReason {
    /// The client closed it, or a response announced the close.
    Normal,
    /// It was idle for `keepalive_timeout_ms`.
    KeepaliveTimeout,
    /// It was idle, or its client held most connections and had sent a part of a head, and
    /// `max_connections` was reached. Before its protocol is known, it counts as
    /// [`RejectReason::Limit`].
    Evicted,
    /// It reached `max_connection_age_ms`.
    MaxAge,
    /// The gateway shut down.
    Shutdown,
    /// The protocol is known, from the TLS handshake or the first bytes, but the client then sent
    /// no part of a request (HTTP/1) or frame (HTTP/2) for `first_byte_timeout_ms`. Before that, it
    /// is
    /// [`RejectReason::Handshake`].
    FirstByteTimeout,
    /// The header section of a request took longer than `request_header_timeout_ms`.
    HeaderTimeout,
    /// The client sent a request body below the minimum data rate.
    BodyTimeout,
    /// The client read responses below the minimum data rate.
    WriteTimeout,
    /// Its requests waited for the client while another client, with fewer connections or requests,
    /// needed a permit.
    Preempted,
    /// The client sent more than `http2_max_control_frames_per_minute` control frames.
    ControlFrameFlood,
    /// The client sent more than `http2_max_resets_per_minute` stream resets.
    RapidReset,
    /// The client violated HTTP.
    ProtocolError,
}

impl From<Full> for RejectReason {
    fn from(full: Full) -> Self {
        match full {
            Full::Total => Self::Limit,
            Full::Client => Self::ClientLimit,
        }
    }
}

impl CloseReason {
    /// Returns its name in metrics and log events.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether the client was too slow.
    pub(crate) fn is_slow_client(self) -> bool {
        matches!(
            self,
            Self::FirstByteTimeout
                | Self::HeaderTimeout
                | Self::BodyTimeout
                | Self::WriteTimeout
                | Self::Preempted
        )
    }

    /// Returns whether the client is at fault: it was too slow or violated the protocol.
    pub(crate) fn is_client_fault(self) -> bool {
        self.is_slow_client()
            || matches!(
                self,
                Self::ControlFrameFlood | Self::RapidReset | Self::ProtocolError
            )
    }
}

/// Counts a connection as open until it is dropped.
pub struct OpenConnection(Gauge);

impl ConnectionMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "connections_open": self.open, "Open connections";
            "connections_rejected": self.rejected,
                "Connections rejected before their first request, by cause";
            "connections_closed": self.closed, "Connections closed after being served, by cause";
            "tls_handshakes": self.handshakes, "Complete TLS handshakes";
            "http2_body_timeouts": self.body_timeouts,
                "HTTP/2 requests whose body came too slowly (over HTTP/1 the connection is closed)";
        }
    }

    /// Returns the metrics of one listener.
    pub fn for_listener(&self, listener: &'static str) -> ListenerConnectionMetrics {
        let label = [("listener", listener)];
        // Each cause is exposed from the start.
        for reason in CloseReason::VARIANTS {
            let cause = reason.name();
            drop(
                self.closed
                    .get_or_create(&[("listener", listener), ("cause", cause)]),
            );
        }
        for reason in RejectReason::VARIANTS {
            let cause = reason.into();
            drop(
                self.rejected
                    .get_or_create(&[("listener", listener), ("cause", cause)]),
            );
        }
        ListenerConnectionMetrics {
            listener,
            open: self.open.get_or_create_owned(&label),
            peak: self.peaks.get_or_create_owned(&label),
            rejected: self.rejected.clone(),
            closed: self.closed.clone(),
            body_timeouts: self.body_timeouts.get_or_create_owned(&label),
            handshakes: self.handshakes.clone(),
        }
    }
}

impl ListenerConnectionMetrics {
    /// Returns the most connections that were open since the last call, and those that are open
    /// now.
    pub fn take_peak(&self) -> (i64, i64) {
        let open = self.open.get();
        (self.peak.inner().swap(open, Ordering::Relaxed), open)
    }

    /// Counts an accepted connection.
    pub fn opened(&self) -> OpenConnection {
        let others = self.open.inc();
        self.peak.inner().fetch_max(others + 1, Ordering::Relaxed);
        OpenConnection(self.open.clone())
    }

    /// Counts a rejected connection.
    pub fn rejected(&self, reason: RejectReason) {
        let (listener, cause) = (self.listener, reason.into());
        self.rejected
            .get_or_create(&[("listener", listener), ("cause", cause)])
            .inc();
    }

    /// Counts a complete TLS handshake.
    pub(crate) fn handshake(&self, connection: &ServerConnection) {
        let kind = match connection.handshake_kind() {
            Some(HandshakeKind::Full | HandshakeKind::FullWithHelloRetryRequest) | None => "full",
            Some(_) => "resumed",
        };
        let group = connection.negotiated_key_exchange_group();
        let key_exchange = match group.map(SupportedKxGroup::name) {
            Some(NamedGroup::X25519MLKEM768) => "X25519MLKEM768",
            Some(NamedGroup::X25519) => "X25519",
            // Such as P-256, or none: a resumed session of TLS 1.2.
            _ => "other",
        };
        let labels = [
            ("listener", self.listener),
            ("kind", kind),
            ("key_exchange", key_exchange),
        ];
        self.handshakes.get_or_create(&labels).inc();
    }

    /// Counts a closed connection.
    pub fn closed(&self, reason: CloseReason) {
        let (listener, cause) = (self.listener, reason.name());
        self.closed
            .get_or_create(&[("listener", listener), ("cause", cause)])
            .inc();
    }

    /// Counts an HTTP/2 request whose body came too slowly.
    pub(crate) fn body_timed_out(&self) {
        self.body_timeouts.inc();
    }

    /// Returns the listener's name.
    pub fn listener(&self) -> &'static str {
        self.listener
    }
}

/// The cause of requests that are shed because memory is nearly used up.
const MEMORY: &str = "memory";

/// Counts shed requests by the limit that was reached.
#[derive(Clone, Default)]
pub struct ShedMetrics(Family<Labels<1>, Counter>);

impl ShedMetrics {
    /// Adds the metric to the registry.
    pub fn register(&self, registry: &mut Registry) {
        for cause in ["limit", "client_limit", MEMORY] {
            drop(self.0.get_or_create(&[("cause", cause)]));
        }
        register_metrics! { registry;
            "requests_shed": self.0,
                "Requests rejected because max_requests_in_flight or max_requests_in_flight_per_client was reached, or memory \
                 was nearly used up";
        }
    }

    /// Counts a request shed because memory is nearly used up.
    pub(crate) fn shed_for_memory(&self) {
        self.0.get_or_create(&[("cause", MEMORY)]).inc();
    }

    /// Counts a request shed because of this limit.
    pub(crate) fn shed(&self, full: Full) {
        let cause = RejectReason::from(full).into();
        self.0.get_or_create(&[("cause", cause)]).inc();
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}
