//! What a stream is, and why it ends.

use strum::{IntoStaticStr, VariantArray};

/// What a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum StreamKind {
    /// A WebSocket.
    #[strum(serialize = "websocket")]
    WebSocket,
    /// A response with server-sent events.
    EventStream,
}

/// Why a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum StreamEnd {
    /// The client closed it, or its connection failed.
    ClientClosed,
    /// The upstream closed it, or its connection failed.
    UpstreamClosed,
    /// Nothing was sent for `stream_idle_timeout_ms`.
    IdleTimeout,
    /// It was open for `stream_total_timeout_ms`.
    TotalTimeout,
    /// The client's connection had to end: the gateway stopped, or at `max_connection_age_ms`.
    GoingAway,
}
